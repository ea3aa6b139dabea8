import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../support/postgres.ts';
import { relayRole } from '../support/roles.ts';
import { until } from '../support/until.ts';
import { Evidence, lacking, offsets } from './support/evidence.ts';
import { startKafka } from './support/kafka.ts';
import { GroupMember, readTopic, type TopicRecord } from './support/kcat.ts';
import { NamedNodes } from './support/named-nodes.ts';
import { emptyDatabase } from './support/nodes.ts';
import {
  assertEachChangeOnce,
  assertOnePartitionEach,
  compare,
  isSettled,
  missing,
  progress,
  published,
  repeats,
  topic,
} from './support/relayed.ts';
import { shareServer } from './support/servers.ts';

/**
 * How long nodes and the broker come and go, in milliseconds: as long as it takes until enough broke. On a busy machine
 * a broker needs half a minute to start.
 */
const duration = { least: 70_000, most: 180_000 };

const postgres = await shareServer(startPostgres);
const kafka = await shareServer(startKafka);

const between = (least: number, most: number) => least + Math.random() * (most - least);

class Broken {
  readonly nodes = {
    killed: 0,
    /** How many of them relayed at that moment. */
    relaying: 0,
  };
  readonly broker = { kill: 0, shutDown: 0, suspend: 0 };
  /** Events that a reader saw again. */
  repeated = 0;

  get enough(): boolean {
    const { kill, shutDown, suspend } = this.broker;
    return this.nodes.relaying > 3 && kill > 1 && shutDown > 1 && suspend > 1 && this.repeated > 0;
  }
}

/** Nodes that are down now. */
const down = new Set<number>();

/** Kills the node that relays, or any if nobody does, and starts it again. Not one that somebody else has killed. */
async function killOne(nodes: NamedNodes, broken: Broken, whileDown: () => Promise<void>): Promise<void> {
  const player = await nodes.player(relayRole);
  const node = player?.node ?? Math.floor(Math.random() * nodes.count);
  if (down.has(node)) return whileDown();
  down.add(node);
  await nodes.kill(node);
  broken.nodes.killed += 1;
  if (player) broken.nodes.relaying += 1;
  await whileDown();
  await nodes.restart(node);
  down.delete(node);
}

async function killNodes(nodes: NamedNodes, broken: Broken, going: () => boolean): Promise<void> {
  while (going()) {
    await pause(between(500, 3_000));
    await killOne(nodes, broken, () => pause(between(0, 1_500)));
  }
}

interface Chaos {
  readonly url: string;
  readonly nodes: NamedNodes;
  readonly member: GroupMember;
  readonly broken: Broken;
  readonly evidence: Evidence;
  readonly going: () => boolean;
}

/**
 * Kills the broker, restarts it, or lets it hang. While it hangs, the node that relays is killed: what this one had sent
 * is taken when the broker goes on, and nobody has written that down.
 */
async function breakKafka({ url, nodes, member, broken, evidence, going }: Chaos): Promise<void> {
  for (let turn = 0; going(); turn += 1) {
    await pause(between(1_000, 4_000));
    const how = (['suspend', 'kill', 'shutDown'] as const)[turn % 3] ?? 'kill';
    if (how === 'suspend') await someProgress(url, going);
    evidence.note(`the broker: ${how}`);
    if (how === 'suspend') {
      kafka.suspend();
      await pause(between(500, 2_500));
      await killOne(nodes, broken, async () => kafka.resume());
    } else {
      await kafka[how]();
      await pause(between(0, 1_500));
      await kafka.start();
    }
    broken.broker[how] += 1;
    broken.repeated = repeats(distinct(member.received));
    evidence.note(`the broker is back; ${JSON.stringify(broken)}`);
  }
}

/** Waits until a node has just relayed something, so that its next batch is soon under way. */
async function someProgress(url: string, going: () => boolean): Promise<void> {
  const before = await progress(url);
  while (going() && (await progress(url)) === before) await pause(20);
}

/** A group may get a record again when it could not write down that it had it. */
function distinct(received: readonly TopicRecord[]): TopicRecord[] {
  return [...new Map(received.map((record) => [`${record.partition}/${record.offset}`, record])).values()];
}

/** Registers claims through all nodes, whoever of them is there. */
async function register(nodes: NamedNodes, token: string, policyNumber: string, going: () => boolean) {
  for (; going(); await pause(40)) {
    const json = { policyNumber, paceSeconds: 1, outcome: Math.random() < 0.5 ? 'APPROVED' : 'REJECTED' };
    const answer = await nodes.call('POST', '/claims/v1/claims', { token, json }).catch(() => undefined);
    if (answer) assert.equal(answer.status, 201, answer.text);
  }
}

test('Delivery rules, 1 and 2: while nodes are killed and the broker comes, goes and hangs, every change reaches Kafka, in order per claim', (t: TestContext) =>
  Evidence.around(t, (evidence) => chaos(t, evidence)));

async function chaos(t: TestContext, evidence: Evidence): Promise<void> {
  const url = await emptyDatabase(postgres);
  const broker = kafka.listeners.plain;
  const nodes = await NamedNodes.start(t, url, { KAFKA_BROKERS: broker, EVENTS_DUPLICATE_RATE: '0' });
  const client = await nodes.node(0).client();
  const policy = await nodes.call('POST', '/policies', { token: client.token, json: { regNumber: 'CH-1' } });
  await until(
    () =>
      readTopic(broker, topic).then(
        (records) => records.length > 0,
        () => false,
      ),
    'the topic is there',
  );
  const member = new GroupMember(broker, 'chaos', topic, {}, evidence.path('group.log'));
  t.after(() => member.leave());
  evidence.collect('group.json', () => ({ exit: member.exit, received: member.received.length }));
  evidence.collect('offsets.json', () => offsets(kafka, topic, 'chaos'));
  evidence.collect('lacking.json', async () => lacking(await readTopic(broker, topic), member.received));
  evidence.collect('broker.log', () => kafka.log());
  for (let node = 0; node < nodes.count; node += 1) {
    evidence.collect(`node-${node}.log`, () => nodes.program(node).stdout() + nodes.program(node).stderr());
  }

  const began = Date.now();
  const broken = new Broken();
  const going = () => Date.now() < began + (broken.enough ? duration.least : duration.most);
  await Promise.all([
    breakKafka({ url, nodes, member, broken, evidence, going }),
    killNodes(nodes, broken, going),
    ...[1, 2].map(() => register(nodes, client.token, policy.json.id, going)),
  ]);
  await until(() => isSettled(url), 'all is relayed', 60_000);
  evidence.note('all is relayed');
  nodes.assertWell();
  await nodes.stop();

  const events = await published(url);
  const atOnce = await readTopic(broker, topic, {}, evidence.path('at-once.log'));
  const late = missing(atOnce, events);
  if (late > 0) {
    // Told, and to be looked into; a consumer that goes on reading is what must get them all.
    evidence.note(`${late} of ${events.length} events were missing at once`);
    evidence.collect('lacking-at-once.json', async () => lacking(await readTopic(broker, topic), atOnce));
    evidence.keep();
  }
  await until(() => missing(member.received, events) === 0, 'the group has every event', 30_000).catch((error) => {
    const { code, signal } = member.exit;
    const reader = member.reading ? 'its reader goes on' : `its reader ended with ${code ?? signal}`;
    const lacks = missing(member.received, events);
    throw new Error(`${error.message}; it lacks ${lacks} of ${events.length}, a reader at once ${late}; ${reader}`);
  });
  const records = await readTopic(broker, topic);
  const repeated = compare(records, events);
  assertOnePartitionEach(records);
  assertEachChangeOnce(events);
  await until(() => distinct(member.received).length >= records.length, 'the group has read it all', 30_000);
  assert.ok(member.reading);
  const received = distinct(member.received).sort((a, b) => a.partition - b.partition || a.offset - b.offset);
  compare(received, events);
  t.diagnostic(`${events.length} events, ${repeated} sent again, ${late} not seen at once; ${JSON.stringify(broken)}`);
  t.diagnostic(`the reader was started again ${member.exit.restarts} times`);
  assert.ok(events.length > 1_000 && repeated > 0, 'too little happened');
  assert.ok(broken.enough, 'too little broke');
}
