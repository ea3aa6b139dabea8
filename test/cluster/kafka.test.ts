import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it, type TestContext, test } from 'node:test';
import { ConfigResourceTypes } from '@platformatic/kafka';
import { claimStatusChanged } from '../../src/claims/status-changed.ts';
import { KafkaClient } from '../../src/events/kafka.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import type { Engine } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { restartable } from '../support/restart.ts';
import { drain } from '../support/topic.ts';
import { startKafka } from './support/kafka.ts';
import { readTopic, type TopicRecord, writeTopic } from './support/kcat.ts';
import { emptyDatabase } from './support/nodes.ts';
import { topic } from './support/relayed.ts';
import { closeClaims, records, relayLag, removeTopic, withAdmin } from './support/relaying.ts';
import { shareServer } from './support/servers.ts';

/* The relay of one node, on both engines, with the clock in hand. */

const postgres = await shareServer(startPostgres);
const kafka = await shareServer(startKafka);

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
    afterEach(() => removeTopic(kafka));

    function start(t: TestContext, settings: Partial<Config> = {}): Promise<LPlate> {
      return startLPlate(t, engine, { kafkaBrokers: [kafka.listeners.plain], ...settings });
    }

    it('Decisions, claims and events: creates the topic with the partitions that are set, and 7 days', async (t) => {
      const lplate = await start(t, { kafkaPartitions: 4 });
      await closeClaims(lplate, 1);
      assert.deepEqual(await shape(), { partitions: 4, replicas: 1, retention: '604800000' });
    });

    it('Decisions, claims and events: leaves a topic that exists as it is', async (t) => {
      await createTopic(2, [{ name: 'retention.ms', value: '3600000' }]);
      const lplate = await start(t, { kafkaPartitions: 4 });
      await closeClaims(lplate, 1);
      assert.equal((await records(lplate, kafka)).length > 0, true);
      assert.deepEqual(await shape(), { partitions: 2, replicas: 1, retention: '3600000' });
    });

    it('Delivery rules, 1: what comes over HTTP comes through Kafka, byte for byte, and what comes twice there comes twice here', async (t) => {
      const lplate = await start(t, { eventsDuplicateRate: 0.3 });
      const { token, claims } = await closeClaims(lplate, 40);
      const { events } = await drain(lplate, token);
      const own = (await records(lplate, kafka)).filter(({ key }) => claims.has(key ?? ''));
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
        const all = await records(lplate, kafka);
        for (const claim of claims) {
          const own = all.filter(({ key }) => key === claim);
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
      const all = await records(lplate, kafka);
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
    });

    it('Decisions, claims and events: a claim is in the partition where clients in other languages look for its key', async (t) => {
      const lplate = await start(t, { eventsDuplicateRate: 0 });
      const { claims } = await closeClaims(lplate, 300);
      const own = partitions(await records(lplate, kafka));
      assert.ok(own.size > 300 && new Set(own.values()).size === 6, 'claims are in all partitions');
      assert.ok([...claims].every((claim) => own.has(claim)));
      await removeTopic(kafka);
      await createTopic(6);
      // What Java's clients do unless they are told otherwise.
      const settings = { partitioner: 'murmur2_random' };
      const keys = [...own.keys()].map((key) => ({ key, value: 'theirs' }));
      await writeTopic(kafka.listeners.plain, topic, keys, settings);
      assert.deepEqual(partitions(await readTopic(kafka.listeners.plain, topic)), own);
    });

    it('The program, more than one node: after a start it goes on where it was', async (t) => {
      const place = await restartable(engine);
      const settings = { kafkaBrokers: [kafka.listeners.plain], eventsDuplicateRate: 0 };
      let lplate = await place.start(settings);
      await closeClaims(lplate, 3);
      const before = await records(lplate, kafka);
      await lplate.close();
      lplate = await place.start(settings, lplate.clock);
      t.after(() => lplate.close());
      const { claims } = await closeClaims(lplate, 3);
      const all = await records(lplate, kafka);
      for (const claim of claims) assert.equal(all.filter(({ key }) => key === claim).length, 3);
      // Nothing is told again that was written down.
      const values = all.map(({ value }) => value);
      assert.equal(new Set(values).size, values.length);
      assert.ok(before.every(({ value }) => values.includes(value)));
    });

    it('The program, more than one node: what was published before Kafka was set is told too, however much', async (t) => {
      // A broker may refuse records for a topic that it has only just made.
      await createTopic(6);
      const place = await restartable(engine);
      const first = await place.start({ eventsDuplicateRate: 0 });
      const { claims } = await closeClaims(first, 200);
      await first.close();
      const settings = { kafkaBrokers: [kafka.listeners.plain], eventsDuplicateRate: 0 };
      const lplate = await place.start(settings, first.clock);
      t.after(() => lplate.close());
      // In one go, though it takes several batches.
      await lplate.catchUp();
      assert.equal(await relayLag(lplate), 0);
      const all = await records(lplate, kafka);
      for (const claim of claims) assert.equal(all.filter(({ key }) => key === claim).length, 3);
    });

    it('The program, more than one node: a topic that somebody removed is made anew', async (t) => {
      const lplate = await start(t, { eventsDuplicateRate: 0 });
      await closeClaims(lplate, 1);
      await removeTopic(kafka);
      const { claims } = await closeClaims(lplate, 2);
      const keys = (await records(lplate, kafka)).map(({ key }) => key);
      for (const claim of claims) assert.equal(keys.filter((key) => key === claim).length, 3);
      assert.equal((await shape()).retention, '604800000');
    });
  });
}

test('The program, more than one node: what is closed sends nothing any more, nor connects anew', async (t) => {
  t.after(() => removeTopic(kafka));
  const kafkaBrokers = [kafka.listeners.plain];
  const closed = new KafkaClient({ ...(readConfig([], {}) as Config), kafkaBrokers }, [claimStatusChanged]);
  await closed.send([{ topic, key: 'CLM-2026-000001', value: 'in time' }]);
  await closed.close();
  await assert.rejects(closed.send([{ topic, key: 'CLM-2026-000001', value: 'late' }]));
  const values = (await readTopic(kafka.listeners.plain, topic)).map(({ value }) => value);
  assert.deepEqual(values, ['in time']);
});

async function shape(): Promise<{ partitions: number; replicas: number; retention: string | undefined }> {
  return withAdmin(kafka, async (admin) => {
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

function createTopic(partitions: number, configs: { name: string; value: string }[] = []): Promise<unknown> {
  return withAdmin(kafka, (admin) => admin.createTopics({ topics: [topic], partitions, replicas: 1, configs }));
}

/** The partition of each key. */
function partitions(records: readonly TopicRecord[]): Map<string, number> {
  return new Map(records.map(({ key, partition }) => [key ?? '', partition]));
}
