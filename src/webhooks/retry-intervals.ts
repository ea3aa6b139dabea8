import { hour, minute, second } from '../time/units.ts';

/** Seconds that a receiver has to respond. */
export const responseSeconds = 15;

/** Milliseconds between the attempts of a delivery: eleven attempts within a day. */
export const retryIntervals: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  10 * hour,
];
