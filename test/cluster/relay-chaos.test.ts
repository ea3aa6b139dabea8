import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type KafkaServer, startKafka } from './support/kafka.ts';
import { GroupMember, readTopic } from './support/kcat.ts';
import { NamedNodes } from './support/named-nodes.ts';
import { emptyDatabase, until } from './support/nodes.ts';
import {
  assertEachChangeOnce,
  assertOnePartitionEach,
  compare,
  isSettled,
  missing,
  published,
  topic,
} from './support/relayed.ts';

/** How long nodes and the broker come and go. */
const milliseconds = 70_000;

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

const between = (least: number, most: number) => least + Math.random() * (most - least);

interface Killed {
  nodes: number;
  /** How many of them relayed at that moment. */
  relaying: number;
}

/** Nodes that are down now. */
const down = new Set<number>();

/** Kills the node that relays, or any if nobody does, and starts it again. Not one that somebody else has killed. */
async function killOne(nodes: NamedNodes, count: Killed, whileDown: () => Promise<void>): Promise<void> {
  const player = await nodes.player('relay');
  const node = player?.node ?? Math.floor(Math.random() * nodes.count);
  if (down.has(node)) return whileDown();
  down.add(node);
  await nodes.kill(node);
  count.nodes += 1;
  if (player) count.relaying += 1;
  await whileDown();
  await nodes.restart(node);
  down.delete(node);
}

async function killNodes(nodes: NamedNodes, count: Killed, going: () => boolean): Promise<void> {
  while (going()) {
    await pause(between(500, 3_000));
    await killOne(nodes, count, () => pause(between(0, 1_500)));
  }
}

/**
 * Kills the broker, restarts it, or lets it hang. While it hangs, the node that relays is killed: what this one had sent
 * is taken when the broker goes on, and nobody has written that down.
 */
async function breakKafka(nodes: NamedNodes, killed: Killed, going: () => boolean) {
  const count = { kill: 0, shutDown: 0, suspend: 0 };
  for (let turn = 0; going(); turn += 1) {
    await pause(between(1_000, 4_000));
    const how = (['suspend', 'kill', 'shutDown'] as const)[turn % 3] ?? 'kill';
    count[how] += 1;
    if (how === 'suspend') {
      kafka.suspend();
      await pause(between(500, 2_500));
      await killOne(nodes, killed, async () => kafka.resume());
    } else {
      await kafka[how]();
      await pause(between(0, 1_500));
      await kafka.start();
    }
  }
  return count;
}

/** Registers claims through all nodes, whoever of them is there. */
async function register(nodes: NamedNodes, token: string, policyNumber: string, going: () => boolean) {
  for (; going(); await pause(40)) {
    const json = { policyNumber, paceSeconds: 1, outcome: Math.random() < 0.5 ? 'APPROVED' : 'REJECTED' };
    const answer = await nodes.call('POST', '/claims/v1/claims', { token, json }).catch(() => undefined);
    if (answer) assert.equal(answer.status, 201, answer.text);
  }
}

test('Delivery rules, 1 and 2: while nodes are killed and the broker comes, goes and hangs, every change reaches Kafka, in order per claim', async (t: TestContext) => {
  const url = await emptyDatabase(postgres);
  const broker = kafka.listeners.plain;
  const nodes = await NamedNodes.start(t, url, { KAFKA_BROKERS: broker, EVENTS_DUPLICATE_RATE: '0' });
  const client = await nodes.node(0).client();
  const policy = await nodes.call('POST', '/policies', { token: client.token, json: { regNumber: 'CH-1' } });
  await until('the topic is there', () =>
    readTopic(broker, topic).then(
      (records) => records.length > 0,
      () => false,
    ),
  );
  const member = new GroupMember(broker, 'chaos', topic);
  t.after(() => member.leave());

  const end = Date.now() + milliseconds;
  const going = () => Date.now() < end;
  const killed: Killed = { nodes: 0, relaying: 0 };
  const [broken] = await Promise.all([
    breakKafka(nodes, killed, going),
    killNodes(nodes, killed, going),
    ...[1, 2].map(() => register(nodes, client.token, policy.json.id, going)),
  ]);
  await until('all is relayed', () => isSettled(url), 60_000);
  nodes.assertWell();
  await nodes.stop();

  const events = await published(url);
  // Told, as it would be worth knowing; a consumer that goes on reading is what must get them all.
  const late = missing(await readTopic(broker, topic), events);
  await until('the group has every event', () => missing(member.received, events) === 0, 30_000).catch(
    async (error) => {
      const records = await readTopic(broker, topic);
      assert.fail(`${error.message}; at once ${late}, now ${missing(records, events)} of ${events.length} are missing`);
    },
  );
  const records = await readTopic(broker, topic);
  const repeated = compare(records, events);
  assertOnePartitionEach(records);
  assertEachChangeOnce(events);
  await until('the group has read it all', () => member.received.length >= records.length, 30_000);
  assert.ok(member.reading);
  const received = member.received.toSorted((a, b) => a.partition - b.partition || a.offset - b.offset);
  compare(received, events);
  t.diagnostic(
    `${events.length} events, ${repeated} sent again, ${late} not seen at once; ${JSON.stringify({ killed, broken })}`,
  );
  assert.ok(events.length > 1_000 && repeated > 0, 'too little happened');
  assert.ok(killed.relaying > 3 && broken.kill > 1 && broken.shutDown > 1 && broken.suspend > 1, 'too little broke');
});
