import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parameterFields, parametersOf, rangeOf } from '../../console/model/drill-form.ts';
import { howToSee } from '../../console/pages/time/drill-choice.ts';
import { drillNames, sentParameters } from '../../src/range/drills/catalogue.ts';

test('Console, drills: each drill is told how it is seen', () => {
  assert.deepEqual(Object.keys(howToSee).sort(), [...drillNames].sort());
});

test('Console, drills: fields have the bounds of the interface, and empty ones are not sent', () => {
  const fields = parameterFields({ ...sentParameters('delay') });
  assert.deepEqual(
    fields.map((field) => [field.name, rangeOf(field)]),
    [
      ['fromMs', '0 to 30000'],
      ['toMs', '0 to 30000'],
      ['when', ''],
      ['share', '0 to 1'],
      ['seed', '0 to 2147483647'],
      ['sequence', ''],
      ['sequenceThen', ''],
      ['calls', ''],
    ],
  );
  assert.deepEqual(parametersOf(fields, { fromMs: ' 500 ', toMs: '', when: 'after', share: '0.5', seed: 'x' }), {
    fromMs: 500,
    when: 'after',
    share: 0.5,
    seed: 'x',
  });
  assert.deepEqual(parameterFields({ ...sentParameters('stop-events') }), []);
});
