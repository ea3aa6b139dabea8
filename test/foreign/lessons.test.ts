import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe } from 'node:test';
import { root } from '../support/program.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { type Called, call, jdk, python } from './support/tools.ts';

/** Runs an example with what it needs to know, and sees that it solved all there are. */
async function solvesAll(
  { origin, program }: Place,
  run: (environment: Record<string, string>) => Promise<Called>,
): Promise<void> {
  const { stdout } = await run({ LPLATE_URL: origin, HMAC_SECRET: program.secrets.hmacSecret });
  assert.match(stdout, /(?:^|\n)(\d+) of \1 lessons are solved\.\n$/);
}

// They wait most of the time.
describe('Lessons: the examples solve all of them', { concurrency: true }, () => {
  toolTest(['requests'], 'in Python', (place) =>
    solvesAll(place, (environment) => python([join(root, 'examples/walk_the_path.py')], { environment })),
  );

  // A library of Java's runtime, so that the runtime is there.
  toolTest(['openapi-generator-cli'], 'in Java', (place) =>
    solvesAll(place, (environment) => call(jdk('java'), [join(root, 'examples/WalkThePath.java')], { environment })),
  );
});
