import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { recordTour, startExample, tourFile } from '../../site/tour.ts';
import { chromiumPath } from '../browser/support/chromium.ts';
import { root } from '../support/program.ts';
import { call } from './support/tools.ts';

const folder = join(root, 'dist/site');
const base = '/l-plate/';

/** One of each kind. */
const pages = [
  '',
  'tour.html',
  'verify.html',
  'guides/events.html',
  'problems/duplicate-policy.html',
  'reference/insurer-v1.html',
];

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.webp': 'image/webp',
};

/** The site as a host of static files has it: compressed, below a path. */
async function served(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(`http://site${request.url}`);
    const name = pathname.slice(base.length) || 'index.html';
    const bytes = pathname.startsWith(base) && (await readFile(join(folder, name)).catch(() => undefined));
    if (!bytes) {
      response.writeHead(404).end();
      return;
    }
    const type = types[extname(name)] ?? 'application/octet-stream';
    const sent = type.startsWith('image/') ? bytes : gzipSync(bytes);
    if (sent !== bytes) response.setHeader('Content-Encoding', 'gzip');
    response.writeHead(200, { 'Content-Type': type }).end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('Decisions, the site', () => {
  before(() => call(process.execPath, [join(root, 'site/build.ts')], { environment: { SITE_BASE: base } }));

  test('the tour is what the service answers', async () => {
    const service = await startExample();
    const recorded = await recordTour(service);
    await service.close();
    equal(recorded.length, 10);
    deepEqual(recorded, JSON.parse(await readFile(tourFile, 'utf8')), 'node site/tour.ts records it anew');
  });

  test('every link leads to a page that is there, and to a heading that it has', async () => {
    const ids = new Map<string, Set<string>>();
    const links: { from: string; to: URL }[] = [];
    for await (const name of glob('**/*.html', { cwd: folder })) {
      const page = await readFile(join(folder, name), 'utf8');
      ids.set(name, new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)));
      for (const [, link = ''] of page.matchAll(/<(?:a|img|link|script)\b[^>]*? (?:href|src)="([^"]*)"/g))
        links.push({ from: name, to: new URL(link, `http://site${base}${name}`) });
    }
    ok(ids.size > 80, `${ids.size} pages`);
    const dead = links
      .filter(({ to }) => to.host === 'site')
      .filter(({ to: { pathname, hash } }) => {
        const path = pathname.slice(base.length);
        const name = path === '' || path.endsWith('/') ? `${path}index.html` : path;
        if (!pathname.startsWith(base) || !existsSync(join(folder, name))) return true;
        return hash !== '' && !ids.get(name)?.has(decodeURIComponent(hash.slice(1)));
      });
    deepEqual(
      dead.map(({ from, to }) => `${from}: ${to.pathname}${to.hash}`),
      [],
    );
  });

  const chromium = chromiumPath();
  test('Lighthouse gives each kind of page 100 of 100 on a phone, and at least 90 for speed, which the machine has a part in', {
    skip: !chromium,
  }, async () => {
    await using site = await served();
    const { stdout } = await call(
      process.execPath,
      [join(root, 'site/scores.js'), ...pages.map((page) => site.url + page)],
      {
        environment: { CHROME_PATH: `${chromium}` },
      },
    );
    const found: Record<string, unknown[]> = JSON.parse(stdout);
    equal(Object.keys(found).length, pages.length);
    ok(
      Object.values(found).every((lacking) => lacking.length === 0),
      stdout,
    );
  });
});
