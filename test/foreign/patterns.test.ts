import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { parse } from 'yaml';
import { patterned } from '../support/patterned.ts';
import { programPath, told } from './support/programs.ts';
import { asyncapi, openapi, type Place, toolTest } from './support/tool-test.ts';
import { call } from './support/tools.ts';

/* The engines of Go and of PHP, R and others. That of Python is asked in test/http/descriptions/patterns.test.ts. */

async function patternsOf({ origin }: Place): Promise<string[]> {
  const documents = await Promise.all(
    [...Object.values(openapi), asyncapi].map(async (path) => parse(await (await fetch(origin + path)).text())),
  );
  const patterns = [...new Set(documents.flatMap(patterned).map(({ pattern }) => pattern))];
  assert.ok(patterns.length > 10, `${patterns.length} patterns`);
  return patterns;
}

describe('Decisions, REST conventions: every pattern of every description compiles in other engines', () => {
  toolTest([], 'RE2, by Go’s regexp', { runtime: 'go' }, async (place) => {
    const file = join(place.folder, 'patterns.json');
    await writeFile(file, JSON.stringify(await patternsOf(place)));
    assert.deepEqual(told(await call('go', ['run', programPath('patterns.go'), file])), []);
  });

  toolTest([], 'PCRE, by grep -P', async (place) => {
    const compile = (pattern: string) =>
      spawnSync('grep', ['-P', '-e', pattern], { input: '', env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    // Other systems have a grep without it.
    if (compile('x').status !== 1) return place.t.skip('no GNU grep with PCRE');
    const refused = (await patternsOf(place)).filter((pattern) => compile(pattern).status !== 1);
    assert.deepEqual(refused, []);
  });
});
