import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { StepsAhead } from '../../src/time/clock-steps.ts';
import { callAfter } from '../../src/time/timer.ts';
import { day, hour, minute } from '../../src/time/units.ts';
import { Listener, longTimeout } from '../events/listener.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { startLPlate, startWithClient } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { claimOn, drain, insure, pass } from '../support/topic.ts';
import { testWithin } from '../support/within.ts';
import { covering, fleetToken, goesOn, live, policiesOf, warnings, year } from './clock-steps.ts';

const test = testWithin(longTimeout);

/* The whole table of steps, and the weeks after them, is in test/long/clock-steps.test.ts. */

forEachEngineInFull((engine) => {
  describe('The clock of the machine is set', () => {
    test('Decisions, time: a year ahead, and back: fleet, desk, streams, webhooks and housekeeping go on', (t) =>
      goesOn(t, engine, { steps: [year, -year], aging: false }));

    test('Decisions, time: the fleet’s policies are renewed in their last month, year after year, and stay 75', async (t) => {
      const lplate = await startLPlate(t, engine);
      const before = (await covering(lplate)).map(({ id }) => id);
      assert.equal(before.length, 75);
      for (let weeks = 0; weeks < 150; weeks += 1) {
        lplate.clock.advance(7 * day);
        await lplate.housekeeping();
        if (weeks % 10 === 0) assert.equal((await covering(lplate)).length, 75, `in week ${weeks}`);
      }
      const after = await policiesOf(lplate, await fleetToken(lplate));
      assert.deepEqual(
        after.map(({ id }) => id),
        before,
        'the very same',
      );
    });

    test('Decisions, time: what expired, was cancelled or is insured by others is replaced; numbers stay dense, growth bounded', async (t) => {
      const { start } = await restartable(engine);
      const clock = new TestClock();
      const first = await start({}, clock);
      const token = await fleetToken(first);
      const [one, other] = await policiesOf(first, token);
      // The round of the start must not restore them.
      await first.housekeeping();
      for (const policy of [one, other]) await first.call('POST', `/policies/${policy?.id}/cancel`, { token });
      await first.close();

      // Away for more than a year: all have expired.
      clock.advance(400 * day);
      const second = await start({}, clock);
      t.after(() => second.close());
      let policies = await policiesOf(second, await fleetToken(second));
      assert.equal((await covering(second)).length, 75);
      assert.deepEqual(
        policies.slice(0, 75).map(({ status }) => status),
        ['cancelled', 'cancelled', ...Array(73).fill('expired')],
      );
      assert.equal(policies.length, 150);
      // Set ahead, and somebody is quicker than housekeeping.
      clock.step(400 * day);
      const demo = await second.client();
      await insure(second, demo.token, 'FL-0007');
      await second.housekeeping();
      assert.equal((await covering(second)).length, 75);
      policies = await policiesOf(second, await fleetToken(second));
      assert.equal(policies.length, 225);
      assert.deepEqual(
        policies.slice(150).filter(({ regNumber }) => !/^FL-00\d\d$/.test(regNumber)).length,
        1,
        'another vehicle in place of FL-0007',
      );
      // Those of the first vehicles are in force again at once, the one in place of FL-0007 is replaced the next day.
      const again = await fleetToken(second);
      for (const { id } of await covering(second))
        await second.call('POST', `/policies/${id}/cancel`, { token: again });
      for (let times = 0; times < 5; times += 1) await second.housekeeping();
      assert.equal((await policiesOf(second, again)).length, 225);
      assert.equal((await covering(second)).length, 74);
      clock.advance(day);
      await second.housekeeping();
      assert.equal((await covering(second)).length, 75);
      assert.equal((await policiesOf(second, await fleetToken(second))).length, 226);
    });

    test('Limits, idle lifetime: set ahead, the clock removes nobody for a day; then whoever was not used', async (t) => {
      const lplate = await startLPlate(t, engine);
      const [used, idle] = [await lplate.client(), await lplate.client()];
      await lplate.housekeeping();
      lplate.clock.step(3 * day);
      const known = async ({ id, secret }: typeof used) =>
        (await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } })).status === 200;
      for (let hours = 0; hours < 23; hours += 1) {
        await lplate.housekeeping();
        assert.equal(await known(used), true);
        lplate.clock.advance(hour);
      }
      lplate.clock.advance(hour);
      await lplate.housekeeping();
      assert.deepEqual([await known(used), await known(idle)], [true, false]);
    });

    test('Limits, idle lifetime: who was used while the clock was ahead goes idle two days after it was set back', async (t) => {
      const lplate = await startLPlate(t, engine);
      lplate.clock.step(year);
      const client = await lplate.client();
      await insure(lplate, client.token, 'AH-1');
      lplate.clock.step(-year);
      await lplate.housekeeping();
      const known = async () => {
        // Not by a use of its own: the vehicle is free once the client is gone.
        const other = await lplate.client();
        const { status } = await lplate.call('POST', '/policies', { token: other.token, json: { regNumber: 'AH-1' } });
        return status === 409;
      };
      for (let hours = 0; hours < 42; hours += 6) {
        lplate.clock.advance(6 * hour);
        await lplate.housekeeping();
        assert.equal(await known(), true, `${hours} hours later`);
      }
      lplate.clock.advance(6 * hour + 10 * minute);
      await lplate.housekeeping();
      assert.equal(await known(), false);
    });

    test('Decisions, time: a stream with a token from when the clock was ahead does not end at once', async (t) => {
      const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 });
      lplate.clock.step(year);
      const client = await lplate.client();
      lplate.clock.step(-year);
      const stream = await Listener.open(lplate, client.token);
      t.after(() => stream.close());
      const policy = await insure(lplate, client.token);
      await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      await pass(lplate, 3);
      await stream.until(() => stream.heard.length === 3, 'three events');
      assert.equal(stream.end, undefined);
      assert.ok(!warnings.includes('TimeoutOverflowWarning'));
    });

    test('Events, 3: events read while the clock was a year back are still there when it is right again', async (t) => {
      const { lplate, client } = await startWithClient(t, engine, { eventsDuplicateRate: 0 });
      const policy = await insure(lplate, client.token);
      await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      await pass(lplate, 3);
      lplate.clock.step(-year);
      const token = await lplate.token(client.id, client.secret);
      await claimOn(lplate, token, policy, { paceSeconds: 1 });
      await live(lplate, 120);
      lplate.clock.step(year);
      await live(lplate, 120);
      assert.equal((await drain(lplate, await lplate.token(client.id, client.secret))).events.length, 6);
    });
  });
});

test('Decisions, time: a timer longer than Node.js takes does not fire at once', async () => {
  let fired = false;
  const cancel = callAfter(400 * day, () => (fired = true));
  const short = Promise.withResolvers<void>();
  callAfter(5, short.resolve);
  await short.promise;
  const cancelled = callAfter(5, () => (fired = true));
  cancelled();
  await new Promise((resolve) => setTimeout(resolve, 30));
  cancel();
  assert.equal(fired, false);
  assert.ok(!warnings.includes('TimeoutOverflowWarning'));
});

test('Decisions, time: a long timer fires in the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let fired = 0;
  callAfter(60 * day, () => (fired += 1));
  for (let days = 0; days < 60; days += 1) {
    assert.equal(fired, 0, `after ${days} days`);
    t.mock.timers.tick(day);
  }
  // Its parts begin with a tick, so each may be a day late here.
  for (let days = 0; days < 3; days += 1) t.mock.timers.tick(day);
  assert.equal(fired, 1);
});

test('Decisions, time: a step ahead is told from time that passes, and forgotten after a day', () => {
  const clock = new TestClock();
  const steps = new StepsAhead(clock);
  clock.advance(400 * day);
  assert.equal(steps.recent, false, 'time passed');
  clock.step(-day);
  assert.equal(steps.recent, false, 'set back');
  clock.step(30 * minute);
  assert.equal(steps.recent, false, 'a little');
  clock.step(2 * hour);
  assert.equal(steps.recent, true);
  clock.advance(day - 1);
  assert.equal(steps.recent, true);
  clock.advance(1);
  assert.equal(steps.recent, false);
});
