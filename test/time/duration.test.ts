import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDuration, moveClock, readDuration } from '../../src/time/duration.ts';

const instants = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2039, 11, 31) });
const part = (unit: string) => fc.option(fc.nat(4000)).map((number) => (number === null ? '' : `${number}${unit}`));
const durations = fc
  .tuple(part('Y'), part('M'), part('W'), part('D'), fc.constant('T'), part('H'), part('M'), part('S'))
  .map((parts) => `P${parts.join('')}`.replace(/T$/, ''));

test('Decisions, time: a duration leads from an instant where the calendar says', () => {
  fc.assert(
    fc.property(instants, durations, (from, text) => {
      const duration = readDuration(text);
      if (text === 'P') return equal(duration, undefined);
      const expected = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO('UTC').add(text);
      equal(duration && addDuration(from, duration), expected.epochMilliseconds, text);
    }),
    { numRuns: 2000 },
  );
});

test('Decisions, time: what is no duration in whole numbers is none, and a move of two years is the longest', () => {
  for (const text of ['', 'P', 'PT', 'P1DT', 'P1H', 'p1d', '-P1D', 'P-1D', 'P1.5D', 'P1D ', 'P9999999999D'])
    equal(readDuration(text), undefined, text);
  const from = Date.UTC(2028, 1, 29);
  const move = (text: string) => moveClock(from, readDuration(text) as NonNullable<ReturnType<typeof readDuration>>);
  equal(move('P2Y'), Date.UTC(2030, 1, 28));
  equal(move('P2YT1S'), undefined);
  equal(move('P999999999Y'), undefined);
});
