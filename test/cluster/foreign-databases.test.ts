import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { type PoolMode, throughPgBouncer } from './support/pgbouncer.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(() => startPostgres());

const refused = (url: string, message: RegExp) =>
  assert.rejects(openDatabase({ url }), (error: Error) => {
    assert.match(error.message, message);
    return error instanceof StartupError;
  });

const directly = 'use the address of PostgreSQL itself, or of a pooler in session mode';

for (const [mode, why] of [
  ['transaction', 'its connections are shared'],
  ['statement', 'pooling mode'],
] satisfies [PoolMode, string][]) {
  test(`Decisions, database: a pooler in ${mode} mode is refused at the start, with what to use`, async (t) => {
    const url = await throughPgBouncer(t, await emptyDatabase(postgres), mode);
    // The second time there are connections that another has used.
    for (const _ of [1, 2]) await refused(url, new RegExp(`${why}.*${directly}`));
  });
}

test('Decisions, database: through a pooler in session mode all works, the claims desk too, and a schema is its role’s', async (t) => {
  const url = await throughPgBouncer(t, await emptyDatabase(postgres), 'session');
  await refused(`${url}?schema=public`, new RegExp(`unsupported startup parameter.*${directly}.*ALTER ROLE`));
  const nodes = await Nodes.start(t, url, {}, 2);
  const { token } = await nodes.client();
  const policy = await nodes.call('POST', '/policies', { token, json: { regNumber: 'AB-1234' } });
  const json = { policyNumber: policy.json.id, paceSeconds: 1 };
  const claim = await nodes.call('POST', '/claims/v1/claims', { token, json });
  const path = `/claims/v1/claims/${claim.json.claimId}`;
  await until(async () => (await nodes.call('GET', path, { token })).json.status === 'CLOSED', 'the claim is closed');
  assert.deepEqual([...nodes.warnings(0), ...nodes.warnings(1)], []);
});

test('Decisions, database: a standby is refused at the start, with what to use', async () => {
  const standby = (await startPostgres({ standby: true })) as PostgresServer;
  try {
    await refused(standby.url, /it is a standby, which can only be read\. Use the address of the primary$/);
  } finally {
    await standby.stop();
  }
});
