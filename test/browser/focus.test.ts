import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { closeBrowser, settled, visit } from './support/browser.ts';
import { makeScene, pagesOf, type Scene } from './support/scene.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  let scene: Scene;
  const ends: (() => void)[] = [];
  before(async () => {
    lplate = await startLPlate(engine, { rateLimitPerMinute: 10_000 });
    scene = await makeScene({ after: (end) => void ends.push(end) }, lplate);
  });
  after(async () => {
    await closeBrowser();
    for (const end of ends) end();
    await lplate.close();
  });

  describe('Console: the focus', () => {
    for (const as of ['nobody', 'learner', 'trainer'] as const) {
      test(`Console, keyboard: after each link of the pages of ${as} the focus is on the title of the page that it leads to`, async (t) => {
        const { page } = await visit(t, lplate.url, {
          ...(as === 'learner' && { client: scene.learner }),
          ...(as === 'trainer' && { trainer: testSecrets.trainerToken }),
        });
        const lost: string[] = [];
        const walked = new Set<string>();
        const open = async (path: string) => {
          await page.goto(lplate.url + path);
          await settled(page);
        };
        const pages = pagesOf(scene).filter((each) => each.as === as && each.at === 'http');
        for (const { name, path } of pages.filter((each) => each.path.startsWith('/#'))) {
          await open(path);
          lost.push(...(await deadIn(page)).map((href) => `${name}, ${href}: leads nowhere`));
          for (const href of await linksOf(page, name, walked)) {
            await open(path);
            const link = page.locator(`a[href="${href}"]:visible`).first();
            // It was one that comes and goes.
            if ((await link.count()) === 0) continue;
            const [before, one] = [await page.title(), await link.elementHandle()];
            await link.focus();
            await page.keyboard.press('Enter');
            await settled(page);
            const stays =
              (await page.title()) === before && (await one?.evaluate((it) => it === document.activeElement));
            if (stays || (await page.locator(placeOf(href)).and(page.locator(':focus')).count()) === 1) continue;
            lost.push(`${name}, ${href}: ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80))}`);
          }
        }
        assert.ok(walked.size > 0);
        assert.deepEqual(lost, []);
      });
    }

    test('Console, keyboard: after “Make a client” on Start and where a page needs one, after a choice in the search, and after a call that solves the lesson that is open the focus is on the title', async (t) => {
      const { page } = await visit(t, lplate.url);
      const title = (name: string) =>
        page.getByRole('heading', { level: 1, name }).and(page.locator(':focus')).waitFor();
      await page.getByRole('button', { name: 'Make a client' }).press('Enter');
      await title('Start');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('look before you sign in');
      await page.getByRole('option', { name: 'Look before you sign in' }).waitFor();
      await page.keyboard.press('Enter');
      await title('Look before you sign in');
      await page.getByRole('button', { name: 'Write a call' }).press('Enter');
      await page.getByRole('button', { name: 'Send', exact: true }).press('Enter');
      await page.getByRole('status').getByText('Solved').waitFor();
      await title('Look before you sign in');

      const { page: other } = await visit(t, lplate.url, { path: '/policies' });
      await other.getByRole('button', { name: 'Make a client' }).press('Enter');
      await other.getByRole('heading', { level: 1, name: 'Policies' }).and(other.locator(':focus')).waitFor();
    });
  });
});

/** Where the focus is after a link: on the title, or on the place in a page that the link names. */
function placeOf(href: string): string {
  if (/^#\/guides\/[^/]+\/./.test(href)) return 'main h2, main h3';
  return /[?&]at=/.test(href) ? '[aria-label="Events"] > li' : 'h1';
}

/** Addresses of the console that a page leads to. Of those that differ only in an id or in a word of a filter it has one. */
async function linksOf(page: Page, name: string, walked: Set<string>): Promise<string[]> {
  const all = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')]
      .filter((link) => link.checkVisibility({ visibilityProperty: true }))
      .map((link) => ({ href: link.getAttribute('href') as string, isOfFrame: link.closest('main') === null })),
  );
  return all.flatMap(({ href, isOfFrame }) => {
    const [path = '', query] = href.split('?');
    const [, first, ...rest] = path.split('/');
    const kind = [isOfFrame ? '' : name, first, rest.length, ...new URLSearchParams(query).keys()].join(' ');
    if (walked.has(kind)) return [];
    walked.add(kind);
    return [href];
  });
}

/** Links to a place in the page that is not there, also in what is folded. */
function deadIn(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]:not([href^="#/"])')]
      .filter(({ hash }) => document.getElementById(hash.slice(1)) === null)
      .map(({ hash }) => hash),
  );
}
