import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type Answer, problem, sharedLPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { envelope } from '../../vehicle-registry/envelopes.ts';
import { idOf, listed, logOf, trainerToken } from '../range.ts';

const python = process.env.ZEEP_PYTHON;
const run = promisify(execFile);

forEachEngineInFull((engine) => {
  describe('the personal prefix', () => {
    const lplate = sharedLPlate(engine);
    let one: TestClient;
    let other: TestClient;
    before(async () => {
      // Two clients at one address: without a token or a prefix a call is nobody's.
      one = await lplate.client();
      other = await lplate.client();
    });

    const send = async (path: string, options: RequestInit = {}): Promise<Answer> => {
      const { status, headers, ...response } = await fetch(`${lplate.url}${path}`, options).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        text: await answer.text(),
      }));
      const json = /json/.test(headers.get('content-type') ?? '') ? JSON.parse(response.text) : undefined;
      return { status, headers, ...response, json };
    };
    const under = ({ id }: TestClient, path: string, options?: RequestInit) => send(`/for/${id}${path}`, options);
    const bearer = ({ token }: TestClient) => ({ Authorization: `Bearer ${token}` });
    const ids = async (client: TestClient) => (await logOf(lplate, client)).map(({ id }) => id);
    const unclaimed = async () =>
      (await listed(lplate, '/range/v1/trainer/exchanges', trainerToken)).map(({ id }) => id);

    test('Decisions, the range: a call without token or client_id under a personal prefix is that client’s', async () => {
      const signed = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"regNumber":"AB-1234"}',
      };
      const soap = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: envelope() };
      for (const [path, options] of [
        ['/insurer/v1/coverage-options', {}],
        ['/insurer/v1/limited/ping', {}],
        ['/insurer/v1/signed/policy-check', signed],
        ['/vehicle-registry/v1', soap],
        ['/vehicle-registry/v2/vehicles/AB-1234', {}],
        ['/insurer/v1/policies', {}],
        ['/insurer/v1/policies', { headers: { Authorization: 'Bearer nonsense' } }],
        ['/insurer/v1/nothing', {}],
        ['/insurer/v1/coverage-options', { method: 'DELETE' }],
      ] as const) {
        const answer = await under(one, path, options);
        const id = idOf(answer);
        equal((await ids(one))[0], id, path);
        ok(!(await ids(other)).includes(id) && !(await unclaimed()).includes(id), path);
        const [entry] = await logOf(lplate, one);
        equal(entry.url, `/for/${one.id}${path}`);
        const plain = await send(path, options);
        equal(plain.status, answer.status, path);
        ok((await unclaimed()).includes(idOf(plain)), path);
      }
    });

    test('Decisions, the range: a token and a client_id count for more than the prefix, and the prefix for more than a creation', async () => {
      const read = await under(one, '/insurer/v1/policies', { headers: bearer(other) });
      equal(read.status, 200);
      equal((await ids(other))[0], idOf(read));
      const asked = await under(one, '/insurer/v1/auth/token', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_id: other.id, client_secret: 'wrong' }),
      });
      equal((await ids(other))[0], idOf(asked));
      const created = await under(one, '/insurer/v1/demo-clients', { method: 'POST' });
      const { client_id: id, client_secret: secret } = created.json;
      const token = await lplate.token(id, secret);
      equal((await ids(one))[0], idOf(created));
      const byToken = await under(one, '/insurer/v1/demo-clients', { method: 'POST', headers: bearer(other) });
      equal((await ids(other))[0], idOf(byToken));
      ok(!(await ids({ id, secret, token })).includes(idOf(created)));
      ok(!(await ids(one)).some((each) => [read, asked, byToken].map(idOf).includes(each)));
    });

    test('Decisions, the range: the filter of a path and the remarks take no notice of the prefix', async () => {
      const client = await lplate.client();
      await under(client, '/insurer/v1/policies?pageSize=5', { headers: bearer(client) });
      await send('/insurer/v1/policies?pageSize=5&page=3', { headers: bearer(client) });
      const log = await logOf(lplate, client, '?path=/insurer/v1/policies');
      equal(log.length, 2);
      match(log[0].remarks[0], /^From page 1 you went to page 3/);
    });

    test('Decisions, the range: a client that is not there, and a prefix within a prefix, are 404 not-found', async () => {
      for (const id of ['demo-nobody', '', 'DEMO', 'a%20b', '%00', 'x'.repeat(65), "';--", `demo-${'0'.repeat(20)}`]) {
        for (const path of ['/insurer/v1/coverage-options', '/', '/docs', '/range/v1/me', '/problems/not-found', '']) {
          deepEqual(problem(await send(`/for/${id}${path}`)), [404, 'not-found'], `${id} ${path}`);
        }
        const soap = await send(`/for/${id}/vehicle-registry/v1?wsdl`);
        deepEqual([soap.status, soap.headers.get('content-type')], [404, 'text/plain; charset=utf-8']);
      }
      deepEqual(problem(await send('/for')), [404, 'not-found']);
      deepEqual(problem(await send('/for/%zz/insurer/v1/policies')), [400, 'malformed-request']);
      const twice = await under(one, `/for/${one.id}/insurer/v1/coverage-options`);
      deepEqual(problem(twice), [404, 'not-found']);
      const secret = await send(`/for/${one.secret}/insurer/v1/policies`);
      equal(secret.status, 404);
      ok(!secret.text.includes(one.secret));
    });

    test('Decisions, the range: every URL of an answer keeps the prefix, and nothing else changes', async () => {
      const { publicUrl } = lplate.config;
      const root = `${publicUrl}/for/${one.id}`;
      const headers = { ...bearer(one), 'Content-Type': 'application/json' };
      const created = await under(one, '/insurer/v1/policies', {
        method: 'POST',
        headers,
        body: '{"regNumber":"PX-0001"}',
      });
      equal(created.headers.get('location'), `${root}/insurer/v1/policies/${created.json.id}`);
      for (const path of [
        '/insurer/v1/policies',
        '/claims/v1/claims',
        '/claims/v1/subscriptions',
        '/range/v1/me/exchanges',
      ]) {
        const { headers: answered } = await under(one, path, { headers });
        match(answered.get('link') ?? '', new RegExp(`^<${root}${path}\\?`), path);
      }
      const metadata = (await under(one, '/.well-known/oauth-authorization-server')).json;
      deepEqual(
        [metadata.issuer, metadata.token_endpoint, metadata.jwks_uri],
        [root, `${root}/insurer/v1/auth/token`, `${root}/.well-known/jwks.json`],
      );
      const wrong = await under(one, '/insurer/v1/polices');
      match(
        wrong.json.detail,
        new RegExp(`There is nothing at /for/${one.id}/insurer/v1/polices\\. .*GET /for/${one.id}/insurer/v1/policies`),
      );
    });

    test('Decisions, the range: descriptions and pages under the prefix name no address without it', async () => {
      const { publicUrl } = lplate.config;
      const root = `${publicUrl}/for/${one.id}`;
      for (const base of ['/insurer/v1', '/claims/v1', '/vehicle-registry/v2', '/range/v1']) {
        const yaml = await under(one, `${base}/openapi.yaml`);
        const { json } = await under(one, `${base}/openapi.json`);
        deepEqual(json.servers, [{ url: root + base }]);
        deepEqual(json, parse(yaml.text));
        const plain = await send(`${base}/openapi.yaml`);
        notEqual(plain.headers.get('etag'), yaml.headers.get('etag'));
        // What remains without it are the names of problems.
        const others = [...yaml.text.matchAll(new RegExp(`(.{0,6})${publicUrl}(?!/for/)(.{0,12})`, 'g'))];
        for (const [all, start, end] of others) ok(start?.endsWith('type: ') || !/^[/`]/.test(end ?? ''), all);
        const again = await under(one, `${base}/openapi.yaml`, {
          headers: { 'If-None-Match': yaml.headers.get('etag') ?? '' },
        });
        equal(again.status, 304);
      }
      for (const format of ['yaml', 'json']) {
        const { servers } = parse((await under(one, `/claims/v1/asyncapi.${format}`)).text);
        equal(servers.lplate.pathname, `/for/${one.id}/claims/v1`);
      }
      for (const path of [
        '/',
        '/docs',
        '/problems',
        '/problems/not-found',
        '/problems/policy-not-found',
        '/vehicle-registry/v1',
        '/insurer/v0/openapi.yaml',
      ]) {
        const { status, text } = await under(one, path);
        equal(status, 200);
        doesNotMatch(
          text,
          new RegExp(
            `(?:href|src)="/(?!for/)|&#34;/(?:insurer|claims)|(?<!type: )${publicUrl}/(?!for/)|/for/[^/]*/for/`,
          ),
          path,
        );
        match(text, new RegExp(`/for/${one.id}/`), path);
      }
      const service = await under(one, '/vehicle-registry/v1?wsdl');
      match(service.text, new RegExp(`<soap:address location="${lplate.url}/for/${one.id}/vehicle-registry/v1"/>`));
    });

    test('Decisions, the range: limits count by address as without the prefix', async (t) => {
      const strict = await startLPlate(t, engine, { rateLimitPerMinute: 3 });
      const { json } = await strict.call('POST', '/demo-clients');
      const read = (prefix: string) => fetch(`${strict.url}${prefix}/insurer/v1/coverage-options`);
      const mine = await read(`/for/${json.client_id}`);
      equal(mine.headers.get('ratelimit-remaining'), '1');
      equal((await read('')).headers.get('ratelimit-remaining'), '0');
      equal((await read(`/for/${json.client_id}`)).status, 429);
    });

    test('Decisions, the range: zeep with a WSDL that was read under the prefix logs its calls there', {
      skip: !python && 'ZEEP_PYTHON is not set',
    }, async () => {
      const wsdl = `${lplate.url}/for/${one.id}/vehicle-registry/v1?wsdl`;
      const client = new URL('../../vehicle-registry/zeep-client.py', import.meta.url).pathname;
      await run(python as string, [client, wsdl, 'AB-1234', 'XX-1234']);
      const [later, first] = await logOf(lplate, one);
      deepEqual(
        [first.url, first.status, later.problem],
        [`/for/${one.id}/vehicle-registry/v1`, 200, 'VehicleNotFound'],
      );
    });

    test('Decisions, the range: a client is told of calls from its address that count for nobody, and how they would be its own', async (t) => {
      const alone = await startLPlate(t, engine);
      await alone.call('GET', '/insurer/v1/coverage-options');
      const first = await alone.client();
      const told = async ({ token }: TestClient) =>
        (await alone.call('GET', '/range/v1/me', { token })).json.unattributed;
      const [before] = await told(first);
      deepEqual(
        [before.method, before.path, before.why],
        [
          'GET',
          '/insurer/v1/coverage-options',
          'It had no token that holds, and no client was used from this address before it.',
        ],
      );
      equal(before.instead, `GET ${alone.url}/for/${first.id}/insurer/v1/coverage-options`);
      const second = await alone.client();
      await alone.call('GET', '/insurer/v1/policies?page=2');
      for (const client of [first, second]) {
        const [{ path, why, instead }] = await told(client);
        match(why, /more than one client was used/);
        const own = `GET ${alone.url}/for/${client.id}/insurer/v1/policies?page=2`;
        deepEqual([path, instead], ['/insurer/v1/policies', own]);
      }
      await fetch(`${alone.url}/for/demo-nobody/insurer/v1/policies`);
      match((await told(first))[0].why, /a client_id that does not exist/);
      // A secret in a path, and more calls than are told.
      for (let call = 0; call < 6; call += 1) await alone.call('GET', `/insurer/v1/policies/${first.token}`, {});
      const calls = await told(first);
      equal(calls.length, 5);
      ok(calls.every((each: { path: string }) => each.path === '/insurer/v1/policies/…'));
      for (const query of [`?key=${first.secret}`, `?${'x'.repeat(600)}`]) {
        await alone.call('GET', `/insurer/v1/policies${query}`);
        const [{ instead }] = await told(first);
        ok(!instead.includes(first.secret) && !instead.includes('xxx'), instead);
      }
      alone.clock.advance(15 * 60_000 + 1);
      const later = await alone.client();
      deepEqual(await told(later), []);
    });

    test('Decisions, the range: a call without the base of its interface is in the log, or in that of nobody, with the nearest address', async () => {
      const nobodys = async (id: string) =>
        (await listed(lplate, '/range/v1/trainer/exchanges', trainerToken)).find((each) => each.id === id);
      const told = async () => (await lplate.call('GET', '/range/v1/me', { token: one.token })).json.unattributed[0];
      for (const [method, path, nearest] of [
        ['GET', '/policies', 'GET /insurer/v1/policies'],
        ['GET', '/policies?page=2', 'GET /insurer/v1/policies'],
        ['GET', '/v1/policies', 'GET /insurer/v1/policies'],
        ['GET', '/api/v1/policies/', 'GET /insurer/v1/policies'],
        ['GET', '/Insurer/v1/policies', 'GET /insurer/v1/policies'],
        ['GET', '/insurer/policies', 'GET /insurer/v1/policies'],
        ['GET', '/policies/4711', 'GET /insurer/v1/policies/{policyId}'],
        ['POST', '/policies', 'POST /insurer/v1/policies'],
        ['PUT', '/policies/4711', 'PUT /insurer/v1/policies/{policyId}'],
        ['POST', '/auth/token', 'POST /insurer/v1/auth/token'],
        ['POST', '/demo-clients', 'POST /insurer/v1/demo-clients'],
        ['GET', '/coverage-options', 'GET /insurer/v1/coverage-options'],
        ['GET', '/claims', 'GET /claims/v1/claims'],
        ['GET', '/v1/claims', 'GET /claims/v1/claims'],
        ['POST', '/subscriptions', 'POST /claims/v1/subscriptions'],
        ['GET', '/vehicles/AB-1234', 'GET /vehicle-registry/v2/vehicles/{reg_number}'],
      ] as const) {
        const text = `Nothing is at this path. The nearest call is ${nearest}.`;
        const plain = await send(path, { method });
        equal(plain.status, 404, path);
        const entry = await nobodys(idOf(plain));
        deepEqual([entry?.url, entry?.notes], [path, [{ code: 'no-such-path', text }]]);
        const { why, instead } = await told();
        match(why, /^Nothing is at its path\. It had no token/, path);
        const query = path.match(/\?.*/)?.[0] ?? '';
        equal(instead, nearest.replace(' ', ` ${lplate.url}/for/${one.id}`) + query);
        const own = await send(path, { method, headers: bearer(one) });
        const [latest] = await logOf(lplate, one);
        deepEqual([latest.id, latest.remarks.includes(text)], [idOf(own), true]);
        const prefixed = await under(one, path, { method });
        const [last] = await logOf(lplate, one);
        equal(last.id, idOf(prefixed));
        ok(last.remarks.includes(text.replace(' /', ` /for/${one.id}/`)), last.remarks[0]);
      }
      const lost = await send('/for/demo-nobody/policies');
      equal((await nobodys(idOf(lost)))?.problem, 'not-found');
    });

    test('Decisions, the range: what is near no interface, such as an icon or what robots look for, is in no log', async () => {
      for (const path of [
        ...['/favicon.ico', '/robots.txt', '/.env', '/wp-login.php', '/apple-touch-icon.png', '/index.html', '/x'],
        ...[
          '/.git/config',
          '/admin',
          '/sitemap.xml',
          '/range/v1/mee',
          '/docs/x',
          '/.well-known/security.txt',
          '/livez/x',
        ],
      ]) {
        const answer = await send(path);
        ok(!(await unclaimed()).includes(idOf(answer)), path);
      }
    });
  });
});
