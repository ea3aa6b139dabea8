import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate, startLPlate } from '../support/lplate.ts';

interface Sent {
  readonly status: number | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  /** Without what fetch does by itself: it asks for packed answers, and unpacks them. */
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Sent>((resolve, reject) => {
      const sending = request(`${lplate.url}${path}`, { method, headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
      sending.on('error', reject).end();
    });

  /** Every file that a page names. */
  async function named(path: string): Promise<string[]> {
    const text = String((await ask(path)).body);
    return [...text.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]*)"/g)].map(([, file]) => file as string);
  }

  const pages = ['/', '/problems', '/problems/not-found', '/docs', '/vehicle-registry/v1'];

  describe('The style and the scripts of pages', () => {
    test('Decisions, console: each has a hash in its name, and who has it never asks for it again', async () => {
      for (const page of pages) {
        const files = await named(page);
        assert.ok(files.length >= (page === '/' ? 3 : 2), page);
        for (const file of files) {
          assert.match(file, /^\/assets\/[a-z]+-[A-Z0-9]{8}\.(?:css|js)$/);
          const { status, headers } = await ask(file);
          assert.equal(status, 200);
          assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
          assert.equal(headers['x-content-type-options'], 'nosniff');
          const type = file.endsWith('.css') ? 'text/css' : 'text/javascript';
          assert.equal(headers['content-type'], `${type}; charset=utf-8`);
        }
      }
      const { headers } = await ask('/');
      assert.equal(headers['cache-control'], 'no-cache');
    });

    test('Decisions, console: the page names all that its script imports at once, so that nothing waits for another thing', async () => {
      const files = await named('/');
      const imports = new Set<string>();
      for (const file of files.filter((each) => each.endsWith('.js'))) {
        const text = String((await ask(file)).body);
        for (const [, name] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) imports.add(`/assets/${name}`);
      }
      assert.ok(imports.size > 0);
      assert.deepEqual(
        [...imports].filter((file) => !files.includes(file)),
        [],
      );
      const [first, ...more] = files.filter((file) => /theme|console/.test(file));
      assert.equal(more.length, 1, String(first));
      assert.equal(files.length, imports.size + 3);
    });

    test('Decisions, console: what a script loads later is there, too', async () => {
      const script = (await named('/')).find((file) => file.includes('/console-')) ?? '';
      const text = String((await ask(script)).body);
      const later = [...text.matchAll(/["'](\.\/[\w-]+\.js)["']/g)].map(
        ([, name]) => new URL(name as string, lplate.url),
      );
      assert.ok(later.length > 5);
      for (const { pathname } of later) assert.equal((await ask(`/assets${pathname}`)).status, 200, pathname);
    });

    test('Decisions, console: each is sent as the client likes it best: Brotli, gzip or as it is', async () => {
      for (const file of await named('/')) {
        const plain = await ask(file);
        assert.equal(plain.headers['content-encoding'], undefined);
        for (const [accepted, coding, unpack] of [
          ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
          ['gzip', 'gzip', gunzipSync],
          ['br;q=0.1, gzip', 'gzip', gunzipSync],
          ['identity', undefined, Buffer.from],
          ['*;q=0', undefined, Buffer.from],
        ] as const) {
          const { headers, body } = await ask(file, { 'Accept-Encoding': accepted });
          assert.equal(headers['content-encoding'], coding, accepted);
          assert.equal(headers.vary, 'Accept-Encoding');
          assert.equal(headers['content-length'], String(body.length));
          assert.ok((unpack as (bytes: Buffer) => Buffer)(body).equals(plain.body), accepted);
        }
      }
    });

    test('Decisions, console: HEAD answers like GET, without the content', async () => {
      const [file = ''] = await named('/');
      const headers = { 'Accept-Encoding': 'br' };
      const got = await ask(file, headers);
      const head = await ask(file, headers, 'HEAD');
      for (const name of ['content-type', 'content-length', 'content-encoding', 'cache-control', 'vary'])
        assert.equal(head.headers[name], got.headers[name], name);
      assert.deepEqual([head.status, head.body.length], [200, 0]);
    });

    test('Decisions, console: every other name is 404, also that of a file which lies beside them', async () => {
      const [file = ''] = await named('/');
      for (const name of [
        'console-AAAAAAAA.js',
        'manifest.json',
        '..%2f..%2fpackage.json',
        '%2e%2e/build.js',
        'constructor',
        `${file.slice('/assets/'.length)}.br`,
      ]) {
        const { status, body } = await ask(`/assets/${name}`);
        assert.equal(status, 404, name);
        assert.match(JSON.parse(String(body)).type, /\/problems\/not-found$/);
      }
      assert.match(String((await ask('/assets/console-AAAAAAAA.js')).body), /Load the page \/ again/);
    });

    test('Decisions, the personal prefix: under it a page names its files with it, and they are there', async () => {
      const { id } = await lplate.client();
      for (const page of pages) {
        const files = await named(`/for/${id}${page}`);
        assert.ok(files.length >= 2, page);
        for (const file of files) {
          assert.ok(file.startsWith(`/for/${id}/assets/`), file);
          assert.equal((await ask(file)).status, 200);
        }
      }
      const { body } = await ask(`/for/${id}/assets/console-AAAAAAAA.js`);
      assert.ok(String(body).includes(`Load the page /for/${id}/ again`));
    });
  });

  describe('The console at /', () => {
    test('Decisions, console: who has no JavaScript gets the addresses, and is led to no page that would stay empty', async () => {
      const text = String((await ask('/')).body);
      const [, without = ''] = /<noscript>([\s\S]*)<\/noscript>/.exec(text) ?? [];
      assert.match(without, /<pre id="quick-start"/);
      assert.doesNotMatch(without, /href="\/#/);
      assert.match(without, /<a [^>]*href="\/problems"><span class="name">Problems</);
    });

    test('Decisions, console: with RANGE=off the plain page is at /, and no page leads to the console', async (t) => {
      const off = await startLPlate(t, engine, { range: 'off' });
      const root = await fetch(`${off.url}/`);
      const text = await root.text();
      assert.doesNotMatch(text, /noscript|id="console"|type="module"/);
      assert.match(text, /<main [^>]*>[\s\S]*<pre id="quick-start"/);
      assert.doesNotMatch(root.headers.get('content-security-policy') ?? '', /blob:/);
      for (const path of ['/', '/problems', '/problems/not-found', '/docs', '/vehicle-registry/v1']) {
        const page = await (await fetch(off.url + path)).text();
        assert.doesNotMatch(page, /href="\/#/, path);
        assert.match(page, /<nav [\s\S]*<a [^>]*href="\/"(?: aria-current="page")?><span class="name">Start</);
      }
    });

    test('Decisions, console: each page marks its own entry in the navigation', async () => {
      for (const [path, entry] of [
        ['/problems', '/problems'],
        ['/problems/not-found', '/problems'],
        ['/docs', '/docs'],
      ] as const) {
        const marked = [...String((await ask(path)).body).matchAll(/href="([^"]*)" aria-current="page"/g)];
        assert.deepEqual(
          marked.map(([, to]) => to),
          [entry],
        );
      }
    });

    test('Decisions, console: the page of a problem leads to the calls that met it', async () => {
      const text = String((await ask('/problems/duplicate-policy')).body);
      assert.match(text, /<a href="\/#\/traffic\?problem=duplicate-policy">/);
    });
  });
});
