import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../src/database/open.ts';
import { hour, second } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { type LoggedDelivery, type Receiver, type Reply, type Subscriber, subscribed } from '../support/receiver.ts';
import { restartable } from '../support/restart.ts';
import { type ClaimEvent, drain } from '../support/topic.ts';
import { until } from '../support/until.ts';

const seed = chooseSeed();

/* However calls are refused, the events of a claim arrive in order, and all of them do or have failed. */

/** Calls may fail for days here, and as many as they like. */
const patient = { webhookDisableHours: 0, webhookCallsPerClient: 10_000, webhookCallsPerHost: 10_000 };

function started(t: TestContext, engine: Engine, eventsDuplicateRate = 0): Promise<LPlate> {
  return startLPlate(t, engine, { eventsDuplicateRate, ...patient });
}

/** The ids of the events, per claim and in the order given. */
function byClaim(events: readonly { eventId: string; data: { claimId: string } }[]): Record<string, string[]> {
  const claims = Map.groupBy(events, ({ data }) => data.claimId);
  return Object.fromEntries([...claims].map(([id, own]) => [id, own.map(({ eventId }) => eventId)]));
}

const withoutRepeats = (ids: readonly string[]) => ids.filter((id, at) => id !== ids[at - 1]);
const sorted = (claims: Record<string, string[]>) => Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** What the topic tells the subscriber. */
async function published({ lplate, client }: Subscriber): Promise<ClaimEvent[]> {
  return (await drain(lplate, await lplate.token(client.id, client.secret))).events;
}

/** Each claim's calls are the claim's events in order, each tried until it is done with. */
function assertInOrder(receiver: Receiver, events: readonly ClaimEvent[]): void {
  const called = Object.entries(byClaim(receiver.calls.map(({ event }) => event)));
  assert.deepEqual(
    sorted(Object.fromEntries(called.map(([claim, ids]) => [claim, withoutRepeats(ids)]))),
    sorted(Object.fromEntries(Object.entries(byClaim(events)).map(([claim, ids]) => [claim, withoutRepeats(ids)]))),
  );
}

/** When the next try of any delivery comes. */
function nextTry(log: readonly LoggedDelivery[]): number | undefined {
  const times = log.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times.map((at) => Date.parse(at)));
}

const refusal = fc.constantFrom<Reply>(500, 404, 'reset', { status: 307, location: '/' });
const life = fc.record({
  /** The claims, with the seconds between their moves. One in ten is refused whatever it tells. */
  claims: fc.array(fc.record({ pace: fc.integer({ min: 1, max: 40 }), doomed: fc.nat(9).map((one) => one === 0) }), {
    minLength: 1,
    maxLength: 5,
  }),
  /** How calls are answered, one after the other; then all are taken. */
  replies: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant<Reply>(204) }, { weight: 3, arbitrary: refusal }), {
    maxLength: 40,
  }),
  /** Seconds that pass. */
  steps: fc.array(fc.constantFrom(1, 3, 5, 10, 30, 120, 600, 1800), { minLength: 1, maxLength: 12 }),
});

forEachEngineInFull((engine) => {
  test('Events, rule 2: an event that is refused holds back its own claim, and no other', async (t) => {
    const lplate = await started(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    const [held, free] = [await subscriber.claim(), await subscriber.claim(2)];
    receiver.answer = ({ event }) => (event.data.claimId === held ? 503 : 204);
    const log = await subscriber.pass(6 * second);
    const states = (claim: string) => log.filter(({ claimId }) => claimId === claim).map(({ status }) => status);
    assert.deepEqual(states(held), ['pending', 'waiting', 'waiting']);
    assert.deepEqual(states(free), ['delivered', 'delivered', 'delivered']);
    const changes = (claim: string) =>
      receiver.calls.filter(({ event }) => event.data.claimId === claim).map(({ event }) => event.data.newStatus);
    assert.deepEqual(changes(free), ['UNDER_REVIEW', 'APPROVED', 'CLOSED']);
    assert(changes(held).every((status) => status === 'UNDER_REVIEW'));
    receiver.answer = () => 204;
    receiver.calls.length = 0;
    for (const { status } of await subscriber.pass(30 * second)) assert.equal(status, 'delivered');
    assert.deepEqual(changes(held), ['UNDER_REVIEW', 'APPROVED', 'CLOSED']);
  });

  test('Decisions, claims and events: when an event has failed, the next one of its claim is sent at once', async (t) => {
    const lplate = await started(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = ({ event }) => (event.data.newStatus === 'UNDER_REVIEW' ? 500 : 204);
    await subscriber.claim();
    await subscriber.pass(3 * second);
    for (let tries = 1; tries < 10; tries += 1) await subscriber.pass(6 * hour);
    assert.deepEqual(
      (await subscriber.log()).map(({ status }) => status),
      ['pending', 'waiting', 'waiting'],
    );
    const log = await subscriber.pass(10 * hour);
    assert.deepEqual(
      log.map(({ status, attemptCounts }) => [status, attemptCounts.total]),
      [
        ['failed', 11],
        ['delivered', 1],
        ['delivered', 1],
      ],
    );
    assertInOrder(receiver, await published(subscriber));
  });

  test('Events, rule 2: whatever is refused, the events of each claim are called in order, and all are taken or have failed', async (t) => {
    const lplate = await started(t, engine, 0.5);
    const met = { refused: 0, failed: 0, twice: 0 };
    const property = fc.asyncProperty(life, async ({ claims, replies, steps }) => {
      const { receiver, subscriber } = await subscribed(t, lplate);
      const doomed = new Set<string>();
      const taken: string[] = [];
      const left = [...replies];
      receiver.answer = ({ event }) => {
        const reply = doomed.has(event.data.claimId) ? 403 : (left.shift() ?? 204);
        if (reply === 204) taken.push(event.eventId);
        else met.refused += 1;
        return reply;
      };
      for (const [at, seconds] of steps.entries()) {
        for (const { pace, doomed: never } of at === 0 ? claims : []) {
          const claim = await subscriber.claim(pace);
          if (never) doomed.add(claim);
        }
        await subscriber.pass(seconds * second);
      }
      let log = await subscriber.pass(120 * second);
      const events = await published(subscriber);
      for (let next = nextTry(log); next !== undefined; next = nextTry(log)) {
        log = await subscriber.pass(next - lplate.clock.now());
      }

      assertInOrder(receiver, events);
      assert.equal(log.length, 3 * claims.length);
      for (const { claimId, status, attemptCounts } of log) {
        assert.equal(status, doomed.has(claimId) ? 'failed' : 'delivered');
        if (status === 'failed') assert.equal(attemptCounts.total, 11);
      }
      // All copies of the topic were taken, and no more.
      const alive = events.filter(({ data }) => !doomed.has(data.claimId)).map(({ eventId }) => eventId);
      assert.deepEqual(taken.toSorted(), alive.toSorted());
      met.failed += doomed.size;
      met.twice += alive.length - new Set(alive).size;
      receiver.close();
    });
    await fc.assert(property, { seed, numRuns: extent(5, 25), endOnFailure: true });
    for (const [what, count] of Object.entries(met)) assert(count > 0, `no run met: ${what} (FUZZ_SEED=${seed})`);
  });
});

forEachEngineInFull((engine) => {
  test('Events, rule 2: events that no process has made deliveries of come after the next start', async (t) => {
    const { start, location } = await restartable(engine);
    const before = await start({ eventsDuplicateRate: 0 });
    const { receiver, subscriber } = await subscribed(t, before);
    await subscriber.claim();
    await subscriber.pass(30 * second);
    await before.close();
    const database = await openDatabase(location);
    await database.write((sql) => sql.run`update subscriptions set taken_seq = 0`);
    await database.close();
    const calls = receiver.calls.length;
    const after = await start({ eventsDuplicateRate: 0 });
    t.after(() => after.close());
    await after.catchUp();
    await subscriber.on(after).settled();
    assert.deepEqual(receiver.eventIds.slice(calls), receiver.eventIds.slice(0, calls));
    assert.ok(calls > 0);
  });
});

onPostgres((engine) => {
  test('Events, rule 2: two programs on one database lose nothing, and bring each claim’s events in order', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const nodes = [await start({ eventsDuplicateRate: 0 }, clock), await start({ eventsDuplicateRate: 0 }, clock)];
    t.after(() => Promise.all(nodes.map((node) => node.close())));
    const [one = assert.fail(), two = assert.fail()] = nodes;
    const { receiver, subscriber } = await subscribed(t, one);
    receiver.answer = () => (receiver.calls.length % 3 === 0 ? 500 : 204);
    for (let claims = 0; claims < 20; claims += 1) await subscriber.claim(1 + (claims % 3));
    for (const seconds of [1, 1, 1, 3, 5]) {
      clock.advance(seconds * second);
      await Promise.all([one.catchUp(), two.catchUp()]);
    }
    receiver.answer = () => 204;
    await until(async () => {
      await subscriber.on(two).pass(30 * second);
      return (await subscriber.settled()).every(({ status }) => status === 'delivered');
    }, 'that all is delivered');
    const events = await published(subscriber);
    assert.equal(events.length, 60);
    for (const { log } of nodes)
      assert.deepEqual(
        log.filter((line) => JSON.parse(line).level >= 40),
        [],
      );
    // A call of the other program may come late, as a repetition; a consumer that heeds ids sees the order.
    const first = receiver.calls.filter(({ event }, at) => receiver.eventIds.indexOf(event.eventId) === at);
    assert.deepEqual(sorted(byClaim(first.map(({ event }) => event))), sorted(byClaim(events)));
  });
});
