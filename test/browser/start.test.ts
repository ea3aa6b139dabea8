import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { scenes } from '../../console/pages/start/scenes.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';
import { alter } from '../support/stored.ts';
import { closeBrowser, visit } from './support/browser.ts';

const run = promisify(execFile);

/** What the card of the client says behind a name: `client_id`. */
const fact = (page: Page, name: string) =>
  page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]').locator('code');

/** Presses the button of the first visit. Returns the client_id. */
async function made(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Make a client' }).click();
  await fact(page, 'client_id').waitFor();
  return fact(page, 'client_id').innerText();
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

  describe('Console, start', () => {
    test('first visit to first solved lessons with nothing but the page and curl: a client, a nickname, a policy', async (t) => {
      const { page } = await visit(t, lplate.url);
      await page.getByText('every insurer, vehicle and person here is fictional').waitFor();
      await page.getByRole('button', { name: 'Make a client' }).click();
      // The call of the button solved the first lesson.
      await page.getByText(/^1 of \d+ solved$/).waitFor();
      assert.equal(await page.getByLabel('What should we call you?').count(), 0, 'not before the first lesson');

      const calls = await page.getByRole('region', { name: 'First calls with curl' }).innerText();
      const { stdout } = await run('bash', ['-c', calls]);
      const [plate = ''] = /[A-Z]{2}-\d{4}/.exec(stdout) ?? [];
      await page.getByText(`insure ${plate}, a vehicle of your own`).waitFor();
      assert.match(stdout, new RegExp(`"regNumber":"${plate}".* 201\n.*"totalItems":1,.* 200\n`));

      await page.getByText('A token for a JSON body').waitFor();
      await page.getByText(/^[2-9] of \d+ solved$/).waitFor();
      await page.getByLabel('What should we call you?').fill('Team <b>Blue</b> \u202e');
      await page.keyboard.press('Enter');
      await page.getByText('Team <b>Blue</b>').first().waitFor();
      // What is next is one click away, and is what the list of lessons says.
      const next = await page.getByRole('link', { name: 'Open the lesson' }).getAttribute('href');
      assert.match(next ?? '', /^#\/lessons\/[a-z-]+$/);
      await page.getByRole('link', { name: 'Open the lesson' }).click();
      await page.getByRole('complementary', { name: 'About this lesson' }).waitFor();
    });

    test('who comes back is told what changed since, once', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client });
      await page.waitForFunction(() => localStorage.getItem('lplate.seen') !== null);
      const since = page.getByRole('region', { name: 'Since you were here' });
      assert.equal(await since.count(), 0);
      // A page without the console, which would write it again.
      await page.goto(`${lplate.url}/healthz`);
      await page.evaluate(() => {
        const seen = JSON.parse(localStorage.getItem('lplate.seen') ?? '');
        const at = new Date(Date.parse(seen.at) - 5 * 3_600_000).toISOString();
        localStorage.setItem('lplate.seen', JSON.stringify({ ...seen, at }));
      });
      for (const regNumber of ['SB-0001', 'SB-0002', 'SB-0002'])
        await lplate.call('POST', '/policies', { token: client.token, json: { regNumber } });
      await page.goto(lplate.url);
      await since.getByText(/^Your programs made \d calls, 1 of them refused\.$/).waitFor();
      await since.getByText('You own 2 policies more.').waitFor();
      await since.getByText('That was 5 hours').waitFor();
      await page.reload();
      await page.getByRole('region', { name: 'What is next' }).getByRole('link').waitFor();
      assert.equal(await since.count(), 0);
    });

    test('a service that does not tell of the client keeps no page from being seen', async (t) => {
      const { page, context } = await visit(t, lplate.url, { client: await lplate.client(), path: '/policies' });
      await context.route('**/range/v1/me', () => new Promise(() => {}));
      for (const path of ['/', '/lessons']) {
        await page.goto(`${lplate.url}/healthz`);
        await page.goto(`${lplate.url}/#${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'visible' });
      }
      await page.goto(`${lplate.url}/healthz`);
      await page.goto(lplate.url);
      await page.getByRole('region', { name: 'What is next' }).getByRole('link').waitFor({ state: 'visible' });
    });

    test('before there is a client, three answers of the service are shown in turn, until one is chosen or it is paused', async (t) => {
      const { page } = await visit(t, lplate.url);
      const chosen = page.getByRole('tab', { selected: true });
      assert.deepEqual(
        await page.getByRole('tab').allInnerTexts(),
        scenes.map(({ title }) => title),
      );
      for (const { title, heading, says } of scenes.toReversed()) {
        await page.getByRole('tab', { name: title }).click();
        await page.getByText(heading, { exact: true }).waitFor();
        await page.getByText(says, { exact: true }).waitFor();
        assert.equal(await chosen.innerText(), title);
      }
      // Who wants no motion gets none; for the others it plays.
      assert.equal(await page.getByRole('button', { name: /Play|Pause/ }).count(), 0);
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      await page.reload();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Play' }).waitFor();
      for (const name of ['I learn', 'I teach', 'I test software']) {
        await page.getByRole('link', { name }).click();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.goBack();
      }
    });

    test('after the first policy the first calls fold away, and what was refused last is shown with its call', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client });
      const calls = page.getByRole('region', { name: 'First calls with curl' });
      await calls.waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Last refused' }).count(), 0);
      const json = { regNumber: 'FOLD-1' };
      for (const status of [201, 409])
        assert.equal((await lplate.call('POST', '/insurer/v1/policies', { token: client.token, json })).status, status);
      await page.getByRole('region', { name: 'Last refused' }).getByText('duplicate-policy').waitFor();
      assert.ok(await calls.isVisible(), 'not before one’s eyes');
      await page.reload();
      await calls.waitFor({ state: 'hidden' });
      await page.getByRole('heading', { name: 'First calls' }).click();
      await calls.waitFor();
    });

    test('a reload keeps all: the client, its nickname, the tool that was chosen; the nickname can be changed', async (t) => {
      const { page } = await visit(t, lplate.url);
      const id = await made(page);
      await fetch(`${lplate.url}/for/${id}/insurer/v1/coverage-options`);
      await page.getByLabel('What should we call you?').fill('Team Blue');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('tab', { name: 'curl' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('region', { name: 'First calls with HTTPie' }).waitFor();

      await page.reload();
      await fact(page, 'client_id').waitFor();
      assert.equal(await fact(page, 'client_id').innerText(), id);
      await page.getByRole('region', { name: 'First calls with HTTPie' }).waitFor();
      await page.getByRole('button', { name: 'Change the nickname' }).click();
      await page.getByLabel('Nickname').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Skip', exact: true }).click();
      await page.reload();
      await page.getByRole('button', { name: 'Add a nickname' }).waitFor();
      assert.equal(
        await page.getByRole('button', { name: 'Skip', exact: true }).count(),
        0,
        'it was told to ask no more',
      );
    });

    test('credentials that one has: as JSON into either field; wrong ones are explained and not kept', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url);
      await page.getByRole('button', { name: 'Use one I have' }).click();
      await page.getByRole('button', { name: 'Use this client' }).click();
      await page.getByRole('alert').getByText('Fill in both').waitFor();

      await page.getByLabel('client_id').fill(client.id);
      await page.getByLabel('client_secret').fill('wrong');
      await page.getByRole('button', { name: 'Use this client' }).click();
      const { json } = await lplate.call('POST', '/auth/token', {
        json: { client_id: client.id, client_secret: 'wrong' },
      });
      await page.getByRole('alert').getByText(json.detail).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Use one I have' }).click();

      await page
        .getByLabel('client_secret')
        .fill(`{"client_id":"${client.id}","client_secret":"${client.secret}"} 201`);
      assert.equal(await page.getByLabel('client_id').inputValue(), client.id);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your client' }).waitFor();
      assert.equal(await fact(page, 'client_id').innerText(), client.id);
      assert.match(await fact(page, 'client_secret').innerText(), /^•+$/);
      await page.getByRole('button', { name: 'Show the secret' }).click();
      assert.equal(await fact(page, 'client_secret').innerText(), client.secret);
    });

    test('the addresses are those by which the browser came, also with the personal prefix, and these answer', async (t) => {
      const other = lplate.url.replace('127.0.0.1', 'localhost');
      const { page } = await visit(t, other);
      const id = await made(page);
      const listed = await page.getByRole('table').locator('code').allInnerTexts();
      assert.equal(listed.length, 10);
      for (const url of listed) assert.ok(url.startsWith(`${other}/`), url);
      const personal = listed.filter((url) => url.includes(`/for/${id}/`));
      assert.equal(personal.length, 5);
      assert.equal((await fetch(`${personal[0]}/coverage-options`)).status, 200);
      assert.match(
        await page.getByRole('region', { name: 'First calls with curl' }).innerText(),
        new RegExp(`${other}/insurer/v1`),
      );
    });

    test('a file for each tool, with the address and the credentials filled in', async (t) => {
      const { page } = await visit(t, lplate.url);
      const id = await made(page);
      for (const [tool, name] of [
        ['Postman', 'l-plate.postman_collection.json'],
        ['Insomnia', 'l-plate.insomnia.json'],
        ['Bruno', 'l-plate.bruno.json'],
        ['Hurl', 'l-plate.hurl'],
      ] as const) {
        const waiting = page.waitForEvent('download');
        await page.getByRole('button', { name: `Download the file for ${tool}` }).click();
        const file = await waiting;
        assert.equal(file.suggestedFilename(), name);
        const text = await readFile(await file.path(), 'utf8');
        if (name.endsWith('.json')) JSON.parse(text);
        assert.ok(text.includes(`${lplate.url}/for/${id}/insurer/v1`) && !text.includes('YOUR_CLIENT'), tool);
      }
    });

    test('Console, start: who solved all lessons is led to a capstone that is not completed', async (t) => {
      const client = await lplate.client();
      const { json } = await lplate.call('GET', '/range/v1/lessons?pageSize=500');
      const at = '2026-03-02T10:15:30.000Z';
      await alter(
        lplate,
        ...json.items.map(
          ({ id }: { id: string }) =>
            `insert into lesson_progress (client_id, lesson_id, hints, misses, changed_at, solved_at)
             values ('${client.id}', '${id}', 0, 0, '${at}', '${at}') on conflict do nothing`,
        ),
      );
      const { page } = await visit(t, lplate.url, { client });
      await page.locator('a[href="#/lessons/capstones/bad-line"]').getByText('Try a capstone').click();
      await page.getByRole('heading', { level: 1, name: 'The bad line' }).waitFor();
    });

    test('two browsers don’t see each other', async (t) => {
      const [{ page: one }, { page: other }] = [await visit(t, lplate.url), await visit(t, lplate.url)];
      const [id, otherId] = [await made(one), await made(other)];
      assert.notEqual(id, otherId);
      await run('bash', ['-c', await one.getByRole('region', { name: 'First calls with curl' }).innerText()]);
      await one.getByText('A token for a JSON body').waitFor();
      await other.reload();
      await other.getByText(/^1 of \d+ solved$/).waitFor();
      assert.equal((await other.locator('body').innerText()).includes(id), false);
    });

    test('to forget the client and to make a new one is asked about first; Escape keeps it', async (t) => {
      const { page } = await visit(t, lplate.url);
      const id = await made(page);
      await page.getByText('Change or move it').click();
      await page.getByRole('button', { name: 'Make a new client' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      assert.equal(await fact(page, 'client_id').innerText(), id);

      await page.getByRole('button', { name: 'Make a new client' }).click();
      await page.getByRole('button', { name: 'Make a new one' }).click();
      await fact(page, 'client_id').getByText(id).waitFor({ state: 'detached' });
      await fact(page, 'client_id').getByText('demo-').waitFor();

      await page.getByText('Change or move it').click();
      await page.getByRole('button', { name: 'Forget this client' }).click();
      await page.getByRole('button', { name: 'Forget it' }).click();
      await page.reload();
      await page.getByRole('button', { name: 'Make a client' }).waitFor();
    });

    test('Limits, idle lifetime: that the client was removed is told, and a new one is a press away', async (t) => {
      const { page } = await visit(t, lplate.url);
      const id = await made(page);
      // Open, it would go on using its client.
      await page.goto('about:blank');
      lplate.clock.advance(25 * 60 * 60 * 1000);
      await lplate.housekeeping();
      await page.goto(`${lplate.url}/#/`);
      await page.getByText('The service does not know the client of this browser').waitFor();
      assert.notEqual(await made(page), id);
      assert.equal(await page.getByText('The service does not know the client').count(), 0);
    });
  });
});
