import fc from 'fast-check';
import { registryNamespace, soapAction, soapNamespace } from '../../vehicle-registry/index.ts';
import type { Action, Step } from '../stage.ts';

/*
 * Steps of the two stages of the vehicle registry.
 */

/** A call of the SOAP service. Without `headers`, with those that a client sends. */
export function post(body: string, headers: Step['headers'] = { SOAPAction: `"${soapAction}"` }): Step {
  return {
    method: 'POST',
    path: '/vehicle-registry/v1',
    headers: { Accept: 'text/xml', 'Content-Type': 'text/xml; charset=utf-8', ...headers },
    body,
  };
}

/** What stands in the body of an envelope. */
export const request = (inside: string) =>
  `<GetVehicleDataRequest xmlns="${registryNamespace}">${inside}</GetVehicleDataRequest>`;

export const envelope = (body: string, header = '') =>
  `<soap:Envelope xmlns:soap="${soapNamespace}">${header}<soap:Body>${body}</soap:Body></soap:Envelope>`;

/** A look-up by v1. The number is XML. */
export const bySoap = (regNumber: string): Step => post(envelope(request(`<RegNumber>${regNumber}</RegNumber>`)));

/** A look-up by v2. The number is the end of a path. */
export const byRest = (regNumber: string): Step => ({
  method: 'GET',
  path: `/vehicle-registry/v2/vehicles/${regNumber}`,
});

/** Letters and digits of numbers, of which a few vehicles come up again and again, and how they are written. */
const regNumber = fc
  .record({
    letters: fc.constantFrom('AB', 'EL', 'OL', 'XY', 'QZ', 'XX', 'ZZ', 'ZX'),
    digits: fc.constantFrom('1234', '0001', '0000', '9999', '0021'),
    dash: fc.constantFrom('-', '', ''),
    isLower: fc.boolean(),
  })
  .map(({ letters, digits, dash, isLower }) => `${isLower ? letters.toLowerCase() : letters}${dash}${digits}`);

/** What nobody's number is. */
const noNumber = fc.constantFrom('A-1234', 'ABC-1234', 'AB-123', 'AB-12345', 'AB--1234', '1234-AB', 'AB1-234', 'A');

/** A look-up of some number, by one of these ways. */
export const lookUp = (
  ...ways: readonly ((regNumber: string) => Step)[]
): Action<object, { number: string; way: number }> => ({
  given: fc.record({
    number: fc.oneof({ weight: 4, arbitrary: regNumber }, { weight: 1, arbitrary: noNumber }),
    way: fc.nat({ max: ways.length - 1 }),
  }),
  possible: () => true,
  take: (_model, { number, way }) => (ways[way] as (regNumber: string) => Step)(number),
});
