import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../src/settings/config.ts';
import { minute } from '../../src/time/units.ts';
import type { Resolve } from '../../src/webhooks/target.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { until } from '../support/until.ts';

function started(t: TestContext, engine: Engine, settings: Partial<Config>, resolve?: Resolve): Promise<LPlate> {
  const options = resolve ? { resolve } : {};
  return startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings }, new TestClock(), options);
}

async function tests(subscriber: Subscriber, count: number): Promise<void> {
  for (let test = 0; test < count; test += 1) assert.equal((await subscriber.call('POST', '/test')).status, 202);
}

/** Time goes on by so much, and all that is due has been looked at. */
async function pass(lplate: LPlate, milliseconds: number): Promise<void> {
  lplate.clock.advance(milliseconds);
  for (let rounds = 0; rounds < 3; rounds += 1) await lplate.catchUp();
}

async function limited({ url }: LPlate, limit: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^lplate_limits_reached_total\\{limit="${limit}"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: calls a minute for a client: calls over the limit wait, cost no attempt, and hold up no other client', async (t) => {
    const lplate = await started(t, engine, { webhookCallsPerClient: 5 });
    const [receiver, second, elsewhere] = [await Receiver.open(t), await Receiver.open(t), await Receiver.open(t)];
    const subscriber = await Subscriber.open(lplate, receiver.url);
    const sibling = await Subscriber.open(lplate, second.url, subscriber.client);
    const other = await Subscriber.open(lplate, elsewhere.url);
    await tests(subscriber, 7);
    await receiver.until(5);
    await tests(sibling, 1);
    await tests(other, 2);
    await elsewhere.until(2);
    await pass(lplate, minute - 1);
    assert.deepEqual([receiver.calls.length, second.calls.length], [5, 0], 'the subscriptions of a client share it');
    const waiting = (await subscriber.log()).filter(({ status }) => status !== 'delivered');
    assert.deepEqual(
      waiting.map(({ attempts, attemptCounts }) => [attempts, attemptCounts.total]),
      Array(2).fill([[], 0]),
    );
    assert((await limited(lplate, 'webhook-calls-client')) > 0);
    await pass(lplate, 1001);
    await receiver.until(7);
    await second.until(1);
    assert.deepEqual(receiver.attempts, Array(7).fill(1));
    for (const { status } of await subscriber.settled()) assert.equal(status, 'delivered');
  });

  test('Decisions, claims and events: calls a minute to a host: all clients share them, a host is known by its address, and this machine is one', async (t) => {
    const lplate = await started(t, engine, { webhookCallsPerHost: 4 });
    const [receiver, second] = [await Receiver.open(t), await Receiver.open(t, { host: '127.0.0.2' })];
    const [one, two] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, second.url)];
    await tests(one, 3);
    await receiver.until(3);
    await tests(two, 3);
    await second.until(1);
    await pass(lplate, minute - 1);
    assert.deepEqual([receiver.calls.length, second.calls.length], [3, 1]);
    assert((await limited(lplate, 'webhook-calls-host')) > 0);
    await pass(lplate, 1001);
    await second.until(3);
    assert.deepEqual(second.attempts, [1, 1, 1]);
  });

  test('Decisions, claims and events: calls a minute to a host: who has much to be sent does not hold up who has little', async (t) => {
    // However long it takes to find who has little.
    let found = false;
    const resolve: Resolve = async (name) => {
      if (name === 'little.example') {
        await pause(40);
        setImmediate(() => {
          found = true;
        });
      }
      return ['127.0.0.1'];
    };
    const settings = { webhookCallsPerHost: 1, webhookAllow: ['127.0.0.0/8'] };
    const lplate = await started(t, engine, settings, resolve);
    const [receiver, second] = [await Receiver.open(t), await Receiver.open(t)];
    const named = ({ url }: Receiver, name: string) => url.replace(/127\.0\.0\.1|localhost/, name);
    const much = await Subscriber.open(lplate, named(receiver, 'much.example'));
    const little = await Subscriber.open(lplate, named(second, 'little.example'));
    for (let claims = 0; claims < 4; claims += 1) await much.claim();
    await pass(lplate, 3000);
    await receiver.until(1);
    found = false;
    await tests(little, 1);
    await pass(lplate, 0);
    await until(() => found, 'its first try, over the limit');
    for (let minutes = 0; minutes < 2; minutes += 1) {
      await pass(lplate, minute + 1000);
      await until(() => receiver.calls.length + second.calls.length === minutes + 2, 'the call of this minute');
    }
    // What is theirs has been due longer.
    assert.deepEqual([receiver.calls.length, second.calls.length], [2, 1]);
  });
});
