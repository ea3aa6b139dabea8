import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { administer, forEachEngineInFull } from '../../support/engines.ts';
import {
  type Answer,
  type CallOptions,
  type LPlate,
  sharedClient,
  sharedLPlate,
  sign,
  startLPlate,
} from '../../support/lplate.ts';
import { problems } from '../../support/problems.ts';

type Request = [method: string, path: string, options: CallOptions];

/** What RFC 6749, section 5.2, calls each problem of the token endpoint. */
const oauthCodes: Record<string, string> = {
  'invalid-client': 'invalid_client',
  'invalid-scope': 'invalid_scope',
  'rate-limit-exceeded': 'temporarily_unavailable',
};

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { policiesPerClient: 3 });
  const client = sharedClient(lplate);
  let cancelled: string;
  const huge = ' '.repeat(65_537);
  const text = { 'Content-Type': 'text/plain' };
  const type = { 'Content-Type': 'application/json' };

  before(async () => {
    cancelled = (await createPolicy('PR-0001')).json.id;
    await lplate.call('POST', `/policies/${cancelled}/cancel`, { token: client.token });
    await createPolicy('PR-0002');
  });

  const createPolicy = (regNumber: string, token = client.token) =>
    lplate.call('POST', '/policies', { token, json: { regNumber } });

  /** Asserts all that every problem has in common; the identifier and status come from the one table. */
  function assertProblem(answer: Answer, identifier: string, publicUrl = lplate.config.publicUrl): void {
    const { type, title, status, detail, instance, ...others } = answer.json ?? {};
    assert.equal(type, `${publicUrl}/problems/${identifier}`, answer.text);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(status, answer.status);
    assert.equal(status, problems[identifier as keyof typeof problems].status);
    assert.equal(title, problems[identifier as keyof typeof problems].title);
    assert.equal(instance, `urn:uuid:${answer.headers.get('x-request-id')}`);
    assert.match(detail, /^[^\n]{10,}\.$/);
    assert.deepEqual(
      Object.keys(others).filter((name) => !['errors', 'error', 'error_description'].includes(name)),
      [],
    );
    assert.equal('errors' in others, identifier === 'validation-error' || identifier === 'unsupported-media-type');
    assert.equal(answer.headers.has('www-authenticate'), answer.status === 401 || answer.status === 403);
    const waitingHelps = identifier === 'rate-limit-exceeded' || answer.status === 503;
    assert.equal(answer.headers.has('retry-after'), waitingHelps);
    assert.equal(answer.headers.has('allow'), answer.status === 405);
  }

  describe('Every refusal is a problem', () => {
    /** Requests by the problem that they meet. */
    const refusals = (): Record<string, Request[]> => {
      const { token } = client;
      const reader = { client_id: 'preset-reader', client_secret: lplate.secrets.readerClientSecret };
      return {
        'malformed-json': [
          ['POST', '/policies', { token, body: '{"regNumber":', headers: type }],
          ['POST', '/auth/token', { body: '', headers: type }],
        ],
        'validation-error': [
          ['POST', '/policies', { token, json: { regNumber: 'A B' } }],
          ['POST', '/policies', { token }],
          ['GET', '/policies?page=0', { token }],
          ['POST', '/auth/token', { json: [] }],
        ],
        'invalid-scope': [['POST', '/auth/token', { json: { ...reader, scope: 'policies:write' } }]],
        'missing-token': [['GET', '/policies', {}]],
        'invalid-token': [['GET', '/policies', { token: 'made-up' }]],
        'invalid-client': [['POST', '/auth/token', { json: { client_id: 'demo-nobody', client_secret: 'guess' } }]],
        'invalid-signature': [['POST', '/signed/policy-check', { json: {} }]],
        'policy-not-found': [
          ['GET', '/policies/pol-none', { token }],
          ['PUT', '/policies/pol-none', { token, json: { holder: 'Ada Example' } }],
          ['POST', '/policies/pol-none/cancel', { token }],
        ],
        'not-found': [
          ['GET', '/policy', {}],
          ['GET', '/policies/pol-none/other', { token }],
          ['POST', '/insurer/v2/policies', {}],
        ],
        'method-not-allowed': [
          ['DELETE', '/policies', { token }],
          ['PATCH', `/policies/${cancelled}`, { token }],
        ],
        'duplicate-policy': [
          ['POST', '/policies', { token, json: { regNumber: 'PR-0002' } }],
          ['POST', '/policies', { token, json: { regNumber: 'fl0001' } }],
        ],
        'policy-immutable': [['PUT', `/policies/${cancelled}`, { token, json: { holder: 'Ada Example' } }]],
        'payload-too-large': [['POST', '/policies', { token, body: huge, headers: type }]],
        'uri-too-long': [['GET', `/coverage-options?${'x'.repeat(8_200)}`, {}]],
        'unsupported-media-type': [
          ['POST', '/policies', { token, body: '{}', headers: text }],
          ['POST', '/signed/policy-check', { body: '{}', headers: { ...text, 'X-Signature': sign('{}') } }],
        ],
      };
    };

    test('Errors, 1: it is application/problem+json after RFC 9457, and its type ends with the identifier', async () => {
      for (const [identifier, requests] of Object.entries(refusals())) {
        for (const request of requests) assertProblem(await lplate.call(...request), identifier);
      }
    });

    test('Errors, 1: its type is the address of a page', async () => {
      for (const [identifier, [request]] of Object.entries(refusals())) {
        const { type } = (await lplate.call(...(request as Request))).json;
        const page = await fetch(type.replace(lplate.config.publicUrl, lplate.url));
        assert.equal(page.status, 200);
        assert((await page.text()).includes(`<code>${identifier}</code>`));
      }
    });

    test('Errors, 403: insufficient-scope, and the header names the scope', async () => {
      const answer = await createPolicy('PR-0003', await lplate.token(client.id, client.secret, 'policies:read'));
      assertProblem(answer, 'insufficient-scope');
      assert.match(answer.headers.get('www-authenticate') ?? '', /scope="policies:write"/);
    });

    test('Errors, 429: rate-limit-exceeded with Retry-After; Decisions, caps: quota-exceeded with the cap', async () => {
      const strict = await startLPlate(engine, { rateLimitPerMinute: 1 });
      try {
        await strict.call('GET', '/coverage-options');
        const answer = await strict.call('GET', '/coverage-options');
        assertProblem(answer, 'rate-limit-exceeded', strict.config.publicUrl);
        assert.equal(answer.headers.get('retry-after'), '60');
        for (let call = 1; call <= 5; call += 1) await strict.call('GET', '/limited/ping');
        assertProblem(await strict.call('GET', '/limited/ping'), 'rate-limit-exceeded', strict.config.publicUrl);
      } finally {
        await strict.close();
      }
      const { token } = await lplate.client();
      for (const regNumber of ['PR-0011', 'PR-0012', 'PR-0013']) await createPolicy(regNumber, token);
      const answer = await createPolicy('PR-0014', token);
      assertProblem(answer, 'quota-exceeded');
      assert.match(answer.json.detail, /\b3 policies/);
    });

    test('Decisions, REST: a validation problem lists each fault with its place', async () => {
      const json = { regNumber: '', holder: 7, coverageOption: 'MTPL-2M' };
      const { errors } = (await lplate.call('POST', '/policies', { token: client.token, json })).json;
      const places = errors.map(({ pointer }: { pointer: string }) => pointer).sort();
      assert.deepEqual(places, ['/coverageOption', '/holder', '/regNumber']);
      const query = await lplate.call('GET', '/policies?page=0&pageSize=1.5', { token: client.token });
      const parameters = query.json.errors.map(({ parameter }: { parameter: string }) => parameter).sort();
      assert.deepEqual(parameters, ['page', 'pageSize']);
      const media = await lplate.call('POST', '/policies', { token: client.token, body: '{}', headers: text });
      assert.equal(media.json.errors[0].header, 'Content-Type');
    });

    test('Decisions, REST: an error inside is 500 internal-error and tells nothing of the inside, readiness included', async () => {
      const broken = await startLPlate(engine);
      const { token } = await broken.client();
      try {
        await dropTables(broken);
        for (const [method, path, options] of [
          ['GET', '/policies', { token }],
          ['POST', '/policies', { token, json: { regNumber: 'PR-0004' } }],
          ['POST', '/auth/token', { json: { client_id: 'demo-nobody', client_secret: 'guess' } }],
        ] as Request[]) {
          const answer = await broken.call(method, path, options);
          assertProblem(answer, 'internal-error', broken.config.publicUrl);
          assert.doesNotMatch(answer.text, /table|clients|select|sql|relation|42P01|src\/|node:|at /i);
        }
        const ready = await fetch(`${broken.url}/readyz`);
        assert(ready.status >= 500);
        assert.doesNotMatch(await ready.text(), /table migrations|no such|relation|sql/i);
        assert.equal((await fetch(`${broken.url}/healthz`)).status, 200);
      } finally {
        await broken.close();
      }
    });
  });

  describe('The token endpoint’s problems', () => {
    const secret = 'guess"\\ü';
    const refusals: Record<string, CallOptions[]> = {
      'malformed-json': [{ body: '{', headers: type }],
      'validation-error': [{}, { json: {} }, { json: { client_id: 1, client_secret: null } }, { json: 'text' }],
      'invalid-client': [{ json: { client_id: 'demo-nobody', client_secret: secret } }],
      'unsupported-media-type': [{ body: '{}', headers: text }],
      'payload-too-large': [{ body: huge, headers: type }],
    };

    function assertOauth(answer: Answer, identifier: string): void {
      const { error, error_description: description, detail } = answer.json;
      assert.equal(error, oauthCodes[identifier] ?? 'invalid_request');
      // RFC 6749, section 5.2: printable ASCII without quotation mark and backslash.
      assert.match(description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      assert.equal(description.length, detail.length);
    }

    test('Decisions, tokens: each carries the members of RFC 6749, too, the 429 included', async () => {
      for (const [identifier, requests] of Object.entries(refusals)) {
        for (const options of requests) {
          const answer = await lplate.call('POST', '/auth/token', options);
          assertProblem(answer, identifier);
          assertOauth(answer, identifier);
          assert(!answer.text.includes('guess'));
        }
      }
      const scope = { client_id: client.id, client_secret: client.secret, scope: 'a"\\ü' };
      assertOauth(await lplate.call('POST', '/auth/token', { json: scope }), 'invalid-scope');
      const strict = await startLPlate(engine, { rateLimitPerMinute: 1 });
      try {
        await strict.call('POST', '/auth/token');
        assertOauth(await strict.call('POST', '/auth/token'), 'rate-limit-exceeded');
      } finally {
        await strict.close();
      }
    });

    test('Decisions, tokens: no answer of it is to be kept, whether it is a token or a refusal', async () => {
      const good = { client_id: client.id, client_secret: client.secret };
      for (const options of [{ json: good }, ...Object.values(refusals).flat()]) {
        const { headers, status } = await lplate.call('POST', '/auth/token', options);
        assert.equal(headers.get('cache-control'), 'no-store', `${status}`);
      }
    });

    test('Decisions, tokens: other endpoints don’t carry these members', async () => {
      const { json } = await lplate.call('GET', '/policies');
      assert.equal(json.error, undefined);
      assert.equal(json.error_description, undefined);
    });
  });
});

/** Takes the context from under a running server, as nobody should. */
async function dropTables({ config }: LPlate): Promise<void> {
  // Those that refer to others first.
  const tables = ['deliveries', 'subscriptions', 'claim_documents', 'claims', 'claim_counts', 'policy_import_rows'];
  tables.push('policy_imports', 'statement_files', 'statements', 'erasures', 'policies', 'kept_answers', 'clients');
  const statements = [...tables, 'migrations'].map((table) => `drop table ${table}`);
  if (config.databaseUrl) {
    const { databaseUrl } = config;
    for (const statement of statements) {
      // A background job may hold one of two tables that it drops, and wait for the other: the server ends one of them.
      await administer(statement, databaseUrl).catch((error) => {
        if (error.code !== '40P01') throw error;
        return administer(statement, databaseUrl);
      });
    }
    return;
  }
  const database = new DatabaseSync(join(config.dataDir, 'l-plate.db'));
  for (const statement of statements) database.exec(statement);
  database.close();
}
