import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Role } from '../../src/database/database.ts';
import { administer } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { deskRole, housekeepingRole, relayRole, roles, webhooksRole } from '../support/roles.ts';
import { until } from '../support/until.ts';
import { startKafka } from './support/kafka.ts';
import { NamedNodes } from './support/named-nodes.ts';
import { emptyDatabase } from './support/nodes.ts';
import { holdTable, Parts } from './support/parts.ts';
import { lag } from './support/relayed.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);
const kafka = await shareServer(startKafka);

async function start(t: TestContext): Promise<{ url: string; nodes: NamedNodes; parts: Parts }> {
  const url = await emptyDatabase(postgres);
  const broker = kafka.listeners.plain;
  const nodes = await NamedNodes.start(t, url, Parts.settings(broker));
  return { url, nodes, parts: await Parts.watch(t, nodes, broker) };
}

/** The node that has a part, once one has it. */
async function playerOf(nodes: NamedNodes, role: Role): Promise<{ node: number; session: number }> {
  let player = await nodes.player(role);
  await until(async () => {
    player ??= await nodes.player(role);
    return player !== undefined;
  }, `a node plays the ${role.name}`);
  assert.ok(player);
  return player;
}

const othersOf = (nodes: NamedNodes, node: number) =>
  Array.from({ length: nodes.count }, (_, other) => other).filter((other) => other !== node);

async function endSessions(url: string, sessions: Iterable<number>): Promise<void> {
  await administer(`select pg_terminate_backend(pid) from unnest('{${[...sessions]}}'::integer[]) as pid`, url);
}

/** Ends all nodes but one, and starts them again when that one plays every part. */
async function gather(nodes: NamedNodes, node: number, killed: (others: readonly number[]) => Promise<void>) {
  const others = othersOf(nodes, node);
  await Promise.all(others.map((other) => nodes.kill(other)));
  await killed(others);
  await Promise.all(others.map((other) => nodes.restart(other)));
}

/** Asks for demo credentials, but does not end the request. Resolves when the server waits for the rest. */
async function beginRequest(url: string): Promise<{ finish(): Promise<number | undefined> }> {
  const json = '{"scope":"policies:read"}';
  const headers = { 'Content-Type': 'application/json', 'Content-Length': json.length, Expect: '100-continue' };
  const asked = request(`${url}/insurer/v1/demo-clients`, { method: 'POST', headers });
  const answered = once(asked, 'response');
  answered.catch(() => {});
  asked.flushHeaders();
  await once(asked, 'continue');
  return {
    async finish() {
      asked.end(json);
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode;
    },
  };
}

test('The program, more than one node: parts pass on', async (t) => {
  const { url, nodes, parts } = await start(t);
  const onTheWay: string[] = [];
  let stood = 0;

  /** Ends sessions until another node has the part. */
  async function takeFrom(node: number, role: Role): Promise<number> {
    for (;;) {
      const player = await playerOf(nodes, role);
      if (player.node !== node) return player.node;
      await endSessions(url, [player.session]);
    }
  }

  for (const role of roles) {
    await t.test(
      `when the node that has the ${role.name} is killed, others go on with its parts within 15 s`,
      async () => {
        const { node } = await playerOf(nodes, role);
        onTheWay.push(...(await parts.register(node, 5)));
        const gone = performance.now();
        await nodes.kill(node);
        await parts.assertTakenOver(gone, roles, othersOf(nodes, node));
        await nodes.restart(node);
      },
    );
  }
  await t.test('and nothing is left out that was on its way', () => parts.until(onTheWay, 3));

  await t.test('when the server ends the sessions of parts, each is played again, by one node', async () => {
    const sessions = new Set(
      (await Promise.all(roles.map((role) => playerOf(nodes, role)))).map((player) => player.session),
    );
    const gone = performance.now();
    await endSessions(url, sessions);
    await until(async () => {
      const players = await Promise.all(roles.map((role) => nodes.player(role)));
      return players.every((player) => player && !sessions.has(player.session));
    }, 'every part is played in a new session');
    await parts.assertTakenOver(gone, roles, [0, 1, 2]);
    await parts.assertPlayedOnce(0);
  });

  await t.test('a node that has lost its part ends with the call that is under way', async () => {
    const { receiver } = parts;
    const { promise: answered, resolve: answer } = Promise.withResolvers<number>();
    const { node } = await playerOf(nodes, webhooksRole);
    const before = receiver.calls.length;
    receiver.answer = () => answered;
    const claims = await parts.register(node, 10);
    await until(() => receiver.calls.length > before, 'a call is under way');
    await takeFrom(node, webhooksRole);
    await until(() => receiver.calls.length > before + 1, 'another node makes it, too');
    answer(204);
    await parts.until(claims, 3);
    const [first, second, ...more] = receiver.eventIds.slice(before);
    assert.equal(first, second);
    assert.equal(new Set(more).size, more.length);
    assert.equal(1 + more.length, 3 * claims.length);
    // Each of the two had an answer to write down. To come second with it is no failure.
    const warnings = await Promise.all([0, 1, 2].map((number) => parts.warningsOf(number)));
    const failed = warnings
      .flat()
      .filter((message) => message.startsWith('the result of a webhook call could not be saved'));
    assert.deepEqual(failed, []);
  });

  await t.test('a node that has lost the relay does not set back how far others came', async (t) => {
    const { node } = await playerOf(nodes, relayRole);
    await until(async () => (await lag(url)) === 0, 'all is relayed');
    kafka.suspend();
    t.after(() => kafka.resume());
    // The broker is sent their first events, but does not answer before another node has the part.
    const early = await parts.register(node, 3);
    const calls = () => parts.receiver.calls.filter(({ event }) => early.includes(event.data.claimId)).length;
    await until(() => calls() >= 3, 'claims have moved');
    const heir = await takeFrom(node, relayRole);
    const { child } = nodes.program(node);
    t.after(() => child.kill('SIGCONT'));
    child.kill('SIGSTOP');
    kafka.resume();
    const late = await parts.register(heir, 3);
    await parts.until([...early, ...late], 3);
    // Only now it hears of what it sent.
    child.kill('SIGCONT');
    assert.equal((await nodes.call('GET', '/healthz', { node })).status, 200);
    await parts.until(await parts.register(heir), 1);
    await parts.assertOnce(late);
  });

  await t.test('one node that is left plays every part', async () => {
    const { node } = await playerOf(nodes, deskRole);
    await gather(nodes, node, async () => {
      await parts.assertTakenOver(performance.now(), roles, [node]);
    });
  });

  await t.test(
    'a node that stands still loses its parts within 15 s, whatever it was about, and does not go on with them later',
    async (t) => {
      const { node } = await playerOf(nodes, relayRole);
      const others = othersOf(nodes, node);
      const waits = async (query: string) =>
        (
          await administer<{ found: number }>(
            `select count(*)::int as found from pg_stat_activity where datname = current_database()
           and application_name = 'node-${node}' and wait_event_type = 'Lock' and query ilike '%${query}%'`,
            url,
          )
        )[0]?.found === 1;

      // It stops when it has read what to tell Kafka and is in the middle of a move.
      const progress = await holdTable(t, url, 'kafka_relay');
      const moving = await parts.register(node, 5);
      const calls = () => parts.receiver.calls.filter(({ event }) => moving.includes(event.data.claimId)).length;
      await until(() => calls() >= 5, 'claims have moved');
      const log = await holdTable(t, url, 'events');
      await progress.letGo();
      await until(() => waits('from events%where seq'), 'it is about to relay');
      await until(() => waits('insert into events'), 'it is about to move claims');
      stood = node;
      const { child } = nodes.program(node);
      t.after(() => child.kill('SIGCONT'));
      child.kill('SIGSTOP');
      const gone = performance.now();
      await log.letGo();
      await parts.assertTakenOver(gone, roles, others);
      await parts.until(moving, 3);

      child.kill('SIGCONT');
      assert.equal((await nodes.call('GET', '/healthz', { node })).status, 200);
      await parts.assertPlayedOnce(node);
      await parts.assertOnce(moving);
    },
  );
  nodes.assertWell();

  await t.test(
    'nodes that are told to stop pass their parts on before they have answered their last request',
    async () => {
      // What they leave is for the one that stood still.
      const leavers = othersOf(nodes, stood);
      const { node: last } = await playerOf(nodes, housekeepingRole);
      assert.ok(leavers.includes(last));
      const asked = await beginRequest(nodes.program(last).url);
      const gone = performance.now();
      const exits = leavers.map((node) => nodes.program(node).stop());
      await parts.assertTakenOver(gone, roles, [stood]);
      assert.equal(nodes.program(last).child.exitCode, null);
      assert.equal(await asked.finish(), 201);
      for (const { code } of await Promise.all(exits)) assert.equal(code, 0);
    },
  );
  await nodes.stop();
});

test('The program, more than one node: one at a time keeps house, and another goes on when it ends', async (t) => {
  const url = await emptyDatabase(postgres);
  const location = async () => ({ url });
  const keeper = await startLPlate(t, { name: 'postgres', location });
  const other = await startLPlate(t, { name: 'postgres', location });
  const { id } = await keeper.client();
  const isThere = async () => (await administer(`select 1 from clients where id = '${id}'`, url)).length === 1;
  // To the other the client is idle. To the keeper it is not, so that it can't have removed it by itself.
  other.clock.advance(25 * 60 * 60 * 1000);
  await other.housekeeping();
  assert.ok(await isThere());
  await keeper.close();
  await until(async () => {
    await other.housekeeping();
    return !(await isThere());
  }, 'the other keeps house');
});
