import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { until } from '../support/until.ts';
import { closeBrowser, type Visit, type VisitOptions, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine, { rateLimitPerMinute: 1000 });
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const list = (page: Page) => page.getByRole('list', { name: 'Calls' });
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
    test('Console, traffic: of a call that counts for nobody a line tells, with the address that counts; not on other pages', async (t) => {
      // Of its own: who comes from this address is told of the call later, too.
      const alone = await startLPlate(t, engine);
      const client = await alone.client();
      await alone.client();
      await alone.call('GET', '/insurer/v1/coverage-options');
      const { page } = await visit(t, alone.url, { path: '/traffic', client });
      const told = page.getByText('Counts for nobody:');
      for (const name of ['Lessons', 'Policies', 'Traffic']) {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
        await page.getByRole('heading', { level: 1, name }).first().waitFor();
        await told.waitFor({ state: name === 'Policies' ? 'detached' : 'visible' });
      }
      const line = page.locator('.notice', { has: told });
      assert.match(await line.innerText(), /GET \/insurer\/v1\/coverage-options, /);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await line.getByRole('button', { name: 'Copy the address that counts' }).click();
      await line.getByText('Copied').waitFor();
      assert.equal(
        await page.evaluate<string>('navigator.clipboard.readText()'),
        `${alone.url}/for/${client.id}/insurer/v1/coverage-options`,
      );
      assert.equal(await page.getByText('so it counts for nobody').count(), 0, 'the longer warning');
      assert.ok(((await line.boundingBox())?.height ?? 0) < 70, 'one line');
      await line.getByRole('button', { name: 'Hide' }).click();
      await told.waitFor({ state: 'detached' });
    });

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
      await page.getByRole('button', { name: /^Live/ }).click();
      for (const id of ['pol-a', 'pol-b', 'pol-c']) await lplate.call('GET', `/policies/${id}`, client);
      await page.getByRole('button', { name: '3 new' }).waitFor();
      assert.equal(await rows(page).count(), before);
      await page.getByRole('button', { name: /^Paused/ }).click();
      for (const id of ['pol-a', 'pol-b', 'pol-c']) await row(page, id).waitFor();
      assert.equal(await rows(page).count(), before + 3);
    });

    test('Console, traffic: new calls move nothing that one reads, in the list or beside it', async (t) => {
      const client = await lplate.client();
      for (let at = 0; at < 50; at += 1) await lplate.call('GET', `/policies/pol-${at}`, client);
      const { page } = await traffic(t, client);
      await row(page, 'pol-49').waitFor();
      // What is found out of the first calls, such as a clock that is off, is told above the list.
      await page.getByText('days ahead').waitFor();
      await page.getByText('is used from your address').waitFor();
      const top = async (text: string) => (await row(page, text).boundingBox())?.y;
      await list(page).hover();
      await page.mouse.wheel(0, 300);
      await until(async () => ((await top('pol-30')) ?? 900) < 900, 'it has scrolled');
      // The observer of the browser tells a moment later that the newest are out of sight.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))');
      const before = await top('pol-30');
      await lplate.call('GET', '/policies/pol-new-a', client);
      const more = (many: number) => page.getByRole('button', { name: `${many} new` });
      await more(1).waitFor();
      assert.equal(await top('pol-30'), before);
      await more(1).click();
      await row(page, 'pol-new-a').waitFor();
      await more(1).waitFor({ state: 'detached' });

      await row(page, 'pol-49').click();
      await page.getByRole('heading', { level: 1, name: /pol-49/ }).waitFor();
      const opened = await top('pol-49');
      await lplate.call('GET', '/policies/pol-new-b', client);
      await more(1).waitFor();
      assert.equal(await top('pol-49'), opened);
      await page.keyboard.press('Escape');
      await row(page, 'pol-new-b').waitFor();
    });

    test('Console, traffic: the calls of the console are hidden until they are asked for', async (t) => {
      const client = await lplate.client();
      const { page } = await traffic(t, client);
      await row(page, 'demo-clients').waitFor();
      const own = list(page).getByText('console', { exact: true });
      assert.equal(await own.count(), 0);
      await page.getByRole('button', { name: /^Show (?:it|them)$/ }).click();
      await own.first().waitFor();
      await page.getByRole('button', { name: 'Remove from:any' }).click();
      await own.first().waitFor({ state: 'detached' });
    });

    test('Console, traffic: list and call stand beside each other, each with its own scrolling, or one where there is no room', async (t) => {
      const client = await lplate.client();
      for (let at = 0; at < 40; at += 1) await lplate.call('GET', `/policies/pol-${at}`, client);
      const { page } = await traffic(t, client, { width: 1100 });
      await row(page, 'pol-20').click();
      const heading = page.getByRole('heading', { level: 1, name: /pol-20/ });
      await heading.waitFor();
      const { height = 0, width = 0 } = (await row(page, 'pol-20').boundingBox()) ?? {};
      assert.ok(height >= 28 && height <= 32, `a row of ${height} px`);
      assert.ok(width > 400 && width <= 440, `a list of ${width} px`);
      assert.equal(await row(page, 'pol-20').getAttribute('aria-current'), 'true');
      assert.ok((await page.evaluate<number>('document.documentElement.scrollHeight')) <= 900, 'the window is full');
      await page.setViewportSize({ width: 1000, height: 900 });
      await heading.waitFor();
      assert.equal(await row(page, 'pol-20').isVisible(), false);
      await page.getByRole('link', { name: 'All calls' }).click();
      await page.locator(':focus').filter({ hasText: 'pol-20' }).waitFor();
      assert.equal(await heading.count(), 0);
    });

    test('Console, traffic: a 409 is explained in place, with the way to its page', async (t) => {
      const client = await lplate.client();
      await insure(client, { regNumber: 'TF-4090' });
      await insure(client, { regNumber: 'tf4090' });
      const { page } = await traffic(t, client);
      await row(page, 'duplicate-policy').click();
      await page.getByRole('heading', { level: 1, name: 'POST /insurer/v1/policies' }).waitFor();
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
      await row(page, 'colour=red').click();
      const query = page.getByRole('table', { name: 'Query' });
      assert.match(await query.innerText(), /colour\s+red\s+Ignored/);
    });

    test('Console, traffic: one field filters and searches, suggests what there is, and the address keeps it', async (t) => {
      const client = await lplate.client();
      const { json: policy } = await insure(client, { regNumber: 'TF-5000', colour: 'red' });
      await insure(client, { regNumber: 'TF-5000' });
      await lplate.call('GET', `/policies/${policy.id}`, client);
      await lplate.call('GET', '/claims/v1/claims', client);
      const { page } = await traffic(t, client);
      const paths = async () => (await rows(page).locator('.call-url').allTextContents()).toSorted();
      const only = async (many: number) => {
        await rows(page).nth(many).waitFor({ state: 'detached' });
        await rows(page)
          .nth(many - 1)
          .waitFor();
        return paths();
      };
      const search = page.getByRole('combobox', { name: 'Search' });
      const chip = (text: string) => page.getByRole('button', { name: `Remove ${text}`, exact: true });
      await only(6);
      await search.pressSequentially('status:4xx ');
      assert.deepEqual(await only(1), ['/insurer/v1/policies']);
      assert.equal(await search.inputValue(), '');
      await chip('status:4xx').click();
      await only(6);
      await search.fill('-system:insurer');
      await search.press('Enter');
      assert.deepEqual(await only(1), ['/claims/v1/claims']);
      await search.press('Backspace');
      assert.equal(await search.inputValue(), '-system:insurer');
      await search.fill('prob');
      await page.getByRole('option', { name: 'problem:' }).click();
      await page.getByRole('option', { name: 'problem:duplicate-policy 1' }).waitFor();
      await search.pressSequentially('dup');
      await search.press('ArrowDown');
      await search.press('Enter');
      await only(1);
      await chip('problem:duplicate-policy').click();
      await search.fill('remark:any ');
      await only(1);
      await chip('remark:any').click();
      await search.fill('post AUTH');
      assert.deepEqual(await only(1), ['/insurer/v1/auth/token']);
      await page.reload();
      assert.deepEqual(await only(1), ['/insurer/v1/auth/token']);
      assert.equal(await search.inputValue(), 'post AUTH');
      await search.fill('nothing at all');
      await page.getByRole('button', { name: 'Clear the search' }).click();
      await only(6);
      // As other pages and older documents link to it.
      await page.goto(`${lplate.url}/#/traffic?path=/insurer/v1/policies/${policy.id}`);
      assert.deepEqual(await only(1), [`/insurer/v1/policies/${policy.id}`]);
      await chip(`path:/insurer/v1/policies/${policy.id}`).click();
      await only(6);
      await page.goto(`${lplate.url}/#/traffic?kind=call&status=4xx`);
      await chip('kind:call').waitFor();
      assert.deepEqual(await only(1), ['/insurer/v1/policies']);
    });

    test('Console, traffic: what the search does not understand is said at its field, and filters nothing', async (t) => {
      const client = await lplate.client();
      const { page } = await traffic(t, client);
      await row(page, 'demo-clients').waitFor();
      const search = page.getByRole('combobox', { name: 'Search' });
      await search.pressSequentially('stat:4xx');
      assert.equal(await search.getAttribute('aria-invalid'), 'false', 'it is still being typed');
      await search.press('Enter');
      await page.getByText('“stat:” is none of status, method').waitFor();
      assert.equal(await search.getAttribute('aria-invalid'), 'true');
      assert.equal(await search.inputValue(), 'stat:4xx');
      assert.equal(await row(page, 'demo-clients').count(), 1);
      await page.goto(`${lplate.url}/#/traffic?status=odd`);
      await page.getByText('“odd” is no status: it is 4xx, 409, or none for no answer.').waitFor();
      assert.equal(await search.inputValue(), 'status:odd');
    });

    test('Console, traffic: keys go through the list and through exchanges, and back, but not while one types', async (t) => {
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
      await page.keyboard.press('Escape');
      await page.locator(':focus').filter({ hasText: 'pol-2' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('jk');
      const search = page.getByRole('combobox', { name: 'Search' });
      assert.equal(await search.inputValue(), 'jk');
      await page.keyboard.press('Escape');
      assert.equal(await page.evaluate('document.activeElement === document.body'), true);
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
      await page.getByRole('button', { name: 'More for this call' }).click();
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
      await page.getByRole('combobox', { name: 'Search' }).fill('pol-har');
      assert.deepEqual(await saved('Save these 2 as HAR'), [`${policies}/pol-har-1`, `${policies}/pol-har-2`]);
    });

    test('Console, traffic: two calls are compared line by line', async (t) => {
      const client = await lplate.client();
      await insure(client, { regNumber: 'TF-6001', holder: 'Ada' });
      await insure(client, { regNumber: 'TF-6001', holder: 'Bob' });
      const { page } = await traffic(t, client);
      const created = row(page, '/insurer/v1/policies').filter({ hasText: '201' });
      const refused = row(page, '/insurer/v1/policies').filter({ hasText: '409' });
      await created.focus();
      await page.keyboard.press('c');
      await page.getByText('choose it in the list').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('choose it in the list').waitFor({ state: 'detached' });
      await created.focus();
      await page.keyboard.press('c');
      await refused.focus();
      await page.keyboard.press('c');
      await page.getByRole('heading', { level: 1, name: 'Two calls compared' }).waitFor();
      const part = page.getByRole('region', { name: 'Body of the request, line by line' });
      assert.match(await part.innerText(), /− +"holder": "Ada"[\s\S]*\+ +"holder": "Bob"/);
      assert.match(await page.getByRole('region', { name: 'Request line' }).innerText(), /The same in both/);
      await page.reload();
      await page.getByRole('region', { name: 'Status' }).first().waitFor();

      // From one of them: a click on a row of the list is enough.
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'POST /insurer/v1/policies' }).waitFor();
      await page.getByRole('button', { name: 'More for this call' }).click();
      await page.getByRole('button', { name: 'Compare with another' }).click();
      await page.getByText('choose it in the list').waitFor();
      await refused.click();
      await page.getByRole('heading', { level: 1, name: 'Two calls compared' }).waitFor();
      // The keys choose the second one anew.
      await page.keyboard.press('j');
      await page.getByRole('region', { name: 'Status' }).getByText('The same in both').waitFor();
    });

    test('Console, traffic: of a call that was cut it says who did that', async (t) => {
      const client = await lplate.client();
      const { token } = client;
      const drill = (json: object) => lplate.call('POST', '/range/v1/me/drills', { token, json });
      await drill({ name: 'cut-connections', parameters: { when: 'middle' } });
      await assert.rejects(insure(client, { regNumber: 'TF-8001' }));
      await lplate.call('DELETE', '/range/v1/me/drills/cut-connections', { token });
      await drill({ name: 'delay', parameters: { fromMs: 5000, toMs: 5000 } });
      const url = `${lplate.url}/insurer/v1/policies?gone=1`;
      const headers = { Authorization: `Bearer ${token}` };
      await assert.rejects(fetch(url, { headers, signal: AbortSignal.timeout(300) }));
      const { page } = await traffic(t, client);
      await row(page, /cut.*gone=1.*by your side/).click();
      await page
        .getByText('No drill did this: your side closed the connection, or lost it, before the answer')
        .waitFor();
      await row(page, /cut\s*POST/).click();
      await page.getByText('The drill cut-connections cut the connection in the middle of the answer 201').waitFor();
    });

    test('Console, traffic: of a token the claims are shown, and that it had expired by the clock of its client', async (t) => {
      const client = await lplate.client();
      const { token } = client;
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT90M' } });
      lplate.clock.advance(1000);
      await lplate.call('GET', '/policies?late=1', { token });
      const { page } = await traffic(t, client);
      await row(page, 'invalid-token').click();
      await page.getByText('Expired 30 min before this call').waitFor();
      const shown = page.getByRole('region', { name: 'Token 1' });
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
