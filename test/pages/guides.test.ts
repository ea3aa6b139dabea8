import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { guides } from '../../src/navigation.ts';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';
import { root } from '../support/program.ts';

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${lplate.url}${path}`, { headers });

  describe('The guides as Markdown', () => {
    test('Decisions, console: each guide is served as it stands in the repository but for its links, with its title', async () => {
      for (const { name, title, file } of guides) {
        const response = await get(`/guides/${name}.md`);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8');
        const text = await response.text();
        assert.ok(text.startsWith(`# ${title}\n`), name);
        const [lines, written] = [text.split('\n'), (await readFile(join(root, file), 'utf8')).split('\n')];
        assert.equal(lines.length, written.length);
        for (const [at, line] of lines.entries())
          if (!written[at]?.includes('](')) assert.equal(line, written[at], `${name}:${at + 1}`);
      }
    });

    test('Decisions, console: a guide that has another name now is found by its old one', async () => {
      for (const { name, formerly } of guides) {
        if (formerly === undefined) continue;
        const [old, now] = await Promise.all([get(`/guides/${formerly}.md`), get(`/guides/${name}.md`)]);
        assert.deepEqual([old.status, await old.text()], [200, await now.text()]);
      }
      assert.ok(guides.some(({ formerly }) => formerly === 'v0-draft'));
    });

    test('Decisions, console: every link of a guide leads somewhere from where the guide is served', async () => {
      for (const { name } of guides) {
        const at = `${lplate.url}/guides/${name}.md`;
        const prose = (await (await fetch(at)).text()).replaceAll(/^```.*?^```$/gms, '');
        for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
          const { origin, href } = new URL(link, at);
          if (origin === lplate.url) assert.equal((await fetch(href)).status, 200, `${name}: ${link}`);
        }
      }
      const events = await (await get('/guides/events.md')).text();
      assert.match(events, /^both\. `examples\/README\.md` has/m);
    });

    test('Guides: docs/images has only pictures that a document shows, twelve at most', async () => {
      const documents = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
      const texts = ['README.md', ...documents.map((name) => `docs/${name}`)].map((name) =>
        readFile(join(root, name), 'utf8'),
      );
      const text = (await Promise.all(texts)).join('\n');
      const pictures = await readdir(join(root, 'docs/images'));
      assert.ok(pictures.length <= 12, `${pictures.length} pictures`);
      for (const name of pictures) {
        assert.ok(text.includes(`images/${name})`), `no document shows ${name}`);
        assert.equal((await get(`/guides/images/${name}`)).headers.get('content-type'), 'image/webp', name);
      }
    });

    test('Decisions, console: a guide is sent compressed, and only to those who do not have it', async () => {
      const response = await get('/guides/events.md', { 'Accept-Encoding': 'br' });
      assert.equal(response.headers.get('content-encoding'), 'br');
      const again = await get('/guides/events.md', {
        'Accept-Encoding': 'br',
        'If-None-Match': response.headers.get('etag') ?? '',
      });
      assert.equal(again.status, 304);
    });

    test('Decisions, console: any other name is 404, and the answer lists the guides', async () => {
      for (const name of ['nope', 'constructor', '..%2fREADME', '..%2f..%2fetc%2fpasswd']) {
        const response = await get(`/guides/${name}.md`);
        assert.equal(response.status, 404, name);
        assert.match(await response.text(), /"There is no such guide\. There are: tutorial\.md, /);
      }
      for (const path of ['/guides/images/nope.webp', '/guides/images/..%2f..%2fpackage.webp', '/guides'])
        assert.equal((await get(path)).status, 404, path);
    });
  });
});
