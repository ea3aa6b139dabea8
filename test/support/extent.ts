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

/** For what goes with each case: all of these in full; else one of them, each in its turn. */
export function takingTurns<T>(...all: readonly T[]): () => readonly T[] {
  let turn = 0;
  return () => {
    const at = turn++ % all.length;
    return extent(all.slice(at, at + 1), all);
  };
}

/** For what is made at random: `brief` in `npm test`, where it is one that reaches every corner with few rounds. */
export function chooseSeed(brief = 1): number {
  return Number(process.env.FUZZ_SEED ?? extent(brief, randomInt(2 ** 31)));
}
