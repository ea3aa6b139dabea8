import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { examine } from '../../src/examine/examine.ts';
import { callsOf } from '../../src/examine/report.ts';
import { stages } from '../../src/examine/stages/index.ts';
import { noPython, withPythonInsurer } from '../examine/insurer.ts';
import { extent } from '../support/extent.ts';
import { root } from '../support/program.ts';

/* The tests' own insurer, whole and with one rule broken at a time: `mutants.json` says which stage has to notice. */

const mutants: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'test/examine/mutants.json'), 'utf8'),
);
const seed = 48;
/** One in so many is tried; all of them before a release. */
const share = extent(16, 1);
/** How many calls a row should have at most that shows what is broken, with those that get clients and their tokens. */
const short = 6;

/** By mutant, how many calls the row has that showed it. */
const calls = new Map<string, number>();

// They wait far more than they compute.
describe('Examinations: an insurer of others', { skip: noPython, concurrency: 3 }, () => {
  test('Examinations: passes all stages, if it keeps the rules', async () => {
    const { results } = await withPythonInsurer(undefined, (url) => examine(url, { all: true, seed }));
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    deepEqual(
      failed.map(({ stage, title, failure }) => [stage.name, title, failure?.difference.says]),
      [],
    );
    // It offers the hooks.
    deepEqual(
      results.filter(({ stage, outcome }) => stage.needs && outcome === 'skipped').map(({ stage }) => stage.name),
      [],
    );
  });

  for (const { name: stage } of stages) {
    const broken = Object.entries(mutants)
      .filter(([, at], number) => at === stage && number % share === 0)
      .map(([mutant]) => mutant);
    if (broken.length === 0) continue;
    test(`Examinations: fails at ${stage}, if it breaks a rule of it`, async () => {
      const missed: string[] = [];
      for (const mutant of broken) {
        const { results } = await withPythonInsurer(mutant, (url) => examine(url, { stages: [stage], seed }));
        const failure = results[0]?.failure;
        if (failure) calls.set(mutant, callsOf(failure));
        else missed.push(mutant);
      }
      deepEqual(missed, []);
    });
  }
});

describe('Examinations: the mutants of an insurer of others', { skip: noPython }, () => {
  test('Examinations: nine in ten of what is broken are shown by six calls or fewer', () => {
    const long = [...calls].filter(([, count]) => count > short);
    ok(long.length * 10 <= calls.size, `more than ${short} calls of ${calls.size}: ${JSON.stringify(long)}`);
  });

  test('Examinations: each broken rule is one of a stage that there is', () => {
    const known = stages.map(({ name }) => name);
    deepEqual(
      Object.values(mutants).filter((stage) => !known.includes(stage)),
      [],
    );
  });
});
