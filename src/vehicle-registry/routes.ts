import type { Api } from '../http/endpoint.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { excerpt } from '../text/excerpt.ts';
import { mayBeSecret } from '../text/shown-value.ts';
import type { LookUp } from './look-up.ts';
import type { FuelType } from './makes.ts';
import { Vehicle, VehicleNumber } from './schemas.ts';
import { type Vehicle as Facts, noVehicle } from './vehicle.ts';

/** The endpoint of REST v2, the successor of the SOAP service (Versioning). `index.ts` adds the description. */
export function routes(api: Api, lookUp: LookUp): void {
  api.get(
    '/vehicles/:reg_number',
    {
      schema: {
        operationId: 'readVehicle',
        tags: ['Registry data'],
        summary: 'Read the registry data of a vehicle',
        description:
          'The data are computed from the registration number, so they are always the same, on every L-Plate.',
        params: VehicleNumber,
        response: { 200: Vehicle },
      },
      config: {
        success: 'The vehicle.',
        problems: ['vehicle-not-found'],
        guesses: ['vehicle/:reg_number', 'cars/:reg_number', 'vehicles', ':reg_number'],
        instead: { POST: 'The registry is only read: GET, with the registration number as the end of the path.' },
      },
      // Members in the order of v1. Serialised by the schema, those that may be absent would come last.
      serializerCompiler: () => JSON.stringify,
    },
    async (request, reply) => {
      const { reg_number } = request.params;
      const facts = await lookUp(request, reply, reg_number);
      if (facts === 'answered') return reply;
      if (facts) return inSnakeCase(facts);
      const shown = mayBeSecret(reg_number) ? 'that you sent' : excerpt(reg_number);
      throw new ProblemError('vehicle-not-found', noVehicle(reg_number, shown));
    },
  );
}

/** The facts of v1 under the names of v2. The fuel is in lowercase here. */
function inSnakeCase(facts: Facts): Vehicle {
  const { regNumber, vinCode, make, model, firstRegDate, engineCapacityCcm, ownerType, vehicleStatus } = facts;
  const { fuelType, inspectionValidTo } = facts;
  return {
    reg_number: regNumber,
    ...(vinCode !== undefined && { vin_code: vinCode }),
    make,
    model,
    first_reg_date: firstRegDate,
    ...(engineCapacityCcm !== undefined && { engine_capacity_ccm: engineCapacityCcm }),
    fuel_type: fuelType.toLowerCase() as Lowercase<FuelType>,
    owner_type: ownerType,
    ...(inspectionValidTo !== undefined && { inspection_valid_to: inspectionValidTo }),
    vehicle_status: vehicleStatus,
  };
}
