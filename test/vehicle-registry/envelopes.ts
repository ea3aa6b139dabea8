import assert from 'node:assert/strict';
import type { SoapFault } from '../../src/vehicle-registry/soap.ts';
import { readEnvelope } from '../../src/vehicle-registry/soap-request.ts';

export const soap = 'http://schemas.xmlsoap.org/soap/envelope/';
export const registry = 'http://lplate.example/vehicle-registry/v1';

export const request = (inside: string) =>
  `<GetVehicleDataRequest xmlns="${registry}">${inside}</GetVehicleDataRequest>`;
export const asked = request('<RegNumber>AB-1234</RegNumber>');
export const envelope = (body = asked, header = '') =>
  `<s:Envelope xmlns:s="${soap}">${header}<s:Body>${body}</s:Body></s:Envelope>`;
export const withHeader = (blocks: string) => envelope(asked, `<s:Header>${blocks}</s:Header>`);

function read(document: string | Buffer, contentType?: string) {
  return readEnvelope(Buffer.from(document as string), contentType);
}

export function accepts(document: string | Buffer, contentType?: string, regNumber = 'AB-1234'): void {
  assert.deepEqual(read(document, contentType), { regNumber }, String(document).slice(0, 200));
}

export function refuses(
  document: string | Buffer,
  message: RegExp,
  code: SoapFault['code'] = 'Client',
  contentType?: string,
): void {
  const reading = read(document, contentType);
  assert('code' in reading, `accepted: ${String(document).slice(0, 200)}`);
  assert.equal(reading.code, code);
  assert.match(reading.message, message);
  assert(reading.message.length < 900);
}
