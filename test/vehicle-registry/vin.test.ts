import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makes } from '../../src/vehicle-registry/makes.ts';
import { checkDigit } from '../../src/vehicle-registry/vin.ts';
import { plates, vehicleOf } from './plates.ts';

/** Whether a check digit is right, told from the tables of 49 CFR 565.15(c) as they stand there. */
function isRight(vin: string): boolean {
  const values: Record<string, number> = {
    ...{ A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: 7, H: 8, J: 1, K: 2, L: 3, M: 4, N: 5, P: 7, R: 9 },
    ...{ S: 2, T: 3, U: 4, V: 5, W: 6, X: 7, Y: 8, Z: 9 },
  };
  const weights: Record<number, number> = {
    ...{ 1: 8, 2: 7, 3: 6, 4: 5, 5: 4, 6: 3, 7: 2, 8: 10 },
    ...{ 10: 9, 11: 8, 12: 7, 13: 6, 14: 5, 15: 4, 16: 3, 17: 2 },
  };
  let sum = 0;
  for (const [position, weight] of Object.entries(weights)) {
    const character = vin.charAt(Number(position) - 1);
    sum += weight * (/\d/.test(character) ? Number(character) : (values[character] ?? Number.NaN));
  }
  const remainder = sum % 11;
  return vin.charAt(8) === (remainder === 10 ? 'X' : String(remainder));
}

// The first is the example of the regulation, the second and third are those that VIN checkers are tried with.
const published = ['1G4AH59H45G118341', '1M8GDM9AXKP042788', '11111111111111111', '5GZCZ43D13S812715'];

test('Decisions, vehicle registry: the check digit is that of 49 CFR 565', () => {
  for (const vin of published) {
    assert.equal(checkDigit(vin), vin.charAt(8));
    assert(isRight(vin), vin);
  }
  const characters = fc.constantFrom(...'ABCDEFGHJKLMNPRSTUVWXYZ0123456789');
  fc.assert(
    fc.property(fc.string({ unit: characters, minLength: 17, maxLength: 17 }), (text) => {
      assert(isRight(text.slice(0, 8) + checkDigit(text) + text.slice(9)));
    }),
  );
});

const modelYears = 'ABCDEFGHJKLMNPRSTVWXY123456789';

test('Decisions, vehicle registry: a VIN has the form of ISO 3779 and fits the vehicle', () => {
  fc.assert(
    fc.property(plates, (plate) => {
      const vehicle = vehicleOf(plate);
      if (vehicle.vinCode === undefined) return;
      const vin = vehicle.vinCode;
      assert.match(vin, /^[A-HJ-NPR-Z0-9]{17}$/);
      assert(isRight(vin));
      const make = makes.find(({ name }) => name === vehicle.make);
      const model = make?.models.find(({ name }) => name === vehicle.model);
      assert(model !== undefined);
      assert.equal(vin.slice(0, 3), make?.wmi);

      // The seventh character says which of two years a code means: 49 CFR 565.15(b) and 565.25(b).
      const firstYear = /[A-Z]/.test(vin.charAt(6)) ? 2010 : 1980;
      const modelYear = firstYear + modelYears.indexOf(vin.charAt(9));
      const year = Number(vehicle.firstRegDate.slice(0, 4));
      assert(modelYear === year || modelYear === year - 1, `${vin} ${vehicle.firstRegDate}`);
      assert(modelYear >= model.from && modelYear <= model.to);
    }),
    { numRuns: 3000 },
  );
});

test('Decisions, vehicle registry: each make has a manufacturer code of its own, in the range that no country has', () => {
  for (const { wmi } of makes) assert.match(wmi, /^G[A-HJ-NPR-Z0-9][A-HJ-NPR-Z0-8]$/);
  assert.equal(new Set(makes.map(({ wmi }) => wmi)).size, makes.length);
});

test('Decisions, vehicle registry: no two vehicles share a VIN', () => {
  // A plate can be computed back from its VIN, so there is one for each VIN.
  const modulus = 6_760_000n;
  const inverse = 4_278_883n;
  assert.equal((inverse * 3_817_547n) % modulus, 1n);
  const plateOf = (vin: string) => {
    const serial = BigInt('ABCDEFG'.indexOf(vin.charAt(10))) * 1_000_000n + BigInt(vin.slice(11));
    const number = Number(((serial + modulus - 1_500_007n) * inverse) % modulus);
    const letters = Math.floor(number / 10_000);
    const digits = String(number % 10_000).padStart(4, '0');
    return String.fromCharCode(65 + Math.floor(letters / 26), 65 + (letters % 26)) + digits;
  };
  fc.assert(
    fc.property(plates, (plate) => {
      const { vinCode } = vehicleOf(plate);
      if (vinCode !== undefined) assert.equal(plateOf(vinCode), plate);
    }),
    { numRuns: 3000 },
  );

  const seen = new Set<string>();
  let vehicles = 0;
  for (const letters of ['AA', 'AB', 'BA', 'ZY']) {
    for (let number = 1; number <= 9999; number += 1) {
      const { vinCode } = vehicleOf(letters + String(number).padStart(4, '0'));
      if (vinCode === undefined) continue;
      seen.add(vinCode);
      vehicles += 1;
    }
  }
  assert.equal(seen.size, vehicles);
});
