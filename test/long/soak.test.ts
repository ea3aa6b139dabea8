import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { tellingKept } from '../support/kept.ts';
import { startProgram } from '../support/program.ts';
import { Receiver, type Reply } from '../support/receiver.ts';
import { CallTimes } from './soak/call-times.ts';
import { MemorySamples } from './soak/memory.ts';
import { MixedCalls } from './soak/mixed-calls.ts';
import { Party } from './soak/party.ts';
import { UnreadConnections } from './soak/unread-connections.ts';

/*
 * Six minutes of everything at once against the real program: streams, webhooks, mixed calls, readers that are slow and
 * readers that never read. SOAK_SECONDS makes it shorter or longer; memory and times are
 * judged from six minutes on.
 */

const seconds = Number(process.env.SOAK_SECONDS ?? 360);

/** Ten clients, each with ten streams and two webhooks. */
const clients = 10;
const streamsEach = 10;

/** How many streams of each client read slowly. */
const slowEach = 2;

/** Events of each client, at least: a third of what it has when every call is answered at once. */
const fewestEvents = 3 * seconds;

/** Of the 20 webhooks, three answer 500 and three never answer. */
const failing = new Map<number, Reply>([
  [3, 500],
  [8, 500],
  [13, 500],
  [5, 'hang'],
  [11, 'hang'],
  [17, 'hang'],
]);

onSqlite((engine) => {
  test('Decisions, the program: six minutes of streams, webhooks, mixed calls and unread answers: memory is flat, calls take as long as before, nothing is lost', {
    timeout: (seconds + 600) * 1000,
  }, async (t) => {
    const receiver = await Receiver.open(t);
    receiver.answer = ({ path }) => failing.get(Number(path.split('/').at(-1))) ?? 204;
    const program = await startProgram(t, await engine.location(), {
      command: tellingKept,
      environment: { EVENTS_HEARTBEAT_SECONDS: '5', SEND_TIMEOUT_SECONDS: '10', ...generousLimits },
    });
    const parties = await Promise.all(
      Array.from({ length: clients }, (_, at) =>
        Party.open(t, program, {
          streams: streamsEach,
          slow: slowEach,
          webhooks: [2 * at, 2 * at + 1].map((number) => `http://127.0.0.1:${receiver.port}/${number}`),
        }),
      ),
    );
    const calls = new MixedCalls(program);
    const unread = new UnreadConnections(program.url, parties[0]?.token ?? '');
    const memory = new MemorySamples(program);

    const end = Date.now() + seconds * 1000;
    const running = () => Date.now() < end;
    const [times] = await Promise.all([
      CallTimes.take({ url: program.url, calls: parties[0]?.timedCalls ?? [], end }),
      memory.take(running),
      unread.run(running),
      ...Array.from({ length: 4 }, () => calls.run(running)),
      ...parties.map((party) => party.registerClaims(running)),
    ]);
    unread.close();
    // First of all: what has grown slow comes late too.
    for (const line of times.report()) t.diagnostic(line);
    times.assertSteady();

    for (const party of parties) await party.assertEverythingArrived();
    let delivered = 0;
    for (const [at, party] of parties.entries()) {
      for (const number of [2 * at, 2 * at + 1]) {
        const own = () => receiver.calls.filter(({ path }) => path === `/${number}`);
        if (!failing.has(number)) delivered += await party.assertDelivered(own);
      }
    }
    const { status } = await fetch(`${program.url}/healthz`);
    assert.equal(status, 200);

    t.diagnostic(memory.report());
    t.diagnostic(calls.report());
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    const cut = metrics.split('\n').filter((line) => line.startsWith('lplate_connections_cut_total'));
    t.diagnostic(`${unread.report()}; ${cut.join(', ')}`);
    assert.ok(
      cut.some((line) => !line.endsWith(' 0')),
      'connections that read nothing are cut',
    );
    const events = parties.reduce((sum, party) => sum + party.events, 0);
    t.diagnostic(
      `${parties.length * streamsEach} streams, ${events / 3} claims, ${events} events (${Math.min(...parties.map((party) => party.events))} or more of each client), ${receiver.calls.length} webhook calls, ${delivered} of them to healthy receivers`,
    );
    const wrong = program.stdout().split('\n').filter(isUndesigned);
    assert.deepEqual(wrong.slice(0, 5), [], 'answers 5xx that nobody designed');
    assert.deepEqual(calls.wrong.slice(0, 5), []);
    memory.assertFlat();
    for (const party of parties)
      assert.ok(party.events >= fewestEvents, 'there are enough events for a cost that grows to be seen');
    assert.equal((await program.stop()).code, 0);
  });
});

/** All webhooks of the soak go to one host, and the client whose calls are timed has more claims than a learner. */
const generousLimits = {
  WEBHOOK_CALLS_PER_CLIENT: '100000',
  WEBHOOK_CALLS_PER_HOST: '100000',
  CLAIMS_PER_CLIENT: '100000',
  STORED_BYTES_PER_CLIENT: '1000000000',
};

/** Whether a log line tells of an answer 5xx other than the fault of a vehicle that is not found. */
function isUndesigned(line: string): boolean {
  return /"route":.*"status":5\d\d/.test(line) && !line.includes('VehicleNotFound');
}
