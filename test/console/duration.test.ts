import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { after, countdown, iso, words } from '../../console/model/duration.ts';
import { readAdvance } from '../../src/range/clocks/duration.ts';

/** Where the service would move a clock. */
function moved(from: number, duration: string): number | undefined {
  try {
    return from + readAdvance(duration)(from);
  } catch {
    return undefined;
  }
}

const instants = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2039, 11, 31) });
const count = fc.oneof(fc.constant(undefined), fc.nat(40), fc.nat(100_000));
const part = (unit: string) => count.map((number) => (number === undefined ? '' : `${number}${unit}`));
const durations = fc
  .tuple(part('Y'), part('M'), part('W'), part('D'), fc.constantFrom('', 'T'), part('H'), part('M'), part('S'))
  .map((parts) => `P${parts.join('')}`);

test('Console, time: a jump leads where the service would move the clock, or nowhere where it would refuse', () => {
  fc.assert(
    fc.property(instants, fc.oneof(durations, fc.string()), (from, duration) => {
      assert.equal(after(from, duration), moved(from, duration));
    }),
    { numRuns: 2000 },
  );
  const lastOfJanuary = Date.UTC(2028, 0, 31, 23, 59);
  for (const duration of ['P1M', 'P1Y', 'P1M1D', 'P2Y', 'P2YT1S', 'PT1H', 'P0D', 'P', 'PT', 'P1H', 'p1d', 'P1DT']) {
    assert.equal(after(lastOfJanuary, duration), moved(lastOfJanuary, duration), duration);
  }
});

test('Console, time: any number of seconds has a duration that the service takes', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: 1, max: 2 * 365 * 86_400 }), (from, seconds) => {
      assert.equal(moved(from, iso(seconds)), from + seconds * 1000);
    }),
  );
  assert.deepEqual([iso(0.2), iso(5400), iso(86_400), iso(90_061)], ['PT1S', 'PT1H30M', 'P1D', 'P1DT1H1M1S']);
});

test('Console, time: a duration in words has its two largest units', () => {
  assert.deepEqual([0, 1, 61, 3600, 90_000, 86_400 * 366].map(words), [
    '0 seconds',
    '1 second',
    '1 minute 1 second',
    '1 hour',
    '1 day 1 hour',
    '1 year 1 day',
  ]);
  assert.deepEqual([0, 4.2, 65, 600].map(countdown), ['0:00', '0:05', '1:05', '10:00']);
});
