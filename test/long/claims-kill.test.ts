import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine } from '../support/engines.ts';
import type { TestClient } from '../support/lplate.ts';
import { type Program, startProgram } from '../support/program.ts';
import { type ReceivedCall, Receiver } from '../support/receiver.ts';
import { serviceOf, TestRelay } from '../support/relay.ts';
import { steadyPort } from '../support/steady-port.ts';
import { until } from '../support/until.ts';
import { assertWhole, type Kept, keptIn } from './kept-claims.ts';

/*
 * The program is killed while it registers claims, moves them and delivers their events, to a receiver and by a relay to
 * another one. What it leaves in the database is read past it after each start, when the desk is already busy with all that
 * became due in the meantime.
 */

const rounds = 8;

/** Milliseconds for what is left to be done after the last start. */
const patience = 180_000;

/** What is read here of the answers. */
interface Created {
  id: string;
  claimId: string;
}

/** One who registers claims, without a rest or with one after each. */
interface Registrar {
  readonly client: TestClient;
  readonly policyNumber: string;
  readonly rest: number;
}

async function post(program: Program, path: string, token: string, json: object): Promise<Created> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${program.url}${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
  const body = (await response.json()) as Created;
  assert.equal(response.status, 201, JSON.stringify(body));
  return body;
}

async function settle(program: Program, rest: number): Promise<Registrar> {
  const client = await program.client();
  const { id } = await post(program, '/insurer/v1/policies', client.token, { regNumber: `KI-${rest}` });
  return { client, policyNumber: id, rest };
}

/** Registers claims until the program is gone, and counts those that it did not get to know of. */
async function register(program: Program, { client, policyNumber, rest }: Registrar, known: Set<string>) {
  for (;;) {
    const outcome = Math.random() < 0.5 ? 'APPROVED' : 'REJECTED';
    const json = { policyNumber, outcome, paceSeconds: 1 };
    const claim = await post(program, '/claims/v1/claims', client.token, json).catch((error) => {
      if (error instanceof assert.AssertionError) throw error;
    });
    if (!claim) return;
    known.add(claim.claimId);
    if (rest > 0) await pause(rest);
  }
}

/** What a webhook was sent is in the log, and the events of a claim came in its order, some of them again. */
function assertDelivered(calls: readonly ReceivedCall[], { events }: Kept): void {
  const log = new Map(events.map((event) => [event.event_id, event]));
  const reached = new Map<string, number>();
  for (const { headers, body } of calls) {
    const eventId = headers['webhook-id'] ?? '';
    const event = log.get(eventId);
    assert.ok(event && body === event.payload, `${eventId} was delivered and is not in the log`);
    const { seq, ordering_key } = event;
    assert.ok((reached.get(ordering_key) ?? 0) <= seq, `an event of ${ordering_key} came after a later one`);
    reached.set(ordering_key, seq);
  }
}

/** A relay of the client, which goes on with what it does when the program is gone. */
function connect(t: TestContext, program: Program, client: TestClient): Promise<TestRelay> {
  const { url, call } = serviceOf(program);
  const gone = { status: 0, json: undefined };
  return TestRelay.open(t, { url, call: (...given) => call(...given).catch(() => gone) }, client);
}

/** How many attempts came a second time: those that a kill met, before it was saved what came of them. */
function madeAgain(calls: readonly ReceivedCall[]): number {
  const attempts = calls.map(({ headers }) => `${headers['webhook-id']} ${headers['webhook-attempt']}`);
  return attempts.length - new Set(attempts).size;
}

forEachEngine((engine) => {
  test('Events: whenever the program is killed, no change lacks its event, no event its change, and the desk goes on', async (t) => {
    const where = await engine.location();
    const receivers = [await Receiver.open(t), await Receiver.open(t)];
    const [receiver, beyondRelay] = receivers as [Receiver, Receiver];
    // Tokens are for one address, so it stays the same.
    const much = String(10 ** 9);
    const environment = {
      ...{ PORT: String(await steadyPort()), CLAIMS_PER_CLIENT: much, STORED_BYTES_PER_CLIENT: much },
      ...{ WEBHOOK_OPEN_DELIVERIES: much, WEBHOOK_CALLS_PER_CLIENT: much, WEBHOOK_CALLS_PER_HOST: much },
    };
    let program = await startProgram(t, where, { environment });
    const registrars = [await settle(program, 0), await settle(program, 1), await settle(program, 20)];
    const subscriber = registrars[2] as Registrar;
    const { client } = subscriber;
    await post(program, '/claims/v1/subscriptions', client.token, { url: receiver.url });
    await post(program, '/claims/v1/subscriptions', client.token, { url: beyondRelay.url, via: 'relay' });
    await connect(t, program, client);
    const known = new Set<string>();
    let kept = await keptIn(where);

    for (let round = 0; round < rounds; round += 1) {
      const registering = registrars.map((each) => register(program, each, known));
      await pause(Math.random() * 1500);
      // A slow machine takes longer until there is something to lose.
      await until(() => known.size > 25 * (round + 1), 'claims are registered');
      program.child.kill('SIGKILL');
      await program.exit;
      await Promise.all(registering);

      program = await startProgram(t, where, { environment });
      await connect(t, program, client);
      const before = kept;
      kept = await keptIn(where);
      assertWhole(kept);
      assert.deepEqual(kept.events.slice(0, before.events.length), before.events, 'the log has changed');
      for (const { calls } of receivers) {
        assertDelivered(calls, kept);
        assert.ok(madeAgain(calls) <= round + 1, 'an attempt was made again that no kill has met');
      }
      const there = kept.claims.filter(({ client_id }) => client_id !== 'preset-fleet').map(({ id }) => id);
      assert.ok(known.isSubsetOf(new Set(there)), 'a claim that was acknowledged is missing');
      assert.ok(there.length - known.size <= registrars.length * (round + 1), 'there are claims that nobody asked for');
    }
    t.diagnostic(
      `${known.size} claims, ${kept.events.length} events and ${receivers.map(({ calls }) => `${calls.length} calls, ${madeAgain(calls)} of them again,`).join(' ')} over ${rounds} kills`,
    );

    const late = Date.now() + patience;
    for (;;) {
      kept = await keptIn(where);
      // With those that were registered and nobody was told of.
      const moving = kept.claims.filter((claim) => claim.client_id !== 'preset-fleet' && claim.status !== 'CLOSED');
      const owed = kept.deliveries.filter(({ status }) => status !== 'delivered');
      const untaken = kept.subscriptions.flatMap(({ client_id, taken_seq }) =>
        kept.events.filter((event) => event.client_id === client_id && event.seq > taken_seq),
      );
      if (moving.length + owed.length + untaken.length === 0) break;
      const left = `${moving.length} claims don't move, ${owed.length + untaken.length} deliveries are owed`;
      assert.ok(Date.now() < late, left);
      await pause(200);
    }
    assertWhole(kept);
    for (const { calls } of receivers) assertDelivered(calls, kept);
    const own = new Set(kept.claims.filter((claim) => claim.policy_id === subscriber.policyNumber).map(({ id }) => id));
    const wanted = kept.events.filter((event) => own.has(event.ordering_key)).map((event) => event.event_id);
    for (const { eventIds } of receivers) {
      assert.deepEqual(new Set(eventIds), new Set(wanted), 'an event was not delivered');
    }
    assert.equal(wanted.length, 3 * own.size);
    assert.ok(own.size > rounds && known.size > 20 * rounds, 'too little happened to show anything');
  });
});
