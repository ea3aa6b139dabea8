import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { takingTurns } from '../support/extent.ts';
import { linesFrom, sharedClient, sharedLPlate } from '../support/lplate.ts';
import { identifierOf, sendAgain } from './wire.ts';

const base = '/insurer/v1';

const claims = '/claims/v1';

/** Each path of the insurer’s interface and of the claims interface, and what it takes. */
const taken: Record<string, string> = {
  [`${base}/demo-clients`]: 'POST',
  [`${base}/coverage-options`]: 'GET, HEAD',
  [`${base}/auth/token`]: 'POST',
  [`${base}/policies`]: 'GET, HEAD, POST',
  [`${base}/policies/pol-none`]: 'GET, HEAD, PUT',
  [`${base}/policies/pol-none/cancel`]: 'POST',
  [`${base}/limited/ping`]: 'GET, HEAD',
  [`${base}/signed/policy-check`]: 'POST',
  [`${base}/openapi.yaml`]: 'GET, HEAD',
  [`${claims}/claims`]: 'GET, HEAD, POST',
  [`${claims}/claims/CLM-2026-000000`]: 'GET, HEAD',
  [`${claims}/topics/claims.status-changed`]: 'GET, HEAD',
  [`${claims}/subscriptions`]: 'GET, HEAD, POST',
  [`${claims}/subscriptions/sub-none`]: 'DELETE, GET, HEAD',
  [`${claims}/subscriptions/sub-none/test`]: 'POST',
  [`${claims}/subscriptions/sub-none/deliveries`]: 'GET, HEAD',
  [`${claims}/subscriptions/sub-none/deliveries/1/redeliver`]: 'POST',
  [`${claims}/openapi.yaml`]: 'GET, HEAD',
  [`${claims}/asyncapi.yaml`]: 'GET, HEAD',
  '/range/v1/me': 'DELETE, GET, HEAD, PATCH',
  '/range/v1/me/exchanges': 'GET, HEAD',
  '/range/v1/me/exchanges/none/curl': 'GET, HEAD',
  '/range/v1/trainer/exchanges': 'GET, HEAD',
};

const elsewhere = ['/', '/healthz', '/readyz', '/metrics', '/problems', '/problems/not-found', '/nowhere', '/docs/'];

const unknownPaths = [
  ...['/insurer', '/insurer/', '/insurer/v1', '/insurer/v1/', '/insurer/v2/policies', '/insurer/v0/policies'],
  ...['policy', 'Policies', 'POLICIES', 'policies/pol-none/delete', 'policies/pol-none/cancel/again'].map(
    (path) => `${base}/${path}`,
  ),
  ...['/policies', 'auth', 'auth/token/x', 'auth//token'].map((path) => `${base}/${path}`),
  ...['*', ':policyId', '{policyId}', 'policies;a=b', 'policies&page=1', 'coverage-options%3F', 'constructor'].map(
    (path) => `${base}/${path}`,
  ),
  ...['coverage-options%20', 'policies%2Fpol-none', 'coverage%00options', '__proto__', "';--", '%F0%9F%9A%97'].map(
    (path) => `${base}/${path}`,
  ),
  ...['/claims', '/claims/', claims, `${claims}/`, '/claims/v0/openapi.yaml', '/claims/v2/claims', '/claims/v1claims'],
  ...[
    'Claims',
    'claim',
    'claims//',
    'claims/CLM-2026-000001/events',
    'topics',
    'topics/',
    'topics/other',
    'events',
  ].map((path) => `${claims}/${path}`),
  ...['.', '..', 'claims.status-changed/0-1', 'claims.status-changed%00', 'claims/status-changed', '*', ':topic'].map(
    (path) => `${claims}/topics/${path}`,
  ),
  ...['sub-none/deliveries/1', 'sub-none/redeliver', 'sub-none/deliveries//redeliver', '/test', '/deliveries'].map(
    (path) => `${claims}/subscriptions/${path}`,
  ),
  ...['//insurer/v1/policies', '/insurer//v1/policies', '/./insurer/v1/policies', '/insurer/v1/../v1/policies'],
  ...[
    '/insurer/v1/../../etc/passwd',
    '/insurer/v1/%2e%2e/%2e%2e/etc/passwd',
    '/docs/../../package.json',
    '/..%2f..%2fetc',
  ],
  ...['/.well-known/none', '/.git/config'],
  ...[
    '/for',
    '/for/',
    '/for//',
    '/for/%2e%2e/insurer/v1/policies',
    '/for/demo-none/insurer/v1/policies',
    '/for/\u{1F697}',
  ].map(encodeURI),
  ...['/range/v1', '/range/v2/me', '/range/v1/me/exchanges/a/b', '/range/v1/trainer', '/range/v1/%00'],
  ...['/docs/..%2f..%2fpackage.json', '/docs/js/none', '/favicon.ico', '/%00', '/%0d%0aX: y'.replace(' ', '%20')],
];

/** Names that no page of a pattern has: another method is refused before a name is looked at. */
const unknownNames = ['/problems/none', '/problems/constructor', '/problems/__proto__', '/problems/..%2f'];

const brokenEscapes = ['%', '%%', '%f', '%zz', '%0', 'a%', '%ff', '%c0%80', '%ed%a0%80', '%F0%9F%9A', '%u0041', '%e4'];

forEachEngineInFull((engine: Engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);
  const kept = sendAgain(lplate);
  const bearer = () => ({ Authorization: `Bearer ${client.token}` });
  const get = (path: string, headers: object = {}) => kept({ method: 'GET', path, headers: { ...headers } });

  test('Decisions, REST conventions: a method that a path does not take is 405, with those it takes in Allow', async () => {
    const bodies = takingTurns(undefined, '{"regNumber": "M-1"}', '{');
    for (const method of METHODS.filter((each) => each !== 'CONNECT')) {
      for (const [path, allow] of Object.entries(taken)) {
        if ([...allow.split(', '), 'OPTIONS'].includes(method)) continue;
        for (const body of bodies()) {
          const answer = await kept({ method, path, body, headers: bearer() });
          assert.equal(answer.status, 405, `${method} ${path}`);
          assert.equal(answer.headers.get('allow'), allow);
          assert(answer.headers.has('ratelimit-remaining'));
        }
      }
    }
  });

  test('Errors, 1: any method on the addresses beside the interface is answered, or refused with a problem', async () => {
    const bodies = takingTurns(undefined, '{', 'x'.repeat(70_000));
    for (const method of METHODS.filter((each) => each !== 'CONNECT')) {
      for (const path of elsewhere) {
        for (const body of bodies()) {
          const { status } = await kept({ method, path, body });
          assert(status === (method === 'OPTIONS' ? 204 : 200) || status >= 400, `${method} ${path}: ${status}`);
          if (!['GET', 'HEAD', 'OPTIONS'].includes(method)) assert(status >= 400, `${method} ${path}: ${status}`);
        }
      }
    }
  });

  test('Decisions, REST conventions: a path that nothing serves is 404 not-found, whatever is sent to it', async () => {
    const bodies = takingTurns(undefined, '{', ' '.repeat(70_000), '{}');
    for (const path of [...unknownPaths, ...unknownNames]) {
      for (const method of unknownNames.includes(path) ? ['GET'] : ['GET', 'POST', 'QUERY', 'OPTIONS']) {
        for (const body of bodies()) {
          const answer = await kept({ method, path, body, headers: { 'Content-Type': 'nonsense' } });
          assert.equal(identifierOf(answer), 'not-found', `${method} ${path} with ${body?.length} bytes`);
        }
      }
    }
  });

  test('Decisions, REST conventions: a path with a broken percent-escape, or one that is no UTF-8, is malformed-request', async () => {
    for (const broken of brokenEscapes) {
      for (const [method, path] of [
        ['GET', `/policies/${broken}`],
        ['PUT', `/policies/${broken}`],
        ['POST', `/policies/${broken}/cancel`],
        ['GET', `/claims/${broken}`],
        ['DELETE', `/subscriptions/${broken}`],
        ['GET', `/subscriptions/${broken}/deliveries`],
        ['POST', `/subscriptions/sub-none/deliveries/${broken}/redeliver`],
      ] as const) {
        const above = path.startsWith('/policies') ? base : claims;
        assert.equal(
          identifierOf(await kept({ method, path: above + path, headers: bearer() })),
          'malformed-request',
          path,
        );
      }
      for (const path of [`/${broken}`, `${base}/${broken}`, `/problems/${broken}`, `/docs/${broken}`]) {
        assert.match(identifierOf(await get(path)) ?? '', /^(malformed-request|not-found)$/, path);
      }
    }
  });

  test('Decisions, REST conventions: a broken percent-escape in a query is no fault of the path', async () => {
    for (const broken of brokenEscapes) {
      assert.equal((await get(`${base}/coverage-options?${broken}=${broken}`)).status, 200);
      assert.equal((await get(`${base}/policies?unknown=${broken}`, bearer())).status, 200);
      assert.equal(identifierOf(await get(`${base}/policies?page=${broken}`, bearer())), 'validation-error');
    }
  });

  test('Endpoints, rule 4: an id that can’t be one is a policy not found, for every method', async () => {
    const ids = [
      ...[
        '%00',
        'pol-%00',
        '%0d%0a',
        '..%2f..',
        'a%2Fb',
        '%2e%2e',
        '%25zz',
        '%20',
        "'%20or%201=1",
        'null',
        '%EF%BB%BF',
      ],
      ...['%F0%9F%9A%97', `${'x'.repeat(59)}%F0%9F%9A%97`, 'x'.repeat(8_000), '%E2%80%AE', '__proto__', '%C2%85', '-1'],
    ];
    for (const id of ids) {
      const path = `${base}/policies/${id}`;
      assert.equal(identifierOf(await get(path, bearer())), 'policy-not-found', id);
      const cancel = await kept({ method: 'POST', path: `${path}/cancel`, headers: bearer() });
      assert.equal(identifierOf(cancel), 'policy-not-found', id);
      const headers = { ...bearer(), 'Content-Type': 'application/json' };
      const change = await kept({ method: 'PUT', path, headers, body: '{"holder": "Ada Example"}' });
      assert.equal(identifierOf(change), 'policy-not-found', id);
      assert.equal(identifierOf(await get(path)), 'missing-token', id);
    }
  });

  test('Decisions, REST conventions: a URL of 8,192 characters is taken, and a longer one is 414', async () => {
    const urlOf = (start: string, length: number) => start + 'x'.repeat(length - start.length);
    for (const start of [`${base}/coverage-options?`, `${base}/policies?page=1&a=`, `${claims}/claims?a=`]) {
      assert.equal((await get(urlOf(start, 8_192), bearer())).status, 200);
      assert.equal(identifierOf(await get(urlOf(start, 8_193), bearer())), 'uri-too-long');
    }
    assert.equal(identifierOf(await get(urlOf(`${base}/policies/`, 8_192), bearer())), 'policy-not-found');
    assert.equal(identifierOf(await get(urlOf(`${claims}/claims/`, 8_192), bearer())), 'claim-not-found');
    for (const length of [8_193, 8_300, 12_000, 16_000]) {
      for (const start of [`${base}/policies/`, `${base}/`, '/', `${base}/policies/%41`, `${claims}/topics/%zz`]) {
        assert.equal(identifierOf(await get(urlOf(start, length))), 'uri-too-long', `${start} ${length}`);
      }
    }
    assert.equal(identifierOf(await get(urlOf(`${base}/`, 17_000))), 'headers-too-large');
  });

  test('Decisions, REST conventions: page and pageSize are single numbers in plain digits', async () => {
    const wrong = [
      ...[
        'page=1&page=2',
        'pageSize=1&pageSize=1',
        'page=1&page=1&page=1',
        'page=',
        'page',
        'page=%20',
        'page=+1',
        'page=-1',
      ],
      ...[
        'page=01',
        'page=1.0',
        'page=1e2',
        'page=0x10',
        'page=1%00',
        'page=%D9%A3',
        'page=%EF%BC%91',
        'page=null',
        'page=0',
      ],
      ...[
        'page=1000001',
        'page=99999999999999999999',
        'page=9007199254740993',
        'page=Infinity',
        'pageSize=501',
        'pageSize=0',
      ],
      ...[
        `page=${'9'.repeat(8_000)}`,
        'page=1,2',
        'page=true',
        'page=%5B1%5D',
        'pageSize=NaN',
        'page=1_0',
        'page=%2B1',
      ],
    ];
    for (const query of wrong) {
      for (const list of [`${base}/policies`, `${claims}/claims`, `${claims}/subscriptions`]) {
        const answer = await get(`${list}?${query}`, bearer());
        assert.equal(identifierOf(answer), 'validation-error', query);
        assert.equal(answer.json.errors[0].parameter, query.startsWith('pageSize') ? 'pageSize' : 'page');
      }
    }
    const both = await get(`${base}/policies?page=a&pageSize=b`, bearer());
    assert.deepEqual(
      both.json.errors.map(({ parameter }: { parameter: string }) => parameter),
      ['page', 'pageSize'],
    );
  });

  test('Decisions, REST conventions: unknown query parameters are ignored, however odd', async () => {
    const many = 'a&'.repeat(4_000);
    const odd = ['PagesOf=0', '__proto__=9', 'constructor[prototype]=9', 'a=1&a=2', '=', '&&&', '?', many];
    for (const query of [...odd, 'toString=1&valueOf=2&hasOwnProperty=3', ';page=0', '%00=%00']) {
      for (const list of [`${base}/policies`, `${claims}/claims`, `${claims}/subscriptions`]) {
        const answer = await get(`${list}?${query}`, bearer());
        assert.equal(answer.status, 200, query);
        assert.equal(answer.json.page, 1);
      }
      assert.deepEqual((await get(`${claims}/topics/claims.status-changed?${query}`, bearer())).json.events, []);
    }
  });

  test('Errors, 1: nothing of all this is an internal error, and the server answers', async () => {
    assert.deepEqual(linesFrom(lplate, 50), []);
    assert.equal((await get(`${base}/coverage-options`)).status, 200);
  });
});
