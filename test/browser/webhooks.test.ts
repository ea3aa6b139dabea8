import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { isSigned, Receiver } from '../support/receiver.ts';
import { TestRelay } from '../support/relay.ts';
import { claimOn, insure, pass } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { closeBrowser, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine, { eventsDuplicateRate: 0 });
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  /** Fails if something can't be seen without scrolling. */
  async function inSight(shown: Locator): Promise<void> {
    const { y = 901, height = 0 } = (await shown.boundingBox()) ?? {};
    assert.ok(y >= 0 && y + height <= 900, 'it can be seen without scrolling');
  }

  describe('Console, webhooks', () => {
    test('Console, webhooks: a subscription with its secret, shown once; deliveries with each attempt; one is sent again', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      const { page } = await visit(t, lplate.url, { path: '/webhooks', client });
      await page.getByText('You have no subscriptions yet.').waitFor();
      await page.getByText('WEBHOOK_ALLOW').waitFor();
      await page.getByRole('button', { name: 'New subscription' }).click();
      const form = page.getByRole('region', { name: 'New subscription' });
      await form.getByLabel('Address of your receiver').fill('http://10.0.0.1/');
      await form.getByRole('button', { name: 'Subscribe' }).click();
      await form
        .getByRole('alert')
        .getByText(/its address is private/)
        .first()
        .waitFor();
      await form.getByLabel('Address of your receiver').fill(receiver.url);
      await form.getByRole('button', { name: 'Subscribe' }).click();
      const shown = page.getByRole('region', { name: 'Secret', exact: true });
      const secret = await shown.innerText();
      assert.match(secret, /^whsec_/);
      await inSight(shown);
      await page.getByRole('button', { name: 'I have kept it' }).click();
      assert.equal(await page.getByText(secret).count(), 0);

      await page.getByRole('table').getByRole('link', { name: receiver.url }).click();
      receiver.answer = () => 503;
      await page.getByRole('button', { name: 'Send a test event' }).click();
      const test = page.getByRole('listitem', { name: 'Delivery 1', exact: true });
      await test.getByText('It was answered 503.').waitFor();
      await test.getByText(/Next attempt at .* in [1-5] s/).waitFor();
      assert.ok(isSigned(receiver.calls[0] as (typeof receiver.calls)[number], secret));
      // What came of it stands where the button is, too.
      const made = page.getByRole('region', { name: 'The call that was made' });
      const outcome = made.getByText('Delivery 1: pending It was answered 503.');
      await outcome.waitFor();
      await inSight(outcome);
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await made.getByText('Delivery 2: waiting It waits for delivery 1, an earlier test event.').waitFor();
      await page
        .getByRole('listitem', { name: 'Delivery 2', exact: true })
        .getByText('It waits for delivery 1, an earlier test event. Redeliver that one to go on at once.')
        .waitFor();
      receiver.answer = () => 204;
      await pass(lplate, 5);
      await test.getByText('2 attempts: 1 taken, 1 refused').waitFor();
      await made.getByText('Delivery 2: delivered It was answered 204.').waitFor();
      await test.getByRole('button', { name: 'Attempts of delivery 1' }).click();
      const attempts = test.getByRole('row');
      await attempts.nth(2).getByRole('link', { name: 'Open' }).waitFor();
      assert.deepEqual(
        (await attempts.allInnerTexts()).map((text) => [text.split('\t')[0], text.split('\t')[2]]),
        [
          ['Attempt', 'Answer'],
          ['1', '503'],
          ['2', '204'],
        ],
      );

      const calls = receiver.calls.length;
      await test.getByRole('button', { name: 'Redeliver delivery 1' }).click();
      await test.getByText('The delivery is sent again.').waitFor();
      await receiver.until(calls + 1);
      await test.getByText('3 attempts: 2 taken, 1 refused').waitFor();
      await test.getByText('process each webhook-id once').waitFor();
      assert.deepEqual(receiver.attempts, [1, 2, 1, 3]);

      const claim = await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 1 });
      await pass(lplate, 1);
      await page.getByRole('listitem', { name: 'Delivery 3' }).getByRole('link', { name: claim }).waitFor();

      await page.getByRole('button', { name: 'Delete the subscription' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete the subscription' }).click();
      await page.getByText('You have no subscriptions yet.').waitFor();
    });

    test('Console, webhooks: an event of one’s own is delivered as it stands, or refused with a reason for each member', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      const made = await lplate.call('POST', '/claims/v1/subscriptions', { ...client, json: { url: receiver.url } });
      const { page } = await visit(t, lplate.url, { path: `/webhooks/${made.json.id}`, client });
      await page.getByRole('button', { name: 'Send an event of your own' }).click();
      const form = page.getByRole('region', { name: 'Send an event of your own' });
      const box = form.getByLabel('Body of the call');
      const body = JSON.parse(await box.inputValue());
      const without = { ...body.payload, data: { ...body.payload.data, statusReason: null } };
      await box.fill(JSON.stringify({ payload: without }));
      await form.getByRole('button', { name: 'Send it' }).click();
      const answered = page.getByRole('region', { name: 'The call that was made' });
      await answered.getByRole('alert').getByText('/payload/data/statusReason').waitFor();
      await box.fill(JSON.stringify(body));
      await form.getByRole('button', { name: 'Send it' }).click();
      await answered.getByText('Delivery 1: delivered It was answered 204.').waitFor();
      assert.deepEqual(
        receiver.calls.map((call) => JSON.parse(call.body)),
        [body.payload],
      );
      assert.ok(isSigned(receiver.calls[0] as (typeof receiver.calls)[number], made.json.secret));
    });

    test('Console, webhooks: a subscription gets a new secret, and its calls are signed with both', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      const json = { url: receiver.url };
      const made = await lplate.call('POST', '/claims/v1/subscriptions', { ...client, json });
      const { id, secret: before } = made.json;
      const { page } = await visit(t, lplate.url, { path: `/webhooks/${id}`, client });
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Get a new secret' }).click();
      const secret = await page.getByRole('region', { name: 'Secret', exact: true }).innerText();
      assert.match(secret, /^whsec_/);
      assert.notEqual(secret, before);
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('Delivery 1: delivered').waitFor();
      const call = receiver.calls[0] as (typeof receiver.calls)[number];
      for (const each of [before, secret]) assert.ok(isSigned(call, each));
    });

    test('Console, webhooks: one that failed for a day is disabled, which is told, and enabled again', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      receiver.answer = () => 500;
      const { json } = await lplate.call('POST', '/claims/v1/subscriptions', {
        ...client,
        json: { url: receiver.url },
      });
      const path = `/claims/v1/subscriptions/${json.id}`;
      await lplate.call('POST', `${path}/test`, client);
      await lplate.catchUp();
      for (const hours of [12, 12]) {
        const token = await lplate.token(client.id, client.secret);
        await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: `PT${hours}H` } });
        await lplate.catchUp();
      }
      const { page } = await visit(t, lplate.url, { path: `/webhooks/${json.id}`, client });
      await page.getByText(/^Disabled since/).waitFor();
      await page.getByText('Every call failed for a day.').waitFor();
      await page.getByRole('button', { name: 'Redeliver delivery 1' }).click();
      await page.getByRole('alert').getByText('The subscription is disabled').waitFor();
      receiver.answer = () => 204;
      await page.getByRole('button', { name: 'Enable it' }).click();
      await page.getByText('The subscription is active.').waitFor();
      await page.getByRole('listitem', { name: 'Delivery 1' }).getByText('delivered', { exact: true }).waitFor();
    });

    test('Console, webhooks: without a client one is made on the page; an inbox needs no receiver: its call lies there signed, beside the code that checks it', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/webhooks' });
      await page.getByRole('button', { name: 'Make a client' }).click();
      await page.getByRole('button', { name: 'Begin without a receiver' }).click();
      const form = page.getByRole('region', { name: 'New subscription' });
      await form.getByText('You need no receiver').waitFor();
      assert.equal(await form.getByLabel('Address of your receiver').count(), 0);
      await form.getByLabel('Statuses that the inbox answers').fill('503 503');
      await form.getByRole('button', { name: 'Subscribe' }).click();
      const secret = await page.getByRole('region', { name: 'Secret', exact: true }).innerText();
      const command = page.getByRole('region', { name: 'Command that starts the receiver in Python' });
      assert.match(await command.innerText(), /whsec_…/, 'a receiver has no use for the secret of an inbox');
      await page.getByRole('table').getByRole('link', { name: 'Inbox' }).click();
      await page.getByText('The inbox is empty.').waitFor();
      await page.getByText('503, 503, then 204').waitFor();
      // Until the call is there, whole, it is said to be on its way.
      const { promise: shown, resolve: show } = Promise.withResolvers<void>();
      await page.route('**/range/v1/me/exchanges/*', async (route) => {
        await shown;
        await route.continue();
      });
      const asked = page.waitForRequest('**/range/v1/me/exchanges/*');
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('Delivery 1: pending').waitFor();
      await asked;
      await page.getByText('The test event is on its way.').waitFor();
      assert.equal(await page.getByText('The inbox is empty.').count(), 0);
      show();
      const newest = page.getByRole('region', { name: 'The newest call' });
      await newest.getByText('webhook-signature', { exact: true }).first().waitFor();
      const code = page.getByRole('region', { name: 'Code that checks a call' });
      assert.match(await code.innerText(), /^KEY = [\s\S]*def refusal[\s\S]*return None$/);
      await page.getByRole('tab', { name: 'TypeScript' }).click();
      await code.getByText('webhook.verify(body').waitFor();
      assert.match(await code.innerText(), /^const webhook = [\s\S]*}$/);

      await newest.getByRole('button', { name: 'Check in the Workbench' }).click();
      await page.getByText('Paste the secret of the subscription.').waitFor();
      assert.equal(await page.getByText('does not fit', { exact: true }).count(), 0, 'an empty field is no mistake');
      await page.getByLabel('Secret of the subscription').fill(secret);
      await page.getByText('The call is right.').waitFor();
    });

    test('Console, webhooks: by relay, its command has all filled in, and whether it is connected is shown', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      const { page } = await visit(t, lplate.url, { path: '/webhooks', client });
      await page.getByRole('button', { name: 'New subscription' }).click();
      const form = page.getByRole('region', { name: 'New subscription' });
      await form.getByLabel('How its calls go out').selectOption('Through a relay, a program on my computer');
      await form.getByLabel('Address of your receiver').fill(receiver.url);
      await form.getByRole('button', { name: 'Subscribe' }).click();
      const relay = page.getByRole('region', { name: 'Your relay' });
      await relay.getByText('Not connected.').waitFor();
      const command = relay.getByRole('region', { name: 'Command that starts relay.py' });
      assert.match(await command.innerText(), new RegExp(`LPLATE_URL='${lplate.url}' CLIENT_ID='${client.id}'`));
      assert.ok(!(await command.innerText()).includes(client.secret));
      for (const name of ['relay.py', 'relay.js']) {
        const saved = page.waitForEvent('download');
        await relay.getByRole('link', { name }).click();
        assert.equal((await saved).suggestedFilename(), name);
      }
      await TestRelay.open(t, lplate, client);
      await relay.getByText(/^Connected since/).waitFor();
      await page.getByRole('table').getByRole('link', { name: receiver.url }).click();
      await page.getByText('your relay calls').first().waitFor();
      await relay.getByText('Now send a test event.').waitFor();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByText('Delivery 1: delivered').waitFor();
      assert.equal(receiver.calls.length, 1);
    });

    test('Console, webhooks: the receiver is saved there, and its command has the secret of the newest subscription, while that is known', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      const { page } = await visit(t, lplate.url, { path: '/webhooks', client });
      const command = page.getByRole('region', { name: 'Command that starts the receiver in Python' });
      const has = (secret: string) => command.getByText(`WEBHOOK_SECRET='${secret}'`).waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download webhook_receiver.py' }).click();
      const file = await saved;
      assert.equal(file.suggestedFilename(), 'webhook_receiver.py');
      assert.deepEqual(
        await readFile(await file.path()),
        await readFile(join(import.meta.dirname, '../../examples/webhook_receiver.py')),
      );

      await page.getByRole('button', { name: 'New subscription' }).click();
      const form = page.getByRole('region', { name: 'New subscription' });
      await form.getByLabel('Address of your receiver').fill(receiver.url);
      const shown = page.getByRole('region', { name: 'Secret', exact: true });
      const secrets = new Set<string>();
      for (const number of [1, 2]) {
        await form.getByRole('button', { name: 'Subscribe' }).click();
        await page
          .getByRole('table')
          .getByRole('link', { name: receiver.url })
          .nth(number - 1)
          .waitFor();
        const secret = await shown.innerText();
        await has(secret);
        secrets.add(secret);
      }
      await page.getByRole('table').getByRole('link', { name: receiver.url }).nth(1).click();
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Get a new secret' }).click();
      const renewed = await shown.innerText();
      await page.getByRole('link', { name: 'All subscriptions' }).click();
      await has(renewed);
      assert.equal(secrets.add(renewed).size, 3);

      // One that was made elsewhere is called by its own, which nobody here knows.
      await lplate.call('POST', '/claims/v1/subscriptions', { ...client, json: { url: receiver.url } });
      await page.getByRole('button', { name: 'Refresh' }).click();
      await has('whsec_…');
    });

    test('Console, traffic: attempts of one webhook that failed are one row, which opens; one without an answer says so', async (t) => {
      const client = await lplate.client();
      const json = { url: 'http://127.0.0.1:9/' };
      const { json: subscription } = await lplate.call('POST', '/claims/v1/subscriptions', { ...client, json });
      await lplate.call('POST', `/claims/v1/subscriptions/${subscription.id}/test`, client);
      const attempts = async () =>
        (await lplate.call('GET', '/range/v1/me/exchanges?kind=delivery', client)).json.totalItems as number;
      for (const tried of [1, 2, 3]) {
        await until(async () => (await attempts()) >= tried, `attempt ${tried}`);
        await pass(lplate, 60);
      }
      const { page } = await visit(t, lplate.url, { path: '/traffic?kind=delivery', client });
      const calls = page.getByRole('list', { name: 'Calls' }).getByRole('link');
      const more = page.getByRole('button', { name: /^\d failures? of this webhook before it$/ });
      await more.waitFor();
      assert.equal(await calls.count(), 1);
      await calls.getByText('no answer').waitFor();
      await more.click();
      await calls.nth(2).waitFor();
      await calls.nth(1).click();
      await page.getByRole('heading', { level: 1, name: 'POST' }).waitFor();
    });

    test('Console, webhooks: a call from Traffic is opened in the Workbench, which tells that its signature is hidden', async (t) => {
      const client = await lplate.client();
      const receiver = await Receiver.open(t);
      const { json } = await lplate.call('POST', '/claims/v1/subscriptions', {
        ...client,
        json: { url: receiver.url },
      });
      await lplate.call('POST', `/claims/v1/subscriptions/${json.id}/test`, client);
      await receiver.until(1);
      const { page } = await visit(t, lplate.url, { path: '/traffic?kind=delivery', client });
      await page.getByRole('list', { name: 'Calls' }).getByRole('link').click();
      await page.getByText(/of its headers only Content-Type, Location and Retry-After\.$/).waitFor();
      await page.getByText('What was signed').click();
      await page.getByRole('button', { name: 'Check in the Workbench' }).click();
      await page.getByText('This is a placeholder: Traffic hides signatures.').waitFor();
      await page.getByLabel('Secret of the subscription').fill(json.secret);
      const { headers } = receiver.calls[0] as (typeof receiver.calls)[number];
      // It has the id, the timestamp and the body that were sent.
      const right = page.getByRole('region', { name: 'The signature that fits' });
      await right.getByText(headers['webhook-signature'] as string).waitFor();
    });
  });
});
