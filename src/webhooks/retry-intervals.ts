const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

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
