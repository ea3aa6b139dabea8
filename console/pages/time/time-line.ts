import { iso } from '../../model/duration.ts';

/*
 * The line from now into the future, on which a learner drags the clock: steps of lengths that people know, an even distance
 * each, so that a minute can be chosen beside two years.
 */

const [minute, hour, day] = [60, 3600, 86_400];

/** A duration, as the interface takes it, and its seconds as far as a place on the line needs them. */
interface Length {
  readonly duration: string;
  readonly seconds: number;
}

const of =
  (unit: number) =>
  (count: number): Length => ({ duration: iso(count * unit), seconds: count * unit });

/** A month and a year have no fixed length: the interface counts them by the calendar. */
const months = (count: number): Length => ({
  duration: count % 12 === 0 ? `P${count / 12}Y` : `P${count}M`,
  seconds: Math.round(count * 30.44 * day),
});

export const steps: readonly Length[] = [
  ...[1, 2, 5, 10, 15, 30, 45].map(of(minute)),
  { duration: 'PT61M', seconds: 61 * minute },
  ...[2, 3, 6, 12].map(of(hour)),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 14, 21].map(of(day)),
  ...[1, 2, 3, 4, 5, 6, 9, 12, 18, 24].map(months),
];

const last = steps.length - 1;

/** The share of the line, 0 to 1, at which something lies that is so many seconds ahead. */
export function placeOf(seconds: number): number {
  const after = steps.findIndex((step) => step.seconds >= seconds);
  if (after < 0) return 1;
  const [from, to] = [steps[after - 1]?.seconds ?? 0, steps[after]?.seconds ?? 0];
  return Math.max(0, after - 1 + (seconds - from) / (to - from)) / last;
}

/** The step that is nearest to so many seconds. */
export const nearestStep = (seconds: number): number => Math.round(placeOf(seconds) * last);

/** What the line names below itself. */
export const scale: readonly { readonly words: string; readonly place: number }[] = [
  { words: '1 minute', place: placeOf(minute) },
  { words: '61 minutes', place: placeOf(61 * minute) },
  { words: '1 day', place: placeOf(day) },
  { words: '1 week', place: placeOf(7 * day) },
  { words: '1 month', place: placeOf(months(1).seconds) },
  { words: '2 years', place: 1 },
];
