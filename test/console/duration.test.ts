import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { after, ago, countdown, howLong, iso, timeLeft, words } from '../../console/model/duration.ts';
import { readAdvance } from '../../src/range/clocks/duration.ts';
import { counted } from '../../src/text/counted.ts';

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
  assert.deepEqual([-3, 0, 4.2, 65, 600].map(countdown), ['0:00', '0:00', '0:05', '1:05', '10:00']);
});

test('Console, durations: a duration is told in its two largest units, without seconds', () => {
  assert.equal(howLong(0), 'less than a minute');
  assert.equal(howLong(59.9), 'less than a minute');
  assert.equal(howLong(60), '1 min');
  assert.equal(howLong(12 * 60 + 59), '12 min');
  assert.equal(howLong(3600), '1 h');
  assert.equal(howLong(3600 + 5 * 60), '1 h 5 min');
  assert.equal(howLong(86_400), '1 d');
  assert.equal(howLong(2 * 86_400 + 3 * 3600 + 59), '2 d 3 h');
});

test('Console, durations: a time that is past is so long ago, and just now within a minute', () => {
  assert.equal(ago(59), 'just now');
  assert.equal(ago(61), '1 min ago');
});

test('Console, durations: what is left is told to the second below an hour, and is never less than nothing', () => {
  assert.equal(timeLeft(-1), '0 s');
  assert.equal(timeLeft(8.2), '9 s');
  assert.equal(timeLeft(60), '1 min');
  assert.equal(timeLeft(252), '4 min 12 s');
  assert.equal(timeLeft(7260), '2 h 1 min');
});

test('Console, durations: a number has its noun with it', () => {
  assert.equal(counted(1, 'miss', 'misses'), '1 miss');
  assert.equal(counted(0, 'hint'), '0 hints');
});
