/*
 * A fleet to practise with: 75 policies as a client would have after some weeks, so that there is something to page
 * through and to filter. Four are from last year and have expired; the others were created in the last 18 days, the
 * last one six hours ago. Of these some are updated, some cancelled, some begin later; holders and terms differ.
 */

import type { Randomness } from '../randomness.ts';
import { day, instant } from '../time/clock.ts';
import { hour } from '../time/units.ts';
import { coverageOptions, lastDay } from './coverage-option.ts';
import { newPolicy, type Policy } from './policy.ts';

export const practiceFleetSize = 75;

const oneDay = 24 * hour;

/** How many have expired. */
const old = 4;

// Eleven: with no divisor in common with the numbers below, so that holders come with every term and state.
const holders = [
  'Ada Example',
  'Björn Beispiel',
  'Chloé d’Exemple',
  'Dario Esempio',
  null,
  'Kestrel Couriers Ltd.',
  'Łucja Przykład',
  'O’Hara & Daughters',
  '見本 花子',
  'Zoë van Voorbeeld',
  null,
];

/** In the order of their creation, as they are at `now`. They have no vehicles yet. */
export function practiceFleet(now: number, randomness: Randomness): Omit<Policy, 'regNumber'>[] {
  return Array.from({ length: practiceFleetSize }, (_, at) =>
    at < old ? expired(at, now, randomness) : recent(at, now, randomness),
  );
}

function expired(at: number, now: number, randomness: Randomness): Omit<Policy, 'regNumber'> {
  const policy = created(at, now - (400 - at) * oneDay, randomness);
  return { ...policy, status: 'expired' };
}

function recent(at: number, now: number, randomness: Randomness): Omit<Policy, 'regNumber'> {
  const policy = created(at, now - (practiceFleetSize - at) * 6 * hour, randomness);
  const changedAt = instant(Date.parse(policy.createdAt) + 5 * hour);
  if (at % 9 === 5) return { ...policy, status: 'cancelled', updatedAt: changedAt };
  if (at % 6 === 2) return { ...policy, status: 'updated', updatedAt: changedAt };
  if (at % 5 !== 3) return policy;
  const startDate = day(now + at * oneDay);
  return { ...policy, startDate, endDate: lastDay(startDate, policy.coverageOption) };
}

function created(at: number, when: number, randomness: Randomness): Omit<Policy, 'regNumber'> {
  const { code: coverageOption } = coverageOptions[at % coverageOptions.length] as (typeof coverageOptions)[number];
  const policy = newPolicy({ regNumber: '', coverageOption }, when, randomness);
  return { ...policy, holder: holders[at % holders.length] ?? null };
}

/**
 * A registration number at random. It has the form of those that the vehicle registry knows. None begins with Q or V, as
 * those of examples do, nor with F, X or Z, as those of the preconfigured fleet and of no vehicle. `digits`: 4, or more
 * where those are taken.
 */
export function practiceNumber(digits: number, randomness: Randomness): string {
  const letter = (of: string) => of.charAt(randomness.integer('plate', 0, of.length));
  const letters = letter('ABCDEGHIJKLMNOPRSTUWY') + letter('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  return `${letters}-${String(randomness.integer('plate', 1, 10 ** digits)).padStart(digits, '0')}`;
}
