import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { clientWithPeople, type TestPerson } from '../support/people.ts';
import { violations } from './support/axe.ts';
import { closeBrowser, settled, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  /** A client whose people may be sent back to the console. */
  const withConsole = () => clientWithPeople(lplate, [`${lplate.url}/`]);

  const consentsOf = async ({ token }: TestClient) =>
    (await lplate.call('GET', '/range/v1/me/consents', { token })).json.items as { endedBy: string | null }[];

  /** What one row of the flow shows. */
  const rowOf = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });

  /** From the page People to the sign-in page. */
  async function begin(page: Page, { name }: TestPerson): Promise<void> {
    await page.getByRole('button', { name: `Sign in as ${name.split(' ')[0]}` }).click();
    await page.getByRole('button', { name: 'Go to the sign-in page' }).click();
  }

  /** At the pages of L-Plate. */
  async function signIn(page: Page, { userName, password }: TestPerson, decision: 'Allow' | 'Deny'): Promise<void> {
    assert.equal(await page.getByLabel('User name').inputValue(), userName, 'login_hint fills it in');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: decision }).click();
    await page.getByRole('heading', { level: 1, name: /^Sign in as/ }).waitFor();
  }

  describe('Console, people', () => {
    test('Console, people: without an app, somebody goes the whole flow to a withdrawn consent, and no code stays in the address', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      const { json } = await lplate.call('GET', '/range/v1/me/people', client);
      const ida: TestPerson = json.items[0];
      await page.getByRole('row', { name: ida.name }).getByText(ida.password).last().waitFor();
      await page.getByText('Nobody has let your app in yet.').waitFor();
      await page.getByRole('button', { name: 'Sign in as Ida' }).click();
      await page.getByText(`${lplate.url}/ is not registered,`).waitFor();
      await page.getByRole('button', { name: 'Register this console' }).click();
      await page.getByRole('button', { name: 'Go to the sign-in page' }).click();
      await signIn(page, ida, 'Allow');
      assert.equal(page.url(), `${lplate.url}/#/people/flow`);
      const back = rowOf(page, 'Redirect back');
      assert.equal(await back.getByText('equal', { exact: true }).count(), 2);

      const exchange = rowOf(page, 'Exchange');
      await exchange.getByRole('button', { name: 'Exchange the code' }).click();
      await exchange.getByText(/The verifier fits the challenge.*policies:read claims:read/).waitFor();
      const call = rowOf(page, 'A call with the token');
      await call.getByRole('button').click();
      await call.getByText(`The token speaks for ${ida.name}`).waitFor();
      const refresh = rowOf(page, 'Refresh');
      await refresh.getByRole('button').click();
      await refresh.getByText('You have a new access token').waitFor();
      const withdrawal = rowOf(page, 'Withdrawal');
      await withdrawal.getByRole('button').click();
      await withdrawal.getByText(`${ida.name} has changed their mind.`).waitFor();
      const last = rowOf(page, 'The same call again');
      await last.getByRole('button').click();
      await last.getByText('The token ended with its consent.').waitFor();
      await refresh.getByRole('button').click();
      await refresh
        .getByRole('alert')
        .getByText(/changed their mind/)
        .waitFor();
      assert.deepEqual(
        (await consentsOf(client)).map(({ endedBy }) => endedBy),
        ['withdrawn'],
      );

      // What was sent and answered is shown, but nothing that others could use.
      for (const summary of await page.getByText('What was sent and answered').all()) await summary.click();
      const text = await page.locator('main').innerText();
      assert.match(text, /client_secret = \(secret, \d+ characters\)/);
      assert.match(text, /code_verifier = \(secret, 43 characters\)/);
      assert.match(text, /"refresh_token": "\(token, \d+ characters\)"/);
      const { tokens, verifier } = JSON.parse(await page.evaluate(() => sessionStorage.getItem('lplate.flow') ?? ''));
      for (const secret of [client.secret, verifier, tokens.accessToken, tokens.refreshToken])
        assert.ok(!text.includes(secret));
      await page.getByRole('link', { name: 'All people' }).click();
      await page.getByRole('row', { name: /^ida/ }).getByText('withdrawn').waitFor();
    });

    test('Console, people: who denies sends no code, and the page says what an app does then', async (t) => {
      const { client, mateo } = await withConsole();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      await begin(page, mateo);
      await signIn(page, mateo, 'Deny');
      await rowOf(page, 'Redirect back').getByText('access_denied').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Exchange the code' }).isDisabled());
      assert.deepEqual(await consentsOf(client), []);
    });

    test('Console, people: a redirect with a state that this tab never sent is told, and its code can’t be exchanged', async (t) => {
      const { client, ida } = await withConsole();
      const drill = { name: 'forged-callback' };
      await lplate.call('POST', '/range/v1/me/drills', { token: client.token, json: drill });
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      await begin(page, ida);
      await signIn(page, ida, 'Allow');
      const back = rowOf(page, 'Redirect back');
      await back.getByText('This tab never sent it').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Exchange the code' }).isDisabled());
      // Also where nobody began a flow at all.
      const stranger = await visit(t, lplate.url, { client });
      await stranger.page.goto(`${lplate.url}/?code=abc&state=%E2%80%AEx&iss=https://evil.example`);
      await stranger.page.getByText('This tab never sent it').waitFor();
      assert.equal(await stranger.page.getByText('not equal').count(), 2);
      assert.equal(stranger.page.url(), `${lplate.url}/#/people/flow`);
    });

    test('Console, people: a redirect with the right state but of another issuer is told, and its code can’t be exchanged', async (t) => {
      const { client, ida } = await withConsole();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      await begin(page, ida);
      const state = new URL(page.url()).searchParams.get('state');
      await page.goto(`${lplate.url}/?code=abc&state=${state}&iss=https://evil.example`);
      await rowOf(page, 'Redirect back').getByText('It is not the server that you asked.').waitFor();
      assert.equal(await page.getByText('equal', { exact: true }).count(), 1);
      assert.ok(await page.getByRole('button', { name: 'Exchange the code' }).isDisabled());
    });

    test('Console, people: a page that is loaded again goes on with the flow, and a new one begins with other values', async (t) => {
      const { client, ida } = await withConsole();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      await begin(page, ida);
      await signIn(page, ida, 'Allow');
      await page.reload();
      const exchange = rowOf(page, 'Exchange');
      await exchange.getByRole('button').click();
      await exchange.getByText('The verifier fits the challenge').waitFor();
      const kept = async (name: string) =>
        JSON.parse(await page.evaluate(() => sessionStorage.getItem('lplate.flow') ?? ''))[name];
      const before = [await kept('state'), await kept('verifier')];
      await page.getByRole('button', { name: 'Begin again' }).click();
      await page.getByRole('button', { name: 'Go to the sign-in page' }).waitFor();
      assert.ok(!before.includes(await kept('state')) && !before.includes(await kept('verifier')));
      assert.ok(await exchange.getByRole('button').isDisabled());
    });

    test('Console, people: an answer that comes late undoes nothing of what came before it', async (t) => {
      const { client, ida } = await withConsole();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      await begin(page, ida);
      await signIn(page, ida, 'Allow');
      await page.getByRole('button', { name: 'Exchange the code' }).click();
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route('**/insurer/v1/policies', async (route) => {
        await promise;
        await route.continue();
      });
      await page.getByRole('button', { name: 'List the policies', exact: true }).click();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await rowOf(page, 'Refresh').getByText('You have a new access token').waitFor();
      resolve();
      await rowOf(page, 'A call with the token').getByText('these are the policies').waitFor();
      await rowOf(page, 'Refresh').getByText('You have a new access token').waitFor();
    });

    test('Console, people: redirect URIs are registered and removed, and what is wrong with one is said', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      const field = page.getByLabel('Redirect URI');
      await field.fill('https://app.example/callback#part');
      await page.getByRole('button', { name: 'Register', exact: true }).click();
      await page.getByRole('alert').getByText('must have no fragment').first().waitFor();
      await field.fill('https://app.example/callback');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Remove https://app.example/callback' }).waitFor();
      // The second change is pressed before the page knows of the first one.
      await page.route('**/redirect-uris', async (route) => {
        await setTimeout(300);
        await route.continue();
      });
      await page.getByRole('button', { name: 'Register this console' }).click();
      await page.getByRole('button', { name: 'Remove https://app.example/callback' }).click();
      await page.getByRole('button', { name: 'Remove https://app.example/callback' }).waitFor({ state: 'detached' });
      const { json } = await lplate.call('GET', '/range/v1/me/redirect-uris', client);
      assert.deepEqual(json.redirectUris, [`${lplate.url}/`]);
    });

    test('Console, people: a consent is withdrawn in the list, and one that ends elsewhere is shown as ended', async (t) => {
      const { client, ida, mateo } = await withConsole();
      const { page } = await visit(t, lplate.url, { path: '/people', client });
      for (const person of [ida, mateo]) {
        await page.goto(`${lplate.url}/#/people`);
        await begin(page, person);
        await signIn(page, person, 'Allow');
      }
      await page.getByRole('button', { name: 'Exchange the code' }).click();
      await page.getByText('The verifier fits the challenge').waitFor();
      await page.getByRole('link', { name: 'All people' }).click();
      await page.getByRole('button', { name: 'Withdraw the consent of ida' }).click();
      await page.getByRole('row', { name: /^ida/ }).getByText('withdrawn').waitFor();
      await page.getByRole('link', { name: 'go on as Mateo' }).click();
      await page.getByRole('button', { name: 'Exchange the code' }).click();
      await rowOf(page, 'Exchange')
        .getByRole('alert')
        .getByText(/exchanged before/)
        .waitFor();
      await page.getByRole('link', { name: 'All people' }).click();
      await page
        .getByRole('row', { name: /^mateo/ })
        .getByText('its code came twice')
        .waitFor();
    });

    test('Console, people, accessibility and layout: a flow is gone through by keyboard on a phone, and axe finds nothing', async (t) => {
      const { client, ida } = await withConsole();
      const { page } = await visit(t, lplate.url, { path: '/people', client, width: 320 });
      const press = async (name: string, key = 'Enter') => {
        // One that can't be pressed yet would not take the focus.
        await page.getByRole('button', { name, exact: true, disabled: false }).focus();
        await page.keyboard.press(key);
      };
      const inspect = async (name: string) => {
        await settled(page);
        assert.deepEqual(await violations(page, name), []);
        const { scrollWidth, clientWidth } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return { scrollWidth, clientWidth };
        });
        assert.ok(scrollWidth <= clientWidth, `${name}: ${scrollWidth - clientWidth} px wider than the window`);
      };
      await inspect('people');
      await press('Sign in as Ida');
      await press('Go to the sign-in page');
      await page.getByLabel('Password').focus();
      await page.keyboard.type(ida.password);
      await page.keyboard.press('Enter');
      await press('Allow');
      await press('Exchange the code');
      await press('List the policies');
      await press('Refresh');
      await press('Withdraw the consent', 'Space');
      await press('List the policies again');
      await page.getByText('The token ended with its consent.').waitFor();
      await inspect('flow');
    });
  });
});
