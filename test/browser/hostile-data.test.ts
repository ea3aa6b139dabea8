import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { closeBrowser, settled, type VisitOptions, visit } from './support/browser.ts';
import { faultsOf } from './support/faults-of-page.ts';
import { learnersPlaces, markOf, type Place, trainersPlaces } from './support/hostile-places.ts';
import { type HostileScene, hostile, hostileLessons, makeHostileScene } from './support/hostile-scene.ts';

const widths = [360, 1280];

/** Milliseconds in which what a page must show is there. */
const timeout = 10_000;

onSqlite((engine) => {
  let lplate: LPlate;
  let scene: HostileScene;
  const ends: (() => void)[] = [];
  before(async () => {
    lplate = await startLPlate(engine, { lessons: hostileLessons });
    scene = await makeHostileScene({ after: (end) => void ends.push(end) }, lplate);
  });
  after(async () => {
    await closeBrowser();
    for (const end of ends) end();
    await lplate.close();
  });

  /** A page on which everything that hostile text could do is noticed, and what it did. */
  async function watched(t: TestContext, options: VisitOptions = {}) {
    const { page, context, errors } = await visit(t, lplate.url, options);
    const here = [lplate.url, lplate.config.publicUrl];
    const done: string[] = [];
    page.on('dialog', (dialog) => {
      done.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('page', (other) => done.push(`a window: ${other.url()}`));
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (!here.includes(origin) || pathname === '/x') done.push(`a request: ${request.url()}`);
    });
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        Object.assign(globalThis, { ran: `against the policy: ${violatedDirective} ${blockedURI}` });
      });
    });
    await page.reload();
    const happened = async () => [
      ...done.splice(0),
      ...errors.splice(0),
      ...(await page.evaluate<string[]>("'ran' in globalThis ? ['ran: ' + ran] : []")),
    ];
    return { page, context, happened };
  }

  /** Goes to each place and tells what is wrong there. */
  async function walk(t: TestContext, places: readonly Place[], options: VisitOptions): Promise<void> {
    const { page, happened } = await watched(t, options);
    const faults: string[] = [];
    for (const place of places) {
      const { path, act } = place;
      const fault = (text: string) => faults.push(`${path.slice(0, 60)}: ${text}`);
      await page.goto(`${lplate.url}/#${path}`);
      await settled(page);
      await act?.(page).catch(({ message }) => fault(message));
      for (const mark of await missing(page, place)) fault(`does not show ${mark}`);
      for (const each of [...(await faultsOf(page)), ...(await happened())]) fault(each);
    }
    assert.deepEqual(faults, [], faults.join('\n'));
  }

  describe('Console, hostile data: nothing runs, and the layout holds', () => {
    for (const width of widths) {
      test(`on the pages of a learner, at ${width} px`, async (t) => {
        // The pages of lessons that were walked before have opened another one.
        const token = await lplate.token(scene.learner.id, scene.learner.secret);
        await lplate.call('PUT', '/range/v1/me/open-lesson', { token, json: { lessonId: 'hostile' } });
        await walk(t, learnersPlaces(scene), { width, client: scene.learner });
      });

      test(`on the pages of the trainer, at ${width} px`, async (t) => {
        await walk(t, trainersPlaces(scene), { width, trainer: testSecrets.trainerToken });
      });

      test(`on the pages that the server makes, at ${width} px`, async (t) => {
        const { page, context, happened } = await watched(t, { width });
        const mark = encodeURIComponent(hostile('address', 300));
        const faults: string[] = [];
        for (const path of [`/problems?${mark}#${mark}`, `/vehicle-registry/v1?${mark}`]) {
          await page.goto(lplate.url + path);
          await settled(page);
          faults.push(...(await faultsOf(page)), ...(await happened()));
        }
        // What Scalar makes of its address is its own; but nothing may run.
        await page.goto(`${lplate.url}/docs?api=${mark}#${mark}`);
        await settled(page);
        for (const path of [`/problems/${mark}`, `/for/${mark}/problems`, `/assets/${mark}`]) {
          const answer = await page.goto(lplate.url + path);
          assert.equal(answer?.headers()['content-type'], 'application/problem+json');
        }
        faults.push(...(await happened()));
        await context.setExtraHTTPHeaders({ Authorization: `Bearer ${scene.learner.token}`, Accept: 'text/html' });
        // It names what it refers to in full, so that it can be kept as a file.
        await page.goto(`${lplate.config.publicUrl}/range/v1/me/certificate`);
        for (const shown of ['nickname', 'solved']) await page.getByText(markOf(shown)).first().waitFor({ timeout });
        faults.push(...(await faultsOf(page)), ...(await happened()));
        assert.deepEqual(faults, []);
      });
    }

    test('what this browser kept, if somebody else wrote it there', async (t) => {
      const kept: readonly (readonly [key: string, values: readonly string[]])[] = [
        [
          'lplate.client',
          [
            'null',
            '[]',
            '{"clientId":{"toString":null},"clientSecret":[]}',
            JSON.stringify({ clientId: hostile('id', 16_000), clientSecret: hostile('secret', 16_000) }),
            JSON.stringify({ clientId: 'demo-0123456789abcdef0123', clientSecret: hostile('secret', 16_000) }),
            hostile('broken', 16_000),
          ],
        ],
        ['lplate.theme', [hostile('theme', 16_000)]],
        ['lplate.tool', [hostile('tool', 16_000), '__proto__']],
        ['lplate.nickname-skipped', [hostile('skipped', 16_000)]],
        ['lplate.seen', ['[]', '{"clientId":{},"at":[]}', hostile('seen', 16_000)]],
        ['lplate.folded-announcement', [hostile('folded', 16_000)]],
        ['lplate.certificates', ['{"course":{"toString":null}}', hostile('course', 16_000)]],
        ['colorMode', [hostile('scalar', 16_000)]],
      ];
      const { page, happened } = await watched(t, { width: 360 });
      for (const [key, values] of kept) {
        for (const value of values) {
          await page.evaluate(([at, text]) => localStorage.setItem(at as string, text as string), [key, value]);
          await page.reload();
          await page.getByRole('button', { name: 'Make a client' }).waitFor();
          assert.deepEqual([...(await faultsOf(page)), ...(await happened())], [], `${key}: ${value.slice(0, 40)}`);
          await page.evaluate(() => localStorage.clear());
        }
      }
      await page.evaluate((text) => sessionStorage.setItem('lplate.trainer', text), hostile('trainer', 16_000));
      await page.goto(`${lplate.url}/#/trainer`);
      await page.reload();
      await page.getByLabel('Trainer token').waitFor();
      assert.deepEqual([...(await faultsOf(page)), ...(await happened())], []);
      await page.evaluate(
        (text) => ['lplate.flow', 'lplate.redirect'].forEach((at) => void sessionStorage.setItem(at, text)),
        hostile('flow', 16_000),
      );
      await page.goto(`${lplate.url}/#/people/flow`);
      await page.reload();
      await page.getByRole('button', { name: 'Make a client' }).waitFor();
      assert.deepEqual([...(await faultsOf(page)), ...(await happened())], []);
    });
  });
});

/** What of all that a place must show can't be seen on the page, so that one which shows nothing does not pass. */
async function missing(page: Page, { says = [], shows = [], options = [], fields = [] }: Place): Promise<string[]> {
  const wanted = [
    ...[...says, ...shows.map(markOf)].map((text) => [
      text,
      page.getByText(text).filter({ visible: true }).first().waitFor({ timeout }),
    ]),
    ...options.map((mark) => [
      mark,
      page
        .locator('option')
        .filter({ hasText: markOf(mark) })
        .first()
        .waitFor({ state: 'attached', timeout }),
    ]),
    ...fields.map(([label, mark]) => [
      mark,
      page
        .getByLabel(label, { exact: true })
        .inputValue()
        .then((value) => assert.ok(value.includes(markOf(mark)))),
    ]),
  ] as const;
  const outcomes = await Promise.allSettled(wanted.map(([, seen]) => seen));
  return outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [wanted[at]?.[0] as string] : []));
}
