import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nameInV2, presets, pretty, readAnswer, regNumberIn } from '../../console/model/soap.ts';
import { faultEnvelope, vehicleEnvelope, vehicleNotFoundEnvelope } from '../../src/vehicle-registry/soap-answer.ts';
import { readEnvelope } from '../../src/vehicle-registry/soap-request.ts';
import { findVehicle, type Vehicle } from '../../src/vehicle-registry/vehicle.ts';

test('Console, workbench: each envelope to begin with is what its name says to the service', () => {
  const results = presets.map(({ name, envelope }) => {
    const reading = readEnvelope(Buffer.from(envelope), 'text/xml');
    return [name, 'code' in reading ? `${reading.code}: ${reading.message}` : reading.regNumber] as const;
  });
  const expected: readonly RegExp[] = [
    /^AB-1234$/,
    /^XX-1234$/,
    /DOCTYPE/,
    /^VersionMismatch/,
    /RegNumber/,
    /^AB-1234$/,
  ];
  for (const [index, [name, found]] of results.entries()) assert.match(found, expected[index] as RegExp, name);
  assert.deepEqual(
    presets.map(({ envelope }) => regNumberIn(envelope)),
    ['AB-1234', 'XX-1234', 'AB-1234', 'AB-1234', undefined, 'AB-1234'],
  );
});

test('Console, workbench: the facts and faults of a SOAP answer are read from it, also when it is pretty-printed', () => {
  const vehicle = findVehicle('AM-0387') as Vehicle;
  for (const shown of [(xml: string) => xml, pretty]) {
    const { facts } = readAnswer(shown(vehicleEnvelope(vehicle)));
    assert.deepEqual(facts?.slice(0, 4), [
      ['RegNumber', 'AM-0387'],
      ['VinCode', vehicle.vinCode],
      ['Make', vehicle.make],
      ['Model', 'Hod & Barrow'],
    ]);
    const { fault } = readAnswer(shown(vehicleNotFoundEnvelope('XX-1234')));
    assert.equal(fault?.code, 'soap:Client');
    assert.match(fault?.meaning ?? '', /no such vehicle/);
  }
  for (const code of ['Client', 'VersionMismatch', 'MustUnderstand', 'Server'] as const) {
    const { fault } = readAnswer(faultEnvelope({ code, message: 'a < b & "c"' }));
    assert.deepEqual([fault?.code, fault?.text], [`soap:${code}`, 'a < b & "c"']);
    assert.notEqual(fault?.meaning, '');
  }
  assert.deepEqual(readAnswer('There is nothing here.'), {});
});

test('Console, workbench: a pretty-printed answer has an element on each line, and loses none of its text', () => {
  const lines = pretty('<a x="1"><b>t</b><c/><d></d><!-- <e> --><f><g>u</g></f></a>').split('\n');
  assert.deepEqual(lines, [
    '<a x="1">',
    '  <b>t</b>',
    '  <c/>',
    '  <d></d>',
    '  <!-- <e> -->',
    '  <f>',
    '    <g>u</g>',
    '  </f>',
    '</a>',
  ]);
  const bare = (text: string) => text.replaceAll(/\s/g, '');
  fc.assert(
    fc.property(fc.array(fc.constantFrom('<a>', '</a>', '<b/>', 'text', '<', '>', '<!--', '-->', ' ')), (pieces) => {
      assert.equal(bare(pretty(pieces.join(''))), bare(pieces.join('')));
    }),
  );
});

test('Console, workbench: an element of v1 is found in v2 by its name', () => {
  assert.deepEqual(['RegNumber', 'VinCode', 'Make', 'FirstRegDate', 'InspectionValidTo'].map(nameInV2), [
    'reg_number',
    'vin_code',
    'make',
    'first_reg_date',
    'inspection_valid_to',
  ]);
});
