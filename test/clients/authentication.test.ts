import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type CallOptions, sharedClient, sharedLPlate, startLPlate } from '../support/lplate.ts';

const missing = 'Bearer realm="lplate"';

function assertProblem(answer: Answer, status: number, identifier: string): void {
  assert.equal(answer.json?.type?.split('/problems/')[1], identifier, answer.text);
  assert.equal(answer.status, status);
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);
  let policyId: string;

  before(async () => {
    policyId = (await create('AU-0001')).json.id;
  });

  const create = (regNumber: string, token = client.token) =>
    lplate.call('POST', '/policies', { token, json: { regNumber } });

  /** Endpoints 4 to 8, each as it succeeds. */
  const bearerEndpoints = (): [method: string, path: string, json?: object][] => [
    ['POST', '/policies', { regNumber: 'AU-0002' }],
    ['GET', '/policies'],
    ['GET', `/policies/${policyId}`],
    ['PUT', `/policies/${policyId}`, { holder: 'Ada Example' }],
    ['POST', `/policies/${policyId}/cancel`],
  ];

  describe('The bearer token', () => {
    test('Authentication, 5: without an Authorization header every bearer endpoint answers 401, before anything else', async () => {
      for (const [method, path, json] of [
        ...bearerEndpoints(),
        ['POST', '/policies', {}] as const,
        ['GET', '/policies?page=x'] as const,
        ['GET', '/policies/pol-none'] as const,
      ]) {
        const answer = await lplate.call(method, path, { json });
        assertProblem(answer, 401, 'missing-token');
        assert.equal(answer.headers.get('www-authenticate'), missing);
      }
    });

    test('Decisions, tokens: a header of another scheme is no bearer token either', async () => {
      const { id, secret, token } = client;
      for (const Authorization of [`Basic ${btoa(`${id}:${secret}`)}`, token, `Token ${token}`, `Bearer${token}`]) {
        const answer = await lplate.call('GET', '/policies', { headers: { Authorization } });
        assertProblem(answer, 401, 'missing-token');
        assert.equal(answer.headers.get('www-authenticate'), missing);
      }
    });

    test('Decisions, tokens: a Bearer header that holds no token, or two, has an invalid one', async () => {
      for (const Authorization of ['Bearer', 'Bearer ', `Bearer ${client.token}, Bearer ${client.token}`]) {
        const answer = await lplate.call('GET', '/policies', { headers: { Authorization } });
        assertProblem(answer, 401, 'invalid-token');
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="lplate", error="invalid_token", /);
      }
    });

    test('Authentication, 2: with a token in the Authorization header each bearer endpoint does its work', async () => {
      const statuses = [];
      for (const [method, path, json] of bearerEndpoints()) {
        statuses.push((await lplate.call(method, path, { token: client.token, json })).status);
      }
      assert.deepEqual(statuses, [201, 200, 200, 200, 200]);
    });

    test('Decisions, tokens: the name of the scheme has no case, and may be followed by more than one space', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR  ']) {
        const headers = { Authorization: `${scheme} ${client.token}` };
        assert.equal((await lplate.call('GET', '/policies', { headers })).status, 200);
      }
    });

    test('Authentication, 2: a token anywhere else than in the header is not looked at', async () => {
      const { token } = client;
      const answer = await lplate.call('GET', `/policies?access_token=${token}`, { headers: { 'X-Token': token } });
      assertProblem(answer, 401, 'missing-token');
    });

    test('Limits, token lifetime: a token holds for 3600 seconds, and not for one moment longer', async () => {
      const fresh = await startLPlate(engine);
      try {
        // One token is checked all along, and is remembered; the other one is seen when it has expired.
        const [used, unseen] = [(await fresh.client()).token, (await fresh.client()).token];
        const status = async (token: string) => (await fresh.call('GET', '/policies', { token })).status;
        assert.equal(await status(used), 200);
        fresh.clock.advance(3_599_999);
        assert.equal(await status(used), 200);
        fresh.clock.advance(1);
        for (const token of [used, unseen]) {
          const answer = await fresh.call('GET', '/policies', { token });
          assertProblem(answer, 401, 'invalid-token');
          assert.match(answer.headers.get('www-authenticate') ?? '', /error_description="The token expired at 2026-/);
        }
      } finally {
        await fresh.close();
      }
    });
  });

  describe('Scope', () => {
    const narrowed = (scope: string) => lplate.token(client.id, client.secret, scope);

    test('Authentication, 3: a token narrowed to reading lists and reads policies', async () => {
      const token = await narrowed('policies:read');
      assert.equal((await lplate.call('GET', '/policies', { token })).status, 200);
      assert.equal((await lplate.call('GET', `/policies/${policyId}`, { token })).status, 200);
    });

    test('Authentication, 6; Endpoints, rule 2: it creates, changes and cancels nothing, and is told the scope that would', async () => {
      const token = await narrowed('policies:read');
      const before = (await lplate.call('GET', '/policies', { token })).json;
      for (const [method, path, json] of bearerEndpoints().filter(([method]) => method !== 'GET')) {
        const answer = await lplate.call(method, path, { token, json });
        assertProblem(answer, 403, 'insufficient-scope');
        const expected = `${missing}, error="insufficient_scope", scope="policies:write"`;
        assert.equal(answer.headers.get('www-authenticate'), expected);
        assert.match(answer.json.detail, /policies:write.*policies:read/);
      }
      assert.deepEqual((await lplate.call('GET', '/policies', { token })).json, before);
    });

    test('Decisions, scopes: writing does not include reading, and claims have scopes of their own', async () => {
      for (const scope of ['policies:write', 'claims:read claims:write']) {
        const answer = await lplate.call('GET', '/policies', { token: await narrowed(scope) });
        assertProblem(answer, 403, 'insufficient-scope');
        assert.match(answer.headers.get('www-authenticate') ?? '', /, scope="policies:read"$/);
      }
      assert.equal((await create('AU-0003', await narrowed('policies:write'))).status, 201);
      assertProblem(await create('AU-0004', await narrowed('claims:write')), 403, 'insufficient-scope');
    });

    test('Authentication, 4: the preconfigured reader creates nothing, whatever token it gets', async () => {
      const token = await lplate.token('preset-reader', lplate.secrets.readerClientSecret);
      assert.equal((await lplate.call('GET', '/policies', { token })).status, 200);
      assertProblem(await create('AU-0005', token), 403, 'insufficient-scope');
    });
  });

  describe('Open endpoints', () => {
    const open: [method: string, path: string, status: number, options?: CallOptions][] = [
      ['POST', '/demo-clients', 201],
      ['GET', '/coverage-options', 200],
      ['GET', '/limited/ping', 200],
      ['GET', '/openapi.yaml', 200],
      ['GET', '/insurer/v0/openapi.yaml', 200],
      ['GET', '/.well-known/jwks.json', 200],
      ['GET', '/.well-known/oauth-authorization-server', 200],
    ];

    test('Authentication, 7: they need no authentication', async () => {
      for (const [method, path, status] of open) assert.equal((await lplate.call(method, path)).status, status);
    });

    test('Authentication, 7; Decisions, REST: and they ignore whatever Authorization header comes', async () => {
      const generous = await startLPlate(engine, { probeLimitPerMinute: 1000, rateLimitKey: 'client' });
      const json = await generous.client().then(({ id, secret }) => ({ client_id: id, client_secret: secret }));
      try {
        for (const Authorization of [
          '',
          'Bearer',
          'Bearer made-up',
          `Bearer ${client.token}`,
          'Digest x="y"',
          '\xe9',
        ]) {
          for (const [method, path, status] of [...open, ['POST', '/auth/token', 200] as const]) {
            const options = { headers: { Authorization }, ...(path === '/auth/token' && { json }) };
            assert.equal((await generous.call(method, path, options)).status, status, `${Authorization} ${path}`);
          }
        }
        const headers = { Authorization: 'Basic made-up' };
        for (const [method, path, status] of open) {
          assert.equal((await generous.call(method, path, { headers })).status, status);
        }
      } finally {
        await generous.close();
      }
    });
  });

  describe('Order of the checks', () => {
    const text = { 'Content-Type': 'text/plain' };
    const huge = ' '.repeat(65_537);

    test('Decisions, tokens: 401, then 403, then 413, 415, 400, 404 and 409', async () => {
      const { token } = client;
      const { token: stranger } = await lplate.client();
      const reader = await lplate.token(client.id, client.secret, 'policies:read');
      const mine = (await create('AU-0010')).json.id;
      await lplate.call('POST', `/policies/${mine}/cancel`, { token });
      const put = async (id: string, options: CallOptions) =>
        (await lplate.call('PUT', `/policies/${id}`, options)).status;
      // Each request breaks every rule from the one that answers it on.
      assert.equal(await put(mine, { body: huge, headers: text }), 401);
      assert.equal(await put(mine, { token: `${token}x`, body: huge, headers: text }), 401);
      assert.equal(await put(mine, { token: reader, body: huge, headers: text }), 403);
      assert.equal(await put(mine, { token: stranger, body: huge, headers: text }), 413);
      assert.equal(await put(mine, { token: stranger, body: '{', headers: text }), 415);
      assert.equal(
        await put(mine, { token: stranger, body: '{', headers: { 'Content-Type': 'application/json' } }),
        400,
      );
      assert.equal(await put(mine, { token: stranger, json: { holder: '' } }), 400);
      assert.equal(await put(mine, { token: stranger, json: { holder: 'Ada Example' } }), 404);
      assert.equal(await put(mine, { token, json: { holder: 'Ada Example' } }), 409);
    });

    test('Decisions, tokens: 400 comes before the 409 of a vehicle that is insured', async () => {
      await create('AU-0011');
      const json = { regNumber: 'AU-0011', holder: 7 };
      assertProblem(await lplate.call('POST', '/policies', { token: client.token, json }), 400, 'validation-error');
      assertProblem(await create('AU-0011'), 409, 'duplicate-policy');
    });

    test('Decisions, tokens: the rate limit comes before all of them', async () => {
      const strict = await startLPlate(engine, { rateLimitPerMinute: 1 });
      try {
        assertProblem(await strict.call('GET', '/policies'), 401, 'missing-token');
        for (const options of [{}, { token: 'made-up' }, { token: client.token, body: huge, headers: text }]) {
          assertProblem(await strict.call('POST', '/policies', options), 429, 'rate-limit-exceeded');
        }
      } finally {
        await strict.close();
      }
    });
  });
});
