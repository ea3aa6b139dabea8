import assert from 'node:assert/strict';
import { join } from 'node:path';
import { root } from '../support/program.ts';
import { toolTest } from './support/tool-test.ts';
import { python } from './support/tools.ts';

toolTest(['requests'], 'Lessons: the example in Python solves the first level', async ({ origin }) => {
  const environment = { LPLATE_URL: origin };
  const { stdout: told } = await python([join(root, 'examples/first_level.py')], { environment });
  assert.match(told, /\n\d+ lessons of the first level are solved\.\n$/);
  assert.doesNotMatch(told, /^(?:open|started)/m);
});
