import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { batch, claimOn, insure, pass, topicPath } from '../support/topic.ts';
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

  describe('Console, claims and events', () => {
    test('Console, claims: one is registered, its path shows what comes when, to CLOSED; its events have duplicates, linked', async (t) => {
      const client = await lplate.client();
      await insure(lplate, client.token, 'CL-1');
      const { page } = await visit(t, lplate.url, { path: '/claims', client });
      await page.getByText('You have no claims yet.').waitFor();
      await page.getByRole('button', { name: 'Register a claim' }).click();
      const form = page.getByRole('region', { name: 'Register a claim' });
      await form.getByLabel('Policy').selectOption({ label: 'CL-1' });
      await form.getByLabel('How its review ends').selectOption('REJECTED');
      await form.getByLabel('Seconds between two changes').fill('50');
      await form.getByRole('button', { name: 'Register it' }).click();
      const curl = await form.getByRole('region', { name: 'The call as a curl command' }).innerText();
      assert.match(curl, /^curl -i -X POST '.*\/claims\/v1\/claims'[\s\S]*"outcome":"REJECTED","paceSeconds":50}'$/);

      await form.getByRole('link', { name: /^Follow CLM-/ }).click();
      const path = page.getByRole('region', { name: 'Its path' }).getByRole('listitem');
      const here = page.locator('[aria-current=step]');
      assert.match(await path.nth(1).innerText(), /^UNDER_REVIEW\s+next, .* in [345]\d s/);
      assert.match(await path.nth(2).innerText(), /^REJECTED\s+expected /);
      for (const status of ['UNDER_REVIEW', 'REJECTED', 'CLOSED']) {
        await pass(lplate, 50);
        await here.getByText(status, { exact: true }).waitFor();
      }
      await here.getByText('The rejection was not contested.').waitFor();
      assert.match(await path.nth(3).innerText(), /Its event came 2 times, as \d+-1, \d+-2\./);
      const times = path.locator('time');
      const [first = '', last = ''] = [
        await times.first().getAttribute('title'),
        await times.last().getAttribute('title'),
      ];
      assert.equal(Date.parse(last ?? '') - Date.parse(first ?? ''), 150_000);

      await page.getByRole('link', { name: 'Its events' }).click();
      const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
      await events.nth(5).waitFor();
      assert.equal(await events.count(), 6);
      assert.deepEqual(
        (await events.locator('.badge.warn').allInnerTexts()).map((text) => text.replace(/\d+-/g, '')),
        Array(3).fill('Duplicate of 1'),
      );
      await events.first().getByRole('link', { name: /-1$/ }).click();
      await page.locator('li:focus').getByText('Again as').waitFor();
      await page.getByLabel('Order').selectOption('Oldest first');
      await events.first().getByText('#1').waitFor();
      await events.first().getByRole('button', { name: 'Payload' }).click();
      const payload = JSON.parse(
        await events
          .first()
          .getByRole('region', { name: /^Payload/ })
          .innerText(),
      );
      assert.deepEqual(payload, (await batch(lplate, client.token)).events[0]);
    });

    test('Console, claims: the list and a claim show the vehicle by its plate', async (t) => {
      const client = await lplate.client();
      const claim = await claimOn(lplate, client.token, await insure(lplate, client.token, 'CL-77'), {});
      const { page } = await visit(t, lplate.url, { path: '/claims', client });
      const row = page.getByRole('row').filter({ hasText: claim });
      await row.getByRole('link', { name: 'CL-77' }).waitFor();
      await row.getByRole('link', { name: claim }).click();
      await page.getByRole('heading', { level: 1, name: `Claim ${claim}` }).waitFor();
      await page.getByText('of vehicle CL-77').waitFor();
    });

    test('Console, events: without any it shows the life of a claim, and makes one, with a policy if there is none', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/events', client });
      const life = page.getByRole('list', { name: 'The life of a claim' }).getByRole('listitem');
      await life.first().waitFor();
      assert.deepEqual(
        (await life.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
        ['REGISTERED', 'UNDER_REVIEW', 'APPROVED or REJECTED', 'CLOSED'],
      );
      await page.getByRole('button', { name: 'Make a claim, and watch' }).click();
      await page.getByText('Its events come here').waitFor();
      await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
      await pass(lplate, 1);
      await page.getByRole('list', { name: 'Events' }).getByText('REGISTERED → UNDER_REVIEW').first().waitFor();
    });

    test('Console, events: those of one claim can be chosen, and more come while the page is open', async (t) => {
      const client = await lplate.client();
      const policy = await insure(lplate, client.token);
      const one = await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      const other = await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      const { page } = await visit(t, lplate.url, { path: '/events', client });
      await page.getByText('There are no events yet').waitFor();
      await pass(lplate, 1);
      await page.getByText('4 events came, 2 of them duplicates.').waitFor();
      await page.getByLabel('Claim').selectOption(other);
      await pass(lplate, 1);
      await page.getByText('8 events came, 4 of them duplicates.').waitFor();
      const events = page.getByRole('list', { name: 'Events' });
      assert.equal(await events.getByRole('listitem').count(), 4);
      assert.equal(await events.getByRole('link', { name: one }).count(), 0);
    });

    test('Console, events: a lost stream goes on where it was and says so; an expired cursor says what to do', async (t) => {
      const client = await lplate.client();
      const policy = await insure(lplate, client.token);
      await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
      await pass(lplate, 1);
      const { page } = await visit(t, lplate.url, { path: '/events', client });
      await page.getByText('2 events came, 1 of them a duplicate.').waitFor();
      const advance = async (by: string) => {
        const token = await lplate.token(client.id, client.secret);
        const { status } = await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: by } });
        assert.equal(status, 200);
      };
      // The token expires, and with it the stream. The claim has moved on meanwhile.
      await advance('PT2H');
      await lplate.catchUp();
      await page
        .getByText(/The stream was lost at .* and went on at .* after the cursor \d+-\d\. Nothing was missed\./)
        .waitFor();
      await page.getByText('6 events came, 3 of them duplicates.').waitFor();

      // What comes while the page has no stream is gone before it has one again.
      await page.route('**/topics/**', (route) => route.abort());
      await advance('PT2H');
      await page.getByText('Lost, trying again …').waitFor();
      await claimOn(lplate, await lplate.token(client.id, client.secret), policy, { paceSeconds: 1 });
      await pass(lplate, 1);
      lplate.clock.advance(1);
      await advance('P8D');
      await page.unroute('**/topics/**');
      // The page tries again at once, and not after its pause.
      await page.evaluate("dispatchEvent(new Event('online'))");
      await page.getByText(/The cursor \d+-2 has expired \(410 cursor-expired\)\./).waitFor();
      await page.getByText(`GET ${topicPath}?after=latest`).waitFor();
      await page.getByText(/went on at .* with the oldest event that is kept\./).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
    });
  });
});
