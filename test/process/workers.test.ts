import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { onPostgres } from '../support/engines.ts';
import { freePort, testSecrets } from '../support/lplate.ts';
import { run, startProgram } from '../support/program.ts';
import { callAll, descendants, workers } from '../support/workers.ts';

const given = {
  HMAC_SECRET: testSecrets.hmacSecret,
  READER_CLIENT_SECRET: testSecrets.readerClientSecret,
  FLEET_CLIENT_SECRET: testSecrets.fleetClientSecret,
};

/** The one line of a start that is refused, which no worker says again. */
async function refusal(t: TestContext, code: number, environment: Record<string, string>): Promise<string> {
  const ended = await run(t, { ...workers, environment: { ...given, ...environment } });
  assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr);
  assert.match(ended.stderr, /^L-Plate can't start\. [^\n]+\n$/);
  return ended.stderr;
}

test('Workers: more than one is refused on the embedded database, with one line and code 2', async (t) => {
  assert.match(await refusal(t, 2, {}), /--workers: more than one needs PostgreSQL/);
});

test('Workers: what keeps the first from starting is said once, and its exit code is that of the program', async (t) => {
  const DATABASE_URL = `postgres://someone:pass-word@127.0.0.1:${await freePort()}/none`;
  assert.match(await refusal(t, 1, { DATABASE_URL }), /can't be used: .*ECONNREFUSED/);
  assert.match(await refusal(t, 2, { DATABASE_URL, HMAC_SECRET: '' }), /set HMAC_SECRET as well/);
});

// How they end is in `test/long/worker-ends.test.ts`.
onPostgres((engine) => {
  // At the same time: most of it is waiting for processes.
  describe('Workers', { concurrency: 8 }, () => {
    test('a port in use ends the start with one line and code 1', async (t) => {
      const where = await engine.location();
      assert.ok('url' in where);
      const other = createServer().listen(0, '127.0.0.1');
      t.after(() => other.close());
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      assert.match(await refusal(t, 1, { PORT: String(port), DATABASE_URL: where.url }), /is in use\./);
    });

    test('two processes serve one port, behind one banner', async (t) => {
      const program = await startProgram(t, await engine.location(), workers);
      assert.equal(descendants(program.child.pid).length, 2);
      assert.deepEqual(await callAll(program), { answered: 8, first: 2 });
      // A token of either is good for both.
      const { token } = await program.client();
      for (let call = 0; call < 4; call += 1) {
        const headers = { Connection: 'close', Authorization: `Bearer ${token}` };
        assert.equal((await fetch(`${program.url}/insurer/v1/policies`, { headers })).status, 200);
      }
      assert.deepEqual(await program.stop(), { code: 0, signal: null });
      assert.equal(program.stdout().match(/is ready and listens on/g)?.length, 1);
      assert.equal(program.stderr(), '');
    });
  });
});
