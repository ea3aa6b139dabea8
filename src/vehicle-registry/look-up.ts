import type { FastifyReply, FastifyRequest } from 'fastify';
import { meetPlate } from '../http/requests/faults.ts';
import { magicPlate } from '../magic-plates.ts';
import { findVehicle, madeUpVehicle, type Vehicle } from './vehicle.ts';

interface Plates {
  readonly magicPlates: 'on' | 'off';
}

/** Looks up a vehicle for a call; one with a magic plate is made up. `answered`: the call goes no further. */
export type LookUp = (
  request: FastifyRequest,
  reply: FastifyReply,
  regNumber: string,
) => Promise<Vehicle | undefined | 'answered'>;

export function lookUpWith({ magicPlates }: Plates): LookUp {
  return async (request, reply, regNumber) => {
    if (magicPlates === 'off' || magicPlate(regNumber) === undefined) return findVehicle(regNumber);
    return (await meetPlate(request, reply, regNumber)) ? madeUpVehicle(regNumber) : 'answered';
  };
}

/** Finds the vehicles that calls look up, for what is no call. */
export function vehiclesWith({ magicPlates }: Plates): (regNumber: string) => Vehicle | undefined {
  return (regNumber) =>
    magicPlates === 'off' || magicPlate(regNumber) === undefined ? findVehicle(regNumber) : madeUpVehicle(regNumber);
}
