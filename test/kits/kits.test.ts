import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { unzipSync } from 'fflate';
import { described } from '../../src/kits/described.ts';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate, startLPlate, testSecrets } from '../support/lplate.ts';

interface Listed {
  readonly tool: string;
  readonly url: string;
  readonly ownCredentialsUrl?: string;
}

/** All that a kit says, also where it is an archive. */
async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type') !== 'application/zip') return answer.text();
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  return Object.values(files)
    .map((bytes) => Buffer.from(bytes).toString())
    .join('\n');
}

onSqlite((engine) => {
  describe('Kits', () => {
    const lplate = sharedLPlate(engine);

    const list = async (url = lplate.url): Promise<Listed[]> => {
      const answer = await fetch(`${url}/kits`, { headers: { Accept: 'application/json' } });
      assert.match(answer.headers.get('vary') ?? '', /^Accept, Host/);
      return ((await answer.json()) as { kits: Listed[] }).kits;
    };

    test('the list is a page for people and JSON for programs; both name each file, and the front page names the list', async () => {
      const page = await (await fetch(`${lplate.url}/kits`, { headers: { Accept: 'text/html,*/*;q=0.8' } })).text();
      const kits = await list();
      assert.equal(kits.length, 10);
      for (const { url, ownCredentialsUrl } of kits) {
        for (const each of [url, ownCredentialsUrl ?? url]) {
          assert.ok(page.includes(`href="${each.replace(lplate.url, '')}"`), each);
          assert.equal((await fetch(each)).status, 200, each);
        }
      }
      assert.match(await (await fetch(lplate.url)).text(), /\/kits"><code>/);
      assert.ok(lplate.addresses.some(({ path }) => path === '/kits'));
    });

    test('a file is sent once, in the coding that is wanted; it leads to the address by which it was asked for', async () => {
      const { id } = await lplate.client();
      const other = lplate.url.replace('localhost', '127.0.0.1');
      for (const [from, prefix] of [
        [lplate.url, ''],
        [other, ''],
        [other, `/for/${id}`],
      ] as const) {
        for (const { url } of await list(`${from}${prefix}`)) {
          const answer = await fetch(url);
          assert.ok(url.startsWith(`${from}${prefix}/kits/`), url);
          const tag = answer.headers.get('etag') ?? '';
          assert.match(answer.headers.get('vary') ?? '', /Host, X-Forwarded-Host/);
          assert.equal((await fetch(url, { headers: { 'If-None-Match': tag } })).status, 304);
          const text = await textOf(answer);
          const { port } = new URL(lplate.url);
          const own = new RegExp(`http://(?:localhost|127\\.0\\.0\\.1):${port}(?:/for/[^/]+)?/[-.\\w]*`, 'g');
          const addresses = [...text.matchAll(own)];
          assert.ok(addresses.length > 0, url);
          for (const [address] of addresses) {
            // An issuer, and the type of a problem, are names.
            if (/\/(?:problems|\.well-known)$/.test(address)) continue;
            assert.ok(address.startsWith(`${from}${prefix}/`), `${url}: ${address}`);
          }
        }
      }
      const packed = await fetch(`${lplate.url}/kits/l-plate.hurl`, { headers: { 'Accept-Encoding': 'gzip' } });
      assert.equal(packed.headers.get('content-encoding'), 'gzip');
    });

    test('no kit has a secret; one for own credentials says where to fill them in, and makes none', async () => {
      for (const { url, ownCredentialsUrl } of await list()) {
        const text = await textOf(await fetch(url));
        for (const secret of Object.values(testSecrets)) assert.ok(!text.includes(secret), url);
        if (!ownCredentialsUrl) continue;
        const own = await textOf(await fetch(ownCredentialsUrl));
        assert.ok(own.includes('YOUR_CLIENT_ID') && own.includes('YOUR_CLIENT_SECRET'), ownCredentialsUrl);
        assert.deepEqual(
          [text, own].map((each) => each.includes('/demo-clients')),
          [true, false],
        );
      }
    });

    test('the relays are listed with their checksums, which the page shows: by every address they are the same bytes', async () => {
      const page = await (await fetch(`${lplate.url}/kits`, { headers: { Accept: 'text/html' } })).text();
      const other = lplate.url.replace('localhost', '127.0.0.1');
      for (const from of [lplate.url, other]) {
        const answer = await fetch(`${from}/kits`, { headers: { Accept: 'application/json' } });
        const { relays } = (await answer.json()) as { relays: { url: string; sha256: string }[] };
        assert.deepEqual(
          relays.map(({ url }) => url),
          [`${from}/kits/relay.py`, `${from}/kits/relay.js`],
        );
        for (const { url, sha256 } of relays) {
          const text = await (await fetch(url)).text();
          assert.equal(createHash('sha256').update(text).digest('hex'), sha256);
          assert.ok(text.split('\n').length <= 150, 'short enough to be read');
          assert.ok(page.includes(sha256));
        }
      }
    });

    test('the flow of people is in the kits of the tools that run scripts, and in none where the range is off', async (t) => {
      const withPeople = async (url: string) => {
        const answers = await Promise.all((await list(url)).map((kit) => fetch(kit.url)));
        for (const answer of answers) assert.equal(answer.status, 200, answer.url);
        const texts = await Promise.all(answers.map(textOf));
        return texts.filter((text) => text.includes('/auth/authorize')).length;
      };
      assert.equal(await withPeople(lplate.url), 4);
      const off = await startLPlate(t, engine, { range: 'off' });
      assert.equal(await withPeople(off.url), 0);
    });

    test('a name that no kit has is told the nearest', async () => {
      const answer = await fetch(`${lplate.url}/kits/l-plate.hrul`);
      assert.equal(answer.status, 404);
      assert.match(((await answer.json()) as { detail: string }).detail, /Did you mean l-plate\.hurl\?/);
    });

    test('all is made of the descriptions: an operation that they lack is an error', async () => {
      const document = await (await fetch(`${lplate.url}/insurer/v1/openapi.json`)).json();
      const { operation } = described(document as object);
      assert.deepEqual(
        { ...operation('updatePolicy'), statuses: undefined },
        { method: 'PUT', path: '/policies/{policyId}', authorized: true, signed: false, statuses: undefined },
      );
      assert.deepEqual([operation('checkPolicy').signed, operation('createToken').authorized], [true, false]);
      assert.throws(() => operation('insurePolicy'), /insurePolicy/);
    });

    test('the kit for TypeScript makes its types of descriptions that are served', async () => {
      const texts = await textOf(await fetch(`${lplate.url}/kits/l-plate-typescript.zip`));
      const descriptions = [...texts.matchAll(/root: (\S+)/g)].map(([, url = '']) => url);
      assert.equal(descriptions.length, 3);
      for (const url of descriptions) assert.match(await (await fetch(url)).text(), /"openapi": *"3\./, url);
    });
  });
});
