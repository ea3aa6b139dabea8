import { registryNamespace, type SoapFault, soapNamespace } from './soap.ts';
import { noVehicle, type Vehicle } from './vehicle.ts';

/** The answer when the vehicle was found: elements in the specification's order, absent facts left out. */
export function vehicleEnvelope(vehicle: Vehicle): string {
  const facts = [
    element('RegNumber', vehicle.regNumber),
    element('VinCode', vehicle.vinCode),
    element('Make', vehicle.make),
    element('Model', vehicle.model),
    element('FirstRegDate', vehicle.firstRegDate),
    element('EngineCapacityCcm', vehicle.engineCapacityCcm),
    element('FuelType', vehicle.fuelType),
    element('OwnerType', vehicle.ownerType),
    element('InspectionValidTo', vehicle.inspectionValidTo),
    element('VehicleStatus', vehicle.vehicleStatus),
  ];
  return envelope(group(`GetVehicleDataResponse xmlns="${registryNamespace}"`, facts));
}

/** The typed fault VehicleNotFound. The registration number comes back as it was sent. */
export function vehicleNotFoundEnvelope(regNumber: string): string {
  const start = regNumber.length > 40 ? `${regNumber.slice(0, 40)}…` : regNumber;
  const detail = group(`VehicleNotFoundFault xmlns="${registryNamespace}"`, [
    element('RegNumber', regNumber),
    element('Message', noVehicle(regNumber, `"${start}"`)),
  ]);
  return envelope(fault('Client', 'The vehicle was not found.', group('detail', [detail])));
}

/** Any other fault. `Server` says that the sender is not to blame. */
export function faultEnvelope({ code, message }: { code: SoapFault['code'] | 'Server'; message: string }): string {
  return envelope(fault(code, message));
}

function fault(code: string, message: string, detail: string[] = []): string[] {
  return group('soap:Fault', [element('faultcode', `soap:${code}`), element('faultstring', message), detail]);
}

function envelope(content: string[]): string {
  const lines = group(`soap:Envelope xmlns:soap="${soapNamespace}"`, [group('soap:Body', [content])]);
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...lines, ''].join('\n');
}

/** The lines of an element with elements in it. `start` is its name, and its attributes. */
function group(start: string, children: string[][]): string[] {
  return [`<${start}>`, ...children.flat().map((line) => `  ${line}`), `</${start.split(' ', 1)[0]}>`];
}

/** The lines of an element with text in it: one, or none where there is no such fact. */
function element(name: string, text: string | number | undefined): string[] {
  return text === undefined ? [] : [`<${name}>${escapeXml(String(text))}</${name}>`];
}

/**
 * Text as XML writes it, in elements and attributes. Tabs and line ends are written as references, since a parser may
 * make other characters of them; what XML 1.0 has no way to write is replaced by U+FFFD.
 */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"\t\n\r]/g, (character) => named[character] ?? `&#${character.charCodeAt(0)};`);
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
