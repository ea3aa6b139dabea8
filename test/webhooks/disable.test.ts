import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hour, second } from '../../src/time/units.ts';
import { failingAfter } from '../../src/webhooks/delivery.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { problem, startUndoubled } from '../support/lplate.ts';
import { Receiver, Subscriber, subscribed } from '../support/receiver.ts';
import { drain } from '../support/topic.ts';

const state = async (subscriber: Subscriber) => (await subscriber.call('GET')).json;

/** Lets calls fail until the subscription is disabled, for two days at the most. */
async function untilDisabled(subscriber: Subscriber): Promise<void> {
  for (let hours = 0; hours < 48; hours += 1) {
    await subscriber.pass(hour);
    if ((await state(subscriber)).status === 'disabled') return;
  }
  assert.fail('it was not disabled');
}

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: a subscription that failed for a day: it is disabled, says so, and is called no more; enabled, it goes on without a loss', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => 500;
    const begun = lplate.clock.now();
    await subscriber.claim();
    await subscriber.claim();
    await subscriber.pass(3 * second);
    assert.equal((await state(subscriber)).status, 'active');
    await untilDisabled(subscriber);
    assert(lplate.clock.now() - begun >= 24 * hour);
    const shown = await state(subscriber);
    assert.equal(shown.disabledAt, new Date(lplate.clock.now()).toISOString());
    assert.match(shown.disabledReason, /failed for a day/);
    const [listed] = (await lplate.call('GET', '/claims/v1/subscriptions', { token: await tokenOf(subscriber) })).json
      .items;
    assert.deepEqual(listed, shown);
    assert(lplate.log.some((line) => /subscription disabled/.test(line) && line.includes(subscriber.id)));
    const metrics = await (await fetch(`${lplate.url}/metrics`)).text();
    assert.match(metrics, /^lplate_webhook_subscriptions_disabled_total 1$/m);

    const calls = receiver.calls.length;
    const open = (await subscriber.log()).filter(({ status }) => status === 'pending' || status === 'waiting');
    assert(open.length > 0, 'what is open stays');
    for (const { nextAttemptAt } of open) assert.equal(nextAttemptAt, null);
    await subscriber.claim();
    for (let half = 0; half < 4; half += 1) await subscriber.pass(12 * hour);
    for (const act of ['/test', '/deliveries/1/redeliver']) {
      const refused = await subscriber.call('POST', act);
      assert.deepEqual(problem(refused), [409, 'subscription-disabled'], act);
      assert.match(refused.json.detail, /\/enable/);
    }
    assert.equal(receiver.calls.length, calls, 'no call');

    receiver.answer = () => 204;
    receiver.calls.length = 0;
    const enabled = await subscriber.call('POST', '/enable');
    const { status, disabledAt, disabledReason, missedEvents } = enabled.json;
    assert.deepEqual(
      [enabled.status, status, disabledAt, disabledReason, missedEvents],
      [200, 'active', null, null, 0],
    );
    await subscriber.pass(second);
    await receiver.until(open.length + 3);
    const log = await subscriber.settled();
    assert.equal(log.length, 9);
    const undone = log.filter(({ status }) => status !== 'delivered' && status !== 'failed');
    assert.deepEqual(undone, []);
    const { events } = await drain(lplate, await tokenOf(subscriber));
    const failed = new Set(log.filter((each) => each.status === 'failed').map(({ eventId }) => eventId));
    assert.deepEqual(
      new Set(receiver.eventIds),
      new Set(events.map(({ eventId }) => eventId).filter((id) => !failed.has(id))),
    );
    assert.equal((await subscriber.call('POST', '/enable')).status, 200, 'once more changes nothing');
  });

  test('Decisions, claims and events: a subscription that failed for a day: disabled past the days of events, it says how many it missed', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { receiver, subscriber } = await subscribed(t, lplate);
    receiver.answer = () => 500;
    await subscriber.claim();
    await subscriber.pass(3 * second);
    await untilDisabled(subscriber);
    const tidy = async (halves: number) => {
      for (let half = 0; half < halves; half += 1) {
        await subscriber.pass(12 * hour);
        await lplate.housekeeping();
      }
    };
    const open = (await subscriber.log()).filter(({ status }) => status !== 'failed').length;
    await subscriber.claim();
    await tidy(14);
    const late = await subscriber.claim();
    await subscriber.pass(3 * second);
    assert.equal((await state(subscriber)).missedEvents, open);
    await tidy(1);
    assert.equal((await state(subscriber)).missedEvents, open + 3);
    receiver.answer = () => 204;
    receiver.calls.length = 0;
    await subscriber.call('POST', '/enable');
    await receiver.until(3);
    assert.deepEqual(
      receiver.calls.map(({ event }) => event.data.claimId),
      [late, late, late],
    );
    assert.equal((await state(subscriber)).missedEvents, open + 3);
  });

  test('Decisions, claims and events: a subscription that failed for a day: one call that is taken in the day keeps it active; WEBHOOK_DISABLE_HOURS=0 keeps all', async (t) => {
    const [lplate, never] = [
      await startUndoubled(t, engine),
      await startUndoubled(t, engine, { webhookDisableHours: 0 }),
    ];
    const receiver = await Receiver.open(t);
    const subscribers = [
      await Subscriber.open(lplate, receiver.url),
      await Subscriber.open(never, `${receiver.url}?never`),
    ];
    receiver.answer = ({ path }) => (!path.endsWith('never') && receiver.calls.length % 7 === 0 ? 204 : 500);
    for (const subscriber of subscribers) {
      for (let hours = 0; hours < 60; hours += 6) {
        await subscriber.claim();
        await subscriber.pass(6 * hour);
      }
      assert.equal((await state(subscriber)).status, 'active');
    }
  });
});

const tokenOf = ({ lplate, client }: Subscriber) => lplate.token(client.id, client.secret);

test('Decisions, claims and events: a subscription that failed for a day: failures count from the first of them, unless a day passed without one', () => {
  const now = 1_700_000_000_000;
  const refused = { status: 500, error: null };
  const first = failingAfter(null, refused, now);
  assert.deepEqual(first, { since: now, last: now });
  const soon = now + 24 * hour - 1;
  assert.deepEqual(failingAfter(first, refused, soon), { since: now, last: soon });
  // A clock that is set ahead by a day makes no day of failures.
  const late = now + 24 * hour;
  assert.deepEqual(failingAfter(first, refused, late), { since: late, last: late });
  assert.equal(failingAfter(first, { status: 204, error: null }, now + hour), null);
});
