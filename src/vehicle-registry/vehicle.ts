/*
 * The data of a vehicle are computed from its plate. Nothing is stored: a plate has the same vehicle on every instance,
 * for ever. This is how you can repeat the computation in another language:
 *
 * A plate is two letters and four digits, with or without a dash between them, in any case. Those that begin with XX
 * or ZZ, or end in 0000, were never issued. Take the plate in capitals without the dash (`AB1234`), and the SHA-256
 * of `lplate vehicle ` and that (in ASCII). Its 32 bytes, counted from 0, decide. "One of n by bytes i to j" means:
 * read these bytes as a big-endian number, multiply it by n, divide by what the number can't reach (2^32 for four
 * bytes), round down.
 *
 * - The model: one of all models, in the order of makes.ts, by bytes 0 to 3. It brings the make.
 * - The drive (fuel and engine capacity): one of the model's drives, by bytes 4 to 7.
 * - The first registration: one of the days from 1 January of the first year of sale to 30 June after the last one, or
 *   31 December 2025 if that is earlier, by bytes 8 to 11.
 * - The model year: the year of first registration, or the year before if byte 12 is below 64, but never outside the
 *   years of sale.
 * - The VIN (see vin.ts): the trim is one of ten, by bytes 13 to 16. The serial number encodes the plate: for the
 *   letters counted AA = 0, AB = 1 … ZZ = 675 and the digits as a number, it is
 *   (letters × 10,000 + digits) × 3,817,547 + 1,500,007, modulo 6,760,000. The factor and the modulus have no divisor
 *   in common, so each plate has a serial number of its own, and each VIN belongs to one vehicle. There is no VIN for
 *   model years before 1981, nor for those before 2000 if byte 17 is below 24: the paper registers had gaps.
 * - The owner: a legal person if byte 18 is below 77.
 * - The status: deregistered if byte 19 is below 10, or below 50 when first registered before 2006; suspended if byte
 *   19 is 244 or more.
 * - The inspection: none on a deregistered vehicle, nor on one that was first registered after 2022 and has its first
 *   inspection to come. Otherwise, if byte 20 is below 64, it lapsed on one of the days of 2023 to 2025; if not, it is
 *   valid to one of the days of 2026 to 2035 (both by bytes 21 to 24). These dates stand for ever too, so all lapse
 *   some day.
 */

import { hash } from 'node:crypto';
import { BoundedCache } from '../bounded-cache.ts';
import { oddCharacter } from '../text/odd-character.ts';
import { mayBeSecret } from '../text/shown-value.ts';
import { day } from '../time/clock.ts';
import { day as dayMs } from '../time/units.ts';
import { type FuelType, makes } from './makes.ts';
import { firstVinYear, vinCode } from './vin.ts';

export type OwnerType = 'NATURAL_PERSON' | 'LEGAL_PERSON';

export type VehicleStatus = 'REGISTERED' | 'SUSPENDED' | 'DEREGISTERED';

/** Dates are `YYYY-MM-DD`. Facts that a vehicle lacks are missing. */
export interface Vehicle {
  /** As it was sent. */
  readonly regNumber: string;
  readonly vinCode?: string;
  readonly make: string;
  readonly model: string;
  readonly firstRegDate: string;
  readonly engineCapacityCcm?: number;
  readonly fuelType: FuelType;
  readonly ownerType: OwnerType;
  readonly inspectionValidTo?: string;
  readonly vehicleStatus: VehicleStatus;
}

/** The text of the refusal, in each version of the interface. */
export function noVehicle(regNumber: string, shownNumber: string): string {
  const odd = mayBeSecret(regNumber) ? undefined : oddCharacter(regNumber, (each) => /[A-Za-z\d-]/.test(each));
  return `No vehicle has the registration number ${shownNumber}. ${odd === undefined ? '' : `${odd} `}Registration numbers are two letters and four digits, such as AB-1234; numbers with XX, ZZ or 0000 were never issued.`;
}

/** The vehicle with a registration number, or undefined if that is not a plate or was never issued. */
export function findVehicle(regNumber: string): Vehicle | undefined {
  const known = computed.get(regNumber);
  if (known) return known;
  const plate = readPlate(regNumber);
  if (plate === undefined) return undefined;
  const vehicle = vehicleOf(plate, regNumber);
  computed.set(regNumber, vehicle);
  return vehicle;
}

/** A vehicle for a registration number that is of none. It has no VIN: each of these belongs to a plate. */
export function madeUpVehicle(regNumber: string): Vehicle {
  return vehicleOf(regNumber.replaceAll('-', '').toUpperCase(), regNumber, false);
}

/** Vehicles that were looked up: most people try the same few again and again. */
const computed = new BoundedCache<string, Vehicle>(1000);

function vehicleOf(plate: string, regNumber: string, isIssued = true): Vehicle {
  const seed = hash('sha256', `lplate vehicle ${plate}`, 'buffer');
  const among = <T>(choices: readonly T[], at: number) => choices[oneOf(choices.length, seed, at)] as T;

  const { make, model } = among(offers, 0);
  const drive = among(model.drives, 4);
  const firstRegDate = dayBetween(start(model.from), Math.min(start(model.to + 1, 7), start(2026)), seed, 8);
  const year = Number(firstRegDate.slice(0, 4));
  const modelYear = Math.max(model.from, Math.min(model.to, byte(seed, 12) < 64 ? year - 1 : year));
  const trim = oneOf(10, seed, 13);
  const hasVin = isIssued && modelYear >= firstVinYear && (modelYear >= 2000 || byte(seed, 17) >= 24);
  const vehicleStatus = statusOf(year, byte(seed, 19));
  const isInspected = vehicleStatus !== 'DEREGISTERED' && year <= 2022;

  return {
    regNumber,
    ...(hasVin && { vinCode: vinCode({ make, model, drive, modelYear, trim, serial: serialNumber(plate) }) }),
    make: make.name,
    model: model.name,
    firstRegDate,
    ...(drive.capacityCcm !== undefined && { engineCapacityCcm: drive.capacityCcm }),
    fuelType: drive.fuel,
    ownerType: byte(seed, 18) < 77 ? 'LEGAL_PERSON' : 'NATURAL_PERSON',
    ...(isInspected && { inspectionValidTo: inspection(seed) }),
    vehicleStatus,
  };
}

const offers = makes.flatMap((make) => make.models.map((model) => ({ make, model })));

function readPlate(regNumber: string): string | undefined {
  const [, written = '', digits] = /^([a-z]{2})-?([0-9]{4})$/i.exec(regNumber) ?? [];
  const letters = written.toUpperCase();
  if (letters === '' || letters === 'XX' || letters === 'ZZ' || digits === '0000') return undefined;
  return `${letters}${digits}`;
}

/** Another one for each plate, from 0 to 6,759,999. */
function serialNumber(plate: string): number {
  const letters = (plate.charCodeAt(0) - 65) * 26 + (plate.charCodeAt(1) - 65);
  const number = letters * 10_000 + Number(plate.slice(2));
  return (number * 3_817_547 + 1_500_007) % 6_760_000;
}

function statusOf(year: number, decider: number): VehicleStatus {
  if (decider < (year < 2006 ? 50 : 10)) return 'DEREGISTERED';
  return decider >= 244 ? 'SUSPENDED' : 'REGISTERED';
}

function inspection(seed: Buffer): string {
  return byte(seed, 20) < 64
    ? dayBetween(start(2023), start(2026), seed, 21)
    : dayBetween(start(2026), start(2036), seed, 21);
}

/** One of the days from `first` up to, but not with, `end`. Both are in milliseconds since 1970, UTC. */
function dayBetween(first: number, end: number, seed: Buffer, at: number): string {
  return day(first + oneOf((end - first) / dayMs, seed, at) * dayMs);
}

const start = (year: number, month = 1) => Date.UTC(year, month - 1);
const byte = (seed: Buffer, at: number) => seed[at] as number;
const oneOf = (count: number, seed: Buffer, at: number) => Math.floor((seed.readUInt32BE(at) * count) / 2 ** 32);
