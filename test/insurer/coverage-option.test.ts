import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { coverageOptions, lastDay } from '../../src/insurer/coverage-option.ts';

test('Decisions, policies: the last day is the start plus the term, less a day, for every start and option', () => {
  const starts = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(starts, fc.constantFrom(...coverageOptions), (start, { code, term }) => {
      const startDate = start.toISOString().slice(0, 10);
      const expected = Temporal.PlainDate.from(startDate).add(term).subtract({ days: 1 }).toString();
      equal(lastDay(startDate, code), expected);
    }),
    { numRuns: 5000 },
  );
});
