import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { day, second } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate } from '../../support/lplate.ts';
import { Receiver, Subscriber, until } from '../../support/receiver.ts';
import { pass } from '../../support/topic.ts';
import { at, clientsOf, move } from './clock.ts';

/* Each test moves the clock of one client, and shows that a second one sees none of it. */

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 });

  const { now } = clientsOf(() => lplate);

  describe('Webhooks', () => {
    test('Decisions, webhooks: retries come due when their time is skipped; what is shown is in the client’s time', async (t) => {
      const receiver = await Receiver.open(t);
      receiver.answer = () => 500;
      const [mine, other] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, receiver.url)];
      for (const subscriber of [mine, other]) {
        await subscriber.claim(600);
        equal((await subscriber.call('POST', '/test')).status, 202);
      }
      await lplate.catchUp();
      await receiver.until(2);
      for (const subscriber of [mine, other]) await subscriber.settled();
      const [before] = await mine.log();
      equal(before?.nextAttemptAt, at(now() + 5 * second));
      const client = { ...mine.client };
      await move(lplate, client, 'PT4S');
      equal((await mine.log())[0]?.nextAttemptAt, before?.nextAttemptAt, 'it is the same time, only nearer');
      await lplate.catchUp();
      equal(receiver.calls.length, 2);
      await move(lplate, client, 'PT1S');
      await lplate.catchUp();
      await receiver.until(3);
      await until(async () => (await mine.log())[0]?.attemptCounts.total === 2, 'the second attempt');
      const [after] = await mine.log();
      equal(after?.attempts[1]?.attemptedAt, at(now() + 5 * second));
      equal(after?.nextAttemptAt, at(now() + 35 * second));
      equal((await other.log())[0]?.attemptCounts.total, 1);
      equal((await mine.call('GET')).json.lastDelivery.nextAttemptAt, at(now() + 35 * second));
      const created = (await mine.call('GET')).json.createdAt;
      equal(created, at(now()), 'what was before keeps its time');

      // Receivers compare this with their own clocks, which are right.
      const sent = receiver.calls.map(({ headers }) => Number(headers['webhook-timestamp']));
      deepEqual(new Set(sent), new Set([Math.floor(now() / 1000)]));
    });

    test('Decisions, webhooks: a subscription is disabled after a day of failures by its client’s clock', async (t) => {
      const receiver = await Receiver.open(t);
      receiver.answer = () => 500;
      const [mine, other] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, receiver.url)];
      for (const subscriber of [mine, other]) await subscriber.call('POST', '/test');
      await lplate.catchUp();
      await until(() => receiver.calls.length >= 2, 'a call of each');
      const status = async (subscriber: Subscriber) => (await subscriber.call('GET')).json.status;
      const client = { ...mine.client };
      for (let half = 1; half <= 2; half += 1) {
        await until(async () => (await mine.log())[0]?.attemptCounts.total === half, `attempt ${half}`);
        equal(await status(mine), 'active');
        await move(lplate, client, 'PT12H');
        await lplate.catchUp();
      }
      await until(async () => (await status(mine)) === 'disabled', 'that it is disabled');
      equal((await mine.call('GET')).json.disabledAt, at(now() + day));
      equal(await status(other), 'active');
    });

    test('Decisions, webhooks: deliveries are kept as long as events are, by their client’s clock', async (t) => {
      const receiver = await Receiver.open(t);
      const [mine, other] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, receiver.url)];
      for (const subscriber of [mine, other]) {
        await subscriber.claim(1);
        await subscriber.call('POST', '/test');
      }
      for (let step = 0; step < 4; step += 1) {
        await pass(lplate, 1);
        for (const subscriber of [mine, other]) await subscriber.settled();
      }
      await lplate.housekeeping();
      deepEqual([(await mine.log()).length, (await other.log()).length], [4, 4]);
      lplate.clock.advance(second);
      await move(lplate, { ...mine.client }, 'P7D');
      const again = await mine.call('POST', '/deliveries/2/redeliver');
      deepEqual(problem(again), [404, 'delivery-not-found']);
      await lplate.housekeeping();
      deepEqual([(await mine.log()).length, (await other.log()).length], [0, 4]);
      equal((await other.call('POST', '/deliveries/2/redeliver')).status, 202);
    });
  });
});
