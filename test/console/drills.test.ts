import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOf, howToSee, parametersOf, typedParameters } from '../../console/model/drills.ts';
import { drillNames, sentParameters } from '../../src/range/drills/catalogue.ts';

test('Console, drills: each drill is told how it is seen', () => {
  assert.deepEqual(Object.keys(howToSee).sort(), [...drillNames].sort());
});

test('Console, drills: fields have the bounds of the interface, and empty ones are not sent', () => {
  const parameters = parametersOf({ ...sentParameters('delay') });
  assert.deepEqual(
    parameters.map(([name, parameter]) => [name, boundsOf(parameter)]),
    [
      ['fromMs', '0 to 30000'],
      ['toMs', '0 to 30000'],
      ['when', undefined],
      ['share', '0 to 1'],
      ['seed', '0 to 2147483647'],
    ],
  );
  assert.deepEqual(typedParameters(parameters, { fromMs: ' 500 ', toMs: '', when: 'after', share: '0.5', seed: 'x' }), {
    fromMs: 500,
    when: 'after',
    share: 0.5,
    seed: 'x',
  });
  assert.deepEqual(parametersOf({ ...sentParameters('stop-events') }), []);
});
