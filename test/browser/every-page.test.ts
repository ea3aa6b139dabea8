import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { pass } from '../support/topic.ts';
import { closeBrowser, settled, type VisitOptions, visit } from './support/browser.ts';
import { makeScene, pagesOf, type Scene, type ShownPage, startWithAuthority } from './support/scene.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

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
    for (const theme of ['light', 'dark'] as const) {
      for (const as of ['nobody', 'learner', 'trainer'] as const) {
        test(`Console, accessibility: axe finds nothing in ${theme} on the pages of ${as}`, async (t) => {
          const found: string[] = [];
          await look(t, as, { theme }, async (page, name) => {
            // Scalar's own faults are not ours: what stands around it is looked at.
            const part = name === 'reference' ? '.top, .nav' : 'html';
            for (const violation of await violations(page, part)) found.push(`${name}: ${violation}`);
          });
          assert.deepEqual(found, []);
        });
      }
    }

    for (const width of [320, 1280, 1920]) {
      test(`Console, layout: no page is wider than a window of ${width} pixels`, async (t) => {
        for (const as of ['nobody', 'learner', 'trainer'] as const) {
          const wide: string[] = [];
          await look(t, as, { width }, async (page, name) => {
            const beyond = await page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            );
            if (beyond > 0) wide.push(`${name} by ${beyond} px`);
          });
          assert.deepEqual(wide, []);
        }
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

    test('Console, keyboard: Tab reaches each thing that can be pressed, on every page, and comes to an end', async (t) => {
      for (const as of ['nobody', 'learner', 'trainer'] as const) {
        await look(t, as, {}, async (page, name) => {
          if (name !== 'reference') assert.deepEqual(await unreachable(page), [], name);
        });
      }
    });
  });
});

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

/** What axe has to say: the rule and the elements. */
async function violations(page: Page, part: string): Promise<string[]> {
  // By the debugger, since the policy of the page lets no foreign script in.
  const { readFile } = await import('node:fs/promises');
  await page.evaluate(await readFile(axe, 'utf8'));
  const found = await page.evaluate(async (include) => {
    // biome-ignore lint/suspicious/noExplicitAny: the page has it now
    const { violations } = await (window as any).axe.run({ include: [include] }, { resultTypes: ['violations'] });
    return violations.map((each: { id: string; nodes: { target: string[]; failureSummary: string }[] }) => ({
      id: each.id,
      nodes: each.nodes.map(
        ({ target, failureSummary }) => `${target.join(' ')} (${failureSummary.replaceAll(/\s+/g, ' ')})`,
      ),
    }));
  }, part);
  return found.map(({ id, nodes }: { id: string; nodes: string[] }) => `${id}: ${nodes.slice(0, 3).join('; ')}`);
}

/** Visible controls that Tab does not come to. Of a group with one stop (tabs), one is enough. */
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
  const reached = new Set<string>();
  // Radio buttons of one group are one stop, too.
  for (let press = 0; press < wanted * 2 + 20; press += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.wanted);
    if (at !== undefined && reached.has(at) && reached.size > 1 && at === [...reached][0]) break;
    if (at !== undefined) reached.add(at);
  }
  return page.evaluate(
    (seen) =>
      [...document.querySelectorAll<HTMLElement>('[data-wanted]')]
        .filter(({ dataset }) => !seen.includes(dataset.wanted as string))
        .filter((control) => !(control instanceof HTMLInputElement && control.type === 'radio'))
        .map((control) => control.outerHTML.slice(0, 120)),
    [...reached],
  );
}
