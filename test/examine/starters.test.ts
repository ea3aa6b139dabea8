import { deepEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { examine } from '../../src/examine/examine.ts';
import { stages } from '../../src/examine/stages/index.ts';
import { freePort } from '../support/lplate.ts';
import { root } from '../support/program.ts';
import { stepsOf, unwalkable, walk } from '../support/walk.ts';
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

const guide = await readFile(join(root, 'docs/build-your-own.md'), 'utf8');

test('docs/build-your-own.md: its commands print what it says', { skip: unwalkable }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-walk-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const name of await readdir(root)) await symlink(join(root, name), join(directory, name));
  const port = String(await freePort());
  const local = (commands: string) => commands.replaceAll('9000', port);
  await walk(stepsOf(guide), { directory, environment: { PORT: port }, local });
});

test('docs/build-your-own.md: its table has the stages, in their order', () => {
  const rows = [...guide.matchAll(/^\| `([\w-]+)` \| (You .*?) \| `?(.*?)`? \|$/gm)].map(([, ...cells]) => cells);
  deepEqual(
    rows,
    stages.map(({ name, goal, reads }) => [name, goal, reads]),
  );
});
