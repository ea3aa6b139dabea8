import { deepEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { examine } from '../../src/examine/examine.ts';
import { stages } from '../../src/examine/stages/index.ts';
import { withInsurer } from './insurer.ts';

const folder = 'examples/build-your-own';

const starters: readonly (readonly [string, ...string[]])[] = [
  [process.execPath, `${folder}/insurer.js`],
  ['python3', `${folder}/insurer.py`],
  ['java', `${folder}/Insurer.java`],
];

const isMissing = (program: string) => spawnSync(program, ['--version']).status !== 0;

describe('Examinations: the starters', () => {
  for (const starter of starters) {
    const [program, file = ''] = starter;
    const skip = isMissing(program) && `NO ${program.toUpperCase()}: its starter is not examined`;
    test(`Examinations: ${file} passes the first stage, and fails at the second`, { skip }, async () => {
      const names = stages.slice(0, 2).map(({ name }) => name);
      const { results } = await withInsurer(starter, { PORT: '0' }, (url) => examine(url, { stages: names }));
      deepEqual(
        results.map(({ stage, outcome }) => [stage.name, outcome]),
        [
          [names[0], 'passed'],
          [names[1], 'failed'],
        ],
      );
    });
  }
});
