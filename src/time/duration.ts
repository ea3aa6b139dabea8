import { day as dayMs, hour, minute, second } from './units.ts';

/* Durations in ISO 8601, in whole numbers. Months and years differ in length, so one is added to an instant. */

const form =
  /^P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

export interface Duration {
  readonly months: number;
  readonly milliseconds: number;
}

/** Undefined for a text that is none. */
export function readDuration(text: string): Duration | undefined {
  const given = form.exec(text)?.slice(1);
  if (!given?.some((digits) => digits !== undefined) || text.endsWith('T')) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = given.map((digits) =>
    Number(digits ?? 0),
  );
  const milliseconds = (weeks * 7 + days) * dayMs + hours * hour + minutes * minute + seconds * second;
  return { months: years * 12 + months, milliseconds };
}

/**
 * Adds a duration to an instant, both in milliseconds since 1970: months first, to the last day of a month that has no
 * such day. Not a number beyond the dates that there are.
 */
export function addDuration(from: number, { months, milliseconds }: Duration): number {
  const date = new Date(from);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  const ofDay = from - Date.UTC(year, date.getUTCMonth(), date.getUTCDate());
  return Date.UTC(year, month, day) + ofDay + milliseconds;
}

/** Years that one move of a clock can skip. */
export const maxYears = 2;

/** The instant that a move of a clock leads to from another one; undefined if it is too far. */
export function moveClock(from: number, duration: Duration): number | undefined {
  const to = addDuration(from, duration);
  return to <= addDuration(from, { months: maxYears * 12, milliseconds: 0 }) ? to : undefined;
}
