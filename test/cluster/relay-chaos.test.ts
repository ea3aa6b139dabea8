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

/** Kills nodes, most often the one that relays, and starts them again. */
async function killNodes(nodes: NamedNodes, going: () => boolean): Promise<{ killed: number; relaying: number }> {
  const count = { killed: 0, relaying: 0 };
  while (going()) {
    await pause(between(500, 3_000));
    const player = Math.random() < 0.7 ? await nodes.player('relay') : undefined;
    const node = player?.node ?? Math.floor(Math.random() * nodes.count);
    await nodes.kill(node);
    count.killed += 1;
    if (player) count.relaying += 1;
    await pause(between(0, 1_500));
    await nodes.restart(node);
  }
  return count;
}

/** Restarts the broker, kills it, or lets it hang for a while. */
async function breakKafka(going: () => boolean): Promise<Record<'shutDown' | 'kill' | 'suspend', number>> {
  const count = { shutDown: 0, kill: 0, suspend: 0 };
  for (let turn = 0; going(); turn += 1) {
    await pause(between(1_000, 4_000));
    const how = (['kill', 'shutDown', 'suspend'] as const)[turn % 3] ?? 'kill';
    count[how] += 1;
    if (how === 'suspend') {
      kafka.suspend();
      await pause(between(500, 3_000));
      kafka.resume();
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
  const [killed, broken] = await Promise.all([
    killNodes(nodes, going),
    breakKafka(going),
    ...[1, 2].map(() => register(nodes, client.token, policy.json.id, going)),
  ]);
  await until('all is relayed', () => isSettled(url), 60_000);
  nodes.assertWell();
  await nodes.stop();

  const events = await published(url);
  const records = await readTopic(broker, topic);
  const repeated = compare(records, events);
  assertOnePartitionEach(records);
  assertEachChangeOnce(events);
  await until('the group has read it all', () => member.received.length >= records.length, 30_000);
  assert.ok(member.reading);
  compare(
    member.received.toSorted((a, b) => a.partition - b.partition || a.offset - b.offset),
    events,
  );
  t.diagnostic(`${events.length} events, ${repeated} sent again; ${JSON.stringify({ ...killed, ...broken })}`);
  assert.ok(events.length > 1_000 && killed.relaying > 5 && broken.kill > 1 && broken.shutDown > 1);
});
