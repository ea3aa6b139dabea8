import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  describe('Console: the frame of every page', () => {
    test('Decisions, addresses: the console is at the root, and an entry of its navigation leads to each page', async (t) => {
      const { page } = await visit(t, lplate.url);
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      for (const name of await links.allInnerTexts()) {
        if (name === 'Reference' || name === 'Problems') continue;
        await page.getByRole('link', { name, exact: true }).first().click();
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.equal(await page.getByRole('link', { name, exact: true }).first().getAttribute('aria-current'), 'page');
      }
    });
  });
});
