import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { onSqlite } from '../support/engines.ts';
import { send } from '../support/http1.ts';
import { startLPlate } from '../support/lplate.ts';

/** The paths of all routes, with a value in the place of each parameter, and the methods that they take. */
function servedBy(server: FastifyInstance): Map<string, string[]> {
  const served = new Map<string, string[]>();
  const above: string[] = [];
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', name = '', methods] = /^([│├└─\s]*)(\S.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    above.length = Math.max(indent.length / 4 - 1, 0);
    above.push(name);
    const path = above.join('').replace(/:\w+/g, 'none');
    if (methods) served.set(path, [...(served.get(path) ?? []), ...methods.split(', ')]);
  }
  return served;
}

onSqlite((engine) => {
  test('Decisions, methods: every path that is served says to OPTIONS which methods it takes, and answers the others with 405', async (t) => {
    const servers: FastifyInstance[] = [];
    const register = async (server: FastifyInstance) => void servers.push(server);
    const extraSystems = () => [{ name: 'none', problems: {}, addresses: [], documents: [], register }];
    const settings = { rateLimitPerMinute: 'off', probeLimitPerMinute: 'off' } as const;
    const lplate = await startLPlate(t, engine, settings, undefined, { extraSystems });
    const served = servedBy(servers[0] as FastifyInstance);
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
