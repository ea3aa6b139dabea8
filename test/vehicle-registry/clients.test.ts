import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Client, createClientAsync } from 'soap';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';

/*
 * Clients that other people wrote, made from the WSDL alone, as a learner makes them. Zeep is Python: ZEEP_PYTHON names
 * an interpreter that has the packages of zeep-requirements.txt. Where it is set, zeep must be there.
 */

const python = process.env.ZEEP_PYTHON;
if (!python) console.error('\n*** NO ZEEP: ZEEP_PYTHON is not set, so the Python client is not tried ***\n');

// They talk to this machine alone, so no proxy has a part in it.
process.env.no_proxy = '*';

const ordinary = {
  RegNumber: 'AB-1234',
  VinCode: 'GNZDP1D04NC383005',
  Make: 'Yarrowick',
  Model: 'Quotient',
  FirstRegDate: '2022-12-19',
  EngineCapacityCcm: 1318,
  FuelType: 'PETROL',
  OwnerType: 'NATURAL_PERSON',
  InspectionValidTo: '2031-11-18',
  VehicleStatus: 'REGISTERED',
};

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);
  let wsdl: string;
  before(async () => {
    wsdl = `${lplate.url}/vehicle-registry/v1?wsdl`;
  });

  describe('Legacy SOAP operation, by the npm package soap', () => {
    let client: Client & { GetVehicleDataAsync(input: object): Promise<[Record<string, unknown>]> };
    before(async () => {
      client = (await createClientAsync(wsdl)) as typeof client;
    });

    test('Legacy SOAP operation: the WSDL tells it service, port and operation', () => {
      const { VehicleRegistryService } = client.describe();
      assert.deepEqual(Object.keys(VehicleRegistryService), ['VehicleRegistryPort']);
      assert.deepEqual(Object.keys(VehicleRegistryService.VehicleRegistryPort), ['GetVehicleData']);
    });

    test('Legacy SOAP operation: a vehicle comes with its dates as dates and its numbers as numbers', async () => {
      const [vehicle] = await client.GetVehicleDataAsync({ RegNumber: 'AB-1234' });
      const { FirstRegDate, InspectionValidTo } = ordinary;
      assert.deepEqual(vehicle, {
        ...ordinary,
        FirstRegDate: new Date(FirstRegDate),
        InspectionValidTo: new Date(InspectionValidTo),
      });
      const [electric] = await client.GetVehicleDataAsync({ RegNumber: 'el0021' });
      assert.deepEqual([electric.RegNumber, 'EngineCapacityCcm' in electric], ['el0021', false]);
    });

    test('Errors, 2: a vehicle that is not found is the typed fault', async () => {
      const error = await client.GetVehicleDataAsync({ RegNumber: 'XX-1234' }).then(
        () => assert.fail('it was found'),
        (thrown) => thrown,
      );
      const { faultcode, detail } = error.root.Envelope.Body.Fault;
      assert.equal(error.response.status, 500);
      assert.equal(faultcode, 'soap:Client');
      assert.deepEqual(Object.keys(detail), ['VehicleNotFoundFault']);
      assert.equal(detail.VehicleNotFoundFault.RegNumber, 'XX-1234');
      assert.match(detail.VehicleNotFoundFault.Message, /^No vehicle has/);
    });
  });

  describe('Legacy SOAP operation, by Python zeep', () => {
    const program = join(import.meta.dirname, 'zeep-client.py');
    const ask = async (...plates: string[]) => {
      const { stdout } = await promisify(execFile)(python ?? '', [program, wsdl, ...plates]);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    };

    test('Legacy SOAP operation: a vehicle comes with its dates as dates; the fault is the typed one', {
      skip: !python && 'ZEEP_PYTHON is not set',
    }, async () => {
      const [found, old, unknown] = await ask('AB-1234', 'OL-0082', 'XX-1234');
      assert.deepEqual(found.vehicle, ordinary);
      const { FirstRegDate, InspectionValidTo, EngineCapacityCcm, Make } = found.types;
      assert.deepEqual([FirstRegDate, InspectionValidTo, EngineCapacityCcm, Make], ['date', 'date', 'int', 'str']);
      assert.equal(old.vehicle.VinCode, null);
      assert.deepEqual([unknown.fault, unknown.name], ['soap:Client', 'VehicleNotFoundFault']);
      assert.equal(unknown.detail.RegNumber, 'XX-1234');
      assert.match(unknown.detail.Message, /^No vehicle has/);
    });
  });
});
