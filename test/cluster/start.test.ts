import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrations } from '../../src/database/migrations.ts';
import { administer } from '../support/engines.ts';
import { testSecrets } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { launch } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

/** Claims are registered by the node that has the desk; another may be ready before it. */
async function seeded(url: string): Promise<void> {
  await until(async () => {
    const [row] = await administer<{ claims: string }>('select count(*) as claims from claims', url);
    return Number(row?.claims) >= 12;
  }, 'the claims of the fleet are there');
}

/** That the database holds what one start leaves, once. */
async function assertOnce(url: string): Promise<void> {
  const applied = await administer<{ number: number; name: string }>('select number, name from migrations', url);
  assert.deepEqual(
    applied.map(({ number, name }) => `${number} ${name}`).sort(),
    migrations.map(({ number, name }) => `${number} ${name}`).sort(),
  );
  const [found] = await administer<Record<string, string>>(
    `select
      (select count(*) from clients) as clients,
      (select count(*) from policies) as policies,
      (select count(distinct reg_key) from policies) as vehicles,
      (select policy_count from clients where id = 'preset-fleet') as policy_count,
      (select count(*) from claims) as claims,
      (select count(distinct number) from claims) as claim_numbers,
      (select count(*) from signing_keys) as keys,
      (select count(*) from event_head) as heads`,
    url,
  );
  const expected = { clients: 2, policies: 75, vehicles: 75, policy_count: 75, claims: 12, claim_numbers: 12 };
  assert.deepEqual(Object.fromEntries(Object.entries(found ?? {}).map(([name, number]) => [name, Number(number)])), {
    ...expected,
    // The second one is of the drill rotate-key.
    keys: 2,
    heads: 1,
  });
}

/** That the nodes are one to their callers: a token of any is taken by all, which show the same key and data. */
async function assertEqual(nodes: Nodes): Promise<void> {
  const all = Array.from({ length: nodes.count }, (_, node) => node);
  const sets = await Promise.all(all.map((node) => nodes.call('GET', '/.well-known/jwks.json', { node })));
  assert.equal(sets[0]?.json.keys.length, 1);
  for (const { json } of sets) assert.deepEqual(json, sets[0]?.json);
  const secret = nodes.program(0).secrets.fleetClientSecret;
  for (const issuer of all) {
    const credentials = { client_id: 'preset-fleet', client_secret: secret };
    const { json } = await nodes.call('POST', '/auth/token', { json: credentials, node: issuer });
    const lists = await Promise.all(
      all.map((node) => nodes.call('GET', '/policies?pageSize=500', { token: json.access_token, node })),
    );
    for (const list of lists) {
      assert.equal(list.status, 200, `node ${list.node} and a token of node ${issuer}`);
      assert.equal(list.json.totalItems, 75);
      assert.deepEqual(list.json, lists[0]?.json);
    }
    const claims = await nodes.call('GET', '/claims/v1/claims', { token: json.access_token });
    assert.equal(claims.json.totalItems, 12);
  }
}

for (let round = 1; round <= 3; round += 1) {
  test(`The program, more than one node: three that start at once on an empty database set it up once, round ${round} of 3`, async (t) => {
    const url = await emptyDatabase(postgres);
    const nodes = await Nodes.start(t, url);
    await seeded(url);
    await assertOnce(url);
    await assertEqual(nodes);
    for (const node of [0, 1, 2]) {
      assert.deepEqual(nodes.warnings(node), []);
      assert.deepEqual(await nodes.program(node).stop(), { code: 0, signal: null });
    }
  });
}

test('The program, more than one node: those that are killed while they set the database up leave nothing half done', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const url = await emptyDatabase(postgres);
    const environment = {
      DATABASE_URL: url,
      HMAC_SECRET: testSecrets.hmacSecret,
      READER_CLIENT_SECRET: testSecrets.readerClientSecret,
      FLEET_CLIENT_SECRET: testSecrets.fleetClientSecret,
    };
    const starting = [await steadyPort(), await steadyPort()].map((port) =>
      launch(t, { environment: { ...environment, PORT: String(port) } }),
    );
    await until(async () => {
      const busy = "select 1 from pg_stat_activity where application_name = 'l-plate' and datname = current_database()";
      return (await administer(busy, url)).length > 0;
    }, 'one of them is at work');
    await pause(round * 30);
    for (const { child } of starting) child.kill('SIGKILL');
    await Promise.all(starting.map(({ exit }) => exit));

    const nodes = await Nodes.start(t, url, {}, 1);
    await seeded(url);
    await assertOnce(url);
    await assertEqual(nodes);
    await nodes.kill(0);
  }
});
