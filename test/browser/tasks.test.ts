import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient, testSecrets } from '../support/lplate.ts';
import { closeBrowser, type VisitOptions, visit } from './support/browser.ts';

/** Somebody with a task: what they press is counted. How long it took is only told, as timings are no test. */
class Person {
  clicks = 0;
  keys = 0;
  readonly page: Page;
  readonly #since = performance.now();

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  async press(...keys: string[]): Promise<void> {
    this.keys += keys.length;
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Presses what can be pressed by its name, within the bar, the navigation or the page. */
  choose(role: 'button' | 'link' | 'tab', name: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    return this.click(within.getByRole(role, { name, exact: true }));
  }

  /** The task is done: it took no more clicks than these. */
  done(t: TestContext, most: number): void {
    const seconds = ((performance.now() - this.#since) / 1000).toFixed(1);
    t.diagnostic(`${this.clicks} clicks, ${this.keys} keys, ${seconds} s`);
    assert.ok(this.clicks <= most, `${this.clicks} clicks`);
  }
}

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  async function person(t: TestContext, options: VisitOptions = {}): Promise<Person> {
    const { page } = await visit(t, lplate.url, options);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return new Person(page);
  }

  /** Insures a vehicle as often as there are numbers of statuses. */
  async function insured({ token }: TestClient, regNumber: string, ...statuses: number[]): Promise<void> {
    for (const status of statuses)
      assert.equal((await lplate.call('POST', '/policies', { token, json: { regNumber } })).status, status);
  }

  const answered = (page: Page, status: string) =>
    page.getByRole('region', { name: 'The answer' }).getByRole('status').getByText(status, { exact: true }).waitFor();

  describe('Console, the tasks of a day', () => {
    test('a first visit comes to the first 201 within 5 clicks, without leaving the page', async (t) => {
      const one = await person(t);
      const { page } = one;
      await one.choose('button', 'Make a client');
      await page.getByRole('heading', { name: 'Your client' }).waitFor();
      await one.choose('link', 'Send', page.getByRole('navigation'));
      await one.click(page.getByRole('combobox', { name: 'Address' }));
      await one.press('Control+a', ...'post pol');
      await one.click(page.getByRole('option', { name: /^POST \/insurer\/v1\/policies / }));
      await one.choose('button', 'Send');
      await answered(page, '201');
      one.done(t, 5);
    });

    test('why the last call was refused is one click away, and two from any page', async (t) => {
      const client = await lplate.client();
      await insured(client, 'TK-1001', 201, 409);
      const says = /^The vehicle TK-1001 already has a policy in force/;
      const one = await person(t, { client });
      await one.click(one.page.getByRole('region', { name: 'Last refused' }).getByRole('link'));
      await one.page.getByText(says).first().waitFor();
      one.done(t, 1);

      const other = await person(t, { client, path: '/lessons' });
      await other.choose('link', 'Traffic', other.page.getByRole('navigation'));
      await other.click(other.page.getByRole('link', { name: /POST.*409|409.*POST/ }).first());
      await other.page.getByText(says).first().waitFor();
      other.done(t, 2);
    });

    test('a refused call is corrected and sent again within 3 clicks', async (t) => {
      const client = await lplate.client();
      await insured(client, 'TK-2001', 201, 409);
      const { json } = await lplate.call('GET', '/range/v1/me/exchanges?status=409', client);
      const one = await person(t, { client, path: `/traffic/${json.items[0].id}` });
      const { page } = one;
      await one.choose('link', 'Edit and send');
      const body = page.getByLabel('Body', { exact: true });
      await body.and(page.locator('textarea')).waitFor();
      assert.equal(await body.inputValue(), '{"regNumber":"TK-2001"}');
      await one.click(body);
      await one.press('End', 'ArrowLeft', 'ArrowLeft', 'Backspace', '2');
      await one.choose('button', 'Send');
      await answered(page, '201');
      one.done(t, 3);
    });

    test('the next lesson is one click away, from Start and from one that was just solved', async (t) => {
      const client = await lplate.client();
      const one = await person(t, { client });
      await one.choose('link', 'Open the lesson');
      await one.page.getByRole('complementary', { name: 'About this lesson' }).waitFor();
      one.done(t, 1);

      const other = await person(t, { client, path: '/lessons/create-policy' });
      const { page } = other;
      const title = await page.getByRole('heading', { level: 1 }).innerText();
      await insured(client, 'TK-3001', 201);
      await other.choose('link', /^Next: /);
      await page.waitForFunction((before) => document.querySelector('h1')?.innerText !== before, title);
      await page.getByRole('complementary', { name: 'About this lesson' }).waitFor();
      other.done(t, 1);
    });

    test('a trainer sees who needs help and why without a click, and what was called with one', async (t) => {
      const { trainerToken } = testSecrets;
      const named = async (nickname: string) => {
        const client = await lplate.client();
        await lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname } });
        return client;
      };
      for (const nickname of ['Ada', 'Ben', 'Cleo']) await named(nickname);
      const stuck = await named('Stuck Stan');
      for (let count = 0; count < 9; count += 1)
        await lplate.call('POST', '/policies', { token: stuck.token, json: { colour: 'red' } });
      const one = await person(t, { path: '/trainer' });
      const { page } = one;
      // One pastes it.
      await page.getByLabel('Trainer token').fill(trainerToken);
      await one.press('Enter');
      const first = page
        .getByRole('list', { name: /who needs help first/ })
        .getByRole('listitem')
        .first();
      await first.getByText('Stuck Stan').waitFor();
      await first.getByText(/9 refusals in a row, the last: /).waitFor();
      one.done(t, 0);
      await one.click(first.getByRole('link', { name: 'Stuck Stan' }));
      await page.getByRole('heading', { level: 1, name: 'Stuck Stan' }).waitFor();
      await page.getByRole('heading', { name: 'Traffic' }).waitFor();
      one.done(t, 1);
    });
  });
});
