import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { insure } from '../support/topic.ts';
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

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const address = (page: Page) => page.getByRole('combobox', { name: 'Address' });
  const answer = (page: Page) => page.getByRole('region', { name: 'The answer' });
  const status = (page: Page, expected: number) =>
    answer(page).getByRole('status').getByText(String(expected), { exact: true }).waitFor();

  describe('Console, send', () => {
    test('Console, send: a call is found by words, has an example that succeeds each time, and counts for lessons', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/send', client });
      await address(page).fill('post polic');
      await page.getByRole('option', { name: /POST \/insurer\/v1\/policies / }).waitFor();
      await address(page).press('ArrowDown');
      await address(page).press('Enter');
      assert.equal(await address(page).inputValue(), '/insurer/v1/policies');
      assert.equal(await page.getByLabel('Method').inputValue(), 'POST');
      await page.getByText(/^Valid for \d+ min/).waitFor();
      await page.getByLabel('Body', { exact: true }).press('Control+Enter');
      await status(page, 201);
      await answer(page).getByText('"status"').waitFor();
      // Another vehicle, so that it succeeds again.
      await button(page, 'What is required').click();
      await button(page, 'Send').click();
      await answer(page).getByRole('link', { name: 'Open in Traffic' }).click();
      await page.getByText('you, by hand on the page Send').waitFor();
      const { json } = await lplate.call('GET', '/range/v1/me/lessons/create-policy', client);
      assert.equal(json.state, 'solved');
    });

    test('Console, send: what is required and missing, and what a browser can’t send, stands at its field', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/send?method=POST&path=/insurer/v1/policies', client });
      await page.getByLabel('Body', { exact: true }).fill('{"holder": "Ada"}');
      await page.getByText('Required, and not there: regNumber.').waitFor();
      await page.getByLabel('Body', { exact: true }).fill('{"holder": ');
      await page.getByText(/This is no JSON/).waitFor();
      await button(page, 'Send').click();
      await status(page, 400);
      await answer(page).getByText('What this problem means').waitFor();
      await button(page, 'Add a header').click();
      await page.getByLabel('Name of header 3').fill('Cookie');
      await page.getByText('A browser sets Cookie itself.').waitFor();
      await page.getByLabel('Send Cookie').uncheck();
      await page.getByText('A browser sets Cookie itself.').waitFor({ state: 'detached' });
      await page.getByLabel('Method').selectOption('GET');
      await page.getByText('A browser sends no body with GET.').waitFor();
      assert.ok(await button(page, 'Send').isDisabled());
    });

    test('Console, send: without the token the call goes to the personal prefix, and is the learner’s all the same', async (t) => {
      const [client] = await Promise.all([lplate.client(), lplate.client()]);
      const { page } = await visit(t, lplate.url, { path: '/send', client });
      await page.getByLabel('Send Authorization').uncheck();
      await page.getByText(`it goes to /for/${client.id}/insurer/v1/policies`).waitFor();
      await button(page, 'Send').click();
      await status(page, 401);
      await answer(page).getByRole('link', { name: 'Open in Traffic' }).waitFor();
      const { json } = await lplate.call('GET', '/range/v1/me/lessons/no-header', client);
      assert.equal(json.state, 'solved');
    });

    test('Console, send: an exchange is sent again, with the token filled in anew', async (t) => {
      const client = await lplate.client();
      const policy = await insure(lplate, client.token);
      await lplate.call('PUT', `/policies/${policy}`, { token: client.token, json: { holder: '' } });
      const { page } = await visit(t, lplate.url, { path: '/traffic', client });
      await page.getByRole('link', { name: /PUT/ }).first().click();
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', {
          value: { writeText: async (text: string) => document.body.setAttribute('data-copied', text) },
        });
      });
      await button(page, 'More for this call').click();
      await button(page, 'Copy as Python').click();
      await page.waitForFunction(() => document.body.dataset.copied !== undefined);
      const copied = await page.evaluate(() => document.body.dataset.copied ?? '');
      assert.match(copied, /"Authorization": "Bearer " \+ os\.environ\["TOKEN"\],/);
      assert.match(copied, /data=\("\{\\"holder\\":\\"\\"\}"\)\.encode\(\)/);
      await page.getByRole('link', { name: 'Edit and send' }).click();
      assert.equal(await page.getByLabel('Value of Authorization').inputValue(), 'Bearer {{token}}');
      assert.equal(await page.getByLabel('Body', { exact: true }).inputValue(), '{"holder":""}');
      await page.getByLabel('Body', { exact: true }).fill('{"holder":"Ada"}');
      await button(page, 'Send').click();
      await status(page, 200);
      assert.match(page.url(), /#\/send$/);
      // By the keyboard, too: the first call of the list.
      await page.goBack();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: /PUT/ }).first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('e');
      await page.getByLabel('Method').waitFor();
    });

    test('Console, send: a call on one’s own policy is filled in, and can be copied as code without a secret', async (t) => {
      const client = await lplate.client();
      const policy = await insure(lplate, client.token);
      const { page } = await visit(t, lplate.url, { path: '/send', client });
      await address(page).fill('cancel');
      await page
        .getByRole('option', { name: /cancel/ })
        .first()
        .click();
      await page.waitForFunction(
        (id) => document.querySelector<HTMLInputElement>('[role=combobox]')?.value.includes(id),
        policy,
      );
      await page.getByText('As code').click();
      const code = page.getByRole('group', { name: /The call as code/ });
      assert.match(await code.innerText(), /"Authorization: Bearer \$TOKEN"/);
      await page.getByRole('tab', { name: 'Python' }).click();
      assert.match(await code.innerText(), /os\.environ\["TOKEN"\]/);
      await page
        .getByLabel('policyId', { exact: true })
        .or(page.getByLabel('id', { exact: true }))
        .fill('pol-none');
      assert.match(await address(page).inputValue(), /\/policies\/pol-none\/cancel$/);
      await button(page, 'Send').click();
      await status(page, 404);
    });

    test('Console, send: a token is asked for with the learner’s own secret, and SOAP is answered', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/send?method=POST&path=/insurer/v1/auth/token', client });
      await page.getByLabel('Body', { exact: true }).waitFor();
      assert.match(await page.getByLabel('Body', { exact: true }).inputValue(), /\{\{client_secret\}\}/);
      await button(page, 'Send').click();
      await status(page, 200);
      await button(page, 'application/x-www-form-urlencoded').click();
      await button(page, 'Send').click();
      await status(page, 200);
      await address(page).fill('soap');
      await page.getByRole('option', { name: /SOAP/ }).click();
      await button(page, 'Send').click();
      await answer(page).getByText('<Make>').waitFor();
      await button(page, 'SOAP 1.2').click();
      await button(page, 'Send').click();
      await answer(page).getByText('The Envelope is not one of SOAP 1.1').waitFor();
    });

    test('Console, send: a lesson opens the call that it is about, on something of one’s own', async (t) => {
      const client = await lplate.client();
      const policy = await insure(lplate, client.token);
      const { page } = await visit(t, lplate.url, { path: '/lessons/lost-update', client });
      await page.getByRole('button', { name: 'Write a call' }).click();
      await page.waitForFunction(
        (id) => document.querySelector<HTMLInputElement>('[role=combobox]')?.value.includes(id),
        policy,
      );
      assert.equal(await page.getByLabel('Method').inputValue(), 'PUT');
      // It is answered on the lesson's page, and its step ticks.
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('heading', { name: 'Answer' }).waitFor();
      await page.getByRole('complementary').getByText(`PUT /insurer/v1/policies/${policy}`).first().waitFor();
    });

    test('Console, send: a stream is shown as it comes, and can be stopped', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/send', client });
      await address(page).fill('GET /range/v1/me/lessons');
      await page.keyboard.press('Escape');
      await button(page, 'Add a header').click();
      await page.getByLabel('Name of header 2').fill('Accept');
      await page.getByLabel('Value of Accept').fill('text/event-stream');
      await button(page, 'Send').click();
      await answer(page).getByText('The stream goes on').waitFor();
      await status(page, 200);
      await button(page, 'Stop').click();
      await answer(page).getByText('The stream goes on').waitFor({ state: 'detached' });
      await status(page, 200);
    });

    test('Console, send: the last calls are there after a reload, without what is secret', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/send', client });
      await page.getByLabel('Value of Authorization').fill(`Bearer ${client.token}`);
      await address(page).fill('/insurer/v1/policies?page=7');
      await page.keyboard.press('Escape');
      await button(page, 'Send').click();
      await status(page, 200);
      await page.reload();
      await page.getByText('Sent before: 1 call').click();
      await page.getByRole('button', { name: /page=7/ }).click();
      assert.equal(await address(page).inputValue(), '/insurer/v1/policies?page=7');
      await page.getByText('The log hides what stood here: fill it in.').waitFor();
      assert.ok(!(await page.evaluate(() => localStorage.getItem('lplate.sent')))?.includes(client.token));
      await button(page, 'Forget them').click();
      assert.equal(await page.evaluate(() => localStorage.getItem('lplate.sent')), null);
    });
  });
});
