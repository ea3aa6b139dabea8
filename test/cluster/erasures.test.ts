import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

const name = 'Ottoline Vanishing';

/** Tables in which a row has the name. */
async function tablesWithName(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
  const found: string[] = [];
  for (const { tablename } of rows) {
    const query = `select 1 from "${tablename}" each where each::text like $1 limit 1`;
    if ((await client.query(query, [`%${name}%`])).rowCount) found.push(tablename);
  }
  await client.end();
  return found;
}

test('Decisions, sync: an erasure asked of one node leaves nothing of what another wrote and read until then', async (t) => {
  const database = await emptyDatabase(postgres);
  const nodes = await Nodes.start(t, database);
  const [asked, other] = [nodes.program(0), nodes.program(1)];
  const { token } = await asked.client();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const call = async (url: string, path: string, json?: object) => {
    const init = json ? { method: 'POST', body: JSON.stringify(json) } : {};
    const response = await fetch(`${url}/insurer/v1${path}`, { ...init, headers });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  for (let made = 0; made < 20; made += 1) {
    const draft = { regNumber: `VN-${made}`, holder: name };
    const { status, json } = await call(other.url, '/policies', draft);
    equal(status, 201);
    equal((await call(other.url, `/policies/${json.id}`)).json.holder, name);
  }
  const { json: erasure } = await call(asked.url, '/erasures', { holder: name });
  await until(async () => {
    const { json } = await call(asked.url, `/erasures/${erasure.id}`);
    return json.status === 'completed';
  }, 'the erasure is completed');
  deepEqual(await tablesWithName(database), []);
  for (const { url } of [asked, other])
    equal(JSON.stringify((await call(url, '/policies?pageSize=500')).json).includes(name), false);
});
