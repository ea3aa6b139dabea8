import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { assertExplained, lint } from '../support/lint-description.ts';
import { startLPlate } from '../support/lplate.ts';

onSqlite((engine) => {
  test('Decisions, descriptions: a strict linter finds nothing in that of the range, and all of it is explained and has examples', async (t) => {
    const lplate = await startLPlate(t, engine, { publicUrl: 'https://lplate.test' });
    const read = (form: string) => fetch(`${lplate.url}/range/v1/openapi.${form}`);
    assert.deepEqual(await lint(await (await read('yaml')).text()), []);
    assertExplained(await (await read('json')).json());
  });
});
