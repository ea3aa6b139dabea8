import { ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'node:test';
import { type Place, toolTest } from './support/tool-test.ts';
import { call, home, jdk } from './support/tools.ts';

/** Gets a page with curl, which can be told not to verify. Undefined where it is none. */
async function pageAt(address: string, headers: readonly string[] = []): Promise<string | undefined> {
  const sent = ['Accept: text/html', ...headers].flatMap((header) => ['-H', header]);
  const { stdout } = await call('curl', ['-sk', '-w', '\n%{http_code} %{content_type}', ...sent, address]);
  const end = stdout.lastIndexOf('\n');
  return stdout.slice(end + 1) === '200 text/html; charset=utf-8' ? stdout.slice(0, end) : undefined;
}

/** Every page that the front page leads to, itself included, by its path. */
async function pagesOf({ origin }: Place): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const left = ['/'];
  const seen = new Set(left);
  for (const path of left) {
    const page = await pageAt(origin + path);
    if (page === undefined) continue;
    pages.set(path, page);
    for (const [, href = ''] of page.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      const { origin: of, pathname, search } = new URL(href, origin + path);
      if (of !== origin || seen.has(pathname + search)) continue;
      seen.add(pathname + search);
      left.push(pathname + search);
    }
  }
  return pages;
}

/** With warnings as errors. The standard output of a failed call has all that was found. */
async function check({ folder }: Place, pages: ReadonlyMap<string, string>): Promise<void> {
  const files = await Promise.all(
    [...pages].map(async ([path, page]) => {
      const file = join(folder, `${encodeURIComponent(path)}.html`);
      await writeFile(file, page);
      return file;
    }),
  );
  const jar = join(home('node'), 'node_modules/vnu-jar/build/dist/vnu.jar');
  await call(jdk('java'), ['-jar', jar, '--Werror', '--stdout', ...files]);
}

describe('Decisions, pages: the Nu HTML checker finds nothing in any page that the server makes', () => {
  toolTest(['vnu-jar'], 'with the console', { runtime: 'java' }, async (place) => {
    const pages = await pagesOf(place);
    for (const path of ['/', '/docs', '/kits', '/problems', '/problems/not-found', '/vehicle-registry/v1'])
      ok(pages.has(path), `${path} in ${[...pages.keys()]}`);
    const credentials = (await place.program.call('POST', '/demo-clients')).json;
    const grant = { grant_type: 'client_credentials', ...credentials };
    const { access_token } = (await place.program.call('POST', '/auth/token', { json: grant })).json;
    const certificate = '/range/v1/me/certificate';
    const page = await pageAt(place.origin + certificate, [`Authorization: Bearer ${access_token}`]);
    ok(page);
    await check(place, pages.set(certificate, page));
  });

  const plain = { args: ['--range', 'off'], runtime: 'java' } as const;
  toolTest(['vnu-jar'], 'without the console', plain, async (place) => check(place, await pagesOf(place)));

  const secure = { args: ['--tls', 'self'], runtime: 'java' } as const;
  toolTest(['vnu-jar'], 'with the class authority', secure, async (place) => {
    const pages = await pagesOf(place);
    ok(pages.has('/ca'));
    await check(place, pages);
  });
});
