import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Config } from '../../src/settings/config.ts';
import { instant } from '../../src/time/clock.ts';
import { hour, second } from '../../src/time/units.ts';
import { afterAttempt } from '../../src/webhooks/delivery.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { eventFaults } from '../support/event-check.ts';
import { freePort, type LPlate, startLPlate } from '../support/lplate.ts';
import { delayedReply, isSigned, Receiver, Subscriber, subscribed } from '../support/receiver.ts';
import { drain, pass, topicPath } from '../support/topic.ts';

/** The clock begins with the real time, by which the other library judges how old a call is. */
function started(t: TestContext, engine: Engine, settings?: Partial<Config>): Promise<LPlate> {
  const clock = new TestClock(new Date().toISOString());
  return startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings }, clock);
}

/** Seconds between the tries. */
const schedule = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600, 36_000];

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: a webhook is sent what is published from its creation on, byte for byte as on the topic', async (t) => {
    const lplate = await started(t, engine);
    const [receiver, other] = [await Receiver.open(t), await Receiver.open(t)];
    const early = await Subscriber.open(lplate, `${receiver.url}?early=1`);
    await Subscriber.open(lplate, other.url);
    await early.claim();
    await early.pass(second);
    const late = await Subscriber.open(lplate, `${receiver.url}?late=1`, early.client);
    await early.pass(second);
    await early.pass(second);
    await late.settled();

    const { text, json } = await lplate.call('GET', topicPath, { token: early.client.token });
    const bodies = (mark: string) => receiver.calls.filter(({ path }) => path === `/hooks?${mark}=1`);
    assert.equal(json.events.length, 3);
    assert.equal(text.slice(0, text.indexOf('],"next"')), `{"events":[${bodies('early').map(({ body }) => body)}`);
    assert.deepEqual(
      bodies('late').map(({ body }) => body),
      bodies('early')
        .slice(1)
        .map(({ body }) => body),
    );
    for (const { method, headers, event } of receiver.calls) {
      assert.deepEqual([method, headers['content-type'], eventFaults(event)], ['POST', 'application/json', []]);
    }
    assert.deepEqual(other.calls, [], 'another client is sent nothing');
  });

  test('Decisions, claims and events: the signature of a webhook is verified by another library, by its own secret alone', async (t) => {
    const lplate = await started(t, engine);
    const [receiver, second] = [await Receiver.open(t), await Receiver.open(t)];
    const subscriber = await Subscriber.open(lplate, receiver.url);
    const neighbour = await Subscriber.open(lplate, second.url, subscriber.client);
    await subscriber.claim();
    await pass(lplate, 3);
    await Promise.all([receiver.until(3), second.until(3)]);
    for (const { headers, body, event } of receiver.calls) {
      assert.deepEqual(new Webhook(subscriber.secret).verify(body, headers), event);
      assert.throws(() => new Webhook(neighbour.secret).verify(body, headers));
      assert.throws(() => new Webhook(subscriber.secret).verify(body.replace('"1.0"', '"1.1"'), headers));
      const seconds = String(Math.floor(lplate.clock.now() / 1000));
      const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-attempt': attempt } = headers;
      assert.deepEqual([id, timestamp, attempt], [event.eventId, seconds, '1']);
    }
    for (const { headers, body, event } of second.calls) {
      assert.deepEqual(new Webhook(neighbour.secret).verify(body, headers), event);
    }
  });

  test('Events, rule 1: an event that comes twice is sent twice in a row by webhook, both times with its id and signed', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 1 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    // Time goes on between the calls, as it does.
    receiver.answer = () => {
      lplate.clock.advance(10);
      return 200;
    };
    for (let claims = 0; claims < 3; claims += 1) await subscriber.claim();
    const log = await subscriber.pass(second);
    assert.equal(receiver.calls.length, 6);
    for (const at of [0, 2, 4]) assert.equal(receiver.eventIds[at], receiver.eventIds[at + 1]);
    assert.equal(new Set(receiver.eventIds).size, 3);
    assert.deepEqual(receiver.attempts, [1, 2, 1, 2, 1, 2]);
    for (const { headers, body } of receiver.calls) new Webhook(subscriber.secret).verify(body, headers);
    for (const { status, attempts } of log) assert.deepEqual([status, attempts.length], ['delivered', 2]);
  });

  test('Events, rule 1: the same events come twice by webhook and on the topic', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 0.5 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    for (let claims = 0; claims < 12; claims += 1) await subscriber.claim();
    await subscriber.pass(3 * second);
    const { events } = await drain(lplate, subscriber.client.token);
    assert(events.length > 36 && events.length < 72, 'some come twice');
    assert.deepEqual(receiver.eventIds.toSorted(), events.map(({ eventId }) => eventId).toSorted());
  });

  test('Decisions, claims and events: a webhook that is not taken is tried eleven times within a day, each pause to the millisecond', async (t) => {
    const lplate = await started(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => 500;
    assert.equal((await subscriber.call('POST', '/test')).status, 202);
    await subscriber.settled();
    const begun = lplate.clock.now();
    const due = schedule.map(
      (_, at) => begun + schedule.slice(0, at + 1).reduce((sum, each) => sum + each, 0) * second,
    );
    for (const [at, seconds] of schedule.entries()) {
      const [before] = await subscriber.pass(seconds * second - 1);
      assert.deepEqual([before?.status, before?.nextAttemptAt], ['pending', instant(due[at] ?? 0)]);
      assert.deepEqual([before?.attemptCounts.total, receiver.calls.length], [at + 1, at + 1]);
      await subscriber.pass(1);
      assert.equal(receiver.calls.length, at + 2);
    }
    const [delivery] = await subscriber.pass(25 * hour - 30);
    assert.deepEqual([delivery?.status, delivery?.nextAttemptAt], ['failed', null]);
    assert.deepEqual(
      delivery?.attempts.map(({ attemptedAt }) => attemptedAt),
      [begun, ...due.slice(-4)].map(instant),
    );
    assert.deepEqual(delivery?.attemptCounts, { total: 11, taken: 0, refused: 11, unanswered: 0 });
    assert((due.at(-1) ?? 0) - begun <= 24 * hour);
    assert.deepEqual(
      receiver.calls.map(({ headers }) => Number(headers['webhook-timestamp'])),
      [begun, ...due].map((at) => Math.floor(at / 1000)),
    );
    assert.deepEqual(receiver.attempts, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert.equal(new Set(receiver.eventIds).size, 1, 'one id');
    assert.equal(new Set(receiver.calls.map(({ body }) => body)).size, 1);
    assert(receiver.calls.every((call) => isSigned(call, subscriber.secret)));
  });

  test('Decisions, claims and events: only 2xx takes a webhook; an answer of another kind, or none, is tried again', async (t) => {
    const lplate = await started(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    const replies = [400, 409, 503, 'reset', { status: 302, location: '/elsewhere' }, 304, 299] as const;
    receiver.answer = () => replies[receiver.calls.length - 1] ?? 204;
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    for (const seconds of schedule.slice(0, replies.length - 1)) await subscriber.pass(seconds * second);
    const [{ attempts, attemptCounts, status } = assert.fail()] = await subscriber.settled();
    assert.deepEqual(
      attempts.map(({ responseStatus, error }) => responseStatus ?? error),
      [400, 'closed the connection', 302, 304, 299],
    );
    assert.deepEqual(attemptCounts, { total: 7, taken: 1, refused: 5, unanswered: 1 });
    assert.deepEqual([status, receiver.calls.length], ['delivered', replies.length]);
  });

  test('Decisions, claims and events: the second copy of an event has a schedule of its own', async (t) => {
    const lplate = await started(t, engine, { eventsDuplicateRate: 1 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => (receiver.calls.length === 3 || receiver.calls.length === 5 ? 204 : 500);
    await subscriber.call('POST', '/test');
    const at = () => receiver.calls.length;
    await subscriber.settled();
    assert.equal(at(), 1);
    await subscriber.pass(5 * second);
    assert.equal(at(), 2);
    // The third call is taken; the copy follows at once and is refused.
    await subscriber.pass(30 * second);
    assert.equal(at(), 4);
    const [delivery] = await subscriber.pass(5 * second);
    assert.deepEqual([at(), delivery?.status], [5, 'delivered']);
    assert.deepEqual([receiver.attempts, new Set(receiver.eventIds).size], [[1, 2, 3, 4, 5], 1]);
  });

  test('Decisions, claims and events: a dead, a refusing and a hanging subscriber delay none but themselves', async (t) => {
    const lplate = await started(t, engine);
    const [refusing, hanging, healthy] = [await Receiver.open(t), await Receiver.open(t), await Receiver.open(t)];
    const held = delayedReply();
    refusing.answer = () => 503;
    hanging.answer = () => (hanging.calls.length === 1 ? held.reply : 204);
    const slow = await Subscriber.open(lplate, hanging.url);
    const { client } = slow;
    const dead = await Subscriber.open(lplate, `http://127.0.0.1:${await freePort()}/`, client);
    await Subscriber.open(lplate, refusing.url, client);
    const well = await Subscriber.open(lplate, healthy.url, client);
    for (let claims = 0; claims < 10; claims += 1) await slow.claim();
    await pass(lplate, 1);
    await hanging.until(1);
    await pass(lplate, 2);
    await healthy.until(30);
    for (const { status } of await well.settled()) assert.equal(status, 'delivered');
    // One call after the other: the one that hangs has been sent no second one, and is none the worse for it.
    assert.equal(hanging.calls.length, 1);
    held.give(204);
    assert((await slow.settled()).every(({ status }) => status === 'delivered'));
    assert.equal(hanging.calls.length, 30);
    const { attempts } = (await dead.settled())[0] ?? assert.fail();
    assert.equal(attempts[0]?.error, 'refused the connection');
    assert.equal(new Set(refusing.calls.slice(0, 10).map(({ event }) => event.data.claimId)).size, 10);
  });

  test('Decisions, claims and events: however many subscribers hang that did not answer before, those that do are served', async (t) => {
    const many = 220;
    const lplate = await started(t, engine, {
      subscriptionsPerClient: many,
      webhookCallsPerClient: 1000,
      webhookCallsPerHost: 1000,
    });
    const [hanging, healthy] = [await Receiver.open(t), await Receiver.open(t)];
    const well = await Subscriber.open(lplate, healthy.url);
    const one = await Subscriber.open(lplate, hanging.url);
    const { token } = one.client;
    for (let count = 1; count < many; count += 1) {
      const json = { url: hanging.url };
      assert.equal((await lplate.call('POST', '/claims/v1/subscriptions', { token, json })).status, 201);
    }
    hanging.answer = () => 'reset';
    await one.claim(10);
    await pass(lplate, 10);
    await hanging.until(many);
    await one.settled();
    hanging.answer = () => 'hang';
    await pass(lplate, 5);
    await hanging.until(many + 100);
    await well.claim();
    await pass(lplate, 1);
    await healthy.until(1);
    assert.equal(hanging.calls.length, many + 100, 'they have half of the places');
  });
});

test('Decisions, claims and events: where a delivery stands after an attempt', () => {
  const now = 1_700_000_000_000;
  const dueAt = now - 20;
  for (const status of [200, 201, 204, 299]) {
    const last = { copiesLeft: 1, tries: 7, dueAt };
    const delivered = { status: 'delivered', copiesLeft: 0, tries: 0, nextAttemptAt: null };
    assert.deepEqual(afterAttempt(last, { status, error: null }, now), delivered);
    const first = { copiesLeft: 2, tries: 10, dueAt };
    const again = { status: 'pending', copiesLeft: 1, tries: 0, nextAttemptAt: dueAt };
    assert.deepEqual(afterAttempt(first, { status, error: null }, now), again, 'it keeps its place');
  }
  const refused = [100, 199, 300, 308, 404, 500].map((status) => ({ status, error: null }));
  for (const attempt of [{ status: null, error: 'closed the connection' }, ...refused]) {
    for (const copiesLeft of [1, 2]) {
      for (const [tries, seconds] of schedule.entries()) {
        const standing = { status: 'pending', copiesLeft, tries: tries + 1, nextAttemptAt: now + seconds * second };
        const before = { copiesLeft, tries, dueAt };
        assert.deepEqual(afterAttempt(before, attempt, now), standing);
      }
      const before = { copiesLeft, tries: 10, dueAt };
      const failed = { status: 'failed', copiesLeft, tries: 11, nextAttemptAt: null };
      assert.deepEqual(afterAttempt(before, attempt, now), failed);
    }
  }
});
