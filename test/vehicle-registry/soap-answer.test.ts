import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { XmlElement } from 'libxml2-wasm';
import {
  escapeXml,
  faultEnvelope,
  vehicleEnvelope,
  vehicleNotFoundEnvelope,
} from '../../src/vehicle-registry/soap-answer.ts';
import type { Vehicle } from '../../src/vehicle-registry/vehicle.ts';
import { vehicleOf, writings } from './plates.ts';
import { checkMessage, parseXml, prefixes, textAt } from './xml.ts';

const names: readonly [element: string, fact: keyof Vehicle][] = [
  ['RegNumber', 'regNumber'],
  ['VinCode', 'vinCode'],
  ['Make', 'make'],
  ['Model', 'model'],
  ['FirstRegDate', 'firstRegDate'],
  ['EngineCapacityCcm', 'engineCapacityCcm'],
  ['FuelType', 'fuelType'],
  ['OwnerType', 'ownerType'],
  ['InspectionValidTo', 'inspectionValidTo'],
  ['VehicleStatus', 'vehicleStatus'],
];

/** Name and text of each element of an answer, in order. */
function elements(answer: string): [string, string][] {
  const children = parseXml(answer).find('/e:Envelope/e:Body/v:GetVehicleDataResponse/*', prefixes);
  return children.map((child) => [(child as XmlElement).name, child.content]);
}

test('Resources, vehicle data: an answer has the facts in the specified order, and leaves out what is absent', () => {
  fc.assert(
    fc.property(writings, (plate) => {
      const vehicle = vehicleOf(plate);
      const answer = vehicleEnvelope(vehicle);
      checkMessage(answer);
      const present = names.filter(([, fact]) => fact in vehicle);
      assert.deepEqual(
        elements(answer),
        present.map(([element, fact]) => [element, String(vehicle[fact])]),
      );
    }),
    { numRuns: 500 },
  );
});

test('Resources, vehicle data: absent facts are absent elements, not empty ones', () => {
  const electric = vehicleEnvelope(vehicleOf('EL-0021'));
  assert(!electric.includes('EngineCapacityCcm'));
  assert(!vehicleEnvelope(vehicleOf('OL-0082')).includes('VinCode'));
  assert(!vehicleEnvelope(vehicleOf('DE-0004')).includes('InspectionValidTo'));
  // The schema would notice an empty one.
  assert.throws(() => checkMessage(electric.replace('<FuelType>', '<EngineCapacityCcm/><FuelType>')));
});

test('Resources, vehicle data: names with special characters arrive', () => {
  const ampersand = vehicleEnvelope(vehicleOf('AM-0387'));
  assert.match(ampersand, /<Model>Hod &amp; Barrow<\/Model>/);
  assert.equal(textAt(parseXml(ampersand), '//v:Model'), 'Hod & Barrow');
  assert.equal(textAt(parseXml(vehicleEnvelope(vehicleOf('UM-0168'))), '//v:Model'), 'Möwe');
});

/** Text with much of what XML has to escape or can't write. */
const texts = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        ...'<>&"\'\r\n\t ]',
        ']]>',
        '\0',
        '\x01',
        '\x1F',
        '\x7F',
        '\x85',
        '\u2028',
        '\uFFFE',
        '\uFFFF',
        '\uFEFF',
      ),
      fc.constantFrom('\uD800', '\uDFFF', '😀', '\u{10FFFF}', '<!--', '<![CDATA[', '&amp;', '<?', 'é'),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    ),
  })
  // The binding of libxml2 drops a byte order mark at the start of any text.
  .map((text) => `.${text}`);

/** What of a text XML 1.0 can carry; the rest becomes U+FFFD. */
function carried(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) as number;
      const isChar =
        code >= 0x20
          ? code < 0xd800 || (code > 0xdfff && code !== 0xfffe && code !== 0xffff)
          : [9, 10, 13].includes(code);
      return isChar ? character : '\uFFFD';
    })
    .join('');
}

test('Legacy SOAP operation: an unknown vehicle is the typed fault VehicleNotFound', () => {
  fc.assert(
    fc.property(texts, (regNumber) => {
      const answer = vehicleNotFoundEnvelope(regNumber);
      checkMessage(answer);
      const document = parseXml(answer);
      assert.equal(textAt(document, '/e:Envelope/e:Body/e:Fault/faultcode'), 'soap:Client');
      assert.equal(textAt(document, '//e:Fault/detail/v:VehicleNotFoundFault/v:RegNumber'), carried(regNumber));
      assert.match(textAt(document, '//e:Fault/detail/v:VehicleNotFoundFault/v:Message') ?? '', /^No vehicle has/);
    }),
    { numRuns: 500 },
  );
});

test('Decisions, vehicle registry: the message names a short registration number, and only the start of a long one', () => {
  const message = (regNumber: string) => textAt(parseXml(vehicleNotFoundEnvelope(regNumber)), '//v:Message') ?? '';
  assert(message('XX-1234').includes('"XX-1234"'));
  assert(message('A'.repeat(60_000)).length < 300);
  assert(message(`${'A'.repeat(39)}😀`).includes(`"${'A'.repeat(39)}`));
});

test('Decisions, vehicle registry: other faults have a code of SOAP 1.1 and a text, and no detail', () => {
  for (const code of ['Client', 'VersionMismatch', 'MustUnderstand', 'Server'] as const) {
    fc.assert(
      fc.property(texts, (message) => {
        const answer = faultEnvelope({ code, message });
        checkMessage(answer);
        const document = parseXml(answer);
        assert.equal(textAt(document, '//e:Fault/faultcode'), `soap:${code}`);
        assert.equal(textAt(document, '//e:Fault/faultstring'), carried(message));
        assert.equal(textAt(document, '//e:Fault/detail'), undefined);
      }),
    );
  }
});

test('Decisions, vehicle registry: any text survives in XML, in elements and in attributes', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const document = parseXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`);
      assert.equal(textAt(document, '/a/@b'), carried(text));
      assert.equal(textAt(document, '/a'), carried(text));
    }),
  );
});
