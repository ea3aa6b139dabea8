import { minimalRequest, registryNamespace, soapAction, soapNamespace } from '../../src/vehicle-registry/soap.ts';
import { plain, soapOf, xmlLines } from './xml-lines.ts';

/* Envelopes of the vehicle registry to begin with, and what its answers say. */

export { soapAction };

export interface Preset {
  readonly name: string;
  readonly envelope: string;
}

const envelope = (body: string, namespace = soapNamespace) => `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="${namespace}">
  <soap:Body>
${body}
  </soap:Body>
</soap:Envelope>
`;

const request = (content: string) => `    <GetVehicleDataRequest xmlns="${registryNamespace}">
${content}    </GetVehicleDataRequest>`;

const ofVehicle = (regNumber: string) => request(`      <RegNumber>${regNumber}</RegNumber>\n`);

export const presets: readonly Preset[] = [
  { name: 'A right one', envelope: envelope(ofVehicle('AB-1234')) },
  { name: 'Unknown vehicle', envelope: envelope(ofVehicle('XX-1234')) },
  {
    name: 'With a DOCTYPE',
    envelope: envelope(ofVehicle('AB-1234')).replace(
      '\n<soap:Envelope',
      '\n<!DOCTYPE soap:Envelope [<!ENTITY plate "AB-1234">]>\n<soap:Envelope',
    ),
  },
  { name: 'SOAP 1.2', envelope: envelope(ofVehicle('AB-1234'), 'http://www.w3.org/2003/05/soap-envelope') },
  { name: 'No RegNumber', envelope: envelope(request('')) },
  { name: 'The shortest', envelope: minimalRequest },
];

/** The registration number that an envelope asks for, if it has one. */
export function regNumberIn(text: string): string | undefined {
  const found = /<(?:[\w.-]+:)?RegNumber(?:\s[^>]*)?>([^<]*)</.exec(text);
  return found ? plain(found[1] as string) : undefined;
}

/** XML with an element on each line. What is no XML stays as it is. */
export const pretty = (xml: string) =>
  xmlLines(xml)
    ?.map(({ text }) => text)
    .join('\n') ?? xml;

export interface SoapAnswer {
  /** The elements of the vehicle, in their order; undefined for a fault. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
  readonly fault?: {
    /** `soap:Client` */
    readonly code: string;
    readonly text: string;
    /** What such a fault means. */
    readonly meaning: string;
  };
}

const meanings: Record<string, string> = {
  Client: 'The request is wrong. The text says where and why. The same request fails again.',
  VersionMismatch: 'The Envelope is not one of SOAP 1.1: its namespace says so.',
  MustUnderstand: 'A header block says mustUnderstand, and this service understands none.',
  Server: 'The server is to blame, or too many calls came. The same request may succeed later.',
};

const notFound =
  'The request is right, but there is no such vehicle. The element VehicleNotFoundFault in detail says so to a program.';

export function readAnswer(xml: string): SoapAnswer {
  const { operation, fields = [] } = soapOf(xml) ?? {};
  if (operation === 'GetVehicleDataResponse') return { facts: fields.map(({ name, value }) => [name, value] as const) };
  const textOf = (wanted: string) => fields.find(({ name }) => name === wanted)?.value;
  const code = textOf('faultcode');
  if (code === undefined) return {};
  const meaning = /<VehicleNotFoundFault[\s>]/.test(xml) ? notFound : meanings[code.replace(/^.*:/, '')];
  return { fault: { code, text: textOf('faultstring') ?? '', meaning: meaning ?? '' } };
}

/** `VinCode` is `vin_code` in v2. */
export function nameInV2(element: string): string {
  return element.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
}
