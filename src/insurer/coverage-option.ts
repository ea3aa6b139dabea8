/** How long a policy covers; `term` is an ISO 8601 duration (Resources, coverage option). */
export const coverageOptions = [
  { code: 'MTPL-1M', name: 'Motor third-party liability, one month', term: 'P1M' },
  { code: 'MTPL-3M', name: 'Motor third-party liability, three months', term: 'P3M' },
  { code: 'MTPL-6M', name: 'Motor third-party liability, six months', term: 'P6M' },
  { code: 'MTPL-12M', name: 'Motor third-party liability, twelve months', term: 'P1Y' },
] as const;

export type CoverageCode = (typeof coverageOptions)[number]['code'];

export const coverageCodes: readonly CoverageCode[] = coverageOptions.map(({ code }) => code);

export const defaultCoverage: CoverageCode = 'MTPL-12M';

/** The last day of cover, inclusive: the start plus the term, less a day. Dates are `YYYY-MM-DD`. */
export function lastDay(startDate: string, code: CoverageCode): string {
  const { term } = coverageOptions.find((option) => option.code === code) as (typeof coverageOptions)[number];
  return Temporal.PlainDate.from(startDate).add(term).subtract({ days: 1 }).toString();
}
