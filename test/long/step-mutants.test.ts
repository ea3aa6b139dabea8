import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { lessonsOf } from '../../src/range/lessons/lesson.ts';
import { topics } from '../../src/range/lessons/topics/index.ts';
import { root } from '../support/program.ts';

const lessons = lessonsOf(topics);
const folder = join(root, 'test/range/lessons');
const tables = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join(folder, name))
  .filter((file) => readFileSync(file, 'utf8').includes('testLessons('));

const mostSteps = Math.max(...lessons.map(({ steps }) => steps.length));

/** The tests of these lessons, all in one process. @returns those that ran, and whether they passed */
async function run(ids: readonly string[], step: number, verdict: boolean): Promise<Map<string, boolean>> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const mutants = join(import.meta.dirname, 'step-mutants.ts');
  const options = [
    ...['--import', mutants],
    ...['--test', '--test-isolation=none', '--test-reporter=tap'],
    `--test-name-pattern=Lessons: (${ids.join('|')}) is solved by what it asks`,
  ];
  const child = spawn(process.execPath, [...options, ...tables], {
    cwd: root,
    env: { ...env, TEST_ENGINES: 'brief', MUTANT_STEP: String(step), MUTANT_VERDICT: String(verdict) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await text(child.stdout);
  const found = output.matchAll(/^ *(not ok|ok) \d+ - Lessons: ([a-z0-9-]+) is solved by what it asks/gm);
  return new Map([...found].map(([, outcome, id = '']) => [id, outcome === 'ok']));
}

describe('Lessons: the tests of each lesson notice', () => {
  for (let step = 0; step < mostSteps; step += 1) {
    const ids = lessons.filter(({ steps }) => steps.length > step).map(({ id }) => id);
    for (const verdict of [true, false]) {
      test(`a step ${step + 1} that says ${verdict} of every call`, async () => {
        const passed = await run(ids, step, verdict);
        deepEqual(
          ids.filter((id) => passed.get(id) !== false),
          [],
        );
      });
    }
  }
});
