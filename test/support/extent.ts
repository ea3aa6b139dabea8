import { randomInt } from 'node:crypto';

/*
 * How much a test does. In `npm test` it is enough to show the rule, the same at each run; a file of `test/long/` that
 * imports `full-extent.ts` first and then a file of the suite runs the tests of that file in full, each time otherwise.
 * FUZZ_SEED=number repeats a run.
 */

const full = process.env.TEST_EXTENT === 'full';

/** The first in `npm test`, the second in `npm run test:long`. */
export function extent<T>(brief: T, inFull: T): T {
  return full ? inFull : brief;
}

/** For what is made at random. */
export const seed = Number(process.env.FUZZ_SEED ?? extent(1, randomInt(2 ** 31)));
