import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOptions, lastDay } from '../../src/insurer/coverage-option.ts';

/** The rule in words, with the calendar of the language. */
function told(start: Temporal.PlainDate, term: string): string {
  const endMonth = start.toPlainYearMonth().add(term);
  if (start.day > endMonth.daysInMonth) return endMonth.toPlainDate({ day: endMonth.daysInMonth }).toString();
  return endMonth.toPlainDate({ day: start.day }).subtract({ days: 1 }).toString();
}

test('Decisions, policies: the last day is the day before that of the start’s number, or the last of a shorter month', () => {
  // Every day of years with and without a leap day, a century without one among them.
  for (const year of [2023, 2024, 2025, 2026, 2027, 2028, 2029, 2096, 2099, 2100]) {
    for (let start = new Temporal.PlainDate(year, 1, 1); start.year === year; start = start.add({ days: 1 })) {
      for (const { code, term } of coverageOptions)
        equal(lastDay(`${start}`, code), told(start, term), `${start} ${term}`);
    }
  }
});

test('Decisions, policies: what starts on the 28th to the 31st of August ends on the 27th or the last of February', () => {
  const starts = ['2026-08-28', '2026-08-29', '2026-08-30', '2026-08-31'];
  deepEqual(
    starts.map((start) => lastDay(start, 'MTPL-6M')),
    ['2027-02-27', '2027-02-28', '2027-02-28', '2027-02-28'],
  );
  equal(lastDay('2027-08-31', 'MTPL-6M'), '2028-02-29');
  equal(lastDay('2028-02-29', 'MTPL-12M'), '2029-02-28');
});
