import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enumeration } from '../src/text/enumeration.ts';

test('Design, the stack: two enumerations of one name, of which a description would show one, stop the start', () => {
  enumeration('Colour', ['red', 'green'], 'Colours of a car.');
  assert.throws(() => enumeration('Colour', ['blue'], 'Colours of a plate.'), {
    message: 'Two enumerations have the name Colour: “Colours of a car.” and “Colours of a plate.”',
  });
});
