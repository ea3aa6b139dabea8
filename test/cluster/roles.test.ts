import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type RoleName, roles } from '../../src/database/database.ts';
import { administer } from '../support/engines.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type KafkaServer, startKafka } from './support/kafka.ts';
import { NamedNodes } from './support/named-nodes.ts';
import { emptyDatabase, until } from './support/nodes.ts';
import { holdTable, Parts } from './support/parts.ts';

let postgres: PostgresServer;
let kafka: KafkaServer;
before(async () => {
  postgres = (await startPostgres()) as PostgresServer;
  kafka = await startKafka();
});
after(async () => {
  await kafka?.stop();
  await postgres?.stop();
});

async function start(t: TestContext): Promise<{ url: string; nodes: NamedNodes; parts: Parts }> {
  const url = await emptyDatabase(postgres);
  const broker = kafka.listeners.plain;
  const nodes = await NamedNodes.start(t, url, Parts.settings(broker));
  return { url, nodes, parts: await Parts.watch(t, nodes, broker) };
}

/** The node that has a part, once one has it. */
async function playerOf(nodes: NamedNodes, role: RoleName): Promise<{ node: number; session: number }> {
  let player = await nodes.player(role);
  await until(`a node plays the ${role}`, async () => {
    player ??= await nodes.player(role);
    return player !== undefined;
  });
  assert.ok(player);
  return player;
}

const othersOf = (nodes: NamedNodes, node: number) =>
  Array.from({ length: nodes.count }, (_, other) => other).filter((other) => other !== node);

/** Ends all nodes but one, and starts them again when that one plays every part. */
async function gather(nodes: NamedNodes, node: number, killed: (others: readonly number[]) => Promise<void>) {
  const others = othersOf(nodes, node);
  await Promise.all(others.map((other) => nodes.kill(other)));
  await killed(others);
  await Promise.all(others.map((other) => nodes.restart(other)));
}

test('The program, more than one node: parts pass on', async (t) => {
  const { url, nodes, parts } = await start(t);
  const onTheWay: string[] = [];

  for (const role of roles) {
    await t.test(`when the node that has the ${role} is killed, others go on with its parts within 15 s`, async () => {
      const { node } = await playerOf(nodes, role);
      const claims = await parts.register(node, 5);
      await parts.until(claims, 1);
      onTheWay.push(...claims);
      const gone = performance.now();
      await nodes.kill(node);
      await parts.assertTakenOver(gone, roles, othersOf(nodes, node));
      await nodes.restart(node);
    });
  }
  await t.test('and nothing is left out that was on its way', () => parts.until(onTheWay, 3));

  await t.test('when the server ends the sessions of parts, each is played again, by one node', async () => {
    const players = await Promise.all(roles.map((role) => playerOf(nodes, role)));
    const sessions = new Set(players.map(({ session }) => session));
    const gone = performance.now();
    await administer(`select pg_terminate_backend(pid) from unnest('{${[...sessions]}}'::integer[]) as pid`, url);
    await until('every part is played in a new session', async () => {
      const now = await Promise.all(roles.map((role) => nodes.player(role)));
      return now.every((player) => player && !sessions.has(player.session));
    });
    await parts.assertTakenOver(gone, roles, [0, 1, 2]);
    await parts.assertPlayedOnce(0);
  });

  await t.test('a node that is told to stop passes its parts on', async () => {
    const { node } = await playerOf(nodes, 'webhooks');
    const gone = performance.now();
    const [{ code }] = await Promise.all([
      nodes.program(node).stop(),
      parts.assertTakenOver(gone, roles, othersOf(nodes, node)),
    ]);
    assert.equal(code, 0);
    await parts.assertPlayedOnce(othersOf(nodes, node)[0] as number);
    await nodes.restart(node);
  });

  await t.test('one node that is left plays every part', async () => {
    const { node } = await playerOf(nodes, 'desk');
    await gather(nodes, node, async () => {
      await parts.assertTakenOver(performance.now(), roles, [node]);
    });
  });

  await t.test(
    'a node that stands still loses its parts within 15 s, whatever it was about, and does not go on with them later',
    async (t) => {
      const { node } = await playerOf(nodes, 'relay');
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
      await until('claims have moved', () => calls() >= 5);
      const log = await holdTable(t, url, 'events');
      await progress.letGo();
      await until('it is about to relay', () => waits('from events where seq'));
      await until('it is about to move claims', () => waits('insert into events'));
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
      // It is there for them again.
      await gather(nodes, node, async () => {
        await parts.assertTakenOver(performance.now(), roles, [node]);
      });
    },
  );

  nodes.assertWell();
  await nodes.stop();
});
