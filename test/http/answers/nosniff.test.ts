import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetPath } from '../../../src/http/assets.ts';
import { get, hearFrom, host } from '../../bad-input/socket.ts';
import { onSqlite } from '../../support/engines.ts';
import { sharedLPlate } from '../../support/lplate.ts';

onSqlite((engine) => {
  const lplate = sharedLPlate(engine, { requestTimeoutSeconds: 1 });

  test('Decisions, REST conventions: nosniff: every answer says that it is of the media type it names, and no other', async () => {
    const { token } = await lplate.client();
    const json = { 'Content-Type': 'application/json' };
    const stream = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' };
    const expected: [status: number, method: string, path: string, headers?: Record<string, string>][] = [
      ...[
        '/',
        assetPath('console'),
        '/docs',
        '/docs/scalar.js',
        '/problems',
        '/problems/not-found',
        '/healthz',
        '/readyz',
        '/metrics',
      ].map((path): [number, string, string] => [200, 'GET', path]),
      [200, 'GET', '/.well-known/jwks.json'],
      [200, 'GET', '/insurer/v1/openapi.yaml'],
      [200, 'GET', '/insurer/v0/openapi.yaml'],
      [200, 'GET', '/claims/v1/asyncapi.yaml'],
      [200, 'HEAD', '/insurer/v1/coverage-options'],
      [201, 'POST', '/insurer/v1/demo-clients'],
      [400, 'POST', '/insurer/v1/auth/token', json],
      [401, 'GET', '/insurer/v1/policies'],
      [404, 'GET', '/nowhere'],
      [405, 'DELETE', '/insurer/v1/policies'],
      [204, 'OPTIONS', '/insurer/v1/policies', preflight],
      [200, 'GET', '/claims/v1/topics/claims.status-changed', stream],
      [200, 'GET', '/vehicle-registry/v2/vehicles/AB-1234'],
      [200, 'GET', '/vehicle-registry/v1'],
      [200, 'GET', '/vehicle-registry/v1?wsdl'],
      [405, 'PUT', '/vehicle-registry/v1'],
      [500, 'POST', '/vehicle-registry/v1'],
    ];
    for (const [status, method, path, headers = {}] of expected) {
      const over = new AbortController();
      const answer = await fetch(lplate.url + path, { method, headers, signal: over.signal });
      assert.deepEqual([answer.status, answer.headers.get('x-content-type-options')], [status, 'nosniff'], path);
      over.abort();
    }
    const script = await fetch(`${lplate.url}/docs/scalar.js`);
    const headers = { 'If-None-Match': script.headers.get('etag') ?? '' };
    await script.arrayBuffer();
    const kept = await fetch(`${lplate.url}/docs/scalar.js`, { headers });
    assert.deepEqual([kept.status, kept.headers.get('x-content-type-options')], [304, 'nosniff']);
  });

  test('Decisions, REST conventions: nosniff: so do answers to what never becomes a request', async () => {
    for (const [bytes, status] of [
      ['hello\r\n\r\n', 400],
      [get(`X: ${'y'.repeat(17_000)}\r\n`), 431],
      [`GET / HTTP/1.1\r\n${host}`, 408],
      [`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, 400],
    ] as const) {
      const { answers } = await hearFrom(lplate, bytes);
      assert.deepEqual(
        answers.map((answer) => [answer.status, answer.headers.get('x-content-type-options')]),
        [[status, 'nosniff']],
      );
    }
  });
});
