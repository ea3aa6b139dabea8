import type { CoverageCode } from '../coverage-option.ts';
import type { Policy } from '../policy.ts';
import { type Currency, quotient } from './money.ts';

/*
 * The premium of a policy for a month. docs/money.md tells the rule, so that others can compute it; a change makes
 * statements of one month differ.
 */

/** What a premium needs to know of a vehicle: as the vehicle registry has it. */
export interface RatedVehicle {
  readonly engineCapacityCcm?: number;
  /** `YYYY-MM-DD`. */
  readonly firstRegDate: string;
}

/** Finds a vehicle by its registration number. */
export type FindVehicle = (regNumber: string) => RatedVehicle | undefined;

/** In euro cents; `withoutEngine` in cubic centimetres, a cent each. */
const base = { unknown: 3500, known: 1500, withoutEngine: 1000 };

/** Percent, for vehicles of so many years at least. */
const ofAge = [
  { years: 10, percent: 125 },
  { years: 3, percent: 110 },
] as const;

/** Percent: a longer cover costs less. */
const ofCoverage: Record<CoverageCode, number> = { 'MTPL-1M': 130, 'MTPL-3M': 115, 'MTPL-6M': 107, 'MTPL-12M': 100 };

/** The smallest units of a currency for a euro: 100 cents, 163 yen, 335 fils. */
const unitsPerEuro: Record<Currency, number> = { EUR: 100, JPY: 163, KWD: 335 };

/** A commission is one part in so many of the premium: 12.5 %. */
const commissionPart = 8;

/** The premium for a month, in the smallest unit of the currency: rounded once, at the end, a half to the even one. */
export function premiumOf(
  { coverageOption, startDate }: Pick<Policy, 'coverageOption' | 'startDate'>,
  vehicle: RatedVehicle | undefined,
  currency: Currency,
): number {
  const cents = vehicle ? base.known + (vehicle.engineCapacityCcm ?? base.withoutEngine) : base.unknown;
  const years = vehicle ? yearOf(startDate) - yearOf(vehicle.firstRegDate) : 0;
  const age = ofAge.find((each) => years >= each.years)?.percent ?? 100;
  return quotient(cents * age * ofCoverage[coverageOption] * unitsPerEuro[currency], 100 ** 3);
}

/** The commission on a premium, both in the smallest unit of their currency; a half to the even one. */
export const commissionOn = (premium: number): number => quotient(premium, commissionPart);

const yearOf = (date: string) => Number(date.slice(0, 4));
