import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atMostEvery } from '../../src/time/at-most-every.ts';
import { TestClock } from '../support/clock.ts';

test('Decisions, addresses: what is computed at most once a second never runs twice at once, and keeps no failure', async () => {
  const clock = new TestClock();
  const runs: PromiseWithResolvers<number>[] = [];
  const ask = atMostEvery(1000, clock, () => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  });
  const first = [ask(), ask()];
  clock.advance(5000);
  first.push(ask());
  assert.equal(runs.length, 1, 'it ran twice at once');
  runs[0]?.resolve(1);
  assert.deepEqual(await Promise.all(first), [1, 1, 1]);
  clock.advance(999);
  assert.equal(await ask(), 1);
  clock.advance(1);
  const failing = ask();
  runs[1]?.reject(new Error('away'));
  await assert.rejects(failing, /away/);
  const again = ask();
  runs[2]?.resolve(3);
  assert.deepEqual([await again, runs.length], [3, 3]);
});

test('Decisions, addresses: a computation that throws at once is tried again by the next who asks', async () => {
  let calls = 0;
  const ask = atMostEvery(1000, new TestClock(), () => {
    calls += 1;
    if (calls === 1) throw new Error('at once');
    return Promise.resolve(calls);
  });
  await assert.rejects(ask(), /at once/);
  assert.equal(await ask(), 2);
});
