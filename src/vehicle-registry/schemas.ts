import Type from 'typebox';
import { enumeration } from '../text/enumeration.ts';
import type { FuelType } from './makes.ts';
import { type Vehicle as Facts, findVehicle, type OwnerType, type VehicleStatus } from './vehicle.ts';

// The shapes of REST v2: the facts of v1 in snake_case. The examples are those of a plate that a reader can try.

const example = findVehicle('AB-1234') as Required<Facts>;

const fuels: Lowercase<FuelType>[] = ['petrol', 'diesel', 'electric', 'hybrid', 'gas', 'other'];
const owners: OwnerType[] = ['NATURAL_PERSON', 'LEGAL_PERSON'];
const statuses: VehicleStatus[] = ['REGISTERED', 'SUSPENDED', 'DEREGISTERED'];

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const date = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] });
const fuelType = enumeration('FuelType', fuels, 'What moves a vehicle; the values of v1 in lowercase.');
const ownerType = enumeration('OwnerType', owners, 'Kinds of owners.');
const vehicleStatus = enumeration('VehicleStatus', statuses, 'What the registry says of the use of a vehicle.');

export const VehicleNumber = Type.Object({
  reg_number: text(
    'Registration number: two letters and four digits, with or without a dash, in upper or lower case. No vehicle has any other number.',
    example.regNumber,
  ),
});

export const Vehicle = Type.Object(
  {
    reg_number: text('Registration number, as it was sent.', example.regNumber),
    vin_code: Type.Optional(
      Type.String({
        pattern: '^[A-HJ-NPR-Z0-9]{17}$',
        description: 'Vehicle identification number (ISO 3779). Old vehicles have none.',
        examples: [example.vinCode],
      }),
    ),
    make: text('Manufacturer.', example.make),
    model: text('Name of the model.', example.model),
    first_reg_date: date('Day of first registration.', example.firstRegDate),
    engine_capacity_ccm: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Cubic centimetres. Absent if the vehicle has no engine.',
        examples: [example.engineCapacityCcm],
      }),
    ),
    fuel_type: fuelType('The fuel.', example.fuelType.toLowerCase() as Lowercase<FuelType>),
    owner_type: ownerType('What kind of person owns the vehicle.', example.ownerType),
    inspection_valid_to: Type.Optional(
      date(
        'Last day on which the inspection is valid. Absent for new and deregistered vehicles.',
        example.inspectionValidTo,
      ),
    ),
    vehicle_status: vehicleStatus('Whether the vehicle may be used on the road.', example.vehicleStatus),
  },
  { $id: 'Vehicle', description: 'What the registry knows about a vehicle. Members that do not apply are absent.' },
);

export type Vehicle = Type.Static<typeof Vehicle>;
