import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { forEachEngineInFull, onSqlite } from '../support/engines.ts';
import { sharedLPlate, startLPlate } from '../support/lplate.ts';
import { problems } from '../support/problems.ts';
import { assertWellFormed } from '../support/well-formed.ts';

const curl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;
if (!curl) console.error('\n*** NO CURL OR NO BASH: the quick start of the front page is not run ***\n');

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${lplate.url}${path}`, { headers });
  const page = async (path: string) => (await get(path)).text();

  describe('Pages for people', () => {
    test('Decisions, addresses: every page is well-formed HTML, complete, and in need of nothing from elsewhere', async () => {
      const explained = Object.keys(problems).map((name) => `/problems/${name}`);
      for (const path of ['/', '/problems', '/docs', '/vehicle-registry/v1', ...explained]) {
        const response = await get(path);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
        const text = await response.text();
        assertWellFormed(text, path);
        assert.match(text, /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/);
        assert.match(text, /<title>[^<]+<\/title>/);
        for (const [, target] of text.matchAll(/(?:src|href|action|data)="([^"]*)"/g)) {
          const inside = /^\/(?!\/)|^data:|^#main$/.test(target ?? '');
          const own = target?.startsWith(`${lplate.config.publicUrl}/`) && path === '/';
          assert(inside || own, `${path} refers to ${target}`);
        }
        assert.doesNotMatch(text, /@import|url\(/);
      }
    });

    test('Decisions, addresses: a policy in the headers holds each page to that', async () => {
      const plain = (await get('/problems')).headers.get('content-security-policy') ?? '';
      const common = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
      const trusted = "require-trusted-types-for 'script'";
      const own = "default-src 'none'; script-src 'self'; style-src 'self'";
      assert.equal(plain, `${own}; connect-src 'self'; img-src data:; ${trusted}; ${common}`);
      const console = (await get('/')).headers.get('content-security-policy');
      assert.equal(console, `${own}; connect-src 'self'; img-src 'self' data: blob:; ${trusted}; ${common}`);
      assert.match(await page('/problems'), /<main [^>]*>[\s\S]*<h1>[\s\S]*<\/main>/);
    });

    test('Decisions, addresses: every page has one main element, or within noscript its role, is in no frame, and no browser guesses its type', async () => {
      const explained = Object.keys(problems).map((name) => `/problems/${name}`);
      for (const path of ['/', '/docs', '/problems', '/vehicle-registry/v1', ...explained]) {
        const { headers, text } = await get(path).then(async (answer) => ({
          headers: answer.headers,
          text: await answer.text(),
        }));
        assert.match(headers.get('content-security-policy') ?? '', /; frame-ancestors 'none'$/, path);
        assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
        assert.equal(text.match(/<main[ >]| role="main"/g)?.length, 1, path);
        assert.doesNotMatch(text, /<noscript>(?:(?!<\/noscript>)[\s\S])*<main/, path);
      }
    });

    test('Decisions, addresses: what is put into a page is escaped', async () => {
      const text = await page('/problems/duplicate-policy');
      assert(text.includes('{&#34;regNumber&#34;:&#34;DU-4090&#34;}'));
      assert(text.includes('\\([^&#34;]*\\)'));
    });

    test('Decisions, addresses: the front page lists every address, and those that are pages answer', async () => {
      const text = await page('/');
      for (const path of ['/insurer/v1', '/claims/v1', '/claims/v1/topics/claims.status-changed', '/range/v1']) {
        assert(text.includes(`<td><code>${lplate.config.publicUrl}${path}</code>`), path);
      }
      const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, target]) => target as string);
      const urls = links.filter((target) => !/^(?:data:|#)/.test(target)).map((target) => new URL(target, lplate.url));
      const paths = urls.map(({ pathname, search }) => pathname + search);
      for (const path of [
        ...['/insurer/v1/openapi.yaml', '/insurer/v0/openapi.yaml', '/.well-known/jwks.json', '/problems', '/docs'],
        ...['/.well-known/oauth-authorization-server', '/healthz', '/readyz', '/metrics'],
        ...['/vehicle-registry/v1', '/vehicle-registry/v1?wsdl', '/vehicle-registry/v2/openapi.yaml'],
        ...['/vehicle-registry/v2/vehicles/AB-1234', '/claims/v1/openapi.yaml', '/claims/v1/asyncapi.yaml'],
      ]) {
        assert(paths.includes(path), path);
      }
      for (const path of paths) assert.equal((await get(path)).status, 200, path);
    });

    test('Decisions, addresses: the quick start of the front page, copied and run, creates a policy; run again it is refused', {
      skip: !curl,
    }, async () => {
      const [, escaped] = /<pre id="quick-start"[^>]*>([\s\S]*?)<\/pre>/.exec(await page('/')) ?? [];
      const lines = (escaped ?? '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
      assert.doesNotMatch(lines, /^\s*#/m);
      const directory = await mkdtemp(join(tmpdir(), 'l-plate-quick-start-'));
      try {
        const again = lines.slice(lines.lastIndexOf('curl'));
        const env = { ...process.env, no_proxy: '*' };
        const shell = await promisify(execFile)('bash', ['-c', `${lines}\n${again}`], { cwd: directory, env });
        const output = shell.stdout;
        assert.deepEqual(output.match(/HTTP\/1\.1 .*(?=\r)/g), ['HTTP/1.1 201 Created', 'HTTP/1.1 409 Conflict']);
        assert.match(output, /\/problems\/duplicate-policy"/);
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  });

  describe('The reference at /docs', () => {
    const configuration = async () => {
      const [, escaped] = /data-configuration="([^"]*)"/.exec(await page('/docs')) ?? [];
      return JSON.parse((escaped ?? '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))));
    };

    test('Versioning: it shows the description of every interface and of the topic, the insurer’s first', async () => {
      const { sources } = await configuration();
      assert.deepEqual(
        sources.map(({ url, default: first }: { url: string; default: boolean }) => [url, first]),
        [
          ['/insurer/v1/openapi.yaml', true],
          ['/insurer/v0/openapi.yaml', false],
          ['/claims/v1/openapi.yaml', false],
          ['/claims/v1/asyncapi.yaml', false],
          ['/vehicle-registry/v2/openapi.yaml', false],
          ['/range/v1/openapi.yaml', false],
        ],
      );
      for (const { url } of sources) {
        const { openapi, asyncapi } = parse(await page(url));
        assert.match(openapi ?? asyncapi, /^3\./);
      }
    });

    test('Decisions, addresses: it works without internet: its scripts are served from here, and nothing else may be asked', async () => {
      const response = await get('/docs');
      const scripts = [...(await response.text()).matchAll(/<script[^>]* (?:data-)?src="[^>]*>/g)].map(([tag]) =>
        [...tag.matchAll(/src="([^"]*)"/g)].map(([, source]) => source),
      );
      assert.match(scripts[0]?.join() ?? '', /^\/assets\/theme-\w+\.js$/);
      assert.match(scripts[1]?.join() ?? '', /^\/assets\/served-\w+\.js$/);
      assert.match(scripts[2]?.join() ?? '', /^\/assets\/documents-\w+\.js,\/docs\/scalar\.js$/);
      assert.equal(scripts.length, 3);
      const policy = response.headers.get('content-security-policy')?.split('; ') ?? [];
      assert.deepEqual(policy, [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        'font-src data:',
        `connect-src 'self' ${lplate.config.publicUrl}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      const { proxyUrl, telemetry, withDefaultFonts } = await configuration();
      assert.deepEqual(
        { proxyUrl, telemetry, withDefaultFonts },
        { proxyUrl: '', telemetry: false, withDefaultFonts: false },
      );
    });

    test('Decisions, addresses: the script comes packed to who can unpack it, and once to who keeps it', async () => {
      const packed = await fetchBytes(`${lplate.url}/docs/scalar.js`, { 'Accept-Encoding': 'br, gzip' });
      const plain = await fetchBytes(`${lplate.url}/docs/scalar.js`, {});
      assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(packed.headers['content-encoding'], 'gzip');
      assert(gunzipSync(packed.body).equals(plain.body));
      assert.match(plain.body.toString('utf8'), /createApiReference/);
      const again = await fetchBytes(`${lplate.url}/docs/scalar.js`, { 'If-None-Match': String(plain.headers.etag) });
      assert.deepEqual([again.status, again.body.length], [304, 0]);
    });

    test('Decisions, addresses: an unusual Host header does not break it', async () => {
      for (const Host of ['', '-', "a'b", 'a%20b', '[v1.x]']) {
        assert.equal((await fetchBytes(`${lplate.url}/docs`, { Host })).status, 200);
      }
    });
  });
});

forEachEngineInFull((engine) => {
  test('Decisions, addresses: /healthz says that it is alive, /readyz that the database answers', async () => {
    const lplate = await startLPlate(engine);
    try {
      for (const [path, expected] of [
        ['/healthz', { status: 'ok' }],
        ['/readyz', { status: 'ready' }],
      ] as const) {
        const response = await fetch(`${lplate.url}${path}`);
        assert.equal(response.status, 200);
        assert.deepEqual(await response.json(), expected);
        assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      }
    } finally {
      await lplate.close();
    }
  });

  test('Decisions, addresses: /metrics is computed once a second at the most, however many ask', async (t) => {
    const lplate = await startLPlate(t, engine);
    const ask = async () => (await fetch(`${lplate.url}/metrics`)).text();
    const texts = await Promise.all(Array.from({ length: 20 }, ask));
    assert.equal(new Set(texts).size, 1);
    lplate.clock.advance(999);
    assert.equal(await ask(), texts[0]);
    lplate.clock.advance(1);
    assert.match(await ask(), /_count\{method="GET",route="\/metrics",status="200"\} 21\n/);
  });

  test('Decisions, addresses: /metrics counts requests by method, route and status, and tells how the program does', async () => {
    const lplate = await startLPlate(engine);
    try {
      const { token } = await lplate.client();
      for (const id of ['pol-1', 'pol-2', 'pol-3']) await lplate.call('GET', `/policies/${id}`, { token });
      await lplate.call('GET', '/no/such/path');
      const response = await fetch(`${lplate.url}/metrics`);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      const text = await response.text();
      const labels = 'method="GET",route="/insurer/v1/policies/:policyId",status="404"';
      assert(text.includes(`lplate_http_request_duration_seconds_count{${labels}} 3\n`), text);
      assert.match(text, /lplate_http_request_duration_seconds_bucket\{le="0\.005",method="POST"/);
      assert.match(text, /^nodejs_eventloop_lag_seconds /m);
      // No path, id or token: what anybody may send must not become a label.
      for (const secret of ['pol-1', '/no/such', token]) assert(!text.includes(secret));
      if (engine.name === 'sqlite') assert.match(text, /^lplate_database_group_size_count [1-9]/m);
      for (const line of text.split('\n').filter((line) => line !== ''))
        assert.match(line, /^(# (HELP|TYPE) .+|[a-z_0-9]+(\{.*\})? \S+)$/);
    } finally {
      await lplate.close();
    }
  });
});

/** Without what fetch does on its own: it asks for packed answers, unpacks them, and sets the Host header. */
function fetchBytes(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const sending = request(url, { headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
      sending.on('error', reject).end();
    },
  );
}
