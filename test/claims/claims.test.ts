import assert from 'node:assert/strict';
import { test } from 'node:test';
import { day } from '../../src/time/units.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { problem, sharedLPlate, startLPlate, startWithClient } from '../support/lplate.ts';
import { claimOn, insure } from '../support/topic.ts';

const claims = '/claims/v1/claims';

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);

  const register = (token: string, json: unknown, on = lplate) => on.call('POST', claims, { token, json });
  const owned = async (token: string) => (await lplate.call('GET', claims, { token })).json.totalItems;

  test('Resources, Claim: registering answers 201 with the claim, all of its fields and no others, and where it is', async () => {
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const answer = await register(token, { policyNumber });
    const { claimId } = answer.json;
    assert.equal(answer.status, 201);
    assert.match(claimId, /^CLM-2026-\d{6}$/);
    const at = '2026-03-02T10:15:30.000Z';
    assert.deepEqual(answer.json, {
      claimId,
      policyNumber,
      status: 'REGISTERED',
      statusReason: null,
      registeredAt: at,
      updatedAt: at,
    });
    const location = answer.headers.get('location');
    assert.equal(location, `${lplate.config.publicUrl}/claims/v1/claims/${claimId}`);
    assert.deepEqual((await lplate.call('GET', location, { token })).json, answer.json);
    assert.deepEqual((await lplate.call('GET', claims, { token })).json.items, [answer.json]);
  });

  test('Decisions, claims: several claims may be registered on one policy', async () => {
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const ids = [await claimOn(lplate, token, policyNumber), await claimOn(lplate, token, policyNumber)];
    assert.notEqual(ids[0], ids[1]);
    assert.equal(await owned(token), 2);
  });

  test('Decisions, claims: what a claim is registered from has one type and its bounds; each fault is named', async () => {
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const faults = async (json: unknown) => {
      const answer = await register(token, json);
      assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(json));
      for (const { pointer, detail } of answer.json.errors) {
        assert.notEqual(detail, '');
        assert(answer.json.detail.includes(pointer.slice(1)), `the detail speaks of ${pointer}`);
      }
      return answer.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
    };
    assert.deepEqual(await faults({}), ['/policyNumber']);
    for (const value of [1, null, true, [], [policyNumber], {}]) {
      assert.deepEqual(await faults({ policyNumber: value }), ['/policyNumber']);
    }
    for (const outcome of ['approved', 'CLOSED', 'REGISTERED', '', ' APPROVED', null, 1, ['APPROVED']]) {
      assert.deepEqual(await faults({ policyNumber, outcome }), ['/outcome'], `${outcome}`);
    }
    for (const paceSeconds of [0, -1, 0.5, 1.5, 3601, 1e300, '10', '', null, true, [10]]) {
      assert.deepEqual(await faults({ policyNumber, paceSeconds }), ['/paceSeconds'], `${paceSeconds}`);
    }
    assert.deepEqual(await faults({ outcome: 'x', paceSeconds: 0 }), ['/outcome', '/paceSeconds', '/policyNumber']);
    for (const body of [[], 'x', null, 7]) assert.deepEqual(await faults(body), ['']);
    assert.deepEqual(await faults(undefined), [''], 'no body at all');
    const headers = { 'Content-Type': 'application/json' };
    const body = `{"policyNumber":"${policyNumber}","paceSeconds":1e999}`;
    const endless = await lplate.call('POST', claims, { token, headers, body });
    assert.deepEqual(problem(endless), [400, 'validation-error']);
    assert.equal(await owned(token), 0, 'a refusal registers nothing');
  });

  test('Decisions, claims: the outermost paces and both outcomes are taken', async () => {
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    for (const wish of [{ paceSeconds: 1 }, { paceSeconds: 3600 }, { outcome: 'APPROVED' }, { outcome: 'REJECTED' }]) {
      assert.equal((await register(token, { policyNumber, ...wish })).status, 201, JSON.stringify(wish));
    }
  });

  test('Decisions, conventions: members that a registration does not know are ignored', async () => {
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const odd = {
      status: 'CLOSED',
      statusReason: 'x',
      claimId: 'CLM-2026-999999',
      registeredAt: '2000-01-01',
      result: 1,
    };
    const { status, json } = await register(token, { ...odd, policyNumber, claimant: 'Ada' });
    assert.equal(status, 201);
    assert.deepEqual([json.status, json.statusReason, json.registeredAt], ['REGISTERED', null, json.updatedAt]);
    assert.notEqual(json.claimId, odd.claimId);
    assert.equal('claimant' in json, false);
  });

  test('Decisions, claims: only a policy of one’s own takes a claim; another’s is answered as an unknown one', async () => {
    const [own, other] = [await lplate.client(), await lplate.client()];
    const theirs = await insure(lplate, other.token);
    const unknown = 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';
    const told = async (policyNumber: string) => {
      const { status, headers, text } = await register(own.token, { policyNumber });
      const plain = text.replaceAll(policyNumber, 'ID').replace(/urn:uuid:[0-9a-f-]+/, 'URN');
      const names = [...headers.keys()].filter((name) => name !== 'content-length');
      return { status, names, plain };
    };
    const refused = await told(unknown);
    assert.equal(refused.status, 404);
    assert.match(refused.plain, /policy-not-found/);
    assert.deepEqual(await told(theirs), refused);
    const odd = [
      '',
      ' ',
      'pol-',
      'POL-1',
      `${theirs} `,
      theirs.toUpperCase(),
      'x\0',
      '\0',
      'ü',
      '\ud800',
      'x'.repeat(20_000),
    ];
    for (const policyNumber of odd) {
      assert.deepEqual(problem(await register(own.token, { policyNumber })), [404, 'policy-not-found'], policyNumber);
    }
    assert.deepEqual([await owned(own.token), await owned(other.token)], [0, 0]);
  });

  test('Decisions, claims: a policy takes claims whatever its status: not begun, active, updated, cancelled, expired', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const create = async (json: object) =>
      (await lplate.call('POST', '/policies', { token: client.token, json })).json.id as string;
    const policies = {
      active: await create({ regNumber: 'ST-1', startDate: '2026-12-24' }),
      updated: await create({ regNumber: 'ST-2' }),
      cancelled: await create({ regNumber: 'ST-3' }),
      expired: await create({ regNumber: 'ST-4', coverageOption: 'MTPL-1M' }),
    };
    await lplate.call('PUT', `/policies/${policies.updated}`, { token: client.token, json: { holder: 'Ada' } });
    await lplate.call('POST', `/policies/${policies.cancelled}/cancel`, { token: client.token });
    lplate.clock.advance(40 * day);
    const token = await lplate.token(client.id, client.secret);
    for (const [status, id] of Object.entries(policies)) {
      assert.equal((await lplate.call('GET', `/policies/${id}`, { token })).json.status, status);
      const { json } = await register(token, { policyNumber: id }, lplate);
      assert.equal(json.policyNumber, id, status);
    }
  });

  test('Decisions, tokens: to register needs claims:write; to read claims or topic, claims:read; the 403 names it', async () => {
    const client = await lplate.client();
    const policyNumber = await insure(lplate, client.token);
    const claimId = await claimOn(lplate, client.token, policyNumber);
    const requests = [
      ['POST', claims, 'claims:write'],
      ['GET', claims, 'claims:read'],
      ['GET', `${claims}/${claimId}`, 'claims:read'],
      ['GET', '/claims/v1/topics/claims.status-changed', 'claims:read'],
    ] as const;
    for (const [method, path, needed] of requests) {
      const json = method === 'POST' ? { policyNumber } : undefined;
      const scopes = ['claims:read', 'claims:write', 'policies:read', 'policies:write'];
      const lacking = await lplate.token(client.id, client.secret, scopes.filter((each) => each !== needed).join(' '));
      const refused = await lplate.call(method, path, { token: lacking, json });
      assert.deepEqual(problem(refused), [403, 'insufficient-scope'], path);
      const wanted = `Bearer realm="lplate", error="insufficient_scope", scope="${needed}"`;
      assert.equal(refused.headers.get('www-authenticate'), wanted);
      assert(refused.json.detail.includes(needed));
      const enough = await lplate.token(client.id, client.secret, needed);
      assert.equal((await lplate.call(method, path, { token: enough, json })).status, method === 'POST' ? 201 : 200);
    }
    assert.equal(await owned(client.token), 2, 'the refused one was not registered');
  });

  test('Authentication, 5: without a token, or with one that is none or has expired, every endpoint is 401', async (t) => {
    const {
      lplate,
      client: { token: expired },
    } = await startWithClient(t, engine);
    lplate.clock.advance(3_600_000);
    for (const [method, path] of [
      ['POST', claims],
      ['GET', claims],
      ['GET', `${claims}/CLM-2026-000001`],
      ['GET', '/claims/v1/topics/claims.status-changed'],
      ['GET', '/claims/v1/topics/claims.status-changed?wait=30'],
    ] as const) {
      const missing = await lplate.call(method, path);
      assert.deepEqual(problem(missing), [401, 'missing-token'], path);
      assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="lplate"');
      for (const token of ['made-up', expired]) {
        const invalid = await lplate.call(method, path, { token });
        assert.deepEqual(problem(invalid), [401, 'invalid-token'], path);
        assert.match(invalid.headers.get('www-authenticate') ?? '', /^Bearer realm="lplate", error="invalid_token"/);
      }
    }
  });

  test('Decisions, tokens: who calls is judged before what is asked for: 401, then 403, then 400, then 404', async () => {
    const client = await lplate.client();
    const reader = await lplate.token(client.id, client.secret, 'claims:read');
    const status = async (json: object, token?: string) =>
      (await lplate.call('POST', claims, { json, ...(token !== undefined && { token }) })).status;
    assert.deepEqual([await status({}), await status({}, 'made-up')], [401, 401]);
    assert.deepEqual([await status({}, reader), await status({ policyNumber: 'pol-none' }, reader)], [403, 403]);
    assert.equal(await status({ policyNumber: 'pol-none', paceSeconds: 0 }, client.token), 400);
    assert.equal(await status({ policyNumber: 'pol-none' }, client.token), 404);
  });

  test('Decisions, tokens: a client owns as many claims as the setting allows; more are 429 quota-exceeded', async (t) => {
    const lplate = await startLPlate(t, engine, { claimsPerClient: 3 });
    const [one, other] = [await lplate.client(), await lplate.client()];
    const policyNumber = await insure(lplate, one.token);
    const burst = await Promise.all(Array.from({ length: 8 }, () => register(one.token, { policyNumber }, lplate)));
    assert.equal(burst.filter(({ status }) => status === 201).length, 3, 'also when they come at the same time');
    const refused = await register(one.token, { policyNumber }, lplate);
    assert.deepEqual(problem(refused), [429, 'quota-exceeded']);
    assert.match(refused.json.detail, /\b3 claims\b/);
    assert.equal(refused.headers.get('retry-after'), null);
    assert.equal((await lplate.call('GET', claims, { token: one.token })).json.totalItems, 3);
    await claimOn(lplate, other.token, await insure(lplate, other.token));
  });

  test('Limits, general rate: the claims interface has 60 requests a minute of its own, apart from the insurer’s', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { rateLimitPerMinute: 60 });
    const paths = [
      claims,
      `${claims}/CLM-2026-000001`,
      '/claims/v1/topics/claims.status-changed',
      '/claims/v1/nothing',
    ];
    for (let left = 59; left >= 0; left -= 1) {
      const { headers } = await lplate.call('GET', paths[left % paths.length] as string, { token });
      assert.equal(headers.get('ratelimit-limit'), '60');
      assert.equal(headers.get('ratelimit-remaining'), String(left));
      assert.equal(headers.get('ratelimit-policy'), '60;w=60');
    }
    for (const path of [...paths, '/claims/v1/openapi.yaml']) {
      const refused = await lplate.call('GET', path, { token: 'made-up' });
      assert.deepEqual(problem(refused), [429, 'rate-limit-exceeded'], path);
      assert.equal(refused.headers.get('retry-after'), '60');
      assert.equal(refused.headers.get('retry-after'), refused.headers.get('ratelimit-reset'));
    }
    const insurer = await lplate.call('GET', '/policies', { token });
    assert.equal(insurer.headers.get('ratelimit-remaining'), '57', 'two calls for the client came before');
    lplate.clock.advance(60_000);
    assert.equal((await lplate.call('GET', claims, { token })).status, 200);
  });
});
