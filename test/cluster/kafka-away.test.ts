import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Config } from '../../src/settings/config.ts';
import type { Engine } from '../support/engines.ts';
import { type Answer, type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Program, startProgram } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { type ClaimEvent, drain, EventStream, topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { type KafkaServer, startKafka } from './support/kafka.ts';
import { readTopic } from './support/kcat.ts';
import { emptyDatabase } from './support/nodes.ts';
import { assertOnePartitionEach, compare, topic } from './support/relayed.ts';
import { failed, reasons, records, recovered, relayLag, said } from './support/relaying.ts';

/* Kafka that is not there, or that accepts connections and never answers. */

let directory: string;
let postgres: PostgresServer;
/** One that hangs, and one that comes and goes. */
let hanging: KafkaServer;
let passing: KafkaServer;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
  postgres = (await startPostgres()) as PostgresServer;
  hanging = await startKafka();
  passing = await startKafka();
});
after(async () => {
  await hanging?.stop();
  await passing?.stop();
  await postgres?.stop();
  await rm(directory, { recursive: true, force: true });
});

const location = async () => ({ directory: await mkdtemp(join(directory, 'data-')) });
const sqlite: Engine = { name: 'sqlite', location };
const onPostgres: Engine = { name: 'postgres', location: async () => ({ url: await emptyDatabase(postgres) }) };

/** More events than the relay sends at once. */
const claims = 70;

/** Milliseconds within which half of the calls are answered, however busy the machine is. */
const swift = 500;

/** Milliseconds that docs/operations.md gives a node to end. */
const patience = 15_000;

async function start(t: TestContext, engine: Engine, kafka?: KafkaServer): Promise<LPlate> {
  const kafkaBrokers = kafka ? [kafka.listeners.plain] : [];
  const settings: Partial<Config> = { kafkaBrokers, eventsDuplicateRate: 0, webhookAllow: ['127.0.0.0/8'] };
  return startLPlate(t, engine, settings);
}

/** What somebody saw who used all there is, but for what differs each time. */
interface Seen {
  readonly statuses: Record<string, number[]>;
  readonly stream: unknown[];
  readonly batches: unknown[];
  readonly webhooks: unknown[];
}

/** Insures, claims, follows the stream, reads batches and gets webhooks. Half of the calls of each kind are swift. */
async function use(t: TestContext, lplate: LPlate, token: string, plate = 'AWAY'): Promise<Seen> {
  const statuses: Record<string, number[]> = {};
  const durations: Record<string, number[]> = {};
  async function call(what: string, method: string, path: string, json?: unknown): Promise<Answer> {
    const began = performance.now();
    const answer = await lplate.call(method, path, { token, json });
    durations[what] = [...(durations[what] ?? []), performance.now() - began];
    statuses[what] = [...(statuses[what] ?? []), answer.status];
    return answer;
  }

  const receiver = await Receiver.open(t);
  await call('subscription', 'POST', '/claims/v1/subscriptions', { url: receiver.url });
  const stream = await EventStream.open(lplate.url, token);
  t.after(() => stream.close());
  for (let number = 1; number <= claims; number += 1) {
    const { json } = await call('policy', 'POST', '/policies', { regNumber: `${plate}-${number}` });
    const claim = { policyNumber: json.id, paceSeconds: 10, outcome: 'APPROVED' };
    await call('claim', 'POST', '/claims/v1/claims', claim);
  }
  for (let move = 1; move <= 3; move += 1) {
    // Desk and webhooks do by themselves what became due.
    lplate.clock.advance(10_000);
    await stream.until(() => stream.received.length === claims * move);
    await receiver.until(claims * move);
  }
  for (let page = 0; page < 20; page += 1) await call('batch', 'GET', `${topicPath}?after=earliest&limit=50`);
  const { events } = await drain(lplate, token);
  for (const [what, all] of Object.entries(durations)) {
    const median = all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    if (all.length > 1) assert.ok(median < swift, `${what}: ${median} ms`);
    t.diagnostic(`${what}: ${median.toFixed(1)} ms`);
  }
  return {
    statuses,
    stream: comparable(stream.received.map(({ event }) => event)),
    batches: comparable(events),
    webhooks: comparable(receiver.calls.map(({ event }) => event)),
  };
}

/** In whatever order claims were moved; policies and events are named anew each time. */
function comparable(events: readonly ClaimEvent[]): unknown[] {
  const texts = events.map(({ occurredAt, data }) => JSON.stringify({ ...data, occurredAt, policyNumber: '' }));
  return texts.sort();
}

/** All that the node has to tell of comes to the topic, once and in order. */
async function assertToldOfAll(lplate: LPlate, token: string, kafka: KafkaServer): Promise<void> {
  const fleet = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
  const events = [...(await drain(lplate, token)).events, ...(await drain(lplate, fleet)).events];
  assert.ok(events.length > 3 * claims);
  const own = new Map(events.map((event) => [JSON.stringify(event), event]));
  const arrived = (await records(lplate, kafka)).filter(({ value }) => own.has(value ?? ''));
  const published = [...own].map(([payload, { eventId: event_id, data }]) => {
    return { event_id, client_id: '', ordering_key: data.claimId, payload };
  });
  // What was on its way when the broker hung may come twice.
  const repeats = compare(arrived, published);
  assert.ok(repeats <= 200, `${repeats} repeats`);
  assertOnePartitionEach(arrived);
}

// They wait most of the time, so both at once.
describe('Kafka', { concurrency: true }, () => {
  describe('that hangs', { concurrency: 1 }, () => {
    it('The program, more than one node: while Kafka hangs, from before the start, all else goes on as without it, it is said once, and all is told afterwards', async (t) => {
      const without = await start(t, sqlite);
      const { token } = await without.client();
      const expected = await use(t, without, token);

      hanging.suspend();
      t.after(() => hanging.resume());
      const nodes = await Promise.all([sqlite, onPostgres].map((engine) => start(t, engine, hanging)));
      const leaving = await launch(t, await location());
      await until(async () => (await relayLag(leaving)) > 0, 'there is something to deliver');
      await assertEnds(leaving);
      const users: { lplate: LPlate; token: string }[] = [];
      for (const lplate of nodes) {
        const { token } = await lplate.client();
        users.push({ lplate, token });
        const before = await relayLag(lplate);
        assert.deepEqual(await use(t, lplate, token), expected);
        assert.ok((await relayLag(lplate)) >= before + 3 * claims, 'the lag grows');
      }
      for (const { lplate } of users) {
        // Each step of a connection has its own patience, and together they would take minutes.
        await until(() => said(lplate).length > 0, 'it is said', 40_000);
        assert.deepEqual(said(lplate), [failed]);
      }
      hanging.resume();
      for (const { lplate, token } of users) {
        await assertToldOfAll(lplate, token, hanging);
        await until(() => said(lplate).length === 2, 'it is said');
        assert.deepEqual(said(lplate), [failed, recovered]);
      }
    });

    it('The program, more than one node: a node ends in time with a delivery to Kafka that hangs, which is made at the next start', async (t) => {
      const place = await location();
      let program = await launch(t, place);
      await until(async () => (await relayLag(program)) === 0, 'all is relayed', 30_000);
      const { token } = await program.client();
      const insured = await program.call('POST', '/policies', { token, json: { regNumber: 'AWAY-1' } });
      assert.equal(insured.status, 201);
      hanging.suspend();
      t.after(() => hanging.resume());
      const claimed = await fetch(`${program.url}/claims/v1/claims`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ policyNumber: insured.json.id, paceSeconds: 1 }),
      });
      assert.equal(claimed.status, 201);
      const { claimId } = (await claimed.json()) as { claimId: string };
      await until(async () => (await relayLag(program)) > 0, 'there is something to deliver');
      await assertEnds(program);
      hanging.resume();
      program = await launch(t, place);
      const own = async () => (await readTopic(hanging.listeners.plain, topic)).filter(({ key }) => key === claimId);
      const moves = async () => (await own()).map(({ value }) => JSON.parse(value ?? '').data.previousStatus);
      await until(async () => new Set(await moves()).size === 3, 'all is delivered', 30_000);
      assert.deepEqual([...new Set(await moves())], ['REGISTERED', 'UNDER_REVIEW', 'APPROVED']);
      await assertEnds(program);
    });
  });

  it('The program, more than one node: Kafka may come later than the program, go, and come again: each is said once, and nothing is lost', async (t) => {
    await passing.shutDown();
    t.after(() => passing.start().catch(() => {}));
    const lplate = await start(t, sqlite, passing);
    const { token } = await lplate.client();
    await use(t, lplate, token);
    // Of the runs of the relay, some are over: they must not say it again.
    for (let run = 0; run < 2; run += 1) await lplate.catchUp();
    assert.deepEqual(said(lplate), [failed]);
    assert.match(reasons(lplate)[0] ?? '', /ECONNREFUSED/);
    await passing.start();
    await assertToldOfAll(lplate, token, passing);
    await until(() => said(lplate).length === 2, 'it is said');
    assert.deepEqual(said(lplate), [failed, recovered]);

    await passing.kill();
    const next = await lplate.client();
    await use(t, lplate, next.token, 'AGAIN');
    await until(() => said(lplate).length === 3, 'it is said', 30_000);
    await passing.start();
    await assertToldOfAll(lplate, next.token, passing);
    await until(() => said(lplate).length === 4, 'it is said');
    assert.deepEqual(said(lplate), [failed, recovered, failed, recovered]);
  });
});

function launch(t: TestContext, place: { directory: string }): Promise<Program> {
  const environment = { KAFKA_BROKERS: hanging.listeners.plain, EVENTS_DUPLICATE_RATE: '0' };
  return startProgram(t, place, { environment });
}

/** It ends in an orderly way in the time that any stop has, and met no error that it did not foresee. */
async function assertEnds(program: Program): Promise<void> {
  const began = performance.now();
  assert.deepEqual(await program.stop(), { code: 0, signal: null });
  const milliseconds = performance.now() - began;
  assert.ok(milliseconds < patience, `${milliseconds} ms`);
  assert.equal(program.stderr(), '');
}
