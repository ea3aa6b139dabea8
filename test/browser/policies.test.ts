import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { visible } from '../../console/model/line.ts';
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

  describe('Console, policies', () => {
    test('Console, policies: a vehicle is insured, a second time refused in the service’s words; the policy is changed and cancelled', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      await page.getByText('You have no policies yet.').waitFor();
      await page.getByRole('button', { name: 'Insure a vehicle' }).click();
      const form = page.getByRole('region', { name: 'Insure a vehicle' });
      await form.getByLabel('Registration number').fill('PO-1');
      await form.getByLabel('Coverage option').selectOption('MTPL-3M');
      await form.getByLabel('First day of cover').fill('2026-04-01');
      await form.getByRole('button', { name: 'Insure it' }).click();
      const open = form.getByRole('link', { name: 'Open the policy of PO-1' });
      await open.waitFor();
      assert.equal(
        await form.getByRole('region', { name: 'The call as a curl command' }).innerText(),
        `curl -i -X POST '${lplate.url}/insurer/v1/policies' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"regNumber":"PO-1","coverageOption":"MTPL-3M","startDate":"2026-04-01"}'`,
      );
      await form.getByRole('button', { name: 'Insure it' }).click();
      await form.getByRole('alert').getByText('The vehicle is already insured').waitFor();
      assert.equal(
        await form.getByRole('link', { name: 'What this problem means' }).getAttribute('href'),
        '/problems/duplicate-policy',
      );
      const exchange = await form.getByRole('link', { name: 'Open in Traffic' }).getAttribute('href');
      const { json } = await lplate.call('GET', `/range/v1/me/exchanges/${exchange?.split('/').at(-1)}`, client);
      assert.equal(json.problem, 'duplicate-policy');

      await page.getByRole('table').getByRole('link', { name: 'PO-1' }).click();
      await page.getByText('"1-active"').waitFor();
      await page.getByText('2026-06-30').waitFor();
      await page.getByRole('textbox', { name: 'Holder' }).fill('Ada Example');
      await page.getByRole('button', { name: 'Change the holder' }).click();
      await page.getByText('"2-updated"').waitFor();
      await page.getByText('The holder is changed.').waitFor();

      // Somebody else changes it, which the page sees in the live log.
      const path = `/policies/${(await lplate.call('GET', '/policies', client)).json.items[0].id}`;
      await lplate.call('PUT', path, { ...client, json: { holder: 'Bea Example' } });
      await page.getByText('"3-updated"').waitFor();

      await page.getByRole('button', { name: 'Cancel the policy' }).click();
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByRole('button', { name: 'Cancel the policy' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the policy' }).click();
      await page.getByText('A policy that is cancelled can’t be changed any more.').waitFor();
      await page.getByText('"4-cancelled"').waitFor();
    });

    test('Console, policies: what somebody else changed is not overwritten', async (t) => {
      const client = await lplate.client();
      const { json } = await lplate.call('POST', '/policies', { ...client, json: { regNumber: 'PO-2' } });
      const { page } = await visit(t, lplate.url, { path: `/policies/${json.id}`, client });
      await page.getByText('"1-active"').waitFor();
      // The page does not hear of it: what it hears before the click would make the tag of its call the new one.
      await page.route('**/range/v1/me/exchanges', (route) => route.abort());
      await page.reload();
      await page.getByText('"1-active"').waitFor();
      await page.getByRole('textbox', { name: 'Holder' }).fill('Ada Example');
      await lplate.call('PUT', `/policies/${json.id}`, { ...client, json: { holder: 'Bea Example' } });
      await page.getByRole('button', { name: 'Change the holder' }).click();
      await page.getByRole('link', { name: 'What this problem means' }).waitFor();
      assert.equal((await lplate.call('GET', `/policies/${json.id}`, client)).json.holder, 'Bea Example');
    });

    for (const width of [1280, 360]) {
      test(`Console, policies: an import is followed, its refused rows say why, and it is listed (${width} px)`, async (t) => {
        const client = await lplate.client();
        const { page } = await visit(t, lplate.url, { path: '/policies', client, width });
        await page.getByRole('button', { name: 'Import policies' }).click();
        const form = page.getByRole('region', { name: 'Import policies' });
        const box = form.getByLabel('Policies, one a line').and(page.locator(':focus'));
        const example = (await box.getAttribute('placeholder')) ?? '';
        assert.ok(
          example.split('\n').every((line) => JSON.parse(line).regNumber),
          example,
        );
        await form.getByRole('button', { name: 'Import them' }).click();
        await form.getByRole('alert').getByText('Send one JSON object a line').waitFor();
        await form.getByRole('button', { name: 'Fill in five rows' }).click();
        await form.getByRole('button', { name: 'Import them' }).click();
        await form.getByText('Accepted with 202.').waitFor();
        const command = await form.getByRole('region', { name: 'The call as a curl command' }).innerText();
        assert.match(command, /-H 'Content-Type: application\/x-ndjson'/);
        const refused = form.getByRole('region', { name: 'Rows refused' }).getByRole('row');
        await refused.getByText('already has a policy in force').waitFor();
        assert.equal(await refused.nth(1).getByRole('rowheader').innerText(), '5');
        await form.getByText('5 of 5').waitFor();
        await form.getByRole('combobox', { name: 'Rows' }).selectOption('created');
        const made = form.getByRole('region', { name: 'Rows created' }).getByRole('link', { name: /^pol-/ });
        await made.nth(3).waitFor();
        const { items } = (await lplate.call('GET', '/policies', client)).json;
        assert.deepEqual(
          await made.evaluateAll((all) => all.map((each) => each.getAttribute('href'))),
          items.map(({ id }: { id: string }) => `#/policies/${id}`),
        );
        await page
          .getByRole('table')
          .getByRole('link', { name: /^GH-\d{4}$/ })
          .waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Import policies' }).click();
        const kept = form.getByRole('region', { name: 'Your imports' }).getByRole('row');
        await kept.getByText('completed').waitFor();
        await kept.getByRole('button', { name: 'Show the import of 5 rows' }).click();
        await refused.getByText('already has a policy in force').waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), false);
      });
    }

    test('Console, policies: rows to import come from a file, and many that are refused are paged through', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      await page.getByRole('button', { name: 'Import policies' }).click();
      const form = page.getByRole('region', { name: 'Import policies' });
      const rows = ['{"regNumber":"FI-1"}', ...Array.from({ length: 24 }, () => '{"regNumber":"F!"}')];
      const file = { name: 'rows.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(rows.join('\n')) };
      await form.getByLabel('Or take them from a file').setInputFiles(file);
      await page.waitForFunction("document.querySelector('textarea').value.includes('FI-1')");
      await form.getByRole('button', { name: 'Import them' }).click();
      const refused = form.getByRole('region', { name: 'Rows refused' }).getByRole('rowheader');
      await refused.nth(19).waitFor();
      assert.deepEqual([await refused.count(), await refused.first().innerText()], [20, '2']);
      await form.getByRole('button', { name: 'Next page' }).click();
      await form.getByText('Page 2 of 2: 21 to 24 of 24').waitFor();
      assert.deepEqual(await refused.allInnerTexts(), ['22', '23', '24', '25']);
    });

    test('Console, policies: the list is filtered by status and by registration number', async (t) => {
      const client = await lplate.client();
      const of = async (regNumber: string) =>
        (await lplate.call('POST', '/policies', { ...client, json: { regNumber } })).json.id as string;
      await of('PO-71');
      await lplate.call('POST', `/policies/${await of('PO-72')}/cancel`, client);
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      const rows = page.getByRole('table').getByRole('link');
      await rows.getByText('PO-71').waitFor();
      await page.getByLabel('Status').selectOption('cancelled');
      await rows.getByText('PO-71').waitFor({ state: 'detached' });
      assert.deepEqual(await rows.allInnerTexts(), ['PO-72']);
      await page.getByLabel('Status').selectOption('expired');
      await page.getByText('You have no policy like that.').waitFor();
      await page.getByLabel('Status').selectOption('All');
      await rows.getByText('PO-71').waitFor();
      await page.getByLabel('Registration number').fill(' po72');
      await page.keyboard.press('Enter');
      await rows.getByText('PO-71').waitFor({ state: 'detached' });
      assert.deepEqual(await rows.allInnerTexts(), ['PO-72']);
      await page.getByLabel('Status').selectOption('active');
      await page.getByText('You have no policy like that.').waitFor();
      await page.getByLabel('Registration number').fill('');
      await page.getByRole('button', { name: 'Find' }).click();
      await rows.getByText('PO-71').waitFor();
    });

    test('Console, policies: a fleet of 75 is paged through', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      await page.getByRole('button', { name: 'Add 75 example policies' }).click();
      await page.getByText('75 policies were made.').waitFor();
      const rows = page.getByRole('region', { name: 'Policies' }).getByRole('row');
      await page.getByText('Page 1 of 4: 1 to 20 of 75').waitFor();
      assert.equal(await rows.count(), 21);
      await page.getByRole('button', { name: 'Last page' }).click();
      await page.getByText('Page 4 of 4: 61 to 75 of 75').waitFor();
      assert.equal(await rows.count(), 16);
      assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled());
      await page.getByRole('button', { name: 'Previous page' }).click();
      await page.getByText('Page 3 of 4: 41 to 60 of 75').waitFor();
      const { json } = await lplate.call('GET', '/policies?page=3', client);
      assert.equal(await rows.nth(1).getByRole('link').innerText(), json.items[0].regNumber);
      await page.getByLabel('On a page').selectOption('100');
      await rows.nth(75).waitFor();
      assert.equal(await rows.count(), 76);
    });

    test('Console, policies: policies of one’s own, also with a status and a start in the past, are added or refused with reasons', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/policies', client });
      await page.getByRole('button', { name: 'Add your own' }).click();
      const form = page.getByRole('region', { name: 'Add your own' });
      const box = form.getByLabel('Body of the call');
      const body = JSON.parse(await box.inputValue());
      const made = page.getByRole('region', { name: 'The call that was made' });
      await box.fill(JSON.stringify({ policies: [{ ...body.policies[0], startDate: '1999-12-31' }] }));
      await form.getByRole('button', { name: 'Add them' }).click();
      await made.getByRole('alert').getByText('/policies/0/startDate').waitFor();
      await box.fill('{"policies": [');
      await form.getByRole('button', { name: 'Add them' }).click();
      await made.getByRole('alert').getByText('The body is not valid JSON').waitFor();
      await box.fill(JSON.stringify(body));
      await form.getByRole('button', { name: 'Add them' }).click();
      await made.getByText('2 policies were made.').waitFor();
      const rows = page.getByRole('region', { name: 'Policies' }).getByRole('row');
      await rows.getByText('expired', { exact: true }).waitFor();
      assert.deepEqual(
        (await lplate.call('GET', '/policies', client)).json.items.map((each: Record<string, unknown>) => [
          each.regNumber,
          each.status,
        ]),
        [
          [body.policies[0].regNumber, 'active'],
          [body.policies[1].regNumber, 'expired'],
        ],
      );
    });

    test('Console, hostile data: the name of a holder runs nothing, and breaks no layout', async (t) => {
      const client = await lplate.client();
      const names = [
        '<script>throw new Error("ran")</script>',
        '<img src=x onerror="throw new Error(1)">',
        '\u202e\u2067drawkcab',
        'x'.repeat(100),
      ];
      for (const [at, holder] of names.entries()) {
        await lplate.call('POST', '/policies', { ...client, json: { regNumber: `HO-${at}`, holder } });
      }
      const { page } = await visit(t, lplate.url, { path: '/policies', client, width: 360 });
      for (const [at, holder] of names.entries()) {
        const row = page.getByRole('row', { name: new RegExp(`^HO-${at}`) });
        assert.equal(await row.locator('bdi').innerText(), visible(holder));
      }
      const wide = () => page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
      assert.equal(await wide(), false);
      await page.getByRole('link', { name: 'HO-3' }).click();
      await page.getByText('"1-active"').waitFor();
      assert.equal(await wide(), false);
    });
  });
});
