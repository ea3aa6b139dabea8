import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { authorizeHeaders, authorizePolicy, consentPage, signInPage } from '../../src/insurer/people/pages.ts';
import { closeBrowser, visit } from './support/browser.ts';

/*
 * The pages of the authorization endpoint, each shown by a server that keeps what the form sends and redirects to an app.
 * The browser runs no script.
 */

const app = { clientId: 'demo-1', appName: 'Mobile Broker', action: '/sent?state=%22' };
const signIn = signInPage(app);
const consent = consentPage({
  ...app,
  ticket: 'ticket-1',
  person: { name: 'Ada Nord', userName: 'ada' },
  scopes: [
    { scope: 'policies:read', text: 'List and read your policies' },
    { scope: 'claims:read', text: 'List and read your claims' },
  ],
  redirectHost: '127.0.0.1:5173',
  until: '2027-02-27T12:00:00.000Z',
});

/** Starts a server for one test. Returns its origin. */
async function serve(t: TestContext, listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

interface Shown {
  readonly page: Page;
  /** The forms that were sent, in their order. */
  readonly forms: string[];
  readonly errors: string[];
}

/** Opens a page whose form leads to an app. */
async function show(t: TestContext, bytes: Buffer, options: { appHost?: string } = {}): Promise<Shown> {
  const back = await serve(t, (_request, response) => response.end('This is the app.'), options.appHost);
  const headers = { 'Content-Security-Policy': authorizePolicy(true), ...authorizeHeaders };
  const forms: string[] = [];
  const url = await serve(t, async (request, response) => {
    if (request.method !== 'POST')
      return response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(bytes);
    forms.push(`${request.url} ${await text(request)}`);
    return response.writeHead(303, { Location: `${back}/callback`, ...headers }).end();
  });
  return { ...(await visit(t, url, { javaScript: false })), forms };
}

const inApp = (page: Page) => page.getByText('This is the app.').waitFor();

/** Presses Tab as often as there are names, each of which the element that has the focus must have. */
async function tabTo(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) {
    await page.keyboard.press('Tab');
    assert.equal(
      await page
        .locator(':focus')
        .and(page.getByLabel(name).or(page.getByText(name)))
        .count(),
      1,
      name,
    );
  }
}

describe('Decisions, people: the pages of the authorization endpoint in a browser', () => {
  after(closeBrowser);

  test('Decisions, people: one signs in by keyboard, without any script, and Enter in a field sends both', async (t) => {
    const { page, forms } = await show(t, signIn);
    await tabTo(page, 'Skip to the content', 'L-Plate', 'User name');
    await page.keyboard.type('ada');
    await tabTo(page, 'Password');
    await page.keyboard.type('a secret');
    await page.keyboard.press('Enter');
    await inApp(page);
    assert.deepEqual(forms, ['/sent?state=%22 userName=ada&password=a+secret']);
  });

  test('Decisions, people: nothing is sent while a field is empty, but who cancels needs to fill in nothing', async (t) => {
    const { page, forms } = await show(t, signIn);
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(await page.locator(':focus').getAttribute('name'), 'userName');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await inApp(page);
    assert.deepEqual(forms, ['/sent?state=%22 userName=&password=&decision=cancel']);
  });

  test('Decisions, people: Enter in a box decides nothing, and what is sent are the boxes that are ticked', async (t) => {
    const { page, forms } = await show(t, consent);
    await tabTo(page, 'Skip to the content', 'L-Plate', 'List and read your policies');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await tabTo(page, 'List and read your claims', 'Allow', 'Deny');
    await page.keyboard.press('Enter');
    await inApp(page);
    assert.deepEqual(forms, ['/sent?state=%22 ticket=ticket-1&scope=claims%3Aread&decision=deny']);
  });

  test('Decisions, people: who allows is led to the app, whatever its address is', async (t) => {
    for (const appHost of ['127.0.0.1', '::1']) {
      const { page, forms } = await show(t, consent, { appHost });
      await page.getByRole('button', { name: 'Allow' }).click();
      await inApp(page);
      assert.deepEqual(forms, [
        '/sent?state=%22 ticket=ticket-1&scope=policies%3Aread&scope=claims%3Aread&decision=allow',
      ]);
    }
  });
});
