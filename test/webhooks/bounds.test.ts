import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hour, second } from '../../src/time/units.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startUndoubled } from '../support/lplate.ts';
import { Receiver, Subscriber, subscribed } from '../support/receiver.ts';
import { stored } from '../support/stored.ts';
import { claimOn, drain, pass } from '../support/topic.ts';
import { until } from '../support/until.ts';

/* What a client can have stored for its events and their deliveries. A run is repeated with FUZZ_SEED=number. */

const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

const register = async ({ lplate, client, policyNumber }: Subscriber, paceSeconds = 1) => {
  const token = await lplate.token(client.id, client.secret);
  return lplate.call('POST', '/claims/v1/claims', { token, json: { policyNumber, paceSeconds } });
};
const state = async (subscriber: Subscriber) => (await subscriber.call('GET')).json;

/** Half a day at a time, so that the client is never idle for one. */
async function passDays(subscriber: Subscriber, days: number): Promise<void> {
  for (let half = 0; half < 2 * days; half += 1) {
    subscriber.lplate.clock.advance(12 * hour);
    await subscriber.lplate.catchUp();
    await subscriber.log();
    await subscriber.lplate.housekeeping();
  }
}

async function samples({ url }: LPlate, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value)]));
}

/** What is counted beside what is there, for each subscription and each client's events. */
async function counted(lplate: LPlate) {
  const subscriptions = await stored<Record<string, unknown>>(
    lplate,
    `select s.id, s.stored_bytes, s.open_deliveries,
      (select coalesce(sum(length(payload) + length(kept_attempts) + 400), 0) from deliveries d
        where d.subscription_id = s.id) as bytes,
      (select count(*) from deliveries d where d.subscription_id = s.id and d.status in ('waiting', 'pending')) as open
    from subscriptions s where s.status <> 'deleted'`,
  );
  const events = await stored<Record<string, unknown>>(
    lplate,
    `select client_id,
      max(client_bytes) - min(client_bytes - length(payload) - 200) as kept, sum(length(payload) + 200) as bytes
    from events group by client_id`,
  );
  return { subscriptions, events };
}

async function assertCounted(lplate: LPlate): Promise<void> {
  const { subscriptions, events } = await counted(lplate);
  for (const row of subscriptions) {
    assert.deepEqual(
      [row.stored_bytes, row.open_deliveries].map(Number),
      [row.bytes, row.open].map(Number),
      String(row.id),
    );
  }
  for (const row of events) assert.equal(Number(row.kept), Number(row.bytes), String(row.client_id));
}

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: bytes a client stores: at the cap new claims are refused, with what frees room; the claims there are go on', async (t) => {
    const lplate = await startUndoubled(t, engine, { storedBytesPerClient: 6000 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    const other = await Subscriber.open(lplate, receiver.url);
    const { token } = subscriber.client;
    const slow = await claimOn(lplate, token, subscriber.policyNumber, { paceSeconds: 20 });
    let answer = await register(subscriber);
    for (let claims = 0; claims < 20 && answer.status === 201; claims += 1) {
      await subscriber.pass(3 * second);
      answer = await register(subscriber);
    }
    assert.deepEqual(problem(answer), [429, 'quota-exceeded']);
    assert.match(answer.json.detail, /6000 bytes.*7 days.*delete/);
    assert.equal((await register(other)).status, 201, 'another client has room of its own');
    assert.deepEqual(problem(await subscriber.call('POST', '/test')), [429, 'quota-exceeded']);

    await pass(lplate, 60);
    const { events } = await drain(lplate, token);
    const changes = events.filter(({ data }) => data.claimId === slow).map(({ data }) => data.newStatus);
    assert.deepEqual(changes, ['UNDER_REVIEW', 'APPROVED', 'CLOSED'], 'no event of a claim is dropped');
    const log = await subscriber.log();
    assert(log.length < events.length, 'no more deliveries are made');
    assert.equal((await state(subscriber)).delayed, 'stored-bytes');
    const limited = await samples(lplate, 'lplate_limits_reached_total');
    assert((limited['limit="stored-bytes"'] ?? 0) >= 3);

    // What the other subscription was sent is the same again, and goes with it.
    await passDays(subscriber, 7.5);
    assert.equal((await register(subscriber)).status, 201, 'events and deliveries have gone with their days');
    await subscriber.pass(5 * second);
    assert.equal((await state(subscriber)).delayed, null);
    await assertCounted(lplate);
  });

  test('Decisions, claims and events: bytes a client stores: deleting a subscription makes room at once, and what waited in the log is delivered', async (t) => {
    const lplate = await startUndoubled(t, engine, { storedBytesPerClient: 12_000 });
    const [receiver, idle] = [await Receiver.open(t), await Receiver.open(t)];
    const subscriber = await Subscriber.open(lplate, receiver.url);
    const others = [];
    for (let more = 0; more < 4; more += 1) others.push(await Subscriber.open(lplate, idle.url, subscriber.client));
    for (let claims = 0; claims < 9; claims += 1) {
      if ((await register(subscriber)).status === 201) await subscriber.pass(3 * second);
    }
    const token = await lplate.token(subscriber.client.id, subscriber.client.secret);
    const { events } = await drain(lplate, token);
    // Which of them got the last of the room is not settled.
    const delayed = [];
    for (const each of [subscriber, ...others]) delayed.push((await state(each)).delayed);
    assert(delayed.includes('stored-bytes'), 'some wait in the log');
    for (const other of others) assert.equal((await other.call('DELETE')).status, 204);
    await subscriber.pass(second);
    await receiver.until(events.length);
    assert.deepEqual(
      receiver.eventIds,
      events.map(({ eventId }) => eventId),
    );
    assert.equal((await register(subscriber)).status, 201);
  });

  test('Decisions, claims and events: bytes a client stores: a delivery does not copy the payload of its event', async (t) => {
    const lplate = await startUndoubled(t, engine, {});
    const { receiver, subscriber } = await subscribed(t, lplate);
    await subscriber.claim();
    await subscriber.pass(3 * second);
    const rows = await stored<{ payload: string }>(lplate, 'select payload from deliveries');
    assert.deepEqual(
      rows.map(({ payload }) => payload),
      ['', '', ''],
    );
    const { events } = await drain(lplate, subscriber.client.token);
    assert.deepEqual(
      receiver.calls.map(({ event }) => event),
      events,
    );
  });

  test('Decisions, claims and events: pending deliveries: events stay in the log until there is room, nothing is lost, and no other subscription waits', async (t) => {
    const lplate = await startUndoubled(t, engine, { webhookOpenDeliveries: 30 });
    const [receiver, healthy] = [await Receiver.open(t), await Receiver.open(t)];
    receiver.answer = () => 500;
    const subscriber = await Subscriber.open(lplate, receiver.url);
    const well = await Subscriber.open(lplate, healthy.url, subscriber.client);
    for (let claims = 0; claims < 5; claims += 1) await subscriber.claim();
    await subscriber.pass(3 * second);
    // Ten subscriptions share the thirty.
    assert.equal((await subscriber.log()).length, 3);
    assert.equal((await state(subscriber)).delayed, 'pending-deliveries');
    await healthy.until(15);
    await well.settled();
    assert.equal((await state(well)).delayed, null);
    const full = await subscriber.call('POST', '/test');
    assert.deepEqual(problem(full), [429, 'quota-exceeded']);
    assert.match(full.json.detail, /\b3 open deliveries/);
    const again = await subscriber.call('POST', '/deliveries/1/redeliver');
    assert.equal(again.status, 202, 'what is open already takes no room');
    const limited = await samples(lplate, 'lplate_limits_reached_total');
    assert((limited['limit="pending-deliveries"'] ?? 0) >= 2);

    receiver.answer = () => 204;
    receiver.calls.length = 0;
    await subscriber.pass(600 * second);
    await receiver.until(15);
    const log = await subscriber.settled();
    assert.deepEqual(
      log.map(({ status }) => status),
      Array(15).fill('delivered'),
    );
    const { events } = await drain(lplate, subscriber.client.token);
    assert.deepEqual(new Set(receiver.eventIds), new Set(events.map(({ eventId }) => eventId)));
    assert.deepEqual(await state(subscriber), { ...(await state(subscriber)), delayed: null, missedEvents: 0 });
    await assertCounted(lplate);
  });

  test('Decisions, claims and events: pending deliveries: events that pass their days before there is room are counted as missed', async (t) => {
    const lplate = await startUndoubled(t, engine, { webhookOpenDeliveries: 10, webhookDisableHours: 0 });
    const receiver = await Receiver.open(t);
    receiver.answer = () => 500;
    const subscriber = await Subscriber.open(lplate, receiver.url);
    for (let claims = 0; claims < 5; claims += 1) await subscriber.claim();
    await subscriber.pass(3 * second);
    await passDays(subscriber, 7.5);
    const log = await subscriber.log();
    const { missedEvents } = await state(subscriber);
    assert.deepEqual([log, missedEvents > 0], [[], true]);
    receiver.answer = () => 204;
    const [{ attempts, missed } = assert.fail()] = await stored<{ attempts: number; missed: number }>(
      lplate,
      `select deliveries as attempts, missed_events as missed from subscriptions where id = '${subscriber.id}'`,
    );
    // Each event was a delivery that failed in its day, or one that was open to the end, or was never taken in.
    assert(Number(attempts) + Number(missed) >= 15 && Number(missed) <= 15, `${attempts} ${missed}`);
    assert.equal((await samples(lplate, 'lplate_webhook_events_missed_total'))[''], missedEvents);
    const next = await subscriber.claim();
    await subscriber.pass(3 * second);
    // One is open at a time, and the next one is made when it is done.
    const done = async () => (await subscriber.log()).filter(({ status }) => status === 'delivered').length === 3;
    await until(done, 'three deliveries');
    const after = await subscriber.log();
    assert.deepEqual(
      after.map(({ claimId, status }) => [claimId, status]),
      Array(3).fill([next, 'delivered']),
    );
    await assertCounted(lplate);
  });

  test('Decisions, claims and events: bytes a client stores: whatever happens, what is counted is what is there', async (t) => {
    const lplate = await startUndoubled(t, engine, {
      eventsDuplicateRate: 0.5,
      storedBytesPerClient: 20_000,
      webhookOpenDeliveries: 60,
      webhookCallsPerClient: 100_000,
      webhookCallsPerHost: 100_000,
      webhookDisableHours: 1,
    });
    const act = fc.oneof(
      fc.record({ what: fc.constantFrom('claim', 'test', 'redeliver', 'enable'), which: fc.nat(1) }),
      fc.record({ what: fc.constant('pass'), which: fc.constantFrom(1, 5, 40, 1000, 20_000) }),
      fc.record({ what: fc.constantFrom('delete', 'housekeeping', 'week'), which: fc.nat(1) }),
    );
    const property = fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 25 }),
      fc.array(fc.constantFrom(204, 204, 500, 'reset'), { minLength: 1, maxLength: 10 }),
      async (acts, replies) => {
        const receiver = await Receiver.open(t);
        receiver.answer = () => (replies[receiver.calls.length % replies.length] ?? 204) as 204;
        const first = await Subscriber.open(lplate, receiver.url);
        const both = [first, await Subscriber.open(lplate, receiver.url, first.client)];
        for (const { what, which } of acts) {
          const subscriber = both[which] ?? first;
          if (what === 'claim') await register(first, 1 + which);
          if (what === 'test') await subscriber.call('POST', '/test');
          if (what === 'redeliver') await subscriber.call('POST', '/deliveries/1/redeliver');
          if (what === 'enable') await subscriber.call('POST', '/enable');
          if (what === 'delete') await (both[1] ?? first).call('DELETE');
          if (what === 'housekeeping') await lplate.housekeeping();
          if (what === 'week') await passDays(first, 7.5);
          if (what !== 'pass') continue;
          lplate.clock.advance(which * second);
          await lplate.catchUp();
          await assertCounted(lplate);
        }
        await lplate.catchUp();
        await assertCounted(lplate);
        for (const subscriber of both) await subscriber.call('DELETE');
        await lplate.housekeeping();
        receiver.close();
      },
    );
    await fc.assert(property, { seed, numRuns: 5, endOnFailure: true });
  });
});
