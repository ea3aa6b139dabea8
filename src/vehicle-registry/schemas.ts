import Type from 'typebox';
import type { FuelType } from './catalogue.ts';
import { type Vehicle as Facts, findVehicle, type OwnerType, type VehicleStatus } from './vehicle.ts';

// The shapes of REST v2: the facts of v1 in snake_case. The examples are those of a plate that a reader can try.

const example = findVehicle('AB-1234') as Required<Facts>;

const fuels: Lowercase<FuelType>[] = ['petrol', 'diesel', 'electric', 'hybrid', 'gas', 'other'];
const owners: OwnerType[] = ['NATURAL_PERSON', 'LEGAL_PERSON'];
const statuses: VehicleStatus[] = ['REGISTERED', 'SUSPENDED', 'DEREGISTERED'];

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const date = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] });
const oneOf = <T extends string>(values: T[], description: string, example: T) =>
  Type.Unsafe<T>({ type: 'string', enum: values, description, examples: [example] });

export const VehicleNumber = Type.Object({
  reg_number: text(
    'Registration number: two letters and four digits, with or without a dash, in any case. Any other text has no vehicle.',
    example.regNumber,
  ),
});

export const Vehicle = Type.Object(
  {
    reg_number: text('Registration number, as it was sent.', example.regNumber),
    vin_code: Type.Optional(
      Type.String({
        pattern: '^[A-HJ-NPR-Z0-9]{17}$',
        description: 'Vehicle identification number (ISO 3779). Old vehicles lack it.',
        examples: [example.vinCode],
      }),
    ),
    make: text('Manufacturer.', example.make),
    model: text('Name of the model.', example.model),
    first_reg_date: date('Day of first registration.', example.firstRegDate),
    engine_capacity_ccm: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Cubic centimetres. Vehicles without an engine lack it.',
        examples: [example.engineCapacityCcm],
      }),
    ),
    fuel_type: oneOf(fuels, 'What it runs on.', example.fuelType.toLowerCase() as Lowercase<FuelType>),
    owner_type: oneOf(owners, 'Who owns it.', example.ownerType),
    inspection_valid_to: Type.Optional(
      date(
        'Last day on which the inspection is valid. New and deregistered vehicles lack it.',
        example.inspectionValidTo,
      ),
    ),
    vehicle_status: oneOf(statuses, 'Whether it may be on the road.', example.vehicleStatus),
  },
  { $id: 'Vehicle', description: 'What the registry knows of a vehicle. Facts that it lacks are left out.' },
);

export type Vehicle = Type.Static<typeof Vehicle>;
