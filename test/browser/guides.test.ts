import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { hiddenSecret } from '../../console/pages/guides/guide.ts';
import { guides } from '../../src/navigation.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  let client: TestClient;
  before(async () => {
    lplate = await startLPlate(engine);
    client = await lplate.client();
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const url = () => lplate.config.publicUrl;
  const heading = (page: Page, name: string, level = 1) => page.getByRole('heading', { name, level, exact: true });
  const contents = (page: Page) => page.getByRole('navigation', { name: 'On this page' });

  describe('Console: the guides', () => {
    test('Console, guides: the list leads to each of them, and each to the next; their script is loaded with the first', async (t) => {
      const { page } = await visit(t, url());
      const main = page.getByRole('main');
      const scripts: string[] = [];
      page.on('request', (request) => void scripts.push(new URL(request.url()).pathname));
      await page.getByRole('link', { name: 'Guides' }).click();
      for (const { title, group } of guides)
        await main.getByRole('region', { name: group }).getByRole('link', { name: title, exact: true }).waitFor();
      assert.ok(scripts.some((path) => /^\/assets\/guides-\w+\.js$/.test(path)));
      assert.ok(!scripts.some((path) => path.startsWith('/guides/')), 'a text is loaded when it is opened');
      await main.getByRole('link', { name: guides[0]?.title as string, exact: true }).click();
      for (const [at, { title }] of guides.entries()) {
        await heading(page, title).waitFor();
        await page.getByRole('article').waitFor();
        const next = page.getByRole('navigation', { name: 'Other guides' }).getByRole('link', { name: '→' });
        if (at < guides.length - 1) await next.click();
        else assert.equal(await next.count(), 0);
      }
    });

    test('Console, guides: an address leads to a heading, and the table of contents to each', async (t) => {
      const { page } = await visit(t, url(), { path: '/guides/events/streams' });
      await page.locator(':focus').getByText('Streams').waitFor();
      const { y = -1 } = (await heading(page, 'Streams', 2).boundingBox()) ?? {};
      assert.ok(y >= 0 && y < 900, `it is in sight: ${y}`);
      await contents(page).getByRole('link', { name: 'Retries, order, redelivery' }).click();
      await page.locator('h3:focus').getByText('Retries, order, redelivery').waitFor();
      assert.match(page.url(), /#\/guides\/events\/retries-order-redelivery$/);
      await page.goBack();
      await page.locator('h2:focus').getByText('Streams').waitFor();
    });

    test('Console, guides: a heading has a link to itself, which the keyboard reaches', async (t) => {
      const { page } = await visit(t, url(), { path: '/guides/events' });
      const link = page.getByRole('link', { name: 'Link to “Batches”' });
      await link.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/guides\/events\/batches$/);
    });

    test('Console, guides: links between documents lead to guides, those to other files name them', async (t) => {
      const { page } = await visit(t, url(), { path: '/guides/events' });
      const article = page.getByRole('article');
      await article.getByText('examples/README.md has a complete consumer').waitFor();
      await page.goto(`${url()}/#/guides/lessons`);
      await heading(page, 'Lessons').waitFor();
      await article.getByRole('link', { name: 'The range' }).first().click();
      await page.waitForURL(/#\/guides\/range/);
      await heading(page, 'The range').waitFor();
    });

    test('Console, guides: the commands have the reader’s address and client, and can be copied; or make a client', async (t) => {
      const { page, context } = await visit(t, url(), { path: '/guides/tutorial', client });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const commands = page.getByRole('group', { name: 'Commands' }).first();
      const own = `ROOT=${url()}/for/${client.id}\n`;
      assert.ok((await commands.innerText()).startsWith(own));
      assert.ok(!(await page.content()).includes(client.secret), 'others may look at the page');
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByText('Copied').waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      assert.ok(copied.includes(`"client_secret":"${client.secret}"`));
      assert.equal(copied.replace(client.secret, hiddenSecret), await commands.innerText());
      await page.getByRole('checkbox', { name: 'Use my client' }).uncheck();
      assert.ok((await commands.innerText()).startsWith(`ROOT=${url()}\n`));
      assert.match(await commands.innerText(), /^curl .*\/demo-clients \| tee credentials\.json$/m);
    });

    test('Console, guides: who has no client is not asked whose it shall be', async (t) => {
      const { page } = await visit(t, url(), { path: '/guides/tutorial' });
      await page.getByRole('group', { name: 'Commands' }).first().waitFor();
      assert.equal(await page.getByRole('checkbox').count(), 0);
    });

    test('Console, guides: a guide that can’t be loaded says so, and can be asked for again; an unknown one leads back', async (t) => {
      const { page } = await visit(t, url(), { path: '/guides/nope' });
      await heading(page, 'There is no such guide').waitFor();
      await page.route('**/guides/range.md', (route) => route.abort(), { times: 1 });
      await page.goto(`${url()}/#/guides/range`);
      await page.getByRole('alert').getByText('The service does not answer').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('article').waitFor();
    });

    test('Console, guides: whatever Markdown holds, nothing of it runs, is loaded from elsewhere or breaks the layout', async (t) => {
      const { page } = await visit(t, url(), { path: '/guides', width: 360 });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const long = 'x'.repeat(16_384);
      const hostile = [
        '# Title',
        '<script>document.title = "ran"</script>',
        '',
        '## A <img src=x onerror="document.title=\'ran\'"> heading \u202Ebackwards',
        '',
        '## A <img src=x onerror="document.title=\'ran\'"> heading \u202Ebackwards',
        '',
        `Text <b onclick="x">bold</b> ${long} [run](javascript:document.title='ran') ![spy](https://evil.example/x.webp)`,
        '',
        `| ${long} | b |`,
        '| --- | --- |',
        `| <svg onload="document.title='ran'"> | ${long} |`,
        '',
        `- [ ] ${long}`,
        '',
        `\`\`\`sh\n${long}\n\`\`\``,
        '',
        `> ${long}`,
        '',
        '\uFFFD\u0000 & &lt;i&gt;',
      ].join('\n');
      await page.route('**/guides/events.md', (route) =>
        route.fulfill({ body: hostile, contentType: 'text/markdown' }),
      );
      await page.goto(`${url()}/#/guides/events`);
      const article = page.getByRole('article');
      await article.getByText('<script>document.title = "ran"</script>').waitFor();
      await article.getByText('<i>').waitFor();
      assert.equal(await article.locator('script, svg, img, b').count(), 0);
      assert.equal(await article.getByRole('link', { name: 'run' }).count(), 0);
      assert.equal(await page.title(), 'Events and webhooks – L-Plate');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
      assert.deepEqual(
        asked.filter((address) => !address.startsWith(url())),
        [],
      );
    });
  });
});
