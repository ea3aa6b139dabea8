import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Running } from '../../src/app.ts';
import type { Difference } from '../../src/examine/difference.ts';
import { elements, namespaceOf } from '../../src/examine/elements.ts';
import { examine, type StageResult } from '../../src/examine/examine.ts';
import { Known } from '../../src/examine/known.ts';
import { manners } from '../../src/examine/members.ts';
import { xmlDifference } from '../../src/examine/messages.ts';
import { reportOf } from '../../src/examine/report.ts';
import { Side } from '../../src/examine/side.ts';
import { type Element, readXml } from '../../src/examine/xml.ts';
import { systemClock } from '../../src/time/clock.ts';
import { findVehicle, registryNamespace, wsdl } from '../../src/vehicle-registry/index.ts';
import { faultEnvelope, vehicleEnvelope, vehicleNotFoundEnvelope } from '../../src/vehicle-registry/soap-answer.ts';
import { altered, type Passing } from './altered.ts';
import { startExamined } from './examined.ts';

let shared: Running;
before(async () => {
  shared = await startExamined();
});
after(() => shared.close());

const service = wsdl('http://localhost/vehicle-registry/v1');
const found = vehicleEnvelope(findVehicle('AB-1234') as NonNullable<ReturnType<typeof findVehicle>>);
const missing = vehicleNotFoundEnvelope('XX-1234');
const refused = faultEnvelope({ code: 'Client', message: 'The body is empty.' });

async function result(t: TestContext, stage: string, alter: (passing: Passing) => void): Promise<StageResult> {
  const { url } = await altered(t, shared.url, alter);
  const { results } = await examine(url, { stages: [stage], seed: 3 });
  return results[0] as StageResult;
}

const text =
  (from: string | RegExp, to: string) =>
  (passing: Passing): void => {
    passing.body = passing.body.replace(from, to);
  };
const facts = '/Envelope/Body/GetVehicleDataResponse';

test('Examinations: a vehicle that is not the same in v1 and v2 is found in two calls', async (t) => {
  const { failure } = await result(t, 'rest-registry', text(/"make":"[^"]*"/, '"make":"Other"'));
  equal(failure?.difference.place, '/make');
  match(failure?.difference.says ?? '', /^The member \/make is "Other"; it was "\w+" before\.$/);
  equal(failure?.steps.length, 2);
});

test('Examinations: what is wrong in a message or a WSDL is told by its place', () => {
  for (const [right, from, to, place] of [
    [service, 'xsd:date', 'xsd:string', 'WSDL: type of GetVehicleDataResponse/FirstRegDate'],
    [service, 'elementFormDefault="qualified"', '', 'WSDL: form of GetVehicleDataRequest/RegNumber'],
    [service, 'location="http://localhost', 'location="http://localhost/soap', 'WSDL: address'],
    [service, /^.*$/s, '<html/>', 'WSDL: target namespace'],
    [found, /(<Make>.*)\s+(<Model>.*)/, '$2$1', `${facts}/Make`],
    [found, /<Make>.*/, '', `${facts}/Make`],
    [found, '<Make>', '<Make xmlns="">', `${facts}/Make`],
    [found, /<RegNumber>(AB.*)</, '<RegNumber><b>$1</b><', `${facts}/RegNumber`],
    [found, /<Make>(.*?)</, '<Make>$1<b/><', `${facts}/Make`],
    [found, '<Make>', 'of<Make>', facts],
    [found, '<Make>', '<Colour>red</Colour><Make>', `${facts}/Colour`],
    [missing, /<detail>.*<\/detail>/s, '', '/Envelope/Body/Fault/detail'],
    [missing, /(<faultstring>)[^<]*/, '$1', '/Envelope/Body/Fault/faultstring'],
    [missing, '<faultcode>soap:', '<faultcode>', '/Envelope/Body/Fault/faultcode'],
    [refused, '</soap:Fault>', missing.match(/<detail>.*<\/soap:Fault>/s)?.[0] ?? '', '/Envelope/Body/Fault/detail'],
  ] as const) {
    const difference = compared(right, right.replace(from, to));
    equal(difference?.place, place);
    match(difference?.says ?? '', /^[^\n]+\.$/);
  }
});

test('Examinations: an element of another namespace is told by both namespaces', () => {
  const { says = '' } = compared(found, found.replace('<Make>', '<Make xmlns="">')) ?? {};
  match(says, /Make has the namespace ""; "http:[^"]*" is right\.$/);
});

test('Examinations: a registry may write its XML in other ways, have other vehicles, and say nothing of a successor', async (t) => {
  const others = (passing: Passing) => {
    if (!passing.path.startsWith('/vehicle-registry/v1')) return;
    if (passing.status === 405) passing.headers['content-type'] = 'application/problem+json';
    for (const name of ['link', 'sunset', 'deprecation', 'etag']) delete passing.headers[name];
    passing.body = passing.body
      .replaceAll('soap:Envelope', 'env:Envelope')
      .replaceAll('soap:Body', 'env:Body')
      .replace('xmlns:soap="http://schemas.xmlsoap.org/soap', 'xmlns:env="http://schemas.xmlsoap.org/soap')
      .replaceAll('soap:Fault', 'env:Fault')
      .replace('<faultcode>soap:', '<faultcode>\n env:')
      .replace(/<FirstRegDate>(.*?)</, '<!-- of the paper register -->\r\n<FirstRegDate>$1Z<')
      .replace(/<Make>(.*?)</, '<Make><![CDATA[Other & Sons]]><')
      .replace(/<VinCode>.*<\/VinCode>/, '')
      .replace('name="VehicleRegistryPort"', 'name="Http"')
      .replaceAll('tns:VehicleNotFound"', 'tns:Missing"')
      .replace('message name="VehicleNotFound"', 'message name="Missing"');
  };
  const soap = await result(t, 'soap-registry', others);
  equal(soap.failure?.difference.says, undefined);
});

test('Examinations: the address of a WSDL lies beside the insurer, wherever that is', () => {
  const elsewhere = service.replaceAll('localhost/', 'localhost/shop/');
  equal(compared(service, elsewhere, '/shop/insurer/v1'), undefined);
  match(
    compared(service, service, '/shop/insurer/v1')?.says ?? '',
    /^Your WSDL has "http:.*" as address; the address that was called is right\.$/,
  );
});

test('Examinations: the commands of a look-up by SOAP show the same when they are pasted', async (t) => {
  const { url } = await altered(t, shared.url, text(/<Make>.*?</, '<Make> <'));
  const { stages } = reportOf(await examine(url, { stages: ['soap-registry'], seed: 3 }));
  const { stdout } = await promisify(execFile)('sh', ['-c', stages[0]?.counterexample?.commands ?? '']);
  match(stdout, /^HTTP\/1\.1 200 [\s\S]*<Make> <\/Make>/);
});

test('Examinations: every element of the WSDL has its manner, in its order, and each fact of v2 is one of v1', () => {
  const xsd = 'http://www.w3.org/2001/XMLSchema';
  const below = (element: Element): Element[] => element.children.flatMap((child) => [child, ...below(child)]);
  const schema = below(readXml(service)).find(({ local }) => local === 'schema');
  ok(schema);
  const names = (element: Element) =>
    below(element).filter(({ uri, local, attributes }) => uri === xsd && local === 'element' && attributes.has('name'));
  for (const element of schema.children) {
    const name = element.attributes.get('name') ?? '';
    if (element.local !== 'element' || name === 'GetVehicleDataRequest') continue;
    const parts = names(element).map(({ attributes }) => attributes.get('name') as string);
    deepEqual(Object.keys(elements[name] ?? {}), parts);
    ok(parts.every((part) => namespaceOf(part) === registryNamespace));
  }
  const own = (of: Readonly<Record<string, string>> = {}) => Object.keys(of).filter((name) => of[name] === 'own');
  const snake = (name: string) => name.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
  deepEqual(own(elements.GetVehicleDataResponse).map(snake), own(manners.Vehicle));
});

test('Examinations: each fact of a vehicle has a form, which a text of another form is not', () => {
  equal(compared(found, found), undefined);
  for (const [name, manner] of Object.entries(elements.GetVehicleDataResponse ?? {})) {
    const wrong = found.replace(new RegExp(`(<${name}>)[^<]*`), '$1 ');
    match(
      compared(found, wrong)?.says ?? '',
      new RegExp(`^The element ${facts}/${name} is " "; .* is right\\.$`),
      manner,
    );
  }
});

test('Examinations: XML that is no message, or costs more than it may, is told in a sentence', () => {
  for (const [body, says] of [
    ['', /is not well-formed XML|has no element/],
    ['{}', /is not well-formed XML: /],
    [found.slice(0, 200), /is not well-formed XML: /],
    [`<!DOCTYPE a [<!ENTITY b "c">]>${found.slice(39)}`, /has a DOCTYPE/],
    ['<a>'.repeat(60), /is nested more than 50 deep/],
    [`<a>${'<b/>'.repeat(2_000)}</a>`, /has more elements, attributes or comments than it needs/],
    [`<a>${'<!-- -->'.repeat(2_000)}</a>`, /has more elements, attributes or comments than it needs/],
    [`<a xmlns:b="urn:${'c'.repeat(1_000)}"/>`, /has more elements, attributes or comments than it needs/],
    ['<a b:c="d"/>', /is not well-formed XML: .*prefix/],
    [`<a>${' '.repeat(600_000)}</a>`, /has more than 500000 characters/],
    ['<a/>', /begins with a in the namespace ""/],
  ] as const)
    match(compared(found, body)?.says ?? '', says, body.slice(0, 40));
  const types = '<x:simpleType name="A"><x:restriction base="A"/></x:simpleType>';
  const circle = service
    .replace(
      /<xsd:simpleType name="FuelType">.*<\/xsd:simpleType>/s,
      types.replaceAll('x:', 'xsd:').replaceAll('"A"', '"FuelType"'),
    )
    .replace('base="FuelType"', 'base="tns:FuelType"');
  match(compared(service, circle)?.says ?? '', /as type of GetVehicleDataResponse\/FuelType; xsd:string is right/);
});

/** How bodies in XML are compared. */
function compared(right: string, given: string, base = '/insurer/v1'): Difference | undefined {
  const [side, yours] = ['/insurer/v1', base].map(
    (path) => new Side(new URL(path, 'http://localhost'), systemClock, { paced: false }),
  );
  const answer = (body: string) => ({ status: 200, headers: { 'content-type': 'text/xml' }, body, from: 0, to: 0 });
  return xmlDifference(answer(right), answer(given), new Known(side as Side, yours as Side));
}
