import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { claimOn, insure, pass } from '../support/topic.ts';
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

  const begin = async (client: TestClient, name: string, parameters: object = {}) => {
    const { status, text } = await lplate.call('POST', '/range/v1/me/drills', {
      ...client,
      json: { name, parameters },
    });
    assert.equal(status, 201, text);
  };

  /** The texts of a row of a table, without its heading. */
  const figures = (table: Locator, name: string) =>
    table
      .getByRole('row')
      .filter({ has: table.page().getByRole('rowheader', { name }) })
      .getByRole('cell')
      .allInnerTexts();

  describe('Console, statements', () => {
    test('Console, statements: one is found by the search and on Policies, made, followed, and read: rows, totals and the trailer tell the same; it is saved as it came', async (t) => {
      const client = await lplate.client();
      await lplate.call('POST', '/range/v1/me/fleet', client);
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      await page.getByRole('link', { name: 'Statements' }).click();
      const form = page.getByRole('region', { name: 'Make a statement' });
      await form.getByLabel('Month').fill('2999-01');
      await form.getByRole('button', { name: 'Make it' }).click();
      await form.getByRole('alert').getByText('/month').waitFor();
      await form.getByLabel('Month').fill('2026-03');
      for (const [format, currency, type] of [
        ['csv', 'EUR', 'csv'],
        ['csv-1252', 'KWD', 'csv'],
        ['ndjson', 'JPY', 'ndjson'],
      ] as const) {
        await form.getByLabel('Format').selectOption(format);
        await form.getByLabel('Currency').selectOption(currency);
        await form.getByRole('button', { name: 'Make it' }).click();
        await form.getByText('Accepted with 202.').waitFor();
        await page.getByRole('definition').getByText(format, { exact: true }).waitFor();
        const file = page.getByRole('region', { name: 'Its file' });
        await file.getByRole('button', { name: 'Get the file' }).click();
        await file.getByText('All of it came').waitFor();
        await file.getByText('The rows, the trailer and the statement tell the same.').waitFor();
        const [, id = ''] = /(stm-[\da-f-]+)$/.exec(page.url()) ?? [];
        const { json } = await lplate.call('GET', `/statements/${id}`, client);
        const table = file.getByRole('region', { name: 'Totals' });
        for (const row of ['Rows', 'Trailer', 'Statement']) {
          const told = [String(json.count), json.premiums.amount, json.commissions.amount];
          assert.deepEqual(await figures(table, row), told, row);
        }
        const saving = page.waitForEvent('download');
        await file.getByRole('button', { name: 'Save what came' }).click();
        const saved = await saving;
        assert.equal(saved.suggestedFilename(), `statement-2026-03-${currency}.${type}`);
        const content = await lplate.call('GET', `/statements/${id}/content`, client);
        assert.equal(await readFile(await saved.path(), 'utf8'), content.text);
      }
      const rows = page.getByRole('region', { name: 'Rows of the file' }).getByRole('rowheader');
      assert.equal(await rows.count(), 20);
      await page.getByRole('button', { name: 'Last page' }).click();
      await page.getByText(/^Page \d of \d: \d+ to \d+ of \d+$/).waitFor();
      // Its address leads to it again, and its id does in the search.
      await page.reload();
      await page.getByRole('button', { name: 'Get the file' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('statement');
      await page.getByRole('option').getByText('Statements', { exact: true }).waitFor();
    });

    for (const width of [1280, 320]) {
      test(`Console, statements: a file that ended early is told by its length and its digest, and the rest is got (${width} px)`, async (t) => {
        const client = await lplate.client();
        await lplate.call('POST', '/range/v1/me/fleet', client);
        await begin(client, 'short-file');
        const { json } = await lplate.call('POST', '/statements', {
          ...client,
          json: { month: '2026-03', format: 'csv' },
        });
        const { page } = await visit(t, lplate.url, { path: `/policies/statements/${json.id}`, client, width });
        await page.getByRole('button', { name: 'Get the file' }).click();
        await page.getByText('The file ended early.').waitFor();
        await page.getByText('There is no trailer.').waitFor();
        const came = await page.getByText(/^\d+ of \d+$/).innerText();
        const [had, size] = came.split(' of ').map(Number);
        assert.ok(Number(had) < Number(size), came);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), false);
        await page.getByRole('button', { name: 'Get the rest' }).focus();
        await page.keyboard.press('Enter');
        await page.getByText('All of it came').waitFor();
        await page.getByText(`${size} of ${size}`).waitFor();
        await page.locator(':focus').getByText('All of it came').waitFor();
        await page.getByText('The rows, the trailer and the statement tell the same.').waitFor();
      });
    }

    test('Console, statements: a trailer that does not fit its rows is told, with both figures', async (t) => {
      const client = await lplate.client();
      await insure(lplate, client.token, 'ST-1');
      await begin(client, 'wrong-trailer', { what: 'commissions' });
      const { json } = await lplate.call('POST', '/statements', {
        ...client,
        json: { month: '2026-03', format: 'csv-1252' },
      });
      const { page } = await visit(t, lplate.url, { path: `/policies/statements/${json.id}`, client });
      await page.getByRole('button', { name: 'Get the file' }).click();
      await page.getByText('All of it came').waitFor();
      await page.getByText('The trailer differs from the rows: commissions.').waitFor();
      const table = page.getByRole('region', { name: 'Totals' });
      const [rows, trailer] = [await figures(table, 'Rows'), await figures(table, 'Trailer')];
      assert.deepEqual(rows.slice(0, 2), trailer.slice(0, 2));
      assert.notEqual(rows[2], trailer[2]);
      assert.deepEqual(await figures(table, 'Statement'), rows);
    });

    test('Console, statements: one that is late is asked for when Retry-After says, and when the clock was moved', async (t) => {
      const client = await lplate.client();
      await begin(client, 'late-statement', { seconds: 300 });
      const { json } = await lplate.call('POST', '/statements', {
        ...client,
        json: { month: '2026-03', format: 'csv' },
      });
      const { page } = await visit(t, lplate.url, { path: `/policies/statements/${json.id}`, client });
      await page.getByText('Retry-After: 60.').waitFor();
      await lplate.call('POST', '/range/v1/me/clock', { ...client, json: { advance: 'PT6M' } });
      await page.getByRole('button', { name: 'Get the file' }).click();
      await page.getByText('There are none.').waitFor();
      await page.getByText('The rows, the trailer and the statement tell the same.').waitFor();
    });
  });

  describe('Console, documents', () => {
    test('Console, documents: one is added and saved again as it was; a second with the wrong bytes, too many of them or none is refused in the service’s words', async (t) => {
      const client = await lplate.client();
      const claim = await claimOn(lplate, client.token, await insure(lplate, client.token, 'DO-1'));
      const { page } = await visit(t, lplate.url, { path: `/claims/${claim}`, client });
      const form = page.getByRole('region', { name: 'Add a document' });
      const field = form.getByLabel('A photograph or a PDF');
      const send = form.getByRole('button', { name: 'Send it' });
      await send.click();
      await form.getByRole('alert').getByText('has no file').waitFor();
      await field.setInputFiles({ name: 'x.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('<script>') });
      await send.click();
      await form.getByRole('alert').getByText('does not begin as a JPEG').waitFor();
      await field.setInputFiles({ name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(1_100_000) });
      await send.click();
      await form.getByText('413').waitFor();

      const pdf = Buffer.from('%PDF-1.7\nThe left door has a scratch.\n');
      await field.setInputFiles({ name: 'Ünï; "code".pdf', mimeType: 'application/pdf', buffer: pdf });
      await send.click();
      await form.getByText('Added. It can’t be changed').waitFor();
      const curl = await form.getByRole('region', { name: 'The call as a curl command' }).innerText();
      assert.ok(curl.includes(`-F 'file=@"Ünï; \\"code\\".pdf"'`), curl);
      const { json } = await lplate.call('GET', `/claims/v1/claims/${claim}/documents`, client);
      const [document] = json.items;
      const digest = `sha-256=:${createHash('sha256').update(pdf).digest('base64')}:`;
      assert.deepEqual([json.totalItems, document.digest], [1, digest]);
      const row = page.getByRole('region', { name: 'Documents of the claim' }).getByRole('row').nth(1);
      for (const text of [document.name, 'application/pdf', String(pdf.length), digest])
        await row.getByText(text, { exact: true }).waitFor();
      const saving = page.waitForEvent('download');
      await row.getByRole('button', { name: 'Download' }).click();
      const saved = await saving;
      assert.deepEqual(await readFile(await saved.path()), pdf);
    });
  });

  describe('Console, erasures', () => {
    test('Console, erasures: a name is erased once it is confirmed, and the report tells what had it', async (t) => {
      const client = await lplate.client();
      const holder = 'Zelda Forgotten';
      const { json } = await lplate.call('POST', '/policies', { ...client, json: { regNumber: 'ER-1', holder } });
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      await page.getByRole('link', { name: 'Erasures' }).click();
      const form = page.getByRole('region', { name: 'Erase a holder' });
      await form.getByLabel('Holder').fill(holder);
      await form.getByRole('button', { name: 'Erase the name' }).click();
      await form.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
      assert.equal((await lplate.call('GET', `/policies/${json.id}`, client)).json.holder, holder);
      await form.getByRole('button', { name: 'Erase the name' }).click();
      await form.getByRole('dialog').getByRole('button', { name: 'Erase it' }).click();
      await form.getByText('Accepted with 202.').waitFor();
      await pass(lplate, 5);
      await page.getByText('completed', { exact: true }).waitFor();
      const table = page.getByRole('region', { name: 'What had the name' });
      assert.deepEqual(await figures(table, 'policies'), ['1']);
      assert.notEqual((await lplate.call('GET', `/policies/${json.id}`, client)).json.holder, holder);
    });
  });
});
