// In a process of its own: the script is loaded once in a process.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { problem, startLPlate } from '../support/lplate.ts';

/** What the next read of the package that carries the script fails with, as when too many files are open. */
let failure: Error | undefined = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });

registerHooks({
  load(url, context, nextLoad) {
    if (failure && url.includes('/@scalar/fastify-api-reference/')) throw failure;
    return nextLoad(url, context);
  },
});

onSqlite((engine) => {
  test('Decisions, addresses: a script of the reference that can’t be read is 503, and is there as soon as it can', async (t) => {
    const lplate = await startLPlate(t, engine);
    const get = async () => {
      const response = await fetch(`${lplate.url}/docs/scalar.js`);
      const text = await response.text();
      const json = response.ok ? undefined : JSON.parse(text);
      return { status: response.status, headers: response.headers, text, json };
    };
    // Those that ask together share one try.
    for (const refused of await Promise.all([get(), get(), get()])) {
      assert.deepEqual(problem(refused), [503, 'unavailable']);
      assert.equal(refused.headers.get('retry-after'), '5');
      assert.doesNotMatch(refused.text, /EMFILE|node_modules/);
    }
    const told = lplate.log.map((line) => JSON.parse(line)).filter(({ code }) => code === 'EMFILE');
    assert.match(told[0]?.msg, /next request for it tries again/);
    failure = undefined;
    const answer = await get();
    assert.equal(answer.status, 200);
    assert.match(answer.text, /createApiReference/);
    failure = new Error('it is not read again');
    assert.equal((await get()).status, 200);
  });
});
