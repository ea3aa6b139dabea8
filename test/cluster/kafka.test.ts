import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it, type TestContext } from 'node:test';
import { Admin, ConfigResourceTypes } from '@platformatic/kafka';
import type { Config } from '../../src/config.ts';
import type { Engine } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { restartable } from '../support/restart.ts';
import { claimOn, drain, EventStream, insure, pass } from '../support/topic.ts';
import { type KafkaServer, startKafka } from './support/kafka.ts';
import { readTopic, type TopicRecord, writeTopic } from './support/kcat.ts';
import { emptyDatabase, until } from './support/nodes.ts';
import { topic } from './support/relayed.ts';

/* The relay of one node, on both engines, with the clock in hand. */

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

const directories: string[] = [];
after(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))));

const engines: Engine[] = [
  {
    name: 'sqlite',
    async location() {
      const directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
      directories.push(directory);
      return { directory };
    },
  },
  { name: 'postgres', location: async () => ({ url: await emptyDatabase(postgres) }) },
];

for (const engine of engines) {
  describe(`The relay to Kafka, on ${engine.name}`, () => {
    // Each test begins with no topic.
    afterEach(() => withAdmin((admin) => admin.deleteTopics({ topics: [topic] }).catch(() => {})));

    async function start(t: TestContext, settings: Partial<Config> = {}): Promise<LPlate> {
      const lplate = await startLPlate(engine, { kafkaBrokers: [kafka.listeners.plain], ...settings });
      t.after(() => lplate.close());
      return lplate;
    }

    it('Decisions, claims and events: creates the topic with the partitions that are set, and 7 days', async (t) => {
      const lplate = await start(t, { kafkaPartitions: 4 });
      await closeClaims(lplate, 1);
      assert.deepEqual(await shape(), { partitions: 4, replicas: 1, retention: '604800000' });
    });

    it('Decisions, claims and events: leaves a topic that exists as it is', async (t) => {
      await withAdmin((admin) =>
        admin.createTopics({
          topics: [topic],
          partitions: 2,
          replicas: 1,
          configs: [{ name: 'retention.ms', value: '3600000' }],
        }),
      );
      const lplate = await start(t, { kafkaPartitions: 4 });
      await closeClaims(lplate, 1);
      assert.equal((await records(lplate)).length > 0, true);
      assert.deepEqual(await shape(), { partitions: 2, replicas: 1, retention: '3600000' });
    });

    it('Delivery rules, 1: what comes over HTTP comes through Kafka, byte for byte, and what comes twice there comes twice here', async (t) => {
      const lplate = await start(t, { eventsDuplicateRate: 0.3 });
      const { token, claims } = await closeClaims(lplate, 40);
      const { events } = await drain(lplate, token);
      const own = (await records(lplate)).filter(({ key }) => claims.has(key ?? ''));
      assert.deepEqual(own.map(({ value }) => value).sort(), events.map((event) => JSON.stringify(event)).sort());
      const ids = new Set(events.map(({ eventId }) => eventId));
      assert.equal(ids.size, 3 * claims.size);
      // Of 120 events about 36 come twice.
      assert.ok(events.length - ids.size > 10 && events.length - ids.size < 70, `${events.length - ids.size} repeats`);
    });

    for (const [rate, times] of [
      [0, 1],
      [1, 2],
    ] as const) {
      it(`Decisions, claims and events: at a rate of ${rate} each event is there ${times === 1 ? 'once' : 'twice, one after the other'}`, async (t) => {
        const lplate = await start(t, { eventsDuplicateRate: rate });
        const { claims } = await closeClaims(lplate, 5);
        for (const claim of claims) {
          const own = (await records(lplate)).filter(({ key }) => key === claim);
          const ids = own.map(({ value }) => JSON.parse(value ?? '').eventId);
          assert.equal(own.length, 3 * times);
          assert.deepEqual(
            ids,
            [...new Set(ids)].flatMap((id) => Array(times).fill(id)),
          );
        }
      });
    }

    it('Delivery rules, 2: the key is the claim, and all its events are in one partition, in order', async (t) => {
      const lplate = await start(t, { eventsDuplicateRate: 0 });
      const { claims } = await closeClaims(lplate, 12);
      const all = await records(lplate);
      const partitions = new Set<number>();
      for (const claim of claims) {
        const own = all.filter(({ key }) => key === claim);
        const data = own.map(({ value }) => JSON.parse(value ?? '').data);
        assert.deepEqual(
          data.map(({ claimId }) => claimId),
          [claim, claim, claim],
        );
        assert.deepEqual(
          data.map(({ previousStatus }) => previousStatus),
          ['REGISTERED', 'UNDER_REVIEW', 'APPROVED'],
        );
        assert.equal(new Set(own.map(({ partition }) => partition)).size, 1);
        for (const { partition } of own) partitions.add(partition);
      }
      assert.ok(partitions.size > 1, 'claims are spread over the partitions');
      // Where a client in another language puts the same key, so that others may write and join by it.
      const [first] = claims;
      await writeTopic(kafka.listeners.plain, topic, [{ key: first as string, value: 'theirs' }], {
        partitioner: 'murmur2_random',
      });
      const theirs = (await readTopic(kafka.listeners.plain, topic)).filter(({ key }) => key === first);
      assert.equal(new Set(theirs.map(({ partition }) => partition)).size, 1);
    });

    it('The program, more than one node: while Kafka is away all else goes on, it is said once, and all is told afterwards', async (t) => {
      const receiver = await Receiver.open(t);
      await kafka.shutDown();
      t.after(() => kafka.start().catch(() => {}));
      const lplate = await start(t, { eventsDuplicateRate: 0, webhookAllow: ['127.0.0.0/8'] });
      const subscriber = await Subscriber.open(lplate, receiver.url);
      const stream = await EventStream.open(lplate.url, subscriber.client.token);
      t.after(() => stream.close());
      const claims = 100;
      const began = Date.now();
      for (let claim = 0; claim < claims; claim += 1) await subscriber.claim(10);
      for (let move = 1; move <= 3; move += 1) {
        await pass(lplate, 10);
        await stream.until(() => stream.received.length === claims * move);
        await receiver.until(claims * move);
      }
      assert.ok((await relayLag(lplate)) >= 3 * claims);
      // Some beats of the relay, which must not say it again.
      for (let beat = 0; beat < 3; beat += 1) await lplate.catchUp();
      t.diagnostic(`${claims} claims and their events in ${Date.now() - began} ms`);
      assert.deepEqual(said(lplate), ['the relay to Kafka failed; it is tried again until it succeeds']);

      await kafka.start();
      await until('the lag is gone', async () => (await relayLag(lplate)) === 0, 30_000);
      const { events } = await drain(lplate, subscriber.client.token);
      const own = new Set(events.map((event) => JSON.stringify(event)));
      assert.equal(own.size, 3 * claims);
      const relayed = (await readTopic(kafka.listeners.plain, topic)).map(({ value }) => value ?? '');
      for (const event of own) assert.ok(relayed.includes(event));
      await until('it is said', () => said(lplate).length === 2);
      assert.equal(said(lplate)[1], 'the relay to Kafka succeeded again');
    });

    it('The program, more than one node: after a start it goes on where it was', async (t) => {
      const place = await restartable(engine);
      const settings = { kafkaBrokers: [kafka.listeners.plain], eventsDuplicateRate: 0 };
      let lplate = await place.start(settings);
      await closeClaims(lplate, 3);
      const before = await records(lplate);
      await lplate.close();
      lplate = await place.start(settings, lplate.clock);
      t.after(() => lplate.close());
      const { claims } = await closeClaims(lplate, 3);
      const all = await records(lplate);
      for (const claim of claims) assert.equal(all.filter(({ key }) => key === claim).length, 3);
      // Nothing is told again that was written down.
      const values = all.map(({ value }) => value);
      assert.equal(new Set(values).size, values.length);
      assert.ok(before.every(({ value }) => values.includes(value)));
    });

    it('The program, more than one node: a topic that somebody removed is made anew', async (t) => {
      const lplate = await start(t, { eventsDuplicateRate: 0 });
      await closeClaims(lplate, 1);
      await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
      const { claims } = await closeClaims(lplate, 2);
      const keys = (await records(lplate)).map(({ key }) => key);
      for (const claim of claims) assert.equal(keys.filter((key) => key === claim).length, 3);
      assert.equal((await shape()).retention, '604800000');
    });
  });
}

/** Claims of a new client, moved on to their end and relayed. */
async function closeClaims(lplate: LPlate, count: number): Promise<{ token: string; claims: Set<string> }> {
  const { id, secret } = await lplate.client();
  const token = await lplate.token(id, secret);
  const policy = await insure(lplate, token);
  const claims = new Set<string>();
  while (claims.size < count)
    claims.add(await claimOn(lplate, token, policy, { outcome: 'APPROVED', paceSeconds: 10 }));
  for (let move = 0; move < 3; move += 1) await pass(lplate, 10);
  return { token, claims };
}

/** All that is in the topic once the relay has told of everything. */
async function records(lplate: LPlate): Promise<TopicRecord[]> {
  await until('all is relayed', async () => (await relayLag(lplate)) === 0, 20_000);
  return readTopic(kafka.listeners.plain, topic);
}

/** What `/metrics` says of it. */
async function relayLag(lplate: LPlate): Promise<number> {
  const text = await (await fetch(`${lplate.url}/metrics`)).text();
  return Number(/^lplate_kafka_relay_lag (\S+)$/m.exec(text)?.[1]);
}

/** What the log says of the relay. */
function said(lplate: LPlate): string[] {
  const lines = lplate.log.map((line) => JSON.parse(line)).filter(({ msg = '' }) => msg.includes('Kafka'));
  return lines.map(({ msg }) => msg);
}

async function shape(): Promise<{ partitions: number; replicas: number; retention: string | undefined }> {
  return withAdmin(async (admin) => {
    const { topics } = await admin.metadata({ topics: [topic] });
    const partitions = topics.get(topic)?.partitions ?? [];
    const [resource] = await admin.describeConfigs({
      resources: [
        { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configurationKeys: ['retention.ms'] },
      ],
    });
    const retention = resource?.configs.find(({ name }) => name === 'retention.ms')?.value ?? undefined;
    return { partitions: partitions.length, replicas: partitions[0]?.replicas.length ?? 0, retention };
  });
}

async function withAdmin<T>(action: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Admin({ clientId: 'test', bootstrapBrokers: [kafka.listeners.plain] });
  try {
    return await action(admin);
  } finally {
    await admin.close();
  }
}
