import fc from 'fast-check';
import { findVehicle, type Vehicle } from '../../src/vehicle-registry/vehicle.ts';

const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ');

/** Any plate that was given out, in capitals and without a dash. */
export const plates = fc
  .tuple(letter, letter, fc.integer({ min: 1, max: 9999 }))
  .map(([first, second, number]) => `${first}${second}${String(number).padStart(4, '0')}`)
  .filter((plate) => !plate.startsWith('XX') && !plate.startsWith('ZZ'));

/** A plate as people write it: with or without the dash, in any case. */
export const writings = fc.tuple(plates, fc.boolean(), fc.nat(3)).map(([plate, dash, lower]) => {
  const letters = [...plate.slice(0, 2)].map((one, at) => (lower & (1 << at) ? one.toLowerCase() : one)).join('');
  return `${letters}${dash ? '-' : ''}${plate.slice(2)}`;
});

/** The vehicle of a plate that has one. */
export function vehicleOf(plate: string): Vehicle {
  const vehicle = findVehicle(plate);
  if (vehicle === undefined) throw new Error(`${plate} has no vehicle`);
  return vehicle;
}
