import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { closeBrowser, type Visit, type VisitOptions, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const list = (page: Page) => page.getByRole('list', { name: 'Exchanges' });
  const rows = (page: Page) => list(page).getByRole('link');
  const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text });

  /** The page Traffic of a client that has made some calls. */
  async function traffic(t: TestContext, client: TestClient, options: VisitOptions = {}): Promise<Visit> {
    const shown = await visit(t, lplate.url, { path: '/traffic', client, ...options });
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    return shown;
  }

  const insure = (client: TestClient, json: object) => lplate.call('POST', '/policies', { token: client.token, json });

  describe('Console, traffic', () => {
    test('Console, traffic: a call is in the list within a moment, without a reload', async (t) => {
      const client = await lplate.client();
      const { page } = await traffic(t, client);
      await row(page, '/insurer/v1/demo-clients').waitFor();
      await lplate.call('GET', '/policies/pol-live', client);
      const shown = row(page, '/insurer/v1/policies/pol-live');
      await shown.waitFor();
      assert.match(await shown.innerText(), /404[\s\S]*GET[\s\S]*policy-not-found/);
      assert.equal(await rows(page).first().getAttribute('href'), await shown.getAttribute('href'));
    });

    test('Console, traffic: the list can be paused, and says what came; nothing is lost', async (t) => {
      const client = await lplate.client();
      const { page } = await traffic(t, client);
      await row(page, 'demo-clients').waitFor();
      const before = await rows(page).count();
      await page.getByRole('button', { name: 'Pause' }).click();
      for (const id of ['pol-a', 'pol-b', 'pol-c']) await lplate.call('GET', `/policies/${id}`, client);
      await page.getByText('Paused. 3 new').waitFor();
      assert.equal(await rows(page).count(), before);
      await page.getByRole('button', { name: 'Resume' }).click();
      for (const id of ['pol-a', 'pol-b', 'pol-c']) await row(page, id).waitFor();
      assert.equal(await rows(page).count(), before + 3);
    });

    test('Console, traffic: the calls of the console are hidden until they are asked for', async (t) => {
      const client = await lplate.client();
      const { page } = await traffic(t, client);
      await row(page, 'demo-clients').waitFor();
      const check = page.getByRole('checkbox', { name: 'Calls of this console' });
      const own = list(page).getByText('console', { exact: true });
      assert.equal(await own.count(), 0);
      await check.check();
      await own.first().waitFor();
      await check.uncheck();
      await own.first().waitFor({ state: 'detached' });
    });

    test('Console, traffic: a 409 is explained in place, with the way to its page', async (t) => {
      const client = await lplate.client();
      await insure(client, { regNumber: 'TF-4090' });
      await insure(client, { regNumber: 'tf4090' });
      const { page } = await traffic(t, client);
      await row(page, 'duplicate-policy').click();
      await page.getByRole('heading', { level: 1, name: 'POST /insurer/v1/policies: 409' }).waitFor();
      await page.getByText('The vehicle is already insured').first().waitFor();
      const sent = page.getByRole('region', { name: 'Body of the request' });
      assert.match(await sent.innerText(), /"regNumber": "tf4090"/);
      await page.getByRole('link', { name: 'What duplicate-policy means' }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/problems/duplicate-policy');
    });

    test('Console, traffic: errors and remarks stand beside what they are about', async (t) => {
      const client = await lplate.client();
      await insure(client, { regNumber: '', holder: 'Ada', colour: 'red' });
      await lplate.call('GET', '/policies?colour=red', client);
      const { page } = await traffic(t, client);
      await row(page, 'validation-error').click();
      const lines = (await page.getByRole('region', { name: 'Body of the request' }).innerText()).split('\n');
      const at = lines.findIndex((line) => line.includes('"regNumber"'));
      assert.match(lines[at + 1] ?? '', /is empty/);
      const ignored = lines.findIndex((line) => line.includes('"colour"'));
      assert.match(lines[ignored + 1] ?? '', /Ignored: nothing here has this name/);
      await page.getByRole('link', { name: 'All exchanges' }).click();
      await row(page, 'colour=red').click();
      const query = page.getByRole('table', { name: 'Query' });
      assert.match(await query.innerText(), /colour\s+red\s+Ignored/);
    });

    test('Console, traffic: the list is filtered and searched, and the address keeps it', async (t) => {
      const client = await lplate.client();
      const { json: policy } = await insure(client, { regNumber: 'TF-5000', colour: 'red' });
      await insure(client, { regNumber: 'TF-5000' });
      await lplate.call('GET', `/policies/${policy.id}`, client);
      await lplate.call('GET', '/claims/v1/claims', client);
      const { page } = await traffic(t, client);
      const paths = async () => (await rows(page).locator('.call-url').allInnerTexts()).toSorted();
      const only = async (many: number) => {
        await rows(page).nth(many).waitFor({ state: 'detached' });
        await rows(page)
          .nth(many - 1)
          .waitFor();
        return paths();
      };
      await only(6);
      await page.getByLabel('Status').selectOption('4xx');
      assert.deepEqual(await only(1), ['/insurer/v1/policies']);
      await page.getByLabel('Status').selectOption('');
      await page.getByLabel('System').selectOption('claims');
      assert.deepEqual(await only(1), ['/claims/v1/claims']);
      await page.getByLabel('System').selectOption('');
      await page.getByLabel('Problem').selectOption('duplicate-policy');
      await only(1);
      await page.getByLabel('Problem').selectOption('');
      await page.getByRole('checkbox', { name: 'With remarks' }).check();
      await only(1);
      await page.getByRole('checkbox', { name: 'With remarks' }).uncheck();
      await page.getByRole('searchbox', { name: 'Search' }).fill('post AUTH');
      assert.deepEqual(await only(1), ['/insurer/v1/auth/token']);
      await page.reload();
      assert.deepEqual(await only(1), ['/insurer/v1/auth/token']);
      await page.getByRole('searchbox', { name: 'Search' }).fill('nothing at all');
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await only(6);
      await page.goto(`${lplate.url}/#/traffic?path=/insurer/v1/policies/${policy.id}`);
      assert.deepEqual(await only(1), [`/insurer/v1/policies/${policy.id}`]);
      await page.getByRole('button', { name: 'Any path' }).click();
      await only(6);
    });

    test('Console, traffic: j and k go through the list and through exchanges, but not while one types', async (t) => {
      const client = await lplate.client();
      for (const id of ['pol-1', 'pol-2', 'pol-3']) await lplate.call('GET', `/policies/${id}`, client);
      const { page } = await traffic(t, client);
      await row(page, 'pol-1').waitFor();
      const focused = () => page.locator(':focus').innerText();
      await page.keyboard.press('j');
      assert.match(await focused(), /pol-3/);
      await page.keyboard.press('j');
      assert.match(await focused(), /pol-2/);
      await page.keyboard.press('k');
      assert.match(await focused(), /pol-3/);
      await page.keyboard.press('Enter');
      const heading = (id: string) => page.getByRole('heading', { level: 1, name: new RegExp(id) }).waitFor();
      await heading('pol-3');
      await page.keyboard.press('j');
      await heading('pol-2');
      await page.keyboard.press('j');
      await heading('pol-1');
      await page.keyboard.press('k');
      await heading('pol-2');
      await page.getByRole('link', { name: 'All exchanges' }).click();
      await page.locator(':focus').filter({ hasText: 'pol-2' }).waitFor();
      const search = page.getByRole('searchbox', { name: 'Search' });
      await search.focus();
      await page.keyboard.type('jk');
      assert.equal(await search.inputValue(), 'jk');
    });

    test('Console, traffic: an exchange is copied as curl, saved as HAR and linked to', async (t) => {
      const client = await lplate.client();
      await lplate.call('GET', '/policies/pol-har', client);
      const { page, context } = await traffic(t, client);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await row(page, 'pol-har').click();
      const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByText('Copied').waitFor();
      assert.match(await copied(), /^curl .*\/insurer\/v1\/policies\/pol-har'/);
      await page.getByText('Copied').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByText('Copied').waitFor();
      assert.equal(await copied(), page.url());
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as HAR' }).click();
      const download = await downloading;
      assert.match(download.suggestedFilename(), /^exchange-[\da-f-]+\.har$/);
      const har = JSON.parse(await readFile(await download.path(), 'utf8'));
      assert.match(har.log.entries[0].request.url, /pol-har$/);
    });

    test('Console, traffic: what the filters let through is saved as one HAR', async (t) => {
      const client = await lplate.client();
      for (const id of ['pol-har-1', 'pol-har-2']) await lplate.call('GET', `/policies/${id}`, client);
      await lplate.call('GET', '/policies', client);
      const { page } = await traffic(t, client);
      await row(page, 'pol-har-2').waitFor();
      const saved = async (name: string) => {
        const downloading = page.waitForEvent('download');
        await page.getByRole('button', { name }).click();
        const download = await downloading;
        assert.equal(download.suggestedFilename(), 'exchanges.har');
        const { log } = JSON.parse(await readFile(await download.path(), 'utf8'));
        return log.entries.map(({ request }: { request: { url: string } }) => new URL(request.url).pathname);
      };
      const policies = '/insurer/v1/policies';
      assert.deepEqual((await saved('Save all as HAR')).slice(-3), [
        `${policies}/pol-har-1`,
        `${policies}/pol-har-2`,
        policies,
      ]);
      // The service has no search.
      await page.getByRole('searchbox', { name: 'Search' }).fill('pol-har');
      assert.deepEqual(await saved('Save these 2 as HAR'), [`${policies}/pol-har-1`, `${policies}/pol-har-2`]);
    });

    test('Console, traffic: two exchanges are compared line by line', async (t) => {
      const client = await lplate.client();
      await insure(client, { regNumber: 'TF-6001', holder: 'Ada' });
      await insure(client, { regNumber: 'TF-6001', holder: 'Bob' });
      const { page } = await traffic(t, client);
      await page.getByRole('button', { name: 'Compare POST /insurer/v1/policies, 201' }).click();
      await page.getByText('choose it in the list').waitFor();
      await page.getByRole('button', { name: 'Compare POST /insurer/v1/policies, 409' }).click();
      await page.getByRole('heading', { level: 1, name: 'Two exchanges compared' }).waitFor();
      const part = page.getByRole('region', { name: 'Body of the request, line by line' });
      assert.match(await part.innerText(), /− +"holder": "Ada"[\s\S]*\+ +"holder": "Bob"/);
      assert.match(await page.getByRole('region', { name: 'Request line' }).innerText(), /The same in both/);
      await page.reload();
      await page.getByRole('region', { name: 'Status' }).first().waitFor();

      // From one of them: a click on a row of the list is enough.
      await page.goto(`${lplate.url}/#/traffic`);
      await row(page, '/insurer/v1/policies').filter({ hasText: '409' }).click();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.getByText('choose it in the list').waitFor();
      await row(page, '/insurer/v1/policies').filter({ hasText: '201' }).click();
      await page.getByRole('heading', { level: 1, name: 'Two exchanges compared' }).waitFor();
    });

    test('Console, traffic: of a token the claims are shown, and that it had expired by the clock of its client', async (t) => {
      const client = await lplate.client();
      const { token } = client;
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT90M' } });
      lplate.clock.advance(1000);
      await lplate.call('GET', '/policies?late=1', { token });
      const { page } = await traffic(t, client);
      await row(page, 'invalid-token').click();
      const shown = page.getByRole('region', { name: 'Token 1' });
      await shown.getByText('Expired 30 min before this call').waitFor();
      assert.match(await shown.innerText(), new RegExp(`client_id\\s+${client.id}`));
    });

    test('Console, traffic: of a signed call the bytes that were signed are shown', async (t) => {
      const client = await lplate.client();
      const body = '{"regNumber":"TF-7001"}\n';
      await lplate.call('POST', '/signed/policy-check', {
        token: client.token,
        body,
        headers: { 'Content-Type': 'application/json', 'X-Signature': '00' },
      });
      const { page } = await traffic(t, client);
      await row(page, 'invalid-signature').click();
      const signed = page.getByRole('region', { name: 'What was signed' });
      assert.match(await signed.innerText(), /the body, byte for byte: 24 bytes/);
      const dump = await page.getByRole('region', { name: 'The signed bytes in hexadecimal' }).innerText();
      assert.match(dump, /^0000 {2}7b 22 72 65[\s\S]*\n0010 {2}2d 37 30 30 31 22 7d 0a/);
    });
  });
});
