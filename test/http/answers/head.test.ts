import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bases, description } from '../../support/description.ts';
import { onSqlite } from '../../support/engines.ts';
import { startWithClient, testSecrets } from '../../support/lplate.ts';

onSqlite((engine) => {
  test('Decisions, REST conventions: HEAD tells the length that GET sends, or none', async (t) => {
    const {
      lplate,
      client: { id, token },
    } = await startWithClient(t, engine);
    const { json } = await lplate.call('POST', '/policies', { token, json: { regNumber: 'HE-1001' } });
    const ids: Record<string, string> = { policyId: json.id, client_id: id, clientId: id, regNumber: 'HE-1001' };
    const paths = ['/', '/docs', '/docs/scalar.js', '/problems', '/problems/not-found', '/kits', '/kits/l-plate.hurl'];
    paths.push('/healthz', '/readyz', '/vehicle-registry/v1', '/vehicle-registry/v1?wsdl', '/.well-known/jwks.json');
    for (const base of bases) {
      const { paths: described } = await description(base);
      const read = Object.keys(described).filter((path) => 'get' in described[path]);
      paths.push(...read.map((path) => base + path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'none')));
    }
    const found: string[] = [];
    for (const path of paths) {
      const bearer = path.includes('/trainer/') ? testSecrets.trainerToken : token;
      for (const Accept of ['*/*', 'text/event-stream', 'text/csv']) {
        const headers = { Accept, Authorization: `Bearer ${bearer}`, 'Accept-Encoding': 'identity' };
        const answer = await fetch(lplate.url + path, { method: 'HEAD', headers });
        const length = answer.headers.get('content-length');
        assert.notEqual(length, '0', `${path} as ${Accept}`);
        if (answer.status !== 200) continue;
        found.push(`${path} ${answer.headers.get('content-type')}`);
        if (length === null || Accept !== '*/*') continue;
        const sent = Buffer.byteLength(await (await fetch(lplate.url + path, { headers })).text());
        // Some tell of the calls until now.
        assert(Math.abs(Number(length) - sent) < sent / 2 + 2, `${path}: ${length}, but GET sends ${sent}`);
      }
    }
    for (const each of ['/claims/v1/topics/claims.status-changed', '/range/v1/me/exchanges', '/range/v1/me/lessons']) {
      assert(found.includes(`${each} text/event-stream`), each);
    }
    for (const each of ['/me/exchanges.har application/json', '/trainer/export.csv text/csv; charset=utf-8']) {
      assert(found.includes(`/range/v1${each}`), `${each} in ${found.join('\n')}`);
    }
  });
});
