import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { onSqlite } from '../../support/engines.ts';
import { send } from '../../support/http1.ts';
import { startServed } from '../../support/served.ts';

onSqlite((engine) => {
  test('Decisions, methods: every path that is served says to OPTIONS which methods it takes, and answers the others with 405', async (t) => {
    const { lplate, routes } = await startServed(t, engine, { rateLimitPerMinute: 'off', probeLimitPerMinute: 'off' });
    const served = new Map([...routes].map(([path, methods]) => [path.replace(/:\w+/g, 'none'), methods]));
    const beside = ['/', '/docs', '/docs/scalar.js', '/problems', '/problems/none', '/kits', '/kits/none'];
    beside.push('/kits/own/none', '/guides/none.md', '/guides/images/none.webp', '/assets/none');
    beside.push('/healthz', '/readyz', '/metrics', '/.well-known/jwks.json', '/.well-known/oauth-authorization-server');
    beside.push(
      '/insurer/v0/openapi.yaml',
      '/insurer/v1/openapi.yaml',
      '/claims/v1/asyncapi.json',
      '/vehicle-registry/v1',
    );
    for (const path of beside) assert(served.has(path), `${path} is served: ${[...served.keys()]}`);
    for (const [path, taken] of served) {
      const allow = taken.toSorted().join(', ');
      const others = METHODS.filter((method) => method !== 'CONNECT' && !taken.includes(method));
      for (const method of others) {
        for (const each of [path, `${path}${path.endsWith('/') ? '' : '/'}?x`]) {
          const { status, headers } = await send(lplate.url + each, { method, headers: {}, body: undefined });
          const wanted = method === 'OPTIONS' ? 204 : 405;
          assert.deepEqual([status, headers.get('allow')], [wanted, allow], `${method} ${each}`);
        }
      }
    }
  });
});
