import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fleetId, readerId } from '../../src/insurer/index.ts';
import type { Config } from '../../src/settings/config.ts';
import { type Engine, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, sharedLPlate, startLPlate, testSecrets } from '../support/lplate.ts';

/** Starts on one and the same database each time, as a program that is started again. */
async function restartable(engine: Engine): Promise<(settings?: Partial<Config>) => Promise<LPlate>> {
  const location = await engine.location();
  const settled = { ...engine, location: async () => location };
  return (settings) => startLPlate(settled, { publicUrl: 'http://localhost:8080', ...settings });
}

const list = (lplate: LPlate, token: string) => lplate.call('GET', '/policies?pageSize=500', { token });

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);

  const ask = (json: object) => lplate.call('POST', '/auth/token', { json });
  const reader = { client_id: readerId, client_secret: testSecrets.readerClientSecret };
  const fleet = { client_id: fleetId, client_secret: testSecrets.fleetClientSecret };

  test('What the service does: one preconfigured client is granted policies:read and can obtain nothing wider', async () => {
    for (const scope of [undefined, '', '  ', 'policies:read']) {
      assert.equal((await ask({ ...reader, scope })).json.scope, 'policies:read');
    }
    for (const scope of ['policies:write', 'policies:read policies:write', 'claims:read', 'policies:*']) {
      const refused = await ask({ ...reader, scope });
      assert.deepEqual(problem(refused), [400, 'invalid-scope']);
    }
  });

  test('Endpoints, rule 2: the read-only client lists its policies, of which there are none, and can’t create one', async () => {
    const token = await lplate.token(reader.client_id, reader.client_secret);
    assert.equal((await list(lplate, token)).json.totalItems, 0);
    const refused = await lplate.call('POST', '/policies', { token, json: { regNumber: 'PR-0001' } });
    assert.deepEqual(problem(refused), [403, 'insufficient-scope']);
  });

  test('What the service does: another owns more than 70 policies: FL-0001 to FL-0075, all in force, a year each', async () => {
    const token = await lplate.token(fleet.client_id, fleet.client_secret);
    const { items, totalItems } = (await list(lplate, token)).json;
    assert.equal(totalItems, 75);
    for (const [at, item] of items.entries()) {
      assert.equal(item.regNumber, `FL-${String(at + 1).padStart(4, '0')}`);
      assert.deepEqual([item.status, item.startDate, item.endDate], ['active', '2026-03-02', '2027-03-01']);
      assert.match(item.id, /^pol-[0-9a-f-]{36}$/);
      assert.notEqual(item.holder.trim(), '');
    }
    assert.equal(new Set(items.map(({ id }: { id: string }) => id)).size, 75);
  });

  test('Decisions, start-up: the fleet is granted every scope, and its vehicles are insured for everybody else', async () => {
    const { json } = await ask(fleet);
    assert.equal(json.scope, 'policies:read policies:write claims:read claims:write');
    const { token } = await lplate.client();
    const refused = await lplate.call('POST', '/policies', { token, json: { regNumber: 'fl0075' } });
    assert.deepEqual(problem(refused), [409, 'duplicate-policy']);
    assert.equal((await lplate.call('POST', '/policies', { token, json: { regNumber: 'FL-0076' } })).status, 201);
  });

  test('Authentication, 9: the secrets of preconfigured clients are those given out of band, no others', async () => {
    for (const client of [reader, fleet]) {
      for (const client_secret of ['', 'secret', client.client_id, `${client.client_secret} `]) {
        assert.deepEqual(problem(await ask({ ...client, client_secret })), [401, 'invalid-client']);
      }
    }
    assert.deepEqual(problem(await ask({ ...reader, client_secret: fleet.client_secret })), [401, 'invalid-client']);
  });

  test('Decisions, start-up: another start seeds nothing again, leaves what was changed, and honours tokens', async () => {
    const start = await restartable(engine);
    const first = await start();
    const token = await first.token(fleetId, testSecrets.fleetClientSecret);
    const { items } = (await list(first, token)).json;
    // The round of the start must not restore it.
    await first.housekeeping();
    await first.call('POST', `/policies/${items[0].id}/cancel`, { token });
    await first.call('PUT', `/policies/${items[1].id}`, { token, json: { holder: 'Changed' } });
    await first.call('POST', '/policies', { token, json: { regNumber: 'FL-9999' } });
    const demo = await first.client();
    await first.call('POST', '/policies', { token: demo.token, json: { regNumber: 'FL-0001' } });
    const before = (await list(first, token)).json;
    const beforeDemo = (await list(first, demo.token)).json;
    await first.close();
    for (let round = 0; round < 2; round += 1) {
      const again = await start();
      try {
        // The tokens of before, and the very same policies.
        assert.deepEqual((await list(again, token)).json, before);
        assert.deepEqual((await list(again, demo.token)).json, beforeDemo);
      } finally {
        await again.close();
      }
    }
    assert.equal(before.totalItems, 76);
  });

  test('Decisions, start-up: a secret that is set anew at a later start replaces the one before', async () => {
    const start = await restartable(engine);
    await (await start()).close();
    const again = await start({ readerClientSecret: 'another-reader-secret' });
    try {
      const json = { client_id: readerId, client_secret: testSecrets.readerClientSecret };
      assert.deepEqual(problem(await again.call('POST', '/auth/token', { json })), [401, 'invalid-client']);
      await again.token(readerId, 'another-reader-secret');
      await again.token(fleetId, testSecrets.fleetClientSecret);
    } finally {
      await again.close();
    }
  });
});

onPostgres((engine) => {
  test('Decisions, start-up: nodes that start at once on an empty database seed it once', async () => {
    const start = await restartable(engine);
    const nodes = await Promise.all([start(), start(), start()]);
    try {
      const tokens = await Promise.all(nodes.map((node) => node.token(fleetId, testSecrets.fleetClientSecret)));
      // Every node takes every node's tokens: they share the key.
      for (const node of nodes) {
        for (const token of tokens) assert.equal((await list(node, token)).json.totalItems, 75);
      }
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
    }
  });
});
