import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bases } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';

/** Each schema with a pattern, wherever it is. */
function patterned(value: unknown): { pattern: string; examples: string[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern, examples = [] } = value as { pattern?: unknown; examples?: string[] };
  const here = typeof pattern === 'string' ? [{ pattern, examples: Array.isArray(examples) ? examples : [] }] : [];
  return [...here, ...Object.values(value).flatMap(patterned)];
}

onSqlite((engine) => {
  test('Decisions, REST conventions: no published pattern needs a flag or a class that only some tools know', async (t) => {
    const lplate = await startLPlate(t, engine);
    for (const path of [...bases.map((base) => `${base}/openapi.json`), '/claims/v1/asyncapi.json']) {
      const found = patterned(await (await fetch(lplate.url + path)).json());
      assert.ok(found.length > 0 || path.includes('vehicle'), path);
      for (const { pattern, examples } of found) {
        // Unicode properties, look-behind, named groups and code points in braces.
        assert.doesNotMatch(pattern, /\\[pPku]\{|\(\?<|\\k/, `${path}: ${pattern}`);
        for (const flags of ['', 'u']) {
          for (const example of examples) assert.match(example, new RegExp(pattern, flags), path);
        }
      }
    }
  });
});
