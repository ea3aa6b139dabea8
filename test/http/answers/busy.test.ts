import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { forEachEngine, onPostgres } from '../../support/engines.ts';
import { startLPlate, startWithClient } from '../../support/lplate.ts';

onPostgres((engine) => {
  test('Decisions, database: what others hold for too long is a 503 that says so, and changes nothing', async (t) => {
    let url = '';
    const location = async () => {
      const where = await engine.location({ migrated: true });
      url = (where as { url: string }).url;
      return where;
    };
    const {
      lplate,
      client: { id, token },
    } = await startWithClient(t, { name: 'postgres', location }, { databaseTimeoutSeconds: 1 });
    const other = new pg.Client(url);
    await other.connect();
    t.after(() => other.end());
    await other.query('begin');
    await other.query('select 1 from clients where id = $1 for update', [id]);
    const create = () => lplate.call('POST', '/policies', { token, json: { regNumber: 'BUSY-1' } });
    const refused = await create();
    equal(refused.status, 503);
    equal(refused.headers.get('retry-after'), '1');
    match(
      refused.json.detail,
      /^Too many others change the same at the moment, so the change was not made, or not all of it\./,
    );
    await other.query('rollback');
    equal((await create()).status, 201, 'nothing of the first is there');
  });
});

forEachEngine((engine) => {
  test('Decisions, database: /metrics counts the transactions that are run again, by the reason', async (t) => {
    const lplate = await startLPlate(t, engine);
    const text = await (await fetch(`${lplate.url}/metrics`)).text();
    match(text, /^lplate_database_repeats_total\{reason="deadlock"\} 0$/m);
    match(text, /^lplate_database_repeats_total\{reason="serialization"\} 0$/m);
  });
});
