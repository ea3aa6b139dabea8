import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get as getting, hearFrom, host } from '../../bad-input/socket.ts';
import { onSqlite } from '../../support/engines.ts';
import { startLPlate, testSecrets } from '../../support/lplate.ts';
import { startServed } from '../../support/served.ts';
import { insure } from '../../support/topic.ts';

onSqlite((engine) => {
  test('Decisions, REST conventions: every answer says whether it may be kept, and what is not to be asked for whole again has a tag', async (t) => {
    const { lplate, routes } = await startServed(t, engine, { rateLimitPerMinute: 100_000 });
    const { id, token } = await lplate.client();
    const policyId = await insure(lplate, token, 'CC-1001');
    const claim = await lplate.call('POST', '/claims/v1/claims', { token, json: { policyNumber: policyId } });
    const names: Record<string, string> = { policyId, client_id: id, clientId: id, reg_number: 'AB-1234' };
    names.claimId = claim.json.claimId;
    const home = await (await fetch(lplate.url)).text();
    const paths = [...routes].flatMap(([path, methods]) => {
      const target = path.replace(/:(\w+)/g, (_, name) => names[name] ?? 'none');
      return methods.map((method) => [method, target] as const);
    });
    for (const [, asset = ''] of home.matchAll(/="(\/assets\/[^"]+)"/g)) paths.push(['GET', asset]);
    paths.push(['GET', '/problems/not-found'], ['GET', '/kits/l-plate.hurl'], ['GET', '/kits/l-plate-bruno.zip']);
    paths.push(['GET', '/vehicle-registry/v1?wsdl'], ['GET', '/guides/tutorial.md'], ['GET', '/guides/none.md']);
    paths.push(
      ['GET', '/nowhere'],
      ['PUT', '/kits'],
      ['PUT', '/vehicle-registry/v1'],
      ['OPTIONS', '/insurer/v1/policies'],
    );
    const found = new Map<string, number>();
    const ask = async (method: string, path: string, headers: Record<string, string>) => {
      const over = new AbortController();
      const answer = await fetch(lplate.url + path, { method, headers, signal: over.signal });
      over.abort();
      const control = answer.headers.get('cache-control') ?? 'nothing';
      found.set(control, (found.get(control) ?? 0) + 1);
      return { status: answer.status, control, tag: answer.headers.get('etag') };
    };
    // What removes or changes comes last.
    const order = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'];
    for (const [method, path] of paths.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))) {
      const bearer = path.startsWith('/range/v1/trainer') ? testSecrets.trainerToken : token;
      for (const more of [
        {},
        { Authorization: `Bearer ${bearer}` },
        { Authorization: `Bearer ${bearer}`, Accept: 'text/event-stream' },
      ]) {
        const { status, control, tag } = await ask(method, path, more);
        const what = `${method} ${path}: ${status} ${control} ${tag}`;
        const reads = method === 'GET' || method === 'HEAD';
        if (reads && tag !== null) {
          assert.equal(control, 'no-cache', what);
          const again = await ask(method, path, { ...more, 'If-None-Match': tag });
          assert.deepEqual(again, { status: 304, control, tag }, what);
        } else if (reads && status === 200)
          assert.match(control, /^(?:no-store(?:, no-transform)?|public, max-age=\d+(?:, immutable)?)$/, what);
        else assert.equal(control, 'no-store', what);
      }
    }
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' };
    assert.equal((await ask('OPTIONS', '/insurer/v1/policies', preflight)).control, 'no-store');
    for (const [kind, least] of [
      ['no-store', 100],
      ['no-store, no-transform', 3],
      ['no-cache', 50],
      ['public, max-age=31536000, immutable', 3],
    ] as const)
      assert((found.get(kind) ?? 0) >= least, `${kind} in ${JSON.stringify([...found])}`);
  });

  test('Decisions, REST conventions: so do answers to what never becomes a request', async (t) => {
    const lplate = await startLPlate(t, engine, { requestTimeoutSeconds: 1 });
    for (const bytes of [
      'hello\r\n\r\n',
      getting(`X: ${'y'.repeat(17_000)}\r\n`),
      `GET / HTTP/1.1\r\n${host}`,
      `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
    ]) {
      const { answers } = await hearFrom(lplate, bytes);
      assert.deepEqual(
        answers.map(({ headers }) => headers.get('cache-control')),
        ['no-store'],
        bytes.slice(0, 20),
      );
    }
  });
});
