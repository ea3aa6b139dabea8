import type { Drive, FuelType, Make, Model } from './makes.ts';

/** What a VIN tells of a vehicle. */
export interface VinParts {
  make: Make;
  model: Model;
  drive: Drive;
  modelYear: number;
  /** 0 to 9. */
  trim: number;
  /** 0 to 6,759,999, another one for each vehicle. */
  serial: number;
}

/**
 * A VIN in the form of ISO 3779, read from the left:
 *
 * - 1 to 3, the manufacturer (ISO 3780): the make's code.
 * - 4, the model: its place among the make's models, A to K.
 * - 5, the fuel: P, D, E, H, G, and X for another one.
 * - 6, the drive: its place among the model's drives, 1 to 9.
 * - 7, the trim: a letter from model year 2010 on and a digit before, which tells the years with the same code apart
 *   (49 CFR 565.15(b) and 565.25(b)).
 * - 8: always 0.
 * - 9: the check digit.
 * - 10: the model year.
 * - 11, the plant: A to G, for the millions of the serial number.
 * - 12 to 17: the other six digits of the serial number.
 *
 * So two vehicles with the same VIN would have the same serial number.
 */
export function vinCode({ make, model, drive, modelYear, trim, serial }: VinParts): string {
  const descriptor = [
    LETTERS[make.models.indexOf(model)],
    fuelLetters[drive.fuel],
    model.drives.indexOf(drive) + 1,
    modelYear < 2010 ? trim : LETTERS[trim],
    0,
  ].join('');
  const plant = LETTERS[Math.floor(serial / 1_000_000)];
  const number = String(serial % 1_000_000).padStart(6, '0');
  const start = make.wmi + descriptor;
  const end = modelYearCode(modelYear) + plant + number;
  return start + checkDigit(`${start}0${end}`) + end;
}

/** The first model year that has a code. */
export const firstVinYear = 1981;

const LETTERS = 'ABCDEFGHJK';

const fuelLetters: Readonly<Record<FuelType, string>> = {
  PETROL: 'P',
  DIESEL: 'D',
  ELECTRIC: 'E',
  HYBRID: 'H',
  GAS: 'G',
  OTHER: 'X',
};

/** After 49 CFR 565.15(d)(1): B is 1981, Y 2000, 1 2001, A 2010. After 30 years the codes repeat. */
function modelYearCode(year: number): string {
  return 'ABCDEFGHJKLMNPRSTVWXY123456789'[(year - firstVinYear + 1) % 30] as string;
}

/**
 * The check digit of a VIN, whatever its ninth character, after 49 CFR 565.15(c). Each position has a weight, and each
 * character a value: digits their own, letters A = 1 to H = 8, J = 1 to R = 9, S = 2 to Z = 9. The remainder of the
 * sum of products by 11 is the check digit; 10 is written X.
 */
export function checkDigit(vin: string): string {
  let sum = 0;
  for (const [position, character] of [...vin].entries()) {
    sum += (WEIGHTS[position] as number) * ('0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ'.indexOf(character) % 10);
  }
  return '0123456789X'[sum % 11] as string;
}

const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
