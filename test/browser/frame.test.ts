import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { guides, navigation } from '../../src/navigation.ts';
import { metricsInterval } from '../../src/output/worker-metrics.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { until } from '../support/until.ts';
import { closeBrowser, visit } from './support/browser.ts';
import { chromiumPath } from './support/chromium.ts';

/** Pages that the server makes, besides those of the console. */
const served = ['/problems', '/problems/duplicate-policy', '/vehicle-registry/v1', '/docs'];

const pages = navigation.flatMap((group) => group.links);
const ofConsole = pages.map(({ path }) => path).filter((path) => path.startsWith('/#'));
const every = [...ofConsole, ...guides.map(({ name }) => `/#/guides/${name}`), ...served];

onSqlite((engine) => {
  let lplate: LPlate;
  let client: TestClient;
  before(async () => {
    lplate = await startLPlate(engine);
    client = await lplate.client();
    await lplate.call('POST', '/policies', { token: client.token, json: { regNumber: 'AB-1234' } });
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  /** Goes to a page and waits until it is there. */
  async function open(page: Page, path: string): Promise<void> {
    await page.goto(lplate.config.publicUrl + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  }

  describe('Console: the frame of every page', () => {
    test('Decisions, addresses: the console is at the root, and an entry of its navigation leads to each page', async (t) => {
      const { page } = await visit(t, lplate.url);
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      assert.deepEqual(
        await links.allInnerTexts(),
        pages.map(({ name }) => name),
      );
      for (const { name } of pages) {
        const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
        await link.click();
        await link.and(page.locator('[aria-current="page"]')).waitFor();
        await page.getByRole('heading', { level: 1 }).first().waitFor();
      }
    });

    test('Console, every page: nothing of it comes from another host, and its policy has nothing to refuse', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { client });
      const foreign: string[] = [];
      const { host } = new URL(lplate.config.publicUrl);
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.host !== host && !/^(?:data|blob):$/.test(url.protocol)) foreign.push(request.url());
      });
      // What a policy refuses stands among the errors, of which visit() allows none.
      for (const path of every) await open(page, path);
      assert.deepEqual(foreign, []);
    });

    test('Console, every page: at 360 px nothing makes the page scroll sideways, and its entry is in sight', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { client, width: 360 });
      const entry = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]');
      for (const path of every) {
        await open(page, path);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path);
        // The page of the SOAP service has no entry.
        if ((await entry.count()) === 0) continue;
        // Four links are in sight, and the others behind a button.
        if (!(await entry.isVisible())) await page.getByRole('button', { name: 'More' }).click();
        const { x = -1, width = 0 } = (await entry.boundingBox()) ?? {};
        assert.ok(x >= 0 && x + width <= 360, `${path}: ${x} to ${x + width}`);
      }
    });

    test('Console, every page: on a phone the other links open above the page, and close when one is chosen', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { client, width: 360 });
      const policies = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Policies' });
      for (const path of ['/#/traffic', '/problems']) {
        await open(page, path);
        assert.equal(await policies.isVisible(), false);
        await page.getByRole('button', { name: 'More' }).click();
        await policies.click();
        await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
        await policies.waitFor({ state: 'hidden' });
      }
    });

    test('Console, every page: Ctrl+K finds pages, lessons by their goals too, problems, guides, drills, calls and ids, and the keys go there', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { client });
      const { json } = await lplate.call('GET', '/insurer/v1/policies', { token: client.token });
      const [{ id }] = json.items;
      for (const [from, typed, kind, to] of [
        ['/#/traffic', 'webh', 'Page', /#\/webhooks$/],
        ['/#/traffic', 'credentials get', 'Lesson', /#\/lessons\/credentials$/],
        ['/#/', 'duplicate-policy', 'Problem', /\/problems\/duplicate-policy$/],
        ['/problems', 'tutorial', 'Guide', /#\/guides\/tutorial$/],
        ['/#/policies', 'cut-connections', 'Drill', /#\/time$/],
        ['/problems', 'coverage options that', 'Lesson', /#\/lessons\/coverage-options$/],
        [
          '/#/',
          'post /demo-clients',
          'POST /insurer/v1/demo-clients',
          /\/docs#insurer-v1\/tag\/.+\/POST\/demo-clients$/,
        ],
        ['/problems', id, 'Policy', new RegExp(`#/policies/${id}$`)],
      ] as const) {
        await open(page, from);
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search or jump to' }).fill(typed);
        const first = page.getByRole('option').first();
        await first.getByText(kind, { exact: true }).waitFor();
        assert.equal(await first.getAttribute('aria-selected'), 'true');
        await page.keyboard.press('Enter');
        await page.waitForURL(to);
        await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
      }
    });

    test('Console, every page: the search says when nothing is found, gives the focus back, and leaves no secret on the page', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { client, path: '/guides' });
      const button = page.getByRole('button', { name: 'Search or jump to' });
      await button.click();
      const field = page.getByRole('combobox', { name: 'Search or jump to' });
      await field.fill('no such pigeon');
      await page.getByText('Nothing is called so.').waitFor();
      await field.fill('copy the secret');
      await page.getByRole('option', { name: /Copy the secret/ }).waitFor();
      assert.equal((await page.content()).includes(client.secret), false);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
    });

    test('Console, every page: the menu of the client has what one copies again and again', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { client, path: '/policies' });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByTitle(client.id).click();
      const menu = page.getByRole('region', { name: 'Menu of your client' });
      for (const [name, valid] of [
        ['Copy the secret', (text: string) => text === client.secret],
        ['Copy a token', (text: string) => text.split('.').length === 3],
      ] as const) {
        await menu.getByRole('button', { name }).click();
        await menu.getByRole('button', { name: 'Copied' }).first().waitFor();
        assert.ok(valid(await page.evaluate<string>('navigator.clipboard.readText()')), name);
      }
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
    });

    test('Console, every page: the first stop of the keyboard skips to the content', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl);
      for (const path of ['/#/traffic', ...served]) {
        // As the page that one came with: on the next one the focus is on the title.
        await page.goto('about:blank');
        await open(page, path);
        await page.keyboard.press('Tab');
        const skip = page.locator(':focus');
        assert.equal(await skip.innerText(), 'Skip to the content', path);
        const { y = -1 } = (await skip.boundingBox()) ?? {};
        assert.ok(y >= 0, `${path}: it can be seen`);
        await page.keyboard.press('Enter');
        await page.locator('#main:focus').waitFor();
      }
    });

    test('Console, every page: the theme that was chosen is kept, on each page and after a reload', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { theme: 'light' });
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      await open(page, '/#/guides');
      const light = await ground();
      await page.getByLabel('Colours').selectOption('Dark');
      const dark = await ground();
      assert.notEqual(dark, light);
      await page.reload();
      assert.equal(await ground(), dark);
      for (const path of served) {
        await open(page, path);
        assert.equal(await ground(), dark, path);
      }
      // Scalar has a theme of its own, which follows.
      assert.ok(await page.locator('body.dark-mode').count());
      assert.equal(await page.getByLabel('Colours').inputValue(), 'dark');
      await page.getByLabel('Colours').selectOption('Light');
      assert.ok(await page.locator('body.light-mode').count());
      assert.equal(await ground(), light);
      await open(page, '/#/guides');
      assert.equal(await ground(), light);
    });

    test('Console, every page: with forced colours more than a bold name shows the current page', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl);
      await page.emulateMedia({ forcedColors: 'active' });
      for (const path of ['/#/guides', '/problems']) {
        await open(page, path);
        const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
        const marked = await links.evaluateAll((all) =>
          all.filter((one) => getComputedStyle(one).borderLeftWidth !== '0px').map((one) => one.ariaCurrent),
        );
        assert.deepEqual(marked, ['page'], path);
      }
    });

    test('Console, every page: with Auto the theme is that of the system', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { theme: 'dark' });
      const isDark = async () => {
        const colour = (await page.evaluate('getComputedStyle(document.body).backgroundColor')) as string;
        const [red = 255] = (/\d+/.exec(colour) ?? []).map(Number);
        return red < 100;
      };
      for (const path of ['/#/guides', ...served]) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await open(page, path);
        await until(isDark, `${path} is dark`);
        await page.emulateMedia({ colorScheme: 'light' });
        await until(async () => !(await isDark()), `${path} is light`);
      }
    });

    test('Console, start: without JavaScript the page has the addresses and the quick start', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { javaScript: false });
      await page.getByRole('heading', { name: 'Quick start' }).waitFor();
      assert.ok((await page.getByRole('main').innerText()).includes('/demo-clients | tee credentials.json'));
      await page.getByRole('link', { name: 'Problems', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Problems', level: 1 }).waitFor();
    });

    test('Console, every page: a part of the console that can’t be loaded says so, and is there at the next try', async (t) => {
      const { page, errors } = await visit(t, lplate.config.publicUrl);
      await page.route(/\/assets\/guides-\w+\.js$/, (route) => route.abort(), { times: 1 });
      await page.getByRole('link', { name: 'Guides' }).click();
      await page.getByText('could not be loaded').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor();
      errors.length = 0;
    });

    test('Console, an unknown page leads back', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { path: '/nope' });
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await page.getByRole('link', { name: 'Go to the page Start' }).click();
      await page.getByRole('button', { name: 'Make a client' }).waitFor();
    });

    test('Console, every page: a new page begins at its top, and the one before is found where it was left', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/lessons', client });
      const scrolled = () => page.evaluate<number>('scrollY');
      const last = page.getByRole('main').getByRole('listitem').last().getByRole('link');
      await last.scrollIntoViewIfNeeded();
      const before = await scrolled();
      assert.ok(before > 0);
      await last.click();
      await page.getByRole('heading', { name: 'What to do' }).waitFor();
      assert.equal(await scrolled(), 0);
      await page.goBack();
      await last.waitFor();
      await until(async () => (await scrolled()) === before, 'the place of before');
    });

    test('Console, every page: one that was left holds no connection, though the browser keeps it; back, it goes on', async (t) => {
      // Other visits are in a browser that keeps no page.
      const browser = await chromium.launch({
        executablePath: chromiumPath() as string,
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
      t.after(() => browser.close());
      const streams = async (count: number) => {
        const open = async () => {
          lplate.clock.advance(metricsInterval);
          const text = await (await fetch(`${lplate.url}/metrics`)).text();
          return text.includes(`lplate_range_streams ${count}\n`);
        };
        await until(open, `${count} streams`);
      };
      await streams(0);
      const page = await browser.newPage();
      await page.goto(`${lplate.url}/#/policies`);
      await page.getByRole('button', { name: 'Make a client' }).click();
      await streams(2);
      await page.evaluate('window.kept = true');
      await page.getByRole('link', { name: 'Problems', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor();
      await streams(0);
      await page.evaluate('history.back()');
      await streams(2);
      // One that does hold a connection is thrown away after a while.
      assert.ok(await page.evaluate('window.kept'));
    });

    test('Console, every page: without an answer at the first load it says so, and goes on by itself', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/guides', client });
      const silent = /\/(?:range|insurer)\/v1\//;
      await page.route(silent, (route) => route.abort());
      for (const [path, says, then] of [
        ['/lessons', 'It is shown when the service answers again.', 'Credentials and tokens'],
        ['/traffic', 'It is shown when the service answers again.', '/insurer/v1/policies'],
        ['/policies', 'This page tries again by itself.', 'AB-1234'],
      ] as const) {
        await page.goto(`${lplate.url}/#${path}`);
        await page.reload();
        const main = page.getByRole('main');
        await main
          .getByText(says, { exact: path !== '/policies' })
          .first()
          .waitFor();
        await main.getByText('The service does not answer.').first().waitFor();
        await page.unroute(silent);
        await main.getByText(then).first().waitFor();
        await page.route(silent, (route) => route.abort());
      }
    });
  });
});
