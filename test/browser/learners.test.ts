import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient, testSecrets } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

const trainer = testSecrets.trainerToken;

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const pathOf = ({ id }: TestClient) => `/trainer/learners/${id}`;

  describe('Console, classes: learner and trainer', () => {
    test('who asks for help comes first with what was asked, gets a word, and is marked as helped', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client });
      await page.getByRole('button', { name: 'Ask the trainer for help' }).click();
      await page.getByLabel('What do you need help with?').fill('My signature is wrong.');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.getByText('You asked for help at').waitFor();
      const { page: list } = await visit(t, lplate.url, { path: '/trainer/class', trainer });
      await list.getByText('Asked for help: My signature is wrong.').waitFor();
      const { page: one } = await visit(t, lplate.url, { path: pathOf(client), trainer });
      await one.getByLabel('A word to this learner').fill('Sign the bytes.');
      await one.getByRole('button', { name: 'Say it' }).click();
      await one
        .getByRole('status')
        .getByText(/^Said at .*: Sign the bytes\.$/)
        .waitFor();
      const word = page.getByText('Your trainer to you: Sign the bytes.');
      await word.waitFor();
      await one.getByRole('button', { name: 'Take it back' }).click();
      await one.getByText('The learner sees it no longer.').waitFor();
      await page.reload();
      await word.waitFor({ state: 'detached' });
      await one.getByRole('button', { name: 'Helped' }).click();
      await one.getByText('Asked for help').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Ask the trainer for help' }).waitFor();
    });

    test('a code brings the client into another browser, with a new secret', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client });
      await page.getByText('Change or move it').click();
      await page.getByRole('button', { name: 'Continue in another browser' }).click();
      const address = await page.getByText(/\/#\/join\/[0-9A-Z]{5}-[0-9A-Z]{5}$/).innerText();
      const { page: other } = await visit(t, lplate.url, { path: new URL(address).hash.slice(1) });
      await other.getByRole('button', { name: 'Go on' }).click();
      await other.getByRole('main').getByText(client.id).first().waitFor();
      const answer = await lplate.call('POST', '/auth/token', {
        json: { client_id: client.id, client_secret: client.secret },
      });
      assert.equal(answer.status, 401);
      const { page: third } = await visit(t, lplate.url, { path: '/join' });
      await third.getByLabel('Code').fill('ABCDE-12345');
      await third.getByRole('button', { name: 'Go on' }).click();
      await third.getByRole('alert').filter({ hasText: 'There is no such code' }).waitFor();
    });

    test('a new secret takes the place of the one that the browser keeps, which holds for a day more', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client });
      const main = page.getByRole('main');
      await main.getByText('Change or move it').click();
      await main.getByRole('button', { name: 'New secret' }).click();
      await main.getByRole('button', { name: 'Get a new secret' }).click();
      await main.getByText('This browser has the new secret. The one before holds until').waitFor();
      const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('lplate.client') ?? '{}').clientSecret);
      assert.notEqual(kept, client.secret);
      for (const secret of [client.secret, kept]) await lplate.token(client.id, secret);
    });

    test('the trainer makes a code for each learner, prints the list, and shows it on the wall only when told to', async (t) => {
      const client = await lplate.client();
      await lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname: 'Wanderer' } });
      const { page } = await visit(t, lplate.url, { path: '/trainer/controls', trainer });
      await page.getByRole('link', { name: 'Codes for all' }).click();
      await page.getByRole('button', { name: 'Make a code for each learner' }).click();
      const question = page.getByLabel(/^Type the number of learners, \d+, to confirm/);
      await question.fill(/\d+/.exec(await question.locator('xpath=..').innerText())?.[0] ?? '');
      await page.getByRole('button', { name: 'Yes: make codes' }).click();
      const own = page.getByRole('list', { name: 'Codes' }).getByRole('listitem').filter({ hasText: 'Wanderer' });
      const code = await own.getByText(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/).innerText();
      await own.getByRole('img', { name: new RegExp(`/#/join/${code}$`) }).waitFor();
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.getByRole('button', { name: 'Print the codes' }).isVisible(), false);
      assert.ok(await own.isVisible());
      await page.emulateMedia({ media: 'screen' });
      // Not before it is confirmed, whatever the address says.
      const wall = page.getByRole('list', { name: 'Codes' }).getByText(code);
      await page.evaluate(() => (location.hash = '#/trainer/codes?wall'));
      await page.getByText('There are no codes to show').waitFor();
      assert.equal(await wall.count(), 0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Show on the wall' }).click();
      await page.getByRole('button', { name: 'Yes: show names and codes' }).click();
      await page.getByRole('heading', { name: 'Go on with your client' }).waitFor();
      await wall.waitFor();
      const { json } = await lplate.call('POST', '/range/v1/transfers', { json: { code } });
      assert.equal(json.client_id, client.id);
    });

    test('the trainer gives out a code, locks a name, and removes one learner', async (t) => {
      const client = await lplate.client();
      await lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname: 'Gone' } });
      const { page } = await visit(t, lplate.url, { path: pathOf(client), trainer });
      await page.getByRole('button', { name: 'Code for another browser' }).click();
      await page.getByText(/\/#\/join\/[0-9A-Z]{5}-[0-9A-Z]{5}$/).waitFor();
      await page.getByRole('button', { name: 'Lock the nickname' }).click();
      await page.getByRole('button', { name: 'Unlock the nickname' }).waitFor();
      const { page: own } = await visit(t, lplate.url, { client });
      await own.getByText('chosen by your trainer').waitFor();
      await page.getByRole('button', { name: 'Remove this learner' }).click();
      await page.getByRole('button', { name: 'Yes: remove' }).click();
      await page.getByRole('tab', { name: 'The class', selected: true }).waitFor();
      assert.equal((await lplate.call('GET', '/range/v1/me', { token: client.token })).status, 401);
    });
  });
});
