import { enumeration } from '../text/enumeration.ts';

/** How long a policy covers; `term` is an ISO 8601 duration (Resources, coverage option). */
export const coverageOptions = [
  { code: 'MTPL-1M', name: 'Motor third-party liability, one month', term: 'P1M' },
  { code: 'MTPL-3M', name: 'Motor third-party liability, three months', term: 'P3M' },
  { code: 'MTPL-6M', name: 'Motor third-party liability, six months', term: 'P6M' },
  { code: 'MTPL-12M', name: 'Motor third-party liability, twelve months', term: 'P1Y' },
] as const;

export type CoverageCode = (typeof coverageOptions)[number]['code'];

const coverageCodes: readonly CoverageCode[] = coverageOptions.map(({ code }) => code);

export const defaultCoverage: CoverageCode = 'MTPL-12M';

/** The schema of a code. */
export const coverageCode = enumeration(
  'CoverageCode',
  coverageCodes,
  'Code of a coverage option: motor third-party liability for so many months.',
);

/** The terms in months. */
const months: Record<CoverageCode, number> = { 'MTPL-1M': 1, 'MTPL-3M': 3, 'MTPL-6M': 6, 'MTPL-12M': 12 };

/**
 * The last day of cover, inclusive: the day before the day of the end month that has the number of the start day; where
 * the month has no such day, its last day (BGB, section 188). Dates are `YYYY-MM-DD`.
 */
export function lastDay(startDate: string, code: CoverageCode): string {
  const [year = 0, month = 0, day = 0] = startDate.split('-').map(Number);
  const due = month - 1 + months[code];
  const longest = new Date(Date.UTC(year, due + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, due, Math.min(day - 1, longest))).toISOString().slice(0, 10);
}
