import { createHash } from 'node:crypto';
import type { Replacements } from '../http/descriptions/examples.ts';
import { day } from '../time/clock.ts';
import { day as dayMs } from '../time/units.ts';
import { defaultCoverage, lastDay } from './coverage-option.ts';

/** Cover begins so many days after the description was made, so that a copy of it stays right for as long. */
const startsAfter = 30;

/** Says what the examples of this interface show on a day (`YYYY-MM-DD`, UTC) in place of what its schemas have. */
export function exampleValues(today: string): Replacements {
  const startDate = day(Date.parse(today) + startsAfter * dayMs);
  return {
    '2026-03-02': today,
    '2026-04-01': startDate,
    '2027-03-31': lastDay(startDate, defaultCoverage),
    'AB-1234': examplePlate(today, 'Q'),
    'CD-5678': examplePlate(today, 'V'),
  };
}

/**
 * What the description has for one reader in place of what it has for all on that day: plates that nobody else reads, so
 * that a whole class can send the examples.
 */
export function ownExampleValues(today: string, reader: string): Readonly<Record<string, string>> {
  const own = createHash('sha256').update(reader).digest('hex').slice(0, 8);
  const plates = [examplePlate(today, 'Q'), examplePlate(today, 'V')];
  return Object.fromEntries(plates.map((plate) => [plate, `${plate}-${own}`]));
}

/** The examples in the refusal of a request for a policy: a plate that no other one shows. */
export function refusalExamples(requestId: string): Readonly<Record<string, unknown>> {
  return { regNumber: `Q-${requestId.slice(-8)}` };
}

/**
 * A plate to insure in an example: another one each day for five centuries, so that it is still free. No other text of
 * ours has plates with these first letters, and all of them are registered vehicles.
 */
function examplePlate(today: string, first: 'Q' | 'V'): string {
  const [letters, numbers] = ['ABCDEFGHIJKLMNOPQRSTUVW', 9000] as const;
  // 7919 has no divisor in common with how many there are: each comes once before the first comes again.
  const at = ((Date.parse(today) / dayMs) * 7919) % (letters.length * numbers);
  return `${first}${letters[at % letters.length]}-${1000 + Math.floor(at / letters.length)}`;
}
