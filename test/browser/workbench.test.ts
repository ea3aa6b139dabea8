import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine, { eventsDuplicateRate: 1 });
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const typed = (page: Page, label: string, text: string) =>
    page
      .locator('input, textarea')
      .and(page.getByLabel(label, { exact: true }))
      .fill(text);

  describe('Console, workbench', () => {
    test('Console, workbench: a token is decoded, checked with the keys, and judged by the learner’s clock', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/workbench/token', client });
      await button(page, 'Use one of mine').click();
      await page.getByText('The signature is right').waitFor();
      await page.getByText(/It is yours\. It is valid for .* more, by your clock/).waitFor();
      await page.getByRole('region', { name: 'Claims' }).getByText('policies:read').waitFor();

      await typed(page, 'Token', `Bearer ${client.token}`);
      await page.getByText('Bearer is part of the header’s value').waitFor();
      await typed(page, 'Token', client.token.slice(0, -4));
      await page.getByText('The signature does not fit').waitFor();
      await typed(page, 'Token', client.token.split('.').slice(0, 2).join('.'));
      await page.getByText('This has two parts.').waitFor();
      await typed(page, 'Token', client.secret);
      await page.getByText('This is a client_secret').waitFor();

      const other = await lplate.client();
      await typed(page, 'Token', other.token);
      await page.getByText(`It is of another client: ${other.id}.`).waitFor();
      await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'PT2H' } });
      await typed(page, 'Token', client.token);
      await page.getByText(/It is yours\. It expired 1 hour ago, by your clock/).waitFor();
    });

    test('Console, workbench: the bytes of a signed body are shown, and its signature is taken or refused', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/workbench/signature' });
      await typed(page, 'Body', '{"regNumber":"AB-1234"}');
      await typed(page, 'Secret', testSecrets.hmacSecret);
      await page.getByLabel('Line ends').selectOption('crlf');
      await page.getByLabel('At its end').selectOption('with');
      await page.getByText('25 bytes. 1 line ends with CR LF: 0d 0a. There is a line end at its end.').waitFor();
      await page.getByRole('region', { name: 'The call with curl' }).getByText('--data-binary @body.json').waitFor();
      await button(page, 'Send it').click();
      await page.getByText('The signature fits.').waitFor();

      await typed(page, 'Secret', `"${testSecrets.hmacSecret}"`);
      await page.getByText('The secret is in quotes.').waitFor();
      await button(page, 'Send it').click();
      await page.getByText('The key was the secret in quotes').first().waitFor();
      assert.equal(
        await page.evaluate((secret) => JSON.stringify(localStorage).includes(secret), testSecrets.hmacSecret),
        false,
      );
    });

    test('Console, workbench: an envelope is answered with a vehicle, or a fault that is explained, beside version 2', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/workbench/soap' });
      const [v1, v2] = ['v1, SOAP', 'v2, REST'].map((name) => page.getByRole('region', { name, exact: true }));
      assert.ok(v1 && v2);
      await button(page, 'Send it').click();
      await v1.getByText('<Make>Yarrowick</Make>').waitFor();
      await v2.getByText('"make": "Yarrowick"').waitFor();
      for (const [preset, says] of [
        ['Unknown vehicle', 'there is no such vehicle'],
        ['With a DOCTYPE', 'must not have a DOCTYPE'],
        ['SOAP 1.2', 'The Envelope is not one of SOAP 1.1'],
        ['No RegNumber', 'The same request fails again'],
      ] as const) {
        await button(page, preset).click();
        await button(page, 'Send it').click();
        await v1.getByText(says).first().waitFor();
        await v1.getByText('500', { exact: true }).waitFor();
      }
      await v2.getByText('The envelope names no vehicle').waitFor();
    });

    test('Console, workbench: the topic is read batch by batch, and a cursor that is too old is explained', async (t) => {
      const client = await lplate.client();
      const { json: policy } = await lplate.call('POST', '/policies', {
        token: client.token,
        json: { regNumber: 'WB-0001' },
      });
      const claim = { policyNumber: policy.id, paceSeconds: 1 };
      await lplate.call('POST', '/claims/v1/claims', { token: client.token, json: claim });
      lplate.clock.advance(5000);
      const topic = '/claims/v1/topics/claims.status-changed';
      const { json: batch } = await lplate.call('GET', `${topic}?wait=20&limit=1`, { token: client.token });
      assert.equal(batch.events.length, 1);

      const { page } = await visit(t, lplate.url, { path: '/workbench/cursor', client });
      await typed(page, 'limit (1 to 500)', '2');
      await button(page, 'Read the batch').click();
      const first = page.getByRole('region', { name: 'Batch 1' });
      await first.getByText('REGISTERED → UNDER_REVIEW').first().waitFor();
      await first.getByText('duplicate').waitFor();
      const next = await first
        .getByText(/next is/)
        .locator('code')
        .innerText();
      await button(page, 'Go on from next').click();
      await page.getByRole('region', { name: 'Batch 2' }).getByText('UNDER_REVIEW → APPROVED').first().waitFor();
      await page.getByText(`after earliest: 2 events, next ${next}`).waitFor();

      // What was published in the millisecond of a move is not older by it.
      lplate.clock.advance(1);
      await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'P8D' } });
      await typed(page, 'after', next);
      await button(page, 'Read the batch').click();
      await page.getByText('Read one batch from latest, and keep its next.').waitFor();
      await button(page, 'From latest').click();
      await page.getByText(/latest is the position after the newest event/).waitFor();
    });

    test('Console, workbench: the pages of the policies are gone through by their links', async (t) => {
      const client = await lplate.client();
      for (const regNumber of ['WP-0001', 'WP-0002', 'WP-0003'])
        await lplate.call('POST', '/policies', { token: client.token, json: { regNumber } });
      const { page } = await visit(t, lplate.url, { path: '/workbench/cursor', client });
      await typed(page, 'pageSize (1 to 500)', '2');
      await button(page, 'Read the page').click();
      await page.getByText('Page 1 of 2: 2 of 3 policies.').waitFor();
      await button(page, 'next').click();
      await page.getByText('Page 2 of 2: 1 of 3 policies.').waitFor();
      assert.ok(await button(page, 'next').isDisabled());
      await typed(page, 'page', '9');
      await button(page, 'Read the page').click();
      await page.getByText('A page after the last one has no items.').waitFor();
      await typed(page, 'page', '0');
      await button(page, 'Read the page').click();
      await page
        .getByText(/page: must be/)
        .first()
        .waitFor();
    });

    test('Console, workbench: a webhook is checked: what fits, and what changed on its way', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/workbench/webhook' });
      const secret = `whsec_${Buffer.from('a key of thirty-two bytes, or so').toString('base64')}`;
      const id = '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11';
      const body = JSON.stringify({ eventId: id, data: {} });
      const now = new Date();
      const signature = new Webhook(secret).sign(id, now, body);
      const seconds = Math.floor(now.getTime() / 1000);
      await page.getByText('Nothing was pasted yet.').waitFor();
      await typed(page, 'Headers', `webhook-id: ${id}\nwebhook-timestamp: ${seconds}\nwebhook-signature: ${signature}`);
      await typed(page, 'Body', body);
      await typed(page, 'Secret of the subscription', secret);
      await page.getByText('The call is right.').waitFor();
      await page.getByRole('region', { name: 'The signature that fits' }).getByText(signature).waitFor();

      await typed(page, 'Body', JSON.stringify(JSON.parse(body), null, 2));
      await page.getByText('It fits the body re-serialised as compact JSON').waitFor();
      await typed(page, 'Body', body.replace('data', 'date'));
      await page.getByText('none of the common mistakes').waitFor();
    });

    test('Console, workbench: a tool is chosen by the keyboard and stands in the address', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/workbench' });
      await page.getByRole('tab', { name: 'Token' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name: 'Signed body', selected: true }).waitFor();
      assert.match(page.url(), /#\/workbench\/signature$/);
    });
  });
});
