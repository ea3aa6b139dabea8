import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { type Document, description as published } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { assertExplained, lint, operationsOf, outcomesOf } from '../support/lint-description.ts';
import { type CallOptions, sharedLPlate, sign, startLPlate, type TestClient } from '../support/lplate.ts';
import { makeStatement } from '../support/statement.ts';

const json = 'application/json';
const ndjson = 'application/x-ndjson';

onSqlite((engine) => {
  const lplate = sharedLPlate(engine, { publicUrl: 'https://lplate.test', policiesPerClient: 2 });
  let text: string;
  let description: Document;
  let operations: Map<string, Document>;
  before(async () => {
    text = (await lplate.call('GET', '/openapi.yaml')).text;
    description = parse(text);
    operations = operationsOf(description);
  });

  describe('the description of v1', () => {
    it('Endpoints, 11: OpenAPI 3.1 in YAML, without a token, with the base URL as its server', async () => {
      const answer = await lplate.call('GET', '/openapi.yaml');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/yaml');
      assert.equal(description.openapi, '3.1.0');
      assert.deepEqual(description.servers, [{ url: 'https://lplate.test/insurer/v1' }]);
    });

    it('Endpoints: it lists the eleven of the table, what is done with tokens, imports, statements, erasures, and no other', () => {
      assert.deepEqual(
        [...operations.keys()],
        [
          'POST /demo-clients',
          'GET /coverage-options',
          'POST /auth/token',
          'POST /policies',
          'GET /policies',
          'GET /policies/{policyId}',
          'PUT /policies/{policyId}',
          'POST /policies/{policyId}/cancel',
          'POST /auth/revoke',
          'POST /auth/introspect',
          'POST /policy-imports',
          'GET /policy-imports',
          'GET /policy-imports/{importId}',
          'GET /policy-imports/{importId}/rows',
          'POST /statements',
          'GET /statements/{statementId}',
          'GET /statements/{statementId}/content',
          'POST /erasures',
          'GET /erasures/{erasureId}',
          'GET /limited/ping',
          'POST /signed/policy-check',
          'GET /openapi.yaml',
        ],
      );
    });

    it('Authentication, 2, 7 and 8: it says of each endpoint how the caller proves who it is', () => {
      const schemes = [...operations].map(([name, { security }]) => [name, security.flatMap(Object.keys).join(' or ')]);
      assert.deepEqual(Object.fromEntries(schemes), {
        'POST /demo-clients': '',
        'GET /coverage-options': '',
        'POST /auth/token': 'basic',
        'POST /policies': 'oauth2 or bearer',
        'GET /policies': 'oauth2 or bearer',
        'GET /policies/{policyId}': 'oauth2 or bearer',
        'PUT /policies/{policyId}': 'oauth2 or bearer',
        'POST /policies/{policyId}/cancel': 'oauth2 or bearer',
        'POST /auth/revoke': 'basic',
        'POST /auth/introspect': 'basic',
        'POST /policy-imports': 'oauth2 or bearer',
        'GET /policy-imports': 'oauth2 or bearer',
        'GET /policy-imports/{importId}': 'oauth2 or bearer',
        'GET /policy-imports/{importId}/rows': 'oauth2 or bearer',
        'POST /statements': 'oauth2 or bearer',
        'GET /statements/{statementId}': 'oauth2 or bearer',
        'GET /statements/{statementId}/content': 'oauth2 or bearer',
        'POST /erasures': 'oauth2 or bearer',
        'GET /erasures/{erasureId}': 'oauth2 or bearer',
        'GET /limited/ping': '',
        'POST /signed/policy-check': 'signature',
        'GET /openapi.yaml': '',
      });
    });

    it('Versioning: a strict linter finds nothing in it', async () => {
      assert.deepEqual(await lint(text), []);
    });

    it('Versioning: each operation, parameter, body and response is explained and has an example', () => {
      assertExplained(description);
    });

    it('Decisions, addresses: the public URL is all in which the descriptions of two servers differ', async () => {
      const { servers } = await published('/insurer/v1');
      const other = servers[0].url.replace('/insurer/v1', '');
      assert.deepEqual(
        JSON.parse(JSON.stringify(description).replaceAll('https://lplate.test', other)),
        await published('/insurer/v1'),
      );
    });
  });

  describe('what is documented is what is answered', () => {
    let client: TestClient;
    let policy: string;
    let second: string;
    before(async () => {
      client = await lplate.client();
      policy = (await lplate.call('POST', '/policies', { token: client.token, json: { regNumber: 'DOC-1' } })).json.id;
    });

    /** A request that succeeds, for each operation. */
    function good(name: string): CallOptions {
      const body = '{"regNumber":"DOC-1"}';
      const { token } = client;
      const credentials = { client_id: client.id, client_secret: client.secret };
      const requests: Record<string, CallOptions> = {
        'POST /auth/token': { json: credentials },
        'POST /auth/revoke': { json: { ...credentials, token: 'of nobody' } },
        'POST /auth/introspect': { json: { ...credentials, token } },
        'POST /policies': { token, json: { regNumber: 'DOC-2', holder: 'Ada Example' } },
        'GET /policies': { token },
        'GET /policies/{policyId}': { token },
        'PUT /policies/{policyId}': { token, json: { holder: 'Ada Example' } },
        'POST /policies/{policyId}/cancel': { token },
        'POST /policy-imports': { token, body, headers: { 'Content-Type': ndjson } },
        'GET /policy-imports': { token },
        'GET /policy-imports/{importId}': { token },
        'GET /policy-imports/{importId}/rows': { token },
        'POST /statements': { token, json: { month: '2026-03', format: 'csv' } },
        'GET /statements/{statementId}': { token },
        'GET /statements/{statementId}/content': { token },
        'POST /erasures': { token, json: { holder: 'Nobody Here' } },
        'GET /erasures/{erasureId}': { token },
        'POST /signed/policy-check': { body, headers: { 'Content-Type': json, 'X-Signature': sign(body) } },
      };
      return requests[name] ?? {};
    }

    const provoked = new Set<string>();
    let imported = '';
    let stated = '';
    let erasure = '';

    /** Calls an operation, and notes the problem that came of it, or its success. */
    async function provoke(name: string, options: CallOptions, change = (path: string) => path, on = lplate) {
      const [method, path] = name.split(' ') as [string, string];
      const answer = await on.call(
        method,
        change(
          path
            .replace('{policyId}', policy)
            .replace('{importId}', imported)
            .replace('{statementId}', stated)
            .replace('{erasureId}', erasure),
        ),
        options,
      );
      provoked.add(`${name} ${answer.status} ${answer.json?.type?.split('/').at(-1) ?? ''}`.trim());
      return answer;
    }

    it('Endpoints: each success', async () => {
      for (const name of operations.keys()) {
        const { status, json } = await provoke(name, good(name));
        assert.ok(status < 300, name);
        if (name === 'POST /policies') second = json.id;
        if (name === 'POST /policy-imports') imported = json.id;
        if (name === 'POST /statements') stated = await makeStatement(lplate, client.token);
        if (name === 'POST /erasures') erasure = json.id;
      }
    });

    it('Versioning: this description only if it has changed', async () => {
      const { headers } = await provoke('GET /openapi.yaml', {});
      const again = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
      assert.equal((await provoke('GET /openapi.yaml', again)).status, 304);
      const other = { headers: { 'If-Match': '"other"' } };
      assert.equal((await provoke('GET /openapi.yaml', { headers: { IfMatch: '*' } })).status, 400);
      assert.equal((await provoke('GET /openapi.yaml', other)).status, 412);
    });

    it('Decisions, conditional requests: a policy only if it has changed, and a change only if it has not', async () => {
      const { token } = client;
      const { headers } = await provoke('GET /policies/{policyId}', { token });
      const again = { token, headers: { 'If-None-Match': headers.get('etag') ?? '' } };
      assert.equal((await provoke('GET /policies/{policyId}', again)).status, 304);
      for (const name of ['GET', 'PUT']
        .map((method) => `${method} /policies/{policyId}`)
        .concat('POST /policies/{policyId}/cancel')) {
        const stale = { ...good(name), headers: { 'If-Match': '"0-active"' } };
        assert.equal((await provoke(name, stale, (path) => path.replace(policy, second))).status, 412);
        assert.equal((await provoke(name, { ...good(name), headers: { IfMatch: '*' } })).status, 400);
      }
    });

    it('Decisions, statements: the file of a statement in parts, and only if it is another one', async () => {
      const name = 'GET /statements/{statementId}/content';
      const get = (headers: Record<string, string>) => provoke(name, { ...good(name), headers });
      const etag = (await get({})).headers.get('etag') ?? '';
      assert.equal((await get({ 'If-None-Match': etag })).status, 304);
      assert.equal((await get({ 'If-Match': '"other"' })).status, 412);
      assert.equal((await get({ IfMatch: '*' })).status, 400);
      assert.equal((await get({ Range: 'bytes=5-' })).status, 206);
      assert.equal((await get({ Range: 'bytes=5000000-' })).status, 416);
    });

    it('Decisions, idempotency: a key that is in use', async () => {
      const { token } = await lplate.client();
      const create = (key: string, regNumber: string) =>
        provoke('POST /policies', { token, json: { regNumber }, headers: { 'Idempotency-Key': key } });
      for (let n = 0; !provoked.has('POST /policies 409 request-in-progress') && n < 50; n += 1)
        await Promise.all(Array.from({ length: 10 }, () => create(`key-${n}`, `DOC-4${n}`)));
      await create('key-0', 'DOC-5');
      const send = (key: string, body: string) =>
        provoke('POST /policy-imports', { token, body, headers: { 'Content-Type': ndjson, 'Idempotency-Key': key } });
      for (let n = 0; !provoked.has('POST /policy-imports 409 request-in-progress') && n < 50; n += 1)
        await Promise.all(Array.from({ length: 10 }, () => send(`key-${n}`, '{}')));
      await send('key-0', '{"regNumber":"DOC-6"}');
      const state = (key: string, format: string) =>
        provoke('POST /statements', {
          ...{ token, json: { month: '2026-03', format }, headers: { 'Idempotency-Key': key } },
        });
      for (let n = 0; !provoked.has('POST /statements 409 request-in-progress') && n < 50; n += 1)
        await Promise.all(Array.from({ length: 10 }, () => state(`key-${n}`, 'csv')));
      await state('key-0', 'ndjson');
      const erase = (key: string, holder: string) =>
        provoke('POST /erasures', { token, json: { holder }, headers: { 'Idempotency-Key': key } });
      for (let n = 0; !provoked.has('POST /erasures 409 request-in-progress') && n < 50; n += 1)
        await Promise.all(Array.from({ length: 10 }, () => erase(`key-${n}`, 'Nobody')));
      await erase('key-0', 'Nobody Else');
    });

    it('Errors: each problem that a request can provoke', async () => {
      const { token } = client;
      const reader = await lplate.token(client.id, client.secret, 'claims:read');
      for (const [name, { requestBody, security }] of operations) {
        const [method = ''] = name.split(' ');
        const options = good(name);
        await provoke(name, options, (path) => `${path}?${'x'.repeat(9000)}`);
        if (method !== 'GET') await provoke(name, { ...options, json: undefined, body: 'x'.repeat(70_000) });
        if (security.some((each: object) => 'bearer' in each)) {
          await provoke(name, { ...options, token: undefined });
          await provoke(name, { ...options, token: 'made-up' });
          await provoke(name, { ...options, token: reader });
        }
        if (requestBody) {
          for (const [type, body] of [
            [json, '{'],
            [json, '{}'],
            ['text/plain', '{}'],
            [ndjson, ' '],
            [ndjson, '{}\n'.repeat(1001)],
          ] as const) {
            const headers = { 'Content-Type': type, 'X-Signature': sign(body) };
            await provoke(name, { ...options, json: undefined, body, headers });
          }
        }
      }
      // The rest is particular to one endpoint or another.
      const credentials = { client_id: client.id, client_secret: client.secret };
      await provoke('POST /auth/token', { json: { ...credentials, scope: 'policies:fly' } });
      await provoke('POST /auth/token', {
        json: { ...credentials, grant_type: 'refresh_token', refresh_token: 'of nobody' },
      });
      await provoke('POST /auth/revoke', { json: { ...credentials, token } });
      for (const name of ['POST /auth/token', 'POST /auth/revoke', 'POST /auth/introspect'])
        await provoke(name, { json: { ...credentials, client_secret: 'guess', token } });
      await provoke('POST /policies', { token, json: { regNumber: 'DOC-3' } });
      const other = await lplate.client();
      await provoke('POST /policies', { token: other.token, json: { regNumber: 'doc2' } });
      await provoke('GET /policies', { token }, (path) => `${path}?page=0`);
      for (const name of ['GET /policies/{policyId}', 'PUT /policies/{policyId}', 'POST /policies/{policyId}/cancel']) {
        await provoke(name, { ...good(name), token: other.token });
      }
      for (const name of ['GET /policy-imports', 'GET /policy-imports/{importId}/rows'])
        await provoke(name, { token }, (path) => `${path}?page=0`);
      for (const name of ['GET /policy-imports/{importId}', 'GET /policy-imports/{importId}/rows'])
        await provoke(name, { token: other.token });
      await provoke('GET /erasures/{erasureId}', { token: other.token });
      await Promise.all(Array.from({ length: 25 }, () => provoke('POST /erasures', good('POST /erasures'))));
      const slow = { name: 'slow-imports', parameters: { groupSeconds: 60 } };
      await lplate.call('POST', '/range/v1/me/drills', { token, json: slow });
      for (let more = 0; more <= 20; more += 1) await provoke('POST /policy-imports', good('POST /policy-imports'));
      for (const name of ['GET /statements/{statementId}', 'GET /statements/{statementId}/content'])
        await provoke(name, { token: other.token });
      await lplate.call('POST', '/range/v1/me/drills', { token, json: { name: 'late-statement' } });
      for (let more = 0; more <= 20; more += 1) {
        const { json } = await provoke('POST /statements', good('POST /statements'));
        if (more === 0) stated = json.id;
      }
      await provoke('GET /statements/{statementId}/content', { token });
      await provoke('PUT /policies/{policyId}', good('PUT /policies/{policyId}'));
      await provoke('POST /signed/policy-check', { ...good('POST /signed/policy-check'), headers: {} });
      lplate.clock.advance(400 * 24 * 3600_000);
      const fresh = await lplate.call('POST', '/auth/token', { json: credentials });
      await provoke(
        'POST /policies/{policyId}/cancel',
        { token: fresh.json.access_token },
        () => `/policies/${second}/cancel`,
      );
    });

    it('Limits: each endpoint when its limit is used up', async (t) => {
      const busy = await startLPlate(t, engine, { rateLimitPerMinute: 1, probeLimitPerMinute: 1 });
      await busy.call('GET', '/coverage-options');
      await busy.call('GET', '/limited/ping');
      for (const name of operations.keys()) await provoke(name, {}, undefined, busy);
    });

    it('Errors: nothing else is documented, but what a broken request, a broken disk or a defect brings about', () => {
      assert.deepEqual(outcomesOf(description), provoked);
    });
  });
});
