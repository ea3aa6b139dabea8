import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { parse } from 'yaml';
import { onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, startWithClient } from '../../support/lplate.ts';
import { startTcpRelay } from '../../support/tcp-relay.ts';

interface Got {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** Calls by any Host, which fetch does not let one choose. */
function by(lplate: LPlate, headers: Record<string, string>, path: string, body?: string): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const { port } = new URL(lplate.url);
  const options = { host: '127.0.0.1', port, path, method: body === undefined ? 'GET' : 'POST', headers };
  const call = request(options, async (answer) => {
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece);
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(pieces).toString() });
  });
  call.on('error', reject).end(body);
  return promise;
}

const json = { 'Content-Type': 'application/json' };
const metadata = '/.well-known/oauth-authorization-server';

/** Texts that must name the address by which they were asked for, and no other. */
const published = [
  '/',
  '/problems',
  '/problems/duplicate-policy',
  '/insurer/v1/openapi.yaml',
  '/insurer/v1/openapi.json',
  '/insurer/v0/openapi.yaml',
  '/vehicle-registry/v1',
  '/vehicle-registry/v1?wsdl',
  '/vehicle-registry/v2/openapi.yaml',
  '/claims/v1/openapi.yaml',
  '/claims/v1/asyncapi.yaml',
  '/claims/v1/asyncapi.json',
  '/range/v1/openapi.yaml',
  metadata,
];

onSqlite((engine) => {
  describe('Addresses by request', () => {
    test('Decisions, addresses by request: descriptions, metadata and pages name the address by which they were asked for', async (t) => {
      const lplate = await startLPlate(t, engine);
      const { port } = new URL(lplate.url);
      const hosts = [
        `lplate.test:${port}`,
        `127.0.0.1:${port}`,
        `[::1]:${port}`,
        'class-1.example',
        `LPLATE.test:${port}`,
      ];
      for (const host of hosts) {
        for (const path of published) {
          const { status, text, headers } = await by(lplate, { Host: host }, path);
          assert.equal(status, 200, path);
          const others = new RegExp(`http://(?!${RegExp.escape(host.toLowerCase())})[^/"'\\s]*:${port}`);
          // Of these names only one in brackets could mean something in YAML.
          if (path.endsWith('.yaml') && host.startsWith('[')) parse(text);
          assert.doesNotMatch(text, others, `${path} by ${host}`);
          assert.match(String(headers.vary), /\bHost\b/, path);
        }
        const { text } = await by(lplate, { Host: host }, '/claims/v1/asyncapi.json');
        const [server] = Object.values(JSON.parse(text).servers) as { host: string; protocol: string }[];
        assert.deepEqual([server?.host, server?.protocol], [host.toLowerCase(), 'http']);
      }
    });

    test('Decisions, addresses by request: the issuer of the metadata is the address it was asked by, and the token’s is, too', async (t) => {
      const {
        lplate,
        client: { id, secret },
      } = await startWithClient(t, engine);
      const credentials = JSON.stringify({ client_id: id, client_secret: secret });
      const tokens = [];
      for (const host of ['one.example', 'two.example:8443', '10.1.2.3:8080']) {
        const found = JSON.parse((await by(lplate, { Host: host }, metadata)).text);
        assert.equal(found.issuer, `http://${host}`);
        assert.equal(new URL(found.token_endpoint).origin, found.issuer);
        assert.equal(new URL(found.jwks_uri).origin, found.issuer);
        const { text } = await by(lplate, { Host: host, ...json }, new URL(found.token_endpoint).pathname, credentials);
        const token = JSON.parse(text).access_token;
        assert.deepEqual([decodeJwt(token).iss, decodeJwt(token).aud], [found.issuer, 'http://lplate.example']);
        tokens.push(token);
      }
      for (const token of tokens) {
        for (const host of ['one.example', 'three.example']) {
          const { status } = await by(lplate, { Host: host, Authorization: `Bearer ${token}` }, '/insurer/v1/policies');
          assert.equal(status, 200);
        }
      }
    });

    test('Decisions, addresses by request: behind a mapped port, the whole way from the metadata to the next page leads by that port', async (t) => {
      const lplate = await startLPlate(t, engine);
      const relay = await startTcpRelay(t, { host: '127.0.0.1', port: Number(new URL(lplate.url).port) });
      const mapped = `http://127.0.0.1:${relay.port}`;
      const found = JSON.parse(await (await fetch(`${mapped}${metadata}`)).text());
      assert.equal(found.issuer, mapped);
      const { id, secret } = await lplate.client();
      const credentials = JSON.stringify({ client_id: id, client_secret: secret });
      const answer = await fetch(found.token_endpoint, { method: 'POST', headers: json, body: credentials });
      const { access_token: token } = JSON.parse(await answer.text());
      const headers = { ...json, Authorization: `Bearer ${token}` };
      const policies = `${mapped}/insurer/v1/policies`;
      for (const regNumber of ['AD-1001', 'AD-1002']) {
        const made = await fetch(policies, { method: 'POST', headers, body: JSON.stringify({ regNumber }) });
        const location = made.headers.get('location') ?? '';
        assert.equal((await fetch(location, { headers })).status, 200);
        assert.ok(location.startsWith(policies));
      }
      const page = await fetch(`${policies}?pageSize=1`, { headers });
      const [, next = ''] = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? [];
      assert.ok(next.startsWith(policies));
      assert.equal(JSON.parse(await (await fetch(next, { headers })).text()).page, 2);
    });

    test('Decisions, addresses by request: Location, Link, problem types, HAR and curl follow it', async (t) => {
      const { lplate, token } = await startWithClient(t, engine);
      const headers = { Host: 'class.example:8443', Authorization: `Bearer ${token}` };
      const created = await by(lplate, { ...headers, ...json }, '/insurer/v1/policies', '{"regNumber":"AD-1001"}');
      assert.match(String(created.headers.location), /^http:\/\/class\.example:8443\/insurer\/v1\/policies\/pol-/);
      const list = await by(lplate, headers, '/insurer/v1/policies');
      assert.match(String(list.headers.link), /^<http:\/\/class\.example:8443\/insurer\/v1\/policies\?/);
      const refused = await by(lplate, { ...headers, ...json }, '/insurer/v1/policies', '{"regNumber":"AD-1001"}');
      assert.equal(JSON.parse(refused.text).type, 'http://class.example:8443/problems/duplicate-policy');
      const exchange = `/range/v1/me/exchanges/${refused.headers['x-request-id']}`;
      assert.match(
        (await by(lplate, headers, `${exchange}/curl`)).text,
        /'http:\/\/class\.example:8443\/insurer\/v1\/policies'/,
      );
      const har = JSON.parse((await by(lplate, headers, `${exchange}/har`)).text);
      assert.equal(har.log.entries[0].request.url, 'http://class.example:8443/insurer/v1/policies');
    });

    test('Decisions, addresses by request: of several forwarded schemes the last counts, in any case', async (t) => {
      const lplate = await startLPlate(t, engine, { trustProxy: 1 });
      const ofHttps = ['HTTPS', 'Https', 'http,https', 'http, HTTPS', 'http,\thttps ', 'javascript, https'];
      const ofHttp = ['HTTP', 'https,http', 'HTTPS, HTTP', 'https,', 'https://', 'httpss', 'javascript', 'https;http'];
      for (const [scheme, sent] of [
        ...ofHttps.map((each) => ['https', each]),
        ...ofHttp.map((each) => ['http', each]),
      ]) {
        const headers = { Host: 'class.example', 'X-Forwarded-Proto': sent as string };
        const { text } = await by(lplate, headers, metadata);
        assert.equal(JSON.parse(text).issuer, `${scheme}://class.example`, `${sent}`);
      }
    });

    test('Decisions, addresses by request: in a whole URL the target names the host, whatever Host says', async (t) => {
      const lplate = await startLPlate(t, engine);
      for (const host of ['one.example', 'two.example:8443', '[::1]:8080']) {
        for (const other of ['other.example', 'user@other.example']) {
          const found = JSON.parse((await by(lplate, { Host: other }, `http://${host}${metadata}`)).text);
          assert.equal(found.issuer, `http://${host}`);
          const refused = await by(lplate, { Host: other }, `http://${host}/insurer/v1/nowhere`);
          assert.equal(JSON.parse(refused.text).type, `http://${host}/problems/not-found`);
        }
      }
    });

    test('Decisions, addresses by request: a Host that is no host with an optional port is malformed-request, and is in no answer', async (t) => {
      const lplate = await startLPlate(t, engine);
      const hostile = [
        'evil.example/x',
        'a"><script>',
        'user@evil.example',
        'evil.example:99999999',
        'a b',
        'évil.example',
      ];
      hostile.push(
        'evil.example?x',
        'evil.example#x',
        'evil.example\\x',
        'localhost:65536',
        'localhost:-1',
        'localhost:+80',
      );
      hostile.push(
        'localhost:0x50',
        'localhost:8o',
        'evil.example:80:80',
        ':80',
        '::1',
        '[::1',
        '::1]',
        '[::1]x',
        '[]',
        '[evil]',
      );
      hostile.push(
        '[127.0.0.1]',
        '[fe80::1%25eth0]',
        '[::1%eth0]',
        '[v.x]',
        '%zz',
        '%',
        '<evil>',
        'evil|x',
        'evil^x',
        '{evil}',
      );
      const pages = [metadata, '/problems', '/healthz', '/claims/v1/asyncapi.yaml', '/insurer/v1/nowhere', '/nowhere'];
      for (const host of hostile) {
        for (const path of pages) {
          const { status, text } = await by(lplate, { Host: Buffer.from(host).toString('latin1') }, path);
          assert.match(text, /\/problems\/malformed-request"/, `${status} for ${host}`);
          assert.doesNotMatch(text, /vil|script/, `${path}: ${host}`);
        }
      }
      // What no link can be made of, since it is unusual, changes nothing.
      const unusual = ['-', 'a!b', 'a%20b', '999.999.999.999', '[v1.x:y]', 'x'.repeat(300)];
      const others = [
        'localhost:',
        'localhost:0',
        'localhost:65535',
        'localhost:00080',
        '[::ffff:127.0.0.1]',
        'under_score.',
        '1',
      ];
      for (const host of [...unusual, ...others]) {
        for (const path of pages.slice(0, 4)) {
          const { status, text } = await by(lplate, { Host: host }, path);
          assert.equal(status, 200, `${path}: ${host}`);
          if (unusual.includes(host) && path === metadata)
            assert.equal(JSON.parse(text).issuer, lplate.config.publicUrl);
        }
      }
      // What one caller was told by its Host is not told to the next.
      await by(lplate, { Host: 'evil.example' }, '/insurer/v1/openapi.yaml');
      const { text } = await by(lplate, { Host: new URL(lplate.url).host }, '/insurer/v1/openapi.yaml');
      assert.ok(!text.includes('evil.example'));
    });

    test('Decisions, addresses by request: the forwarded host and scheme count only behind TRUST_PROXY', async (t) => {
      const forwarded = { Host: 'inside:8080', 'X-Forwarded-Host': 'class.example', 'X-Forwarded-Proto': 'https' };
      for (const [trustProxy, issuer] of [
        [false, 'http://inside:8080'],
        [1, 'https://class.example'],
      ] as const) {
        const lplate = await startLPlate(t, engine, { trustProxy });
        assert.equal(JSON.parse((await by(lplate, forwarded, metadata)).text).issuer, issuer);
        const { text } = await by(lplate, forwarded, '/claims/v1/asyncapi.yaml');
        const [server] = Object.values(parse(text).servers) as { host: string; protocol: string }[];
        assert.deepEqual([`${server?.protocol}://${server?.host}`], [issuer]);
      }
    });

    test('Decisions, addresses by request: with PUBLIC_URL every answer has that, whatever the Host; a token of before is taken', async (t) => {
      const before = await startLPlate(engine);
      const { id, secret, token } = await before.client();
      assert.equal(
        (await by(before, { Host: 'x.example', Authorization: `Bearer ${token}` }, '/insurer/v1/policies')).status,
        200,
      );
      await before.close();
      const lplate = await startLPlate(t, engine, {
        publicUrl: 'https://insurer.example',
        dataDir: before.config.dataDir,
      });
      const headers = { Host: 'x.example', Authorization: `Bearer ${token}` };
      assert.equal((await by(lplate, headers, '/insurer/v1/policies')).status, 200);
      assert.equal(JSON.parse((await by(lplate, headers, metadata)).text).issuer, 'https://insurer.example');
      const credentials = JSON.stringify({ client_id: id, client_secret: secret });
      const { text } = await by(lplate, { ...headers, ...json }, '/insurer/v1/auth/token', credentials);
      assert.equal(decodeJwt(JSON.parse(text).access_token).iss, 'https://insurer.example');
    });
  });
});
