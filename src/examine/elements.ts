import { registryNamespace, soapNamespace } from '../vehicle-registry/index.ts';
import type { Manner } from './members.ts';

/*
 * How each element of the messages of SOAP v1 is compared, by the element that it is in, in the order of the schema. The
 * manners are those of members.ts, and `code`: a name by its namespace, up to its first dot (SOAP 1.1, section 4.4.1).
 */

type ElementManner = Extract<Manner, 'parts' | 'equal' | 'own' | 'text' | 'open'> | 'code';

export const elements: Readonly<Record<string, Readonly<Record<string, ElementManner>>>> = {
  Envelope: { Header: 'open', Body: 'parts' },
  Body: { GetVehicleDataResponse: 'parts', Fault: 'parts' },
  Fault: { faultcode: 'code', faultstring: 'text', faultactor: 'open', detail: 'parts' },
  detail: { VehicleNotFoundFault: 'parts' },
  GetVehicleDataResponse: {
    ...{ RegNumber: 'equal', VinCode: 'own', Make: 'own', Model: 'own', FirstRegDate: 'own', EngineCapacityCcm: 'own' },
    ...{ FuelType: 'own', OwnerType: 'own', InspectionValidTo: 'own', VehicleStatus: 'own' },
  },
  VehicleNotFoundFault: { RegNumber: 'equal', Message: 'text' },
};

const inNone = ['faultcode', 'faultstring', 'faultactor', 'detail'];
const inSoap = ['Envelope', 'Header', 'Body', 'Fault'];

/** The namespace of an element of these messages. */
export function namespaceOf(local: string): string {
  if (inNone.includes(local)) return '';
  return inSoap.includes(local) ? soapNamespace : registryNamespace;
}
