import { deepEqual, equal, rejects } from 'node:assert/strict';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { test } from 'node:test';
import type { System } from '../../src/system.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';

interface Call {
  method?: string;
  path?: string;
  /** Whether the Host header is sent. */
  host?: boolean;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** The status and, where it is a problem, its identifier. `fetch` would neither leave out Host nor send such URLs. */
async function send(url: string, { method = 'PUT', path = '/', host = true, headers = {}, body = '' }: Call) {
  const { promise, resolve, reject } = Promise.withResolvers<[number | undefined, string | undefined]>();
  const call = request(url, { method, path, setHost: host, headers }, async (response) => {
    const text = Buffer.concat(await response.toArray()).toString();
    const type = response.headers['content-type'] ?? '';
    resolve([response.statusCode, /problem\+json/.test(type) ? JSON.parse(text).type.split('/').at(-1) : type]);
  });
  call.on('error', reject).end(body);
  return promise;
}

const huge = { body: ' '.repeat(65_537), headers: { 'Content-Type': 'text/plain' } };

onSqlite((engine) => {
  test('Decisions, order of checks: the target comes after the rate limit and before path and method, and those before the token', async (t) => {
    const lplate = await startLPlate(t, engine, { rateLimitPerMinute: 5 });
    // Each breaks every rule from the one that answers it on.
    const path = '/insurer/v1/policies';
    deepEqual(await send(lplate.url, { path: `${path}/%zz`, host: false, ...huge }), [400, 'malformed-request']);
    deepEqual(await send(lplate.url, { path: `${path}?${'x'.repeat(8192)}`, ...huge }), [414, 'uri-too-long']);
    deepEqual(await send(lplate.url, { path: '/insurer/v1/nowhere', ...huge }), [404, 'not-found']);
    deepEqual(await send(lplate.url, { path, ...huge }), [405, 'method-not-allowed']);
    deepEqual(await send(lplate.url, { path: `${path}/x`, ...huge }), [401, 'missing-token']);
    for (const each of ['/%zz', '/nowhere', '']) {
      deepEqual(await send(lplate.url, { path: path + each, host: false, ...huge }), [429, 'rate-limit-exceeded']);
    }
  });

  test('Decisions, order of checks: outside of interfaces the target comes before the path, and both before the body', async (t) => {
    const lplate = await startLPlate(t, engine);
    const coded = { 'Transfer-Encoding': 'gzip, chunked', 'Content-Type': 'text/plain' };
    for (const path of ['/', '/nowhere', '/healthz', '/problems/not-found']) {
      deepEqual(await send(lplate.url, { path, headers: coded, body: 'x' }), [400, 'malformed-request'], path);
      deepEqual(await send(lplate.url, { path, host: false, ...huge }), [400, 'malformed-request'], path);
      const refused = path === '/nowhere' ? [404, 'not-found'] : [405, 'method-not-allowed'];
      deepEqual(await send(lplate.url, { path, ...huge }), refused, path);
    }
    // A broken target is one request in the log, not one that broke off.
    const lines = lplate.log.map((line) => JSON.parse(line)).filter(({ problem }) => problem === 'malformed-request');
    deepEqual(
      lines.map(({ method, status }) => [method, status]),
      Array(8).fill(['PUT', 400]),
    );
  });

  test('Decisions, order of checks: a SOAP call counts before its target is looked at', async (t) => {
    const lplate = await startLPlate(t, engine, { soapLimitPerMinute: 1 });
    const call: Call = { method: 'POST', path: '/vehicle-registry/v1', host: false, body: '<a/>' };
    for (let count = 0; count < 2; count++) equal((await send(lplate.url, call))[0], 500);
    const problems = lplate.log.map((line) => JSON.parse(line)).flatMap(({ problem }) => problem ?? []);
    deepEqual(problems, ['soap:Client', 'rate-limit-exceeded']);
  });

  test('Decisions, order of checks: a route that names a scope where nobody checks tokens stops the start', async (t) => {
    const open: System = {
      name: 'open',
      problems: {},
      addresses: [],
      documents: [],
      async register(server) {
        server.get('/open/v1/policies', { config: { scope: 'policies:read' } }, () => ({ policies: [] }));
      },
    };
    const started = startLPlate(engine, {}, undefined, { extraSystems: () => [open] });
    t.after(() => started.then((lplate) => lplate.close()).catch(() => {}));
    await rejects(started, { message: /^GET \/open\/v1\/policies names the scope policies:read, but / });
  });
});
