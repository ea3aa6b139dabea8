import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { hour, second } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { delayedReply, Receiver, Subscriber } from '../support/receiver.ts';
import { restartable } from '../support/restart.ts';
import { drain } from '../support/topic.ts';

const settings = { eventsDuplicateRate: 0 };

function started(t: TestContext, engine: Engine): Promise<LPlate> {
  return startLPlate(t, engine, settings);
}

/** Lines of the log that tell of something that went wrong. */
const alarms = ({ log }: LPlate) => log.filter((line) => JSON.parse(line).level >= 40);

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: a subscription that is deleted is called no more, whatever it still had coming', async (t) => {
    const lplate = await started(t, engine);
    const [receiver, busy, other] = [await Receiver.open(t), await Receiver.open(t), await Receiver.open(t)];
    receiver.answer = () => 500;
    const held = delayedReply();
    busy.answer = () => held.reply;
    const pausing = await Subscriber.open(lplate, receiver.url);
    const calling = await Subscriber.open(lplate, busy.url, pausing.client);
    const witness = await Subscriber.open(lplate, other.url, pausing.client);
    await witness.claim();
    await witness.claim(2);
    await witness.pass(6 * second);
    await busy.until(1);
    const calls = (await pausing.settled()).flatMap(({ attempts }) => attempts).length;
    assert.equal((await pausing.call('DELETE')).status, 204);
    // With a call under way, which it need not wait for.
    assert.equal((await calling.call('DELETE')).status, 204);
    held.give(500);
    await witness.claim();
    for (let pauses = 0; pauses < 4; pauses += 1) await witness.pass(10 * hour);
    assert.equal(other.calls.length, 9);
    assert.deepEqual([receiver.calls.length, busy.calls.length], [calls, 1]);
    assert.deepEqual(alarms(lplate), []);
  });

  test('Limits: the webhooks of a demo client end with it after a day without use, also those under way', async (t) => {
    // Else one whose calls all failed for a day could be disabled before its client is removed.
    const lplate = await startLPlate(t, engine, { ...settings, webhookDisableHours: 0 });
    const [receiver, busy, other] = [await Receiver.open(t), await Receiver.open(t), await Receiver.open(t)];
    const held = delayedReply();
    busy.answer = () => held.reply;
    receiver.answer = () => 500;
    const idle = await Subscriber.open(lplate, receiver.url);
    await Subscriber.open(lplate, busy.url, idle.client);
    const witness = await Subscriber.open(lplate, other.url);
    await idle.claim();
    await idle.claim(3600);
    await idle.pass(3 * second);
    await busy.until(1);
    lplate.clock.advance(24 * hour - 600 * second);
    await witness.claim();
    lplate.clock.advance(900 * second);
    await lplate.housekeeping();
    const calls = receiver.calls.length;
    held.give(204);
    for (let pauses = 0; pauses < 3; pauses += 1) await witness.pass(10 * hour);
    assert.equal(other.calls.length, 3, 'another client goes on');
    assert.deepEqual([receiver.calls.length, busy.calls.length], [calls, 1]);
    const { token } = await lplate.client();
    assert.deepEqual(problem(await lplate.call('GET', idle.path, { token })), [404, 'subscription-not-found']);
    assert.deepEqual(alarms(lplate), []);
  });

  test('Decisions, claims and events: what is to be delivered outlives a restart; nothing is lost, doubled or out of order', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const receiver = await Receiver.open(t);
    const first = await start(settings, clock);
    const before = await Subscriber.open(first, receiver.url);
    receiver.answer = () => 500;
    await before.claim();
    await before.claim(2);
    await before.pass(2 * second);
    const log = await before.pass(5 * second);
    await first.close();
    const refused = receiver.calls.length;
    // The last moves become due while the program is away, and so do tries.
    clock.advance(40 * second);
    receiver.answer = () => 204;
    const later = await start(settings, clock);
    t.after(() => later.close());
    const after = before.on(later);
    await after.pass(0);
    const now = await after.settled();
    assert.deepEqual(
      now.map(({ status }) => status),
      Array(6).fill('delivered'),
    );
    for (const { number, attempts } of log) {
      assert.deepEqual(now[number - 1]?.attempts.slice(0, -1), attempts, 'the attempts before are remembered');
    }
    const taken = receiver.eventIds.slice(refused);
    const { events } = await drain(later, await later.token(after.client.id, after.client.secret));
    assert.deepEqual(taken.toSorted(), events.map(({ eventId }) => eventId).toSorted());
    for (const { claimId } of now) {
      const ofClaim = (event: { data: { claimId: string } }) => event.data.claimId === claimId;
      assert.deepEqual(
        receiver.calls
          .slice(refused)
          .map(({ event }) => event)
          .filter(ofClaim),
        events.filter(ofClaim),
      );
    }
  });

  test('Decisions, claims and events: a stop breaks off the call under way, which is made again at the next start', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const receiver = await Receiver.open(t);
    const first = await start(settings, clock);
    const before = await Subscriber.open(first, receiver.url);
    receiver.answer = () => (receiver.calls.length === 1 ? 'hang' : 204);
    await before.claim();
    clock.advance(3 * second);
    await first.catchUp();
    await receiver.until(1);
    t.after(() => first.close());
    // A call that nobody breaks off lasts 15 seconds.
    const stopped = first.close().then(() => true);
    assert(await Promise.race([stopped, pause(10_000, false, { ref: false })]), 'it waits for the call');
    assert.deepEqual(alarms(first), []);
    const next = await start(settings, clock);
    t.after(() => next.close());
    const after = before.on(next);
    await after.pass(0);
    const log = await after.settled();
    // It was not written down, and so has the same number.
    assert.deepEqual(receiver.attempts, [1, 1, 1, 1]);
    assert.deepEqual(
      receiver.eventIds.slice(1),
      log.map(({ eventId }) => eventId),
    );
    assert.equal(receiver.eventIds[0], receiver.eventIds[1]);
    for (const { status, attempts } of log) assert.deepEqual([status, attempts.length], ['delivered', 1]);
  });

  test('Decisions, claims and events: stops in the middle of deliveries repeat one call of a subscription at the most', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const receiver = await Receiver.open(t);
    let lplate = await start(settings, clock);
    let subscriber = await Subscriber.open(lplate, receiver.url);
    const stops = extent(2, 6);
    for (let stop = 0; stop < stops; stop += 1) {
      for (let claims = 0; claims < 5; claims += 1) await subscriber.claim();
      clock.advance(3 * second);
      const round = lplate.catchUp();
      await receiver.until(receiver.calls.length + 2 + stop);
      await Promise.all([round, lplate.close()]);
      lplate = await start(settings, clock);
      subscriber = subscriber.on(lplate);
    }
    t.after(() => lplate.close());
    await subscriber.pass(0);
    const log = await subscriber.settled();
    assert.equal(log.length, 3 * 5 * stops);
    for (const { status, attempts } of log) assert.deepEqual([status, attempts.length], ['delivered', 1]);
    assert.deepEqual([...new Set(receiver.eventIds)].toSorted(), log.map(({ eventId }) => eventId).toSorted());
    assert(receiver.calls.length <= log.length + stops, `${receiver.calls.length} calls`);
    const places = new Map(log.map(({ eventId, number }) => [eventId, number]));
    for (const claimId of new Set(log.map((each) => each.claimId))) {
      const called = receiver.calls.filter(({ event }) => event.data.claimId === claimId);
      const order = called.map(({ event }) => places.get(event.eventId) ?? 0);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
    }
  });
});
