import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { administer, forEachEngineInFull } from '../support/engines.ts';
import { type CallOptions, type LPlate, sharedClient, sharedLPlate, sign, startLPlate } from '../support/lplate.ts';
import { Receiver } from '../support/receiver.ts';
import { batch, claimOn, EventStream, pass, topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';

const json = { 'Content-Type': 'application/json' };

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { probeLimitPerMinute: 2 });
  const client = sharedClient(lplate);
  let policyId: string;
  const signedBody = '{"regNumber":"LG-0009"}';

  before(async () => {
    policyId = (await lplate.call('POST', '/policies', { token: client.token, json: { regNumber: 'LG-0001' } })).json
      .id;
  });

  /** The log lines that `work` leads to, parsed. */
  async function logged(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const before = lplate.log.length;
    await work();
    // A line is written when the answer is out, which may be a moment after it has arrived.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return lplate.log.slice(before).map((line) => JSON.parse(line));
  }

  test('Decisions, start-up: each request leaves one line, with id, method, route, status and milliseconds', async () => {
    const { token } = client;
    for (const [method, path, options, route] of [
      ['GET', '/coverage-options', {}, '/insurer/v1/coverage-options'],
      ['GET', `/policies/${policyId}?secret=1`, { token }, '/insurer/v1/policies/:policyId'],
      ['GET', '/policies/pol-none', { token }, '/insurer/v1/policies/:policyId'],
      ['POST', '/policies', { body: '{', headers: json }, '/insurer/v1/policies'],
      ['GET', '/no/such/path', {}, '(none)'],
      ['DELETE', '/policies', {}, '(none)'],
      ['GET', '/policies/%zz', {}, '/insurer/v1/policies/:policyId'],
      ['HEAD', '/coverage-options', {}, '/insurer/v1/coverage-options'],
      ['GET', '/.well-known/jwks.json', {}, '/.well-known/jwks.json'],
    ] as const) {
      let id: string | null | undefined;
      let status: number | undefined;
      const lines = await logged(async () => {
        const answer = await lplate.call(method, path, options);
        id = answer.headers.get('x-request-id');
        status = answer.status;
      });
      assert.equal(lines.length, 1, JSON.stringify(lines));
      const [{ ms, time, ...line }] = lines as [Record<string, unknown>];
      assert.equal(typeof ms, 'number');
      assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.deepEqual(
        { requestId: line.requestId, method: line.method, route: line.route, status: line.status },
        { requestId: id, method, route, status },
      );
    }
  });

  test('Decisions, start-up: a line tells the caller’s address, the client of a good token, and the problem', async () => {
    const [created] = await logged(() => lplate.call('GET', '/policies', { token: client.token }));
    assert.equal(created?.address, '127.0.0.1');
    assert.equal(created?.client, client.id);
    assert.equal(created?.problem, undefined);
    const [refused] = await logged(() => lplate.call('GET', '/policies', { token: 'made-up' }));
    assert.equal(refused?.client, undefined);
    assert.equal(refused?.problem, 'invalid-token');
  });

  describe('Secrets', () => {
    test('Decisions, start-up: none appears in any line, wherever a learner put it', async () => {
      const other = await lplate.client('policies:read');
      const { readerClientSecret, fleetClientSecret, hmacSecret } = lplate.secrets;
      const reader = await lplate.token('preset-reader', readerClientSecret);
      const secrets = [
        ...[client.secret, client.token, other.secret, other.token, reader],
        ...[readerClientSecret, fleetClientSecret, hmacSecret],
        ...[sign(signedBody), sign('{}'), 'made-up-secret-of-nobody', 'Ada-the-holder'],
      ];
      for (const secret of secrets) {
        const lines = await logged(async () => {
          for (const request of leaks(secret)) await lplate.call(...request);
        });
        assert.equal(lines.length, leaks(secret).length);
      }
      const log = lplate.log.join('').toLowerCase();
      for (const secret of secrets) {
        for (const form of forms(secret)) assert(!log.includes(form.toLowerCase()), `the log holds ${form}`);
      }
    });

    test('Decisions, claims and events: at no level does the log tell webhooks’ URLs, secrets, signatures or persons', async (t) => {
      let away = false;
      const resolve = async () => [away ? '10.0.0.1' : '127.0.0.1'];
      const settings = { logLevel: 'trace', eventsDuplicateRate: 1, eventsHeartbeatSeconds: 1 } as const;
      const chatty = await startLPlate(t, engine, settings, undefined, { resolve });
      const receiver = await Receiver.open(t);
      receiver.answer = ({ path }) => (path.includes('breaks') ? 'reset' : path.includes('refuses') ? 500 : 204);
      const { id, secret, token } = await chatty.client();
      const vehicle = { regNumber: 'LG-7777', holder: 'Ada-the-holder' };
      const policy = (await chatty.call('POST', '/policies', { token, json: vehicle })).json.id;
      const paths = ['path-of-a-hook', 'path-that-refuses', 'path-that-breaks'];
      const hooks = [
        ...paths.map((path) => `${receiver.url}/${path}?key=key-of-a-hook`),
        'http://moves.partner.example/',
      ];
      const keys: string[] = [];
      for (const url of hooks) {
        const { json: hook } = await chatty.call('POST', '/claims/v1/subscriptions', { token, json: { url } });
        keys.push(hook.secret, hook.secret.slice('whsec_'.length));
      }
      away = true;
      const stream = await EventStream.open(chatty.url, token);
      await claimOn(chatty, token, policy, { paceSeconds: 1, outcome: 'REJECTED' });
      await pass(chatty, 3);
      await stream.until(() => stream.received.length >= 6);
      stream.close();
      await batch(chatty, token);
      const attempts = () => chatty.log.filter((line) => JSON.parse(line).msg === 'webhook');
      await until(async () => {
        await pass(chatty, 5);
        // Six to the one that takes them, a few tries to each of the others.
        return attempts().length >= 6 + 3 * 3;
      }, 'lines of attempts');
      await chatty.housekeeping();
      await chatty.close();

      assert.ok(receiver.calls.some(({ path }) => path.includes('refuses')) && keys.length === 8);
      const signatures = receiver.calls.map(({ headers }) => headers['webhook-signature']?.slice('v1,'.length) ?? '');
      const log = chatty.log.join('').toLowerCase();
      const told = [secret, token, ...keys, ...new Set(signatures), 'whsec_', 'v1,'];
      const shown = ['Ada-the-holder', 'LG-7777', ...hooks, ...paths, 'key-of-a-hook', 'moves.partner', '10.0.0.1'];
      for (const text of [...told.flatMap(forms), ...shown]) assert(!log.includes(text.toLowerCase()), text);
      assert(log.includes(id));
    });

    /** Every endpoint, fair and foul, with the secret in each place it takes. */
    function leaks(secret: string): [method: string, path: string, options: CallOptions][] {
      const { token } = client;
      const quoted = encodeURIComponent(secret);
      const basic = (id: string) => ({ Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const credentials = { client_id: client.id, client_secret: secret };
      const everywhere = {
        Authorization: `Bearer ${secret}`,
        'X-Signature': secret,
        'X-Api-Key': secret,
        Cookie: secret,
      };
      const headers = { ...json, ...everywhere, 'User-Agent': secret, Referer: `http://x/${quoted}`, Origin: secret };
      const paths: [string, string][] = [
        ...[
          ['POST', '/demo-clients'] as const,
          ['GET', '/coverage-options'] as const,
          ['GET', '/limited/ping'] as const,
        ],
        ...[['GET', '/policies'] as const, ['POST', '/policies'] as const, ['GET', '/openapi.yaml'] as const],
        ...[['GET', `/policies/${policyId}`] as const, ['PUT', `/policies/${policyId}`] as const],
        ...[['POST', `/policies/${policyId}/cancel`] as const, ['POST', '/signed/policy-check'] as const],
        ...[['POST', '/auth/token'] as const, ['GET', '/insurer/v0/openapi.yaml'] as const],
        ...[['GET', '/.well-known/jwks.json'] as const, ['PATCH', '/policies'] as const],
        ...[['GET', '/claims/v1/claims'] as const, ['POST', '/claims/v1/claims'] as const],
        ...[['GET', topicPath] as const, ['POST', '/claims/v1/subscriptions'] as const],
      ].map(([method, path]) => [method, path]);
      return [
        // As a header, in the query and in the body of each endpoint.
        ...paths.map(([method, path]): [string, string, CallOptions] => [
          method,
          `${path}?access_token=${quoted}&page=${quoted}`,
          method === 'GET' ? { headers } : { headers, json: { client_secret: secret, regNumber: secret, holder: 7 } },
        ]),
        // To the claims system, whoever calls.
        ['GET', `/claims/v1/claims/${quoted}`, { token }],
        ['GET', `/claims/v1/claims?policyNumber=${quoted.slice(0, 100)}`, { token }],
        ['POST', '/claims/v1/claims', { token, json: { policyNumber: secret, outcome: secret } }],
        ['GET', `${topicPath}?after=${quoted}`, { token }],
        ['GET', topicPath, { token, headers: { Accept: 'text/event-stream', 'Last-Event-ID': secret } }],
        ['POST', '/claims/v1/subscriptions', { token, json: { url: `http://me:${quoted}@partner.example/` } }],
        ['POST', '/claims/v1/subscriptions', { token, json: { url: `http://10.0.0.1/${quoted}` } }],
        ['DELETE', `/claims/v1/subscriptions/${quoted}`, { token }],
        ['POST', `/claims/v1/subscriptions/${quoted}/deliveries/${quoted}/redeliver`, { token }],
        // In the path.
        ['GET', `/policies/${quoted}`, { token }],
        ['PUT', `/policies/${quoted}`, { token, json: { holder: secret } }],
        ['POST', `/policies/${quoted}/cancel`, { token }],
        ['GET', `/${quoted}`, {}],
        ['DELETE', `/policies/${quoted}`, {}],
        ['GET', `/policies/${quoted}%zz`, {}],
        ['GET', `/policies/${quoted}${'x'.repeat(8_200)}`, {}],
        // To the token endpoint, in each way.
        ['POST', '/auth/token', { json: credentials }],
        ['POST', '/auth/token', { json: { ...credentials, scope: secret } }],
        ['POST', '/auth/token', { json: { client_id: secret, client_secret: client.secret } }],
        ['POST', '/auth/token', { headers: form, body: `grant_type=client_credentials&client_secret=${quoted}` }],
        ['POST', '/auth/token', { headers: form, body: `grant_type=${quoted}&${quoted}=1&${quoted}=2` }],
        ['POST', '/auth/token', { headers: basic(client.id) }],
        ['POST', '/auth/token', { headers: basic(secret) }],
        ['POST', '/auth/token', { body: `{"client_secret":"${secret}`, headers: json }],
        ['POST', '/auth/token', { body: secret, headers: { 'Content-Type': secret } }],
        // In bodies that are refused or taken.
        ['POST', '/policies', { token, body: `{"regNumber":"${secret}"`, headers: json }],
        ['POST', '/policies', { token, json: { [secret]: secret, regNumber: 'A B', startDate: secret } }],
        ['PUT', `/policies/${policyId}`, { token, json: { holder: secret.slice(0, 100) } }],
        ['POST', '/signed/policy-check', { body: signedBody, headers: { ...json, 'X-Signature': sign(signedBody) } }],
        ['POST', '/signed/policy-check', { body: secret, headers: { ...json, 'X-Signature': `sha256=${secret}` } }],
      ];
    }

    /** How a secret may come out: as it is, for a URL, in Base64, by parts, and as its hash. */
    function forms(secret: string): string[] {
      const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
      const parts = secret.split('.').filter((part) => part.length > 40);
      return [secret, encodeURIComponent(secret), base64, secret.slice(0, 30), secret.slice(-30), ...parts];
    }
  });

  test('Decisions, REST: a 500 leaves one line more, with the cause, and no value of the request', async () => {
    const broken = await startLPlate(engine);
    const { token, id, secret } = await broken.client();
    try {
      await breakPolicies(broken);
      const before = broken.log.length;
      const json = { regNumber: 'LG-4711', holder: 'Ada-the-holder' };
      const answer = await broken.call('POST', '/policies', { token, json });
      assert.equal(answer.status, 500);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const lines = broken.log.slice(before);
      const [cause, line] = lines.map((text) => JSON.parse(text));
      assert.equal(lines.length, 2);
      assert.equal(cause.requestId, answer.headers.get('x-request-id'));
      assert.equal(cause.msg, 'internal error');
      assert.match(cause.stack, /policies/);
      assert.equal(line.requestId, cause.requestId);
      assert.deepEqual([line.status, line.problem, line.client], [500, 'internal-error', id]);
      for (const value of [token, secret, 'LG-4711', 'LG4711', 'Ada-the-holder'])
        assert(!lines.join('').includes(value));
    } finally {
      await broken.close();
    }
  });

  test('Decisions, start-up: the start itself logs no secret', async () => {
    const fresh = await startLPlate(engine);
    await fresh.close();
    const { hmacSecret, readerClientSecret, fleetClientSecret } = fresh.secrets;
    for (const secret of [hmacSecret, readerClientSecret, fleetClientSecret]) {
      assert(!fresh.log.join('').includes(secret));
    }
  });
});

/** Makes the database refuse a policy as nobody foresaw: on PostgreSQL with an error that quotes the whole row. */
async function breakPolicies({ config }: LPlate): Promise<void> {
  if (config.databaseUrl) {
    await administer("alter table policies add constraint odd check (reg_number <> 'LG-4711')", config.databaseUrl);
    return;
  }
  const database = new DatabaseSync(join(config.dataDir, 'l-plate.db'));
  database.exec('drop table policies');
  database.close();
}
