import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remember } from '../src/remember.ts';

test('Decisions, the program: nothing rejected is kept: what succeeded is made once, what failed is made anew at the next call', async () => {
  let made = 0;
  let fails = true;
  const number = remember(async () => {
    made += 1;
    if (fails) throw new Error(`try ${made}`);
    return made;
  });
  // Those that ask before it failed share the try.
  const [one, other] = await Promise.allSettled([number(), number()]);
  assert.deepEqual([one.status, one, made], ['rejected', other, 1]);
  await assert.rejects(number(), /try 2/);
  fails = false;
  assert.deepEqual(await Promise.all([number(), number()]), [3, 3]);
  assert.equal(await number(), 3);
});

test('Decisions, the program: nothing rejected is kept: neither is what was thrown before there was a promise', async () => {
  let fails = true;
  const number = remember((): Promise<number> => {
    if (fails) throw new Error('at once');
    return Promise.resolve(1);
  });
  assert.throws(() => void number(), /at once/);
  fails = false;
  assert.equal(await number(), 1);
});
