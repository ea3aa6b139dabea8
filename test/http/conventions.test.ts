import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { before, describe, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type CallOptions, problem, sharedClient, sharedLPlate, sign } from '../support/lplate.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { probeLimitPerMinute: 1000 });
  const client = sharedClient(lplate);
  let vehicles = 0;

  const newPolicy = async () => {
    vehicles += 1;
    const json = { regNumber: `CV-${vehicles}` };
    return (await lplate.call('POST', '/policies', { token: client.token, json })).json;
  };
  /** Requests of every kind, each with the status it gets. */
  const everyKind = async () => {
    const { id } = await newPolicy();
    const { token } = client;
    const reads = await lplate.token(client.id, client.secret, 'policies:read');
    const body = '{"regNumber":"CV-1"}';
    const headers = { 'Content-Type': 'application/json' };
    return [
      [201, await lplate.call('POST', '/demo-clients')],
      [200, await lplate.call('GET', '/coverage-options')],
      [200, await lplate.call('HEAD', '/coverage-options')],
      [200, await lplate.call('GET', `/policies/${id}`, { token })],
      [200, await lplate.call('GET', '/limited/ping')],
      [
        200,
        await lplate.call('POST', '/signed/policy-check', { body, headers: { ...headers, 'X-Signature': sign(body) } }),
      ],
      [200, await lplate.call('GET', '/openapi.yaml')],
      [200, await lplate.call('GET', '/insurer/v0/openapi.yaml')],
      [400, await lplate.call('POST', '/policies', { token, json: {} })],
      [400, await lplate.call('POST', '/policies', { token, body: '{', headers })],
      [400, await lplate.call('GET', '/policies?page=0', { token })],
      [400, await lplate.call('GET', '/policies/%zz', { token })],
      [401, await lplate.call('POST', '/auth/token', { json: { client_id: 'demo-x', client_secret: 'x' } })],
      [401, await lplate.call('GET', '/policies')],
      [401, await lplate.call('GET', '/policies', { token: 'made-up' })],
      [401, await lplate.call('POST', '/signed/policy-check', { body, headers })],
      [403, await lplate.call('POST', '/policies', { token: reads })],
      [404, await lplate.call('GET', '/policies/pol-none', { token })],
      [404, await lplate.call('GET', '/nothing')],
      [404, await lplate.call('GET', '/insurer/v2/policies')],
      [405, await lplate.call('DELETE', `/policies/${id}`, { token })],
      [409, await lplate.call('POST', '/policies', { token, json: { regNumber: `CV-${vehicles}` } })],
      [413, await lplate.call('POST', '/policies', { token, body: 'x'.repeat(65_537), headers })],
      [414, await lplate.call('GET', `/policies/${'x'.repeat(9_000)}`, { token })],
      [414, await lplate.call('GET', `/policies?q=${'x'.repeat(9_000)}`)],
      [415, await lplate.call('POST', '/policies', { token, body, headers: { 'Content-Type': 'text/xml' } })],
    ] as [number, Answer][];
  };

  describe('Decisions, REST conventions: every answer', () => {
    let answers: [number, Answer][];
    before(async () => {
      answers = await everyKind();
    });

    test('Decisions, REST conventions: a refusal is exactly application/problem+json and tells type, title, status, detail', () => {
      for (const [status, answer] of answers) {
        assert.equal(answer.status, status, answer.text);
        if (status < 400) continue;
        assert.equal(answer.headers.get('content-type'), 'application/problem+json');
        const { type, title, status: told, detail } = answer.json;
        assert.match(type, new RegExp(`^${RegExp.escape(lplate.config.publicUrl)}/problems/[a-z-]+$`));
        assert.equal(told, status);
        assert(title.length > 5 && detail.length > 20, answer.text);
      }
    });

    test('Decisions, REST conventions: X-Request-Id is new on every answer, and instance repeats it', () => {
      const ids = answers.map(([, { headers }]) => headers.get('x-request-id') ?? '');
      for (const id of ids) assert.match(id, uuid);
      assert.equal(new Set(ids).size, ids.length);
      for (const [at, [status, { json }]] of answers.entries()) {
        if (status >= 400) assert.equal(json.instance, `urn:uuid:${ids[at]}`);
      }
    });

    test('Limits, general rate: the four RateLimit- headers are on every answer, refusals included', () => {
      for (const [status, { headers, text }] of answers) {
        const [limit, remaining, reset, policy] = ['limit', 'remaining', 'reset', 'policy'].map((name) =>
          headers.get(`ratelimit-${name}`),
        );
        assert.match(limit ?? '', /^\d+$/, `${status} ${text.slice(0, 200)}`);
        assert.equal(policy, `${limit};w=60`);
        assert(Number(remaining) < Number(limit));
        assert.match(reset ?? '', /^([1-9]|[1-5]\d|60)$/);
      }
    });

    test('Decisions, CORS: any origin may read every answer and the headers that matter, without credentials', () => {
      const exposed = ['Location', 'Link', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
      exposed.push('ETag', 'Idempotency-Replayed');
      exposed.push('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy');
      for (const [, { headers }] of answers) {
        assert.equal(headers.get('access-control-allow-origin'), '*');
        assert.equal(headers.get('access-control-allow-credentials'), null);
        const names = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
        for (const name of exposed) assert(names.includes(name.toLowerCase()), name);
      }
    });
  });

  describe('Decisions, REST conventions: what is tolerated', () => {
    test('Decisions, REST conventions: a trailing slash changes nothing', async () => {
      const { token } = client;
      const { id } = await newPolicy();
      assert.equal((await lplate.call('POST', '/demo-clients/')).status, 201);
      assert.equal((await lplate.call('GET', '/coverage-options/')).status, 200);
      const json = { client_id: client.id, client_secret: client.secret };
      assert.equal((await lplate.call('POST', '/auth/token/', { json })).status, 200);
      assert.equal((await lplate.call('POST', '/policies/', { token, json: { regNumber: 'TS-1' } })).status, 201);
      assert.equal((await lplate.call('GET', '/policies/?pageSize=1', { token })).json.pageSize, 1);
      assert.equal((await lplate.call('GET', `/policies/${id}/`, { token })).json.id, id);
      assert.equal((await lplate.call('PUT', `/policies/${id}/`, { token, json: { holder: 'A' } })).status, 200);
      assert.equal((await lplate.call('POST', `/policies/${id}/cancel/`, { token })).json.status, 'cancelled');
      assert.equal((await lplate.call('GET', '/limited/ping/')).status, 200);
      const body = '{"regNumber":"TS-1"}';
      const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body) };
      assert.equal((await lplate.call('POST', '/signed/policy-check/', { body, headers })).status, 200);
      assert.equal((await lplate.call('GET', '/openapi.yaml/')).status, 200);
      assert.deepEqual(problem(await lplate.call('DELETE', '/policies/')), [405, 'method-not-allowed']);
    });

    test('Decisions, REST conventions: two slashes at the end are another path, which nothing serves', async () => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await lplate.call(method, '/policies//', { token: client.token });
        assert.deepEqual(problem(answer), [404, 'not-found'], method);
      }
    });

    test('Decisions, REST conventions: unknown parameters and members are ignored everywhere, and so is Accept', async () => {
      const { token } = client;
      const query = '?unknown=1&page[]=x&__proto__=y';
      const json = { client_id: client.id, client_secret: client.secret, audience: 'x', scopes: 1 };
      for (const Accept of ['text/html', 'application/xml;q=1', 'nonsense', '']) {
        const headers = { Accept };
        assert.equal((await lplate.call('GET', `/coverage-options${query}`, { headers })).status, 200);
        assert.equal((await lplate.call('POST', `/auth/token${query}`, { json, headers })).status, 200);
        assert.equal((await lplate.call('GET', `/limited/ping${query}`, { headers })).json.pong, true);
        const missing = await lplate.call('GET', `/policies/pol-none${query}`, { token, headers });
        assert.deepEqual(problem(missing), [404, 'policy-not-found']);
      }
    });

    test('Decisions, REST conventions: endpoints without a body ignore whatever body comes, of any content type', async () => {
      const bodies: [string, string | undefined][] = [
        ['', 'application/x-www-form-urlencoded'],
        ['client_id=a&client_id=b', 'application/x-www-form-urlencoded'],
        ['{"broken": ', 'application/json'],
        ['', 'application/json'],
        ['<a/>', 'text/xml; charset=utf-16'],
        ['\u0000\u0001', 'no type at all'],
        ['--x', 'multipart/form-data'],
        ['x'.repeat(65_536), undefined],
      ];
      for (const [body, type] of bodies) {
        const headers: Record<string, string> = { 'Content-Encoding': 'gzip' };
        if (type !== undefined) headers['Content-Type'] = type;
        const sent: CallOptions = { body, headers };
        const created = await lplate.call('POST', '/demo-clients', sent);
        const told = created.headers.get('l-plate-ignored');
        assert.deepEqual([created.status, told], [201, body === '' ? null : 'body'], `POST with ${type}`);
        const { id } = await newPolicy();
        const cancelled = await lplate.call('POST', `/policies/${id}/cancel`, { ...sent, token: client.token });
        assert.deepEqual([cancelled.status, cancelled.json.status], [200, 'cancelled'], `POST with ${type}`);
        const path = '/insurer/v1/coverage-options';
        assert.equal(await withBody(lplate.url + path, body, type), 200, `GET with ${type}`);
      }
    });

    test('Limits: a body over 64 KiB is refused with 413, even where a body is ignored', async () => {
      const body = 'x'.repeat(65_537);
      assert.deepEqual(problem(await lplate.call('POST', '/demo-clients', { body })), [413, 'payload-too-large']);
    });
  });

  describe('Decisions, REST conventions: methods', () => {
    test('Decisions, REST conventions: HEAD answers like GET without the body, and counts like one request', async () => {
      const { token } = client;
      const { id } = await newPolicy();
      for (const path of [
        '/coverage-options',
        '/policies?pageSize=1',
        `/policies/${id}`,
        '/limited/ping',
        '/openapi.yaml',
      ]) {
        const head = await lplate.call('HEAD', path, { token });
        const get = await lplate.call('GET', path, { token });
        assert.deepEqual([head.status, head.text], [200, ''], path);
        for (const name of ['content-type', 'link', 'ratelimit-limit']) {
          assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
        }
        const left = ({ headers }: Answer) => Number(headers.get('ratelimit-remaining'));
        assert.equal(left(head) - left(get), 1, path);
      }
      assert.equal((await lplate.call('HEAD', '/policies')).status, 401);
      assert.equal((await lplate.call('HEAD', '/policies/pol-none', { token })).status, 404);
    });

    test('Decisions, REST conventions: a method that a path does not take is 405, and Allow lists those it does', async () => {
      for (const [path, allow] of [
        ['/demo-clients', 'POST'],
        ['/coverage-options', 'GET, HEAD'],
        ['/auth/token', 'POST'],
        ['/policies', 'GET, HEAD, POST'],
        ['/policies/pol-none', 'GET, HEAD, PUT'],
        ['/policies/pol-none/cancel', 'POST'],
        ['/limited/ping', 'GET, HEAD'],
        ['/signed/policy-check', 'POST'],
        ['/openapi.yaml', 'GET, HEAD'],
      ] as const) {
        const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
          (method) => !allow.split(', ').includes(method),
        );
        for (const method of others) {
          // Neither a token nor a proper body is needed to learn that the method is wrong.
          const body =
            method === 'GET' || method === 'HEAD' ? {} : { body: '{', headers: { 'Content-Type': 'text/xml' } };
          const answer = await lplate.call(method, path, body);
          assert.equal(answer.status, 405, `${method} ${path}`);
          assert.equal(answer.headers.get('allow'), allow);
          if (method !== 'HEAD') assert.deepEqual(problem(answer), [405, 'method-not-allowed']);
        }
      }
    });

    test('Decisions, REST conventions: paths have a case, and what is not served is 404 whatever the method', async () => {
      for (const path of ['/Policies', '/policy', '/policies/a/b', '/policies/a/cancel/b', '/insurer', '/insurer/v1']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          assert.deepEqual(problem(await lplate.call(method, path)), [404, 'not-found'], `${method} ${path}`);
        }
      }
    });

    test('Decisions, CORS: a preflight is 204 without a token, and permits the methods and headers of the interface', async () => {
      for (const path of ['/policies', '/policies/pol-none', '/auth/token', '/limited/ping', '/nothing']) {
        const answer = await lplate.call('OPTIONS', path, {
          headers: {
            Origin: 'https://learner.example',
            'Access-Control-Request-Method': 'PUT',
            'Access-Control-Request-Headers': 'authorization,content-type,x-signature',
          },
        });
        assert.deepEqual([answer.status, answer.text], [204, '']);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.equal(answer.headers.get('access-control-allow-credentials'), null);
        const methods = (answer.headers.get('access-control-allow-methods') ?? '').split(', ');
        for (const method of ['GET', 'POST', 'PUT']) assert(methods.includes(method));
        const headers = (answer.headers.get('access-control-allow-headers') ?? '').split(/, ?/);
        for (const header of ['authorization', 'content-type', 'x-signature']) assert(headers.includes(header));
      }
    });
  });
});

/** The status of a GET with a body, which `fetch` does not send. */
function withBody(url: string, body: string, type: string | undefined): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { ...(type !== undefined && { 'Content-Type': type }), 'Content-Length': Buffer.byteLength(body) };
  const request = httpRequest(url, { method: 'GET', headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode));
  });
  request.on('error', reject).end(body);
  return promise;
}
