import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
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

  /** The registration number in the example that the reference shows for a new policy. */
  async function shownPlate(page: Page, path = '/docs'): Promise<string> {
    await page.goto(`${lplate.url}${path}#insurer-v1/tag/policies/POST/policies`);
    const example = page.getByText(/"[QV][A-W]-\d{4}-[0-9a-f]{8}"/).first();
    await example.waitFor();
    return /[QV][A-W]-\d{4}-[0-9a-f]{8}/.exec(await example.innerText())?.[0] ?? '';
  }

  async function describedPlate(prefix: string): Promise<string> {
    const document = await (await fetch(`${lplate.url}${prefix}/insurer/v1/openapi.json`)).json();
    return JSON.parse(JSON.stringify(document)).paths['/policies'].post.requestBody.content['application/json'].examples
      .minimal.value.regNumber;
  }

  describe('Console, reference', () => {
    test('Console, reference: it shows the examples that are made for the client of this browser, and else those for its address', async (t) => {
      const client = await lplate.client();
      const own = await describedPlate(`/for/${client.id}`);
      const others = await describedPlate('');
      assert.notEqual(own, others);
      const { page } = await visit(t, lplate.url, { client });
      assert.equal(await shownPlate(page), own);
      assert.ok(await page.getByText(`/for/${client.id}/insurer/v1`).first().isVisible());
      assert.equal(await shownPlate(page, `/for/${client.id}/docs`), own);
      const { page: newcomer } = await visit(t, lplate.url);
      assert.equal(await shownPlate(newcomer), others);
    });

    test('Console, reference: with a client that is gone it shows what everybody gets', async (t) => {
      const client = { id: 'demo-00000000000000000000', secret: 'of-yesterday' };
      const { page } = await visit(t, lplate.url, { path: '/guides', client });
      assert.equal(await shownPlate(page), await describedPlate(''));
    });
  });
});
