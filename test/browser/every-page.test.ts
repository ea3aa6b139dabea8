import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { pass } from '../support/topic.ts';
import { violations } from './support/axe.ts';
import { closeBrowser, settled, type VisitOptions, visit } from './support/browser.ts';
import { makeScene, pagesOf, type Scene, type ShownPage, startWithAuthority } from './support/scene.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  let secure: LPlate;
  let scene: Scene;
  const ends: (() => void)[] = [];
  before(async () => {
    lplate = await startLPlate(engine);
    secure = await startWithAuthority(engine);
    scene = await makeScene({ after: (end) => void ends.push(end) }, lplate);
  });
  after(async () => {
    await closeBrowser();
    for (const end of ends) end();
    await Promise.all([lplate.close(), secure.close()]);
  });

  const visitorOf = (as: 'nobody' | 'learner' | 'trainer') => ({
    ...(as === 'learner' && { client: scene.learner }),
    ...(as === 'trainer' && { trainer: testSecrets.trainerToken }),
  });

  const serviceOf = (at: ShownPage['at']) => (at === 'https' ? secure : lplate);

  /** Opens all pages that one visitor sees, one after the other, and has each looked at. */
  async function look(
    t: TestContext,
    as: ShownPage['as'],
    options: Pick<VisitOptions, 'theme' | 'width'>,
    inspect: (page: Page, name: string) => Promise<void>,
  ): Promise<void> {
    for (const at of ['http', 'https'] as const) {
      const pages = pagesOf(scene).filter((each) => each.as === as && each.at === at);
      if (pages.length === 0) continue;
      const service = serviceOf(at);
      const { url } = service;
      // Its clock stands still: all calls of this file would count as those of one minute.
      await pass(service, 60);
      const { page } = await visit(t, url, { ...options, ...visitorOf(as) });
      for (const { name, path } of pages) {
        await page.goto(url + path);
        await settled(page);
        await inspect(page, name);
      }
    }
  }

  describe('Console: every page', () => {
    for (const as of ['nobody', 'learner', 'trainer'] as const) {
      test(`Console, accessibility, layout and keyboard: on the pages of ${as} axe finds nothing, none is wider than its window, and Tab reaches each thing that can be pressed`, async (t) => {
        const found: string[] = [];
        await look(t, as, { theme: 'light' }, async (page, name) => {
          found.push(...(await violations(page, name)));
          for (const width of widths) {
            const beyond = await widerBy(page, width);
            if (beyond > 0) found.push(`${name}: ${beyond} px wider than ${width}`);
          }
          if (name !== 'reference')
            for (const control of await unreachable(page)) found.push(`${name}: Tab does not reach ${control}`);
        });
        assert.deepEqual(found, []);
      });

      test(`Console, accessibility: on the pages of ${as} axe finds nothing in dark`, async (t) => {
        const found: string[] = [];
        await look(t, as, { theme: 'dark' }, async (page, name) => {
          found.push(...(await violations(page, name)));
        });
        assert.deepEqual(found, []);
      });
    }

    test('Console, layout: little moves on a phone while the parts of a page come', async (t) => {
      for (const as of ['nobody', 'learner', 'trainer'] as const) {
        const moved: string[] = [];
        await look(t, as, { width: 412 }, async (page, name) => {
          const network = await slowNetwork(page);
          await page.reload();
          await settled(page);
          // What comes last is asked for when the page stands.
          await page.waitForTimeout(500);
          const { shift, parts } = await layoutShift(page);
          if (shift > goodShift) moved.push(`${name} by ${shift.toFixed(2)}: ${parts.join(', ')}`);
          await network.detach();
        });
        assert.deepEqual(moved, []);
      }
    });
  });
});

/** The last is the one that a page is opened in. */
const widths = [320, 1920, 1280];

/** By how many pixels a page is wider than a window of `width`. The window stays so. */
async function widerBy(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 900 });
  return page.evaluate(async () => {
    // Scripts that lay something out hear of the new width with the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}

/** What browsers call a good Cumulative Layout Shift, at the most. */
const goodShift = 0.1;

/** Every answer takes a while, so that parts come one after the other. */
async function slowNetwork(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  const conditions = { offline: false, latency: 100, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', conditions);
  return session;
}

/** The sum of what moved since the page was loaded (Layout Instability API), and what it was. */
function layoutShift(page: Page): Promise<{ shift: number; parts: string[] }> {
  return page.evaluate(
    () =>
      new Promise<{ shift: number; parts: string[] }>((resolve) => {
        const moved = { shift: 0, parts: [] as string[] };
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number;
            sources: { node: Node | null }[];
          })[]) {
            moved.shift += entry.value;
            const texts = entry.sources.map(({ node }) => node?.textContent?.slice(0, 40) ?? '(gone)');
            moved.parts.push(`${entry.value.toFixed(3)} ${texts.join(' | ')}`);
          }
          resolve(moved);
        }).observe({ type: 'layout-shift', buffered: true });
        // Nothing moved.
        setTimeout(() => resolve(moved), 100);
      }),
  );
}

/** Visible controls that Tab does not come to. Radio buttons of one group are one stop. */
async function unreachable(page: Page): Promise<string[]> {
  const wanted = await page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary',
    );
    // Those of the page before, whose frame may be hidden on this one.
    for (const marked of document.querySelectorAll<HTMLElement>('[data-wanted]')) delete marked.dataset.wanted;
    let number = 0;
    for (const control of controls) {
      if (!control.checkVisibility({ visibilityProperty: true }) || control.tabIndex < 0) continue;
      control.dataset.wanted = String(number);
      number += 1;
    }
    (document.activeElement as HTMLElement | null)?.blur();
    return number;
  });
  const stops = await page.evaluateHandle(() => {
    const numbers: string[] = [];
    document.addEventListener('focusin', ({ target }) => {
      const { wanted } = (target as HTMLElement).dataset;
      if (wanted !== undefined) numbers.push(wanted);
    });
    return numbers;
  });
  const comesRound = () =>
    stops.evaluate((numbers) => new Set(numbers).size > 1 && numbers.includes(numbers[0] as string, 1));
  for (let presses = 0; presses < wanted * 2 + 20 && !(await comesRound()); presses += 10)
    for (let press = 0; press < 10; press += 1) await page.keyboard.press('Tab');
  const reached = await stops.jsonValue();
  return page.evaluate(
    (seen) =>
      [...document.querySelectorAll<HTMLElement>('[data-wanted]')]
        .filter(({ dataset }) => !seen.includes(dataset.wanted as string))
        .filter((control) => !(control instanceof HTMLInputElement && control.type === 'radio'))
        .map((control) => control.outerHTML.slice(0, 120)),
    reached,
  );
}
