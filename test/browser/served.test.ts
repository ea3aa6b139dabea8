import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

const served = ['/problems', '/problems/duplicate-policy', '/vehicle-registry/v1', '/docs'];

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const bar = (page: Page) => page.getByRole('banner');
  const lessonsEntry = (page: Page) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Lessons/ });
  const open = async (page: Page, path: string) => {
    await page.goto(lplate.config.publicUrl + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  };

  describe('Console, pages of the server', () => {
    test('Console, every page: nickname, clock, drills and lessons are shown on the pages of the server too', async (t) => {
      const client = await lplate.client();
      const { token } = client;
      await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Team <b>Blue' } });
      await lplate.call('POST', '/range/v1/me/drills', { token, json: { name: 'delay', minutes: 5 } });
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT30M' } });
      const { page } = await visit(t, lplate.config.publicUrl, { client });
      const shown = /Drill: delay[\s\S]*Your clock: [\s\S]*Team <b>Blue/;
      await bar(page).filter({ hasText: shown }).waitFor();
      await lessonsEntry(page)
        .filter({ hasText: /\d+\/\d+/ })
        .waitFor();
      const count = await lessonsEntry(page).innerText();
      // Start asks every few seconds, up to when another page takes its place: count from there on.
      await open(page, '/docs');
      const calls: string[] = [];
      page.on('request', (request) => calls.push(new URL(request.url()).pathname));
      for (const path of served) {
        await open(page, path);
        await bar(page).filter({ hasText: shown }).waitFor();
        assert.equal(await lessonsEntry(page).innerText(), count, path);
      }
      // They are the same for everybody, and ask for nothing of this client.
      assert.deepEqual(
        calls.filter((path) => /^\/(?:range|insurer|claims)\/.*(?<!yaml)$/.test(path)),
        [],
      );
      await bar(page).getByRole('link', { name: 'Drill: delay' }).click();
      await page.getByRole('heading', { name: 'Time and drills', level: 1 }).waitFor();
    });

    test('Console, every page: a browser without a client, or that forgot it, shows nobody on the pages of the server', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl);
      for (const path of served) {
        await open(page, path);
        assert.match(
          await bar(page).innerText(),
          /^L\s*L-Plate\s*(?:Search or jump to …\s*Ctrl K\s*)?Theme: auto/,
          path,
        );
        assert.equal((await lessonsEntry(page).innerText()).trim(), 'Lessons', path);
      }
    });

    test('Console, problems: an example is copied as it stands, and none of it is covered', async (t) => {
      for (const width of [1280, 360]) {
        const { page, context } = await visit(t, lplate.config.publicUrl, { width });
        await context.grantPermissions(['clipboard-read', 'clipboard-write']);
        for (const path of ['/problems/duplicate-policy', '/vehicle-registry/v1']) {
          await open(page, path);
          const example = page.locator('#example');
          const code = page.locator('.code', { has: example });
          await code.getByRole('button', { name: 'Copy' }).click();
          await code.getByText('Copied').waitFor();
          assert.equal(await page.evaluate('navigator.clipboard.readText()'), await example.textContent(), path);
          const [text, button] = [await example.boundingBox(), await code.getByRole('button').boundingBox()];
          assert.ok(text && button);
          assert.ok(button.x >= text.x + text.width || button.y + button.height <= text.y, `${path} at ${width} px`);
        }
      }
    });
  });
});
