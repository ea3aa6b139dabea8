import { day } from '../time/units.ts';

/** What `--keep-clients-days` is set to: as in a class, a term, half a year, and the most. */
const usualDays = [60, 120, 180, 366] as const;

/** The days that keep a client which nobody has used for so many milliseconds, for a while longer. */
export function daysToKeep(unused: number): number {
  return usualDays.find((days) => days * day > unused + day) ?? usualDays[3];
}
