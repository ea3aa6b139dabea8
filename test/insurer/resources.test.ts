import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { problem, sharedLPlate, sign } from '../support/lplate.ts';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());

forEachEngine((engine) => {
  const lplate = sharedLPlate(engine);

  describe('Endpoints 1 to 3: clients, coverage options, tokens', () => {
    test('Endpoints, 1: a POST without body or credentials answers 201 with a client_id and a client_secret', async () => {
      const answer = await lplate.call('POST', '/demo-clients');
      assert.equal(answer.status, 201);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/);
      assert.deepEqual(Object.keys(answer.json).sort(), ['client_id', 'client_secret']);
      assert.match(answer.json.client_id, /^demo-.{10,}$/);
      assert.equal(typeof answer.json.client_secret, 'string');
      assert.equal(answer.headers.get('cache-control'), 'no-store', 'a secret does not belong into a cache');
    });

    test('Resources, demo client: every creation yields another pair, and the secret has room for 256 random bits', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => lplate.call('POST', '/demo-clients')));
      const clients = answers.map(({ json }) => json);
      assert.equal(new Set(clients.map(({ client_id }) => client_id)).size, 10);
      assert.equal(new Set(clients.map(({ client_secret }) => client_secret)).size, 10);
      for (const { client_secret } of clients) assert(Buffer.from(client_secret, 'base64url').length >= 32);
    });

    test('Resources, demo client: no later answer, and no log line, holds the secret', async () => {
      const { id, secret, token } = await lplate.client();
      const later = [
        await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } }),
        await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: `${secret}x` } }),
        await lplate.call('GET', '/policies', { token }),
      ];
      for (const { text } of later) assert(!text.includes(secret));
      assert(!lplate.log.join('').includes(secret));
    });

    test('Endpoints, 2: the coverage options come without credentials, each with code, name and term', async () => {
      const { status, json } = await lplate.call('GET', '/coverage-options');
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ['options']);
      for (const option of json.options) assert.deepEqual(Object.keys(option).sort(), ['code', 'name', 'term']);
    });

    test('Decisions, policies: there are four coverage options, and each term is an ISO 8601 duration', async () => {
      const { json } = await lplate.call('GET', '/coverage-options');
      const terms = json.options.map(({ code, term }: Record<string, string>) => [code, term]);
      assert.deepEqual(terms, [
        ['MTPL-1M', 'P1M'],
        ['MTPL-3M', 'P3M'],
        ['MTPL-6M', 'P6M'],
        ['MTPL-12M', 'P1Y'],
      ]);
      for (const { term, name } of json.options) {
        assert.equal(Temporal.Duration.from(term).toString(), term);
        assert.notEqual(name.trim(), '');
      }
    });

    test('Endpoints, 3 and Resources, token response: credentials are exchanged for a Bearer token of 3600 seconds', async () => {
      const { id, secret } = await lplate.client();
      const answer = await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } });
      assert.equal(answer.status, 200);
      assert.equal(answer.json.token_type, 'Bearer');
      assert.equal(answer.json.expires_in, 3600);
      const { sub, scope, exp } = claimsOf(answer.json.access_token);
      assert.equal(sub, id);
      assert.equal(scope, answer.json.scope);
      assert.equal(exp, Math.floor(lplate.clock.now() / 1000) + 3600);
    });

    test('Endpoints, 3: client_id and client_secret must be there; the scope may be left out or narrow the token', async () => {
      const { id, secret } = await lplate.client();
      for (const json of [{ client_id: id }, { client_secret: secret }, {}]) {
        assert.deepEqual(problem(await lplate.call('POST', '/auth/token', { json })), [400, 'validation-error']);
      }
      assert.equal(claimsOf(await lplate.token(id, secret, 'policies:read')).scope, 'policies:read');
      const whole = 'policies:read policies:write claims:read claims:write';
      assert.equal(claimsOf(await lplate.token(id, secret)).scope, whole);
    });
  });

  describe('Endpoints 9 to 11 and what the service is', () => {
    test('Authentication, 7: the open endpoints need no credentials, and pass over those that come', async () => {
      const client = await lplate.client();
      const credentials = { client_id: client.id, client_secret: client.secret };
      for (const headers of [{}, { Authorization: 'Bearer made-up' }, { Authorization: 'nonsense' }]) {
        assert.equal((await lplate.call('POST', '/demo-clients', { headers })).status, 201);
        assert.equal((await lplate.call('GET', '/coverage-options', { headers })).status, 200);
        assert.equal((await lplate.call('POST', '/auth/token', { json: credentials, headers })).status, 200);
        assert.equal((await lplate.call('GET', '/limited/ping', { headers })).status, 200);
        assert.equal((await lplate.call('GET', '/openapi.yaml', { headers })).status, 200);
      }
    });

    test('Endpoints, 4 to 8: without a token each is 401, with a token of the wrong scope 403', async () => {
      const { id, secret } = await lplate.client();
      const [reads, writes] = await Promise.all(
        ['policies:read', 'policies:write'].map((scope) => lplate.token(id, secret, scope)),
      );
      const endpoints = [
        { method: 'POST', path: '/policies', scope: 'policies:write' },
        { method: 'GET', path: '/policies', scope: 'policies:read' },
        { method: 'GET', path: '/policies/pol-none', scope: 'policies:read' },
        { method: 'PUT', path: '/policies/pol-none', scope: 'policies:write' },
        { method: 'POST', path: '/policies/pol-none/cancel', scope: 'policies:write' },
      ];
      for (const { method, path, scope } of endpoints) {
        assert.deepEqual(problem(await lplate.call(method, path)), [401, 'missing-token'], `${method} ${path}`);
        const token = scope === 'policies:read' ? writes : reads;
        const refused = await lplate.call(method, path, { token });
        assert.deepEqual(problem(refused), [403, 'insufficient-scope'], `${method} ${path}`);
        assert.match(refused.headers.get('www-authenticate') ?? '', new RegExp(`\\bscope="${scope}"`));
      }
    });

    test('Endpoints, rule 2: a token narrowed to policies:read lists and reads, and creates nothing: 403', async () => {
      const { id, secret, token } = await lplate.client();
      const { json: policy } = await lplate.call('POST', '/policies', { token, json: { regNumber: 'SC-0001' } });
      const narrow = await lplate.token(id, secret, 'policies:read');
      assert.equal((await lplate.call('GET', '/policies', { token: narrow })).json.totalItems, 1);
      assert.equal((await lplate.call('GET', `/policies/${policy.id}`, { token: narrow })).status, 200);
      const refused = await lplate.call('POST', '/policies', { token: narrow, json: { regNumber: 'SC-0002' } });
      assert.deepEqual(problem(refused), [403, 'insufficient-scope']);
      // Nothing came of it: the vehicle is still free.
      assert.equal((await lplate.call('POST', '/policies', { token, json: { regNumber: 'SC-0002' } })).status, 201);
    });

    test('Endpoints, 10 and rule 5: a signed check answers 200; without or with a wrong signature 401 with the reason', async () => {
      const { token } = await lplate.client();
      await lplate.call('POST', '/policies', { token, json: { regNumber: 'SG-0001' } });
      const body = '{"regNumber":"sg0001"}';
      const headers = { 'Content-Type': 'application/json' };
      const signed = { ...headers, 'X-Signature': sign(body) };
      const right = await lplate.call('POST', '/signed/policy-check', { body, headers: signed });
      assert.equal(right.status, 200);
      assert.deepEqual(right.json, { regNumber: 'sg0001', insured: true });
      const missing = await lplate.call('POST', '/signed/policy-check', { body, headers });
      const changed = await lplate.call('POST', '/signed/policy-check', { body: `${body} `, headers: signed });
      for (const refused of [missing, changed]) {
        assert.deepEqual(problem(refused), [401, 'invalid-signature']);
        assert(refused.json.detail.length > 80, 'the reason is told at length');
      }
    });

    test('Endpoints, 11 and Versioning: v1 in the path serves a YAML description whose server is the base URL', async () => {
      const { status, headers, text } = await lplate.call('GET', '/openapi.yaml');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/yaml');
      assert.match(text, /^openapi: 3\.1\.\d/);
      assert(text.includes(`- url: ${lplate.config.publicUrl}/insurer/v1\n`));
      const paths = ['/demo-clients', '/coverage-options', '/auth/token', '/policies', '/policies/{policyId}'];
      paths.push('/policies/{policyId}/cancel', '/limited/ping', '/signed/policy-check', '/openapi.yaml');
      for (const path of paths) assert.match(text, new RegExp(`^  ["']?${RegExp.escape(path)}["']?:$`, 'm'));
    });

    test('Versioning: a v0 draft stands beside it, under the v0 path, and is another document', async () => {
      const draft = await lplate.call('GET', '/insurer/v0/openapi.yaml');
      assert.equal(draft.status, 200);
      assert.equal(draft.headers.get('content-type'), 'application/yaml');
      assert.match(draft.text, /^openapi: /m);
      const { text } = await lplate.call('GET', '/openapi.yaml');
      assert(draft.text.length < text.length, 'the draft is the lesser one');
      assert(!draft.text.includes('http://localhost:8080'), 'its server is this one');
    });
  });
});
