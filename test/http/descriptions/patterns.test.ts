import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { bases } from '../../support/description.ts';
import { onSqlite } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { patterned } from '../../support/patterned.ts';

onSqlite((engine) => {
  test('Decisions, REST conventions: no published pattern needs a flag or a class that only some tools know', async (t) => {
    const lplate = await startLPlate(t, engine);
    const python: string[] = [];
    for (const path of [...bases.map((base) => `${base}/openapi.json`), '/claims/v1/asyncapi.json']) {
      const found = patterned(await (await fetch(lplate.url + path)).json());
      assert.ok(found.length > 0 || path.includes('vehicle'), path);
      for (const { pattern, examples } of found) {
        // Code points by \\u, Unicode properties, look-around, named groups, and backreferences: RE2 and others lack them.
        assert.doesNotMatch(pattern, /\\[pPuk1-9]|\(\?(?!:)/, `${path}: ${pattern}`);
        python.push(pattern);
        for (const flags of ['', 'u']) {
          for (const example of examples) assert.match(example, new RegExp(pattern, flags), path);
        }
      }
    }
    const program = 'import json, re, sys\nfor pattern in json.load(sys.stdin): re.compile(pattern)';
    const { status, stderr, error } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(python),
      encoding: 'utf8',
    });
    // Where there is no Python, the form alone is judged.
    if (error && 'code' in error && error.code === 'ENOENT') return;
    assert.equal(status, 0, stderr);
  });
});
