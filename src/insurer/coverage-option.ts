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
  const [year, month, dayBefore] = [startDate.slice(0, 4), startDate.slice(5, 7), Number(startDate.slice(8)) - 1];
  // Months since the year 0. The day before the first of a month is the last of the month before.
  const end = 12 * Number(year) + Number(month) - 1 + months[code] - (dayBefore === 0 ? 1 : 0);
  const [endYear, endMonth] = [Math.floor(end / 12), (end % 12) + 1];
  const longest = new Date(Date.UTC(endYear, endMonth, 0)).getUTCDate();
  return `${endYear}-${twoDigits(endMonth)}-${twoDigits(dayBefore === 0 ? longest : Math.min(dayBefore, longest))}`;
}

const twoDigits = (number: number) => String(number).padStart(2, '0');
