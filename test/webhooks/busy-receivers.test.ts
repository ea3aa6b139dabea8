import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hour, second } from '../../src/time/units.ts';
import { pauseAfter, retryAfter } from '../../src/webhooks/retry-after.ts';
import { forEachEngine } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { subscribed } from '../support/receiver.ts';

const now = Date.parse('2026-11-25T09:00:00Z');

test('Decisions, receivers: Retry-After is whole seconds or a date of HTTP, by the clock of the receiver; all else asks for nothing', () => {
  const read: [string, number | undefined][] = [
    ['60', 60 * second],
    ['0', 0],
    [' 7 ', 7 * second],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Wed, 25 Nov 2026 09:02:00 GMT', 120 * second],
    ['Wednesday, 25-Nov-26 09:02:00 GMT', 120 * second],
    ['Wed Nov 25 09:02:00 2026', 120 * second],
    ['Wed, 25 Nov 2026 08:59:00 GMT', -60 * second],
    ['Wed, 99 Nov 2026 09:02:00 GMT', undefined],
    ['Wed, 25 Nov 2026 09:02:00 +0100', undefined],
    ['2026-11-25T09:02:00Z', undefined],
    ['-60', undefined],
    ['+60', undefined],
    ['1.5', undefined],
    ['1e9', undefined],
    ['0x10', undefined],
    ['60, 60', undefined],
    ['60 s', undefined],
    ['NaN', undefined],
    ['', undefined],
  ];
  for (const [value, expected] of read) assert.equal(retryAfter(['Retry-After', value], now), expected, value);
  assert.equal(retryAfter(['retry-after', '5', 'RETRY-AFTER', '9'], now), undefined, 'two of them');
  assert.equal(retryAfter(['X', 'Retry-After', 'Y', '5'], now), undefined, 'a value is no name');
  const ahead = ['Date', 'Wed, 25 Nov 2037 09:00:00 GMT', 'Retry-After', 'Wed, 25 Nov 2037 09:00:30 GMT'];
  assert.equal(retryAfter(ahead, now), 30 * second, 'its clock is ahead');
});

test('Decisions, receivers: every status with every Retry-After pauses from five seconds to an hour, or not at all', () => {
  for (let status = 200; status < 600; status += 1) {
    for (const asked of [undefined, Number.NEGATIVE_INFINITY, -second, 0, 5, 60 * second, Number.POSITIVE_INFINITY]) {
      const pause = pauseAfter({ status, error: null, retryAfter: asked });
      const busy = [429, 502, 504].includes(status) || (status === 503 && asked !== undefined);
      const expected = busy ? Math.min(hour, Math.max(5 * second, asked ?? 0)) : 0;
      assert.equal(pause, expected, `${status}, ${asked}`);
    }
  }
  assert.equal(pauseAfter({ status: null, error: 'closed the connection' }), 0);
});

forEachEngine((engine) => {
  test('Decisions, receivers: a busy one is called for no delivery until Retry-After has passed, by the log and in fact', async (t) => {
    const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => ({ status: 429, headers: { 'Retry-After': '600' } });
    await subscriber.claim();
    await subscriber.pass(second);
    assert.equal(receiver.calls.length, 1);
    const until = lplate.clock.now() + 600 * second;
    const [first] = await subscriber.log();
    assert.equal(first?.nextAttemptAt, new Date(until).toISOString());
    assert.match((await subscriber.call('GET')).json.lastDelivery.failure, /429.*busy.*Retry-After/);
    // Another claim: its events are new, and wait as well.
    await subscriber.claim();
    const log = await subscriber.pass(3 * second);
    const pending = log.filter(({ status }) => status === 'pending');
    assert.deepEqual(
      pending.map(({ nextAttemptAt }) => nextAttemptAt),
      [first.nextAttemptAt, first.nextAttemptAt],
    );
    await subscriber.pass(until - lplate.clock.now() - 1);
    assert.equal(receiver.calls.length, 1);
    receiver.answer = () => 204;
    await subscriber.pass(1);
    await receiver.until(6);
    assert((await subscriber.settled()).every(({ status }) => status === 'delivered'));
  });

  test('Decisions, receivers: redelivery and test do not wait for a busy one, and a client’s clock takes its pause along', async (t) => {
    const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => ({ status: 503, headers: { 'Retry-After': '86400' } });
    await subscriber.call('POST', '/test');
    await receiver.until(1);
    const [delivery] = await subscriber.settled();
    assert.equal(delivery?.nextAttemptAt, new Date(lplate.clock.now() + hour).toISOString(), 'an hour at most');
    await subscriber.call('POST', '/deliveries/1/redeliver');
    await receiver.until(2);
    await subscriber.settled();
    receiver.answer = () => 204;
    const { id, secret } = subscriber.client;
    const token = await lplate.token(id, secret);
    const moved = await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT59M' } });
    assert.equal(moved.status, 200, moved.text);
    await subscriber.claim(1);
    await subscriber.pass(59 * second);
    assert.equal(receiver.calls.length, 2, 'a minute is left, also for what is new');
    await subscriber.pass(second);
    await receiver.until(6);
  });

  test('Decisions, receivers: 502 and 504 slow the next calls; 503 alone and all else delay only their own delivery', async (t) => {
    const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 });
    for (const [status, slowed] of [
      [502, true],
      [504, true],
      [429, true],
      [503, false],
      [500, false],
    ] as const) {
      const { receiver, subscriber } = await subscribed(t, lplate);
      receiver.answer = () => (receiver.calls.length === 1 ? status : 204);
      const others = [await subscriber.claim(), await subscriber.claim()];
      await subscriber.pass(second);
      await subscriber.settled();
      assert.equal(receiver.calls.length, slowed ? 1 : others.length, `${status}`);
      await subscriber.pass(5 * second);
      await receiver.until(7);
    }
  });

  test('Decisions, receivers: one that answers 410 is called no more until its subscription is enabled, whatever WEBHOOK_DISABLE_HOURS says', async (t) => {
    const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0, webhookDisableHours: 0 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => 410;
    await subscriber.claim();
    await subscriber.pass(second);
    await receiver.until(1);
    const { status, disabledAt, disabledReason, lastDelivery } = (await subscriber.call('GET')).json;
    assert.deepEqual([status, disabledAt], ['disabled', new Date(lplate.clock.now()).toISOString()]);
    assert.match(disabledReason, /answered 410/);
    assert.match(lastDelivery.failure, /410.*disabled/);
    assert.match((await subscriber.call('POST', '/test')).json.detail, /410.*\/enable/);
    assert(lplate.log.some((line) => /answered 410/.test(line) && line.includes(subscriber.id)));
    await subscriber.pass(48 * hour);
    assert.equal(receiver.calls.length, 1);
    receiver.answer = () => 204;
    assert.equal((await subscriber.call('POST', '/enable')).json.disabledReason, null);
    await receiver.until(4);
    assert((await subscriber.settled()).every(({ status }) => status === 'delivered'));
  });
});
