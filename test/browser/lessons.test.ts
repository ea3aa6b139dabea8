import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { steadyPort } from '../support/steady-port.ts';
import { alter } from '../support/stored.ts';
import { closeBrowser, visit } from './support/browser.ts';

const run = promisify(execFile);

/** Without a token, but with the prefix that says whose call it is. */
const bare = (lplate: LPlate, { id }: TestClient, path: string, headers: Record<string, string> = {}) =>
  fetch(`${lplate.url}/for/${id}${path}`, { headers });

const coverage = '/insurer/v1/coverage-options';
const policies = '/insurer/v1/policies';

const notice = (page: Page, text: RegExp | string) => page.getByRole('status').getByText(text).first().waitFor();

onSqlite((engine) => {
  after(closeBrowser);

  describe('Console, lessons', () => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    test('Console, lessons: without a client the path is shown, and how to begin', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/lessons' });
      await page.getByRole('link', { name: 'Look before you sign in' }).waitFor();
      await page.getByRole('button', { name: 'Make a client' }).waitFor();
      await page.getByRole('link', { name: 'Look before you sign in' }).click();
      await page.getByText('There are 3 hints').waitFor();
      equal(await page.getByRole('button', { name: /hint/ }).count(), 0);
      await page.goto(`${lplate.url}/#/lessons/capstones`);
      await page.getByRole('link', { name: 'The bad line' }).click();
      await page.getByText('Create exactly one policy for each').waitFor();
      equal(await page.getByRole('button', { name: /Begin/ }).count(), 0);
    });

    test('Console, lessons: a call solves a lesson, and the page shows it at once, with the exchange that proved it', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/coverage-options' });
      await notice(page, 'Make your calls');
      await bare(lplate, client, coverage);
      await notice(page, 'Solved');
      const proof = page.getByRole('status').getByRole('link', { name: `GET ${coverage}` });
      match((await proof.getAttribute('href')) ?? '', /^#\/traffic\/[\w-]{20,}$/);
      await page.getByText('By this call:').waitFor();
      equal(
        await page.getByRole('link', { name: 'Look before you sign in' }).count(),
        0,
        'a toast of the lesson that is open',
      );
      const next = page.getByRole('navigation', { name: 'Next lesson' }).getByRole('link', { name: /^Next:/ });
      match(await next.innerText(), /A token for a form/);
      await next.click();
      await page.getByRole('heading', { level: 1, name: 'A token for a form' }).waitFor();
    });

    test('Console, lessons: once solved, a lesson shows what to remember, what goes wrong without it, and its code', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/coverage-options' });
      await notice(page, 'Make your calls');
      equal(await page.getByRole('heading', { name: 'Remember' }).count(), 0);
      await bare(lplate, client, coverage);
      await page.getByRole('heading', { name: 'Remember' }).waitFor();
      await page.getByText('Some endpoints need no token.').waitFor();
      await page.getByRole('heading', { name: 'What goes wrong without it' }).waitFor();
      const { json } = await lplate.call('GET', '/range/v1/me/lessons/coverage-options/solution', client);
      for (const { language, file, text } of json.code) {
        await page.getByRole('tab', { name: language, exact: true }).click();
        equal(await page.getByRole('region', { name: `This lesson in ${language}` }).innerText(), text);
        await page.getByText(file, { exact: true }).waitFor();
      }
      // The next one begins with the language that was chosen.
      const { language } = json.code.at(-1);
      await page.goto(`${lplate.url}/#/lessons/credentials`);
      await page.getByRole('region', { name: `This lesson in ${language}` }).waitFor();
    });

    test('Console, lessons: a month later, solved ones are taken again on a page of their own, which says what each took', async (t) => {
      const client = await lplate.client();
      await bare(lplate, client, coverage);
      const { page } = await visit(t, lplate.url, { client, path: '/lessons' });
      await page.getByRole('link', { name: 'A month later' }).click();
      lplate.clock.advance(1000);
      await page.getByRole('button', { name: 'Take ten again' }).click();
      await page.getByText('0 of 3 solved again').waitFor();
      equal(await page.getByRole('button', { name: 'Take ten again' }).count(), 0);
      await page.getByRole('link', { name: 'Look before you sign in' }).click();
      await notice(page, 'Make your calls');
      await bare(lplate, client, coverage);
      await notice(page, /^It took 1 call; the shortest way from its start takes 1\.$/);
      await page.getByRole('link', { name: 'A month later' }).click();
      await page.getByText('1 of 3 solved again').waitFor();
    });

    test('Console, lessons: the list shows progress in all and per topic, and keeps its filter in the address', async (t) => {
      const client = await lplate.client();
      await bare(lplate, client, coverage);
      const { page } = await visit(t, lplate.url, { client, path: '/lessons' });
      const topic = page.getByRole('region', { name: 'Credentials and tokens' });
      await topic.getByText(/^[23] of \d+$/).waitFor();
      await page.getByText(/^[23] of \d\d solved$/).waitFor();
      await page.getByLabel('Show').selectOption('Solved');
      await page.getByLabel('Level').selectOption({ value: '1' });
      await topic.getByRole('link', { name: 'Look before you sign in' }).waitFor();
      equal(await topic.getByRole('link', { name: 'Who are you?' }).count(), 0);
      // Seen live in the list, too.
      await bare(lplate, client, policies);
      await topic.getByRole('link', { name: 'Who are you?' }).click();
      await page.getByRole('link', { name: 'All lessons' }).click();
      match(page.url(), /#\/lessons\?show=solved&level=1$/);
      await page.reload();
      await topic.getByRole('link', { name: 'Who are you?' }).waitFor();
      equal(await page.getByRole('link', { name: 'Create a policy' }).count(), 0);
    });

    test('Console, lessons: the journey has a tile for each topic, which leads to its lessons, and the capstones', async (t) => {
      const client = await lplate.client();
      await bare(lplate, client, coverage);
      const { page } = await visit(t, lplate.url, { client, path: '/lessons' });
      const tiles = page.getByRole('list', { name: 'Topics' }).getByRole('link');
      const { json } = await lplate.call('GET', '/range/v1/lessons?pageSize=500', {});
      const topics = [...new Set(json.items.map(({ topic }: { topic: string }) => topic))] as string[];
      await tiles.first().waitFor();
      deepEqual(
        (await tiles.allInnerTexts()).map((text) => text.replaceAll(/\d|\n/g, '')),
        topics,
      );
      await tiles
        .first()
        .getByRole('img', { name: /^[23] of \d+ solved$/ })
        .waitFor();
      // The topic of the next lesson is open; another one when it is chosen, and after a reload.
      await page.getByRole('region', { name: 'Credentials and tokens' }).waitFor();
      await tiles.getByText('Webhooks').click();
      await page.getByRole('region', { name: 'Webhooks' }).waitFor();
      equal(await page.getByRole('region', { name: 'Credentials and tokens' }).count(), 0);
      await page.reload();
      await page.getByRole('region', { name: 'Webhooks' }).waitFor();
      await page.getByRole('region', { name: 'Capstones' }).getByRole('link', { name: 'The bad line' }).waitFor();
      // A search looks through all topics.
      await page.getByLabel('Search', { exact: true }).fill('somebody faster');
      await page.getByRole('link', { name: 'Somebody was faster' }).waitFor();
      equal(await tiles.count(), 0);
      match(page.url(), /#\/lessons\?text=somebody\+faster$/);
    });

    test('Console, lessons: a call that came close says what was missing', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/wrong-scheme' });
      await notice(page, 'Make your calls');
      await bare(lplate, client, policies, { Authorization: 'Bearer nonsense' });
      await notice(page, 'A call came close:');
      await notice(page, 'The scheme was Bearer. Send your token after another word.');
      await bare(lplate, client, policies, { Authorization: 'Basic bm86Ym9keQ==' });
      await notice(page, '2 calls came close; the last one:');
      await page.getByRole('heading', { name: 'Your last calls' }).waitFor();
      equal(
        await page
          .getByRole('complementary')
          .getByText(/(?:invalid|missing)-token/)
          .count(),
        2,
      );
    });

    test('Console, lessons: hints come one by one, and their commands with what they need', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/update-policy' });
      const hints = page.getByRole('region', { name: 'Hints' }).getByRole('list').first().getByRole('listitem');
      for (const taken of [1, 2, 3]) {
        await page.getByRole('button', { name: `Show a hint (${taken} of 3)` }).click();
        await hints.nth(taken - 1).waitFor();
        equal(await hints.count(), taken);
      }
      await page.getByText('These are all hints of this lesson.').waitFor();
      const command = await page.getByRole('region', { name: 'Command 1 of hint 3' }).innerText();
      match(command, /^curl -X PUT \$ROOT\/insurer\/v1\/policies\/.*\}'$/);
      const settings = page.getByRole('region', { name: 'Variables to set' });
      match(await settings.innerText(), new RegExp(`ROOT='${lplate.url}'\nCLIENT_ID='${client.id}'\n`));
      // They are kept.
      await page.reload();
      await hints.nth(2).waitFor();
      // What the block says works in a shell.
      const { stdout } = await run('sh', ['-c', `${await settings.innerText()}\nprintf %s "$TOKEN"`]);
      equal((await lplate.call('GET', '/range/v1/me', { token: stdout })).json.clientId, client.id);
    });

    test('Console, lessons: a wrong answer is told what to look at, and a right one solves the lesson', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/token-decoded' });
      await page.getByLabel('Your answer').fill('demo');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await notice(page, 'That is not the sub of your token.');
      await page.getByLabel('Your answer').fill(` ${client.id} `);
      await page.getByLabel('Your answer').press('Enter');
      await notice(page, 'Solved');
      await page.getByText('By your answer, and this call:').waitFor();
      equal(await page.getByLabel('Your answer').count(), 0);
    });

    test('Console, lessons: an answer in JSON is sent as such, and what is no JSON yet is not sent', async (t) => {
      const client = await lplate.client();
      await lplate.call('GET', '/insurer/v1/openapi.yaml', { token: client.token });
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/draft-and-version' });
      await page.getByLabel('Your answer').fill('["startDate",');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await notice(page, 'This is not JSON yet');
      await page.getByLabel('Your answer').fill('["startDate", "createdAt", "updatedAt"]');
      await page.getByRole('button', { name: 'Send the answer' }).click();
      await notice(page, 'Solved');
    });

    test('Console, capstones: a run shows its clock, and its score what went wrong, with the exchanges', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/capstones/bad-line' });
      await page.getByRole('button', { name: 'Begin a run' }).click();
      const timer = page.getByRole('timer', { name: 'Time left' });
      await timer.getByText(/^(3:00|2:5\d) left of 3:00$/).waitFor();
      lplate.clock.advance(100_000);
      await timer.getByText(/^1:(20|1\d) left of 3:00$/).waitFor();
      await page.getByText('A quarter of the connections is cut before the answer.').waitFor();
      const report = page.getByLabel('Your report, as JSON');
      match(await report.inputValue(), /"Branch 1-01": "pol-…"/);
      await report.fill('{"policies":');
      await page.getByRole('button', { name: 'Send the report' }).click();
      await notice(page, 'This is not JSON yet');
      await report.fill('{}');
      await page.getByRole('button', { name: 'Send the report' }).click();
      await notice(page, 'The report is an object with the member policies');
      await createTwice(client);
      await report.fill('{"policies":{}}');
      await page.getByRole('button', { name: 'Send the report' }).click();
      const score = page.getByRole('region', { name: 'Score of run 1' });
      await score.getByText('Missing: 14').waitFor();
      await score.getByText('Doubled: 1').waitFor();
      const links = score.getByRole('link', { name: /POST \/insurer\/v1\/policies|Exchange/ });
      match((await links.first().getAttribute('href')) ?? '', /^#\/traffic\//);
      await page.getByRole('button', { name: 'Begin another run' }).click();
      await timer.waitFor();
      await page.getByRole('button', { name: 'End this run' }).click();
      const runs = page.getByRole('region', { name: 'Table of runs' });
      await runs.getByText('Ended early').waitFor();
      await runs.getByRole('link', { name: '1', exact: true }).click();
      await score.getByText('Doubled: 1').waitFor();
    });

    test('Console, capstones: level 2 says what is harder, goes on over the crash, and is told of with its runs', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/capstones/bad-line' });
      await page.getByRole('heading', { name: 'On level 2, besides' }).waitFor();
      await page.getByText('At second 10 your program crashes').waitFor();
      await page.getByRole('button', { name: 'Begin level 2' }).click();
      await page.getByRole('heading', { name: 'Run 1, level 2, is under way' }).waitFor();
      const send = page.getByRole('button', { name: 'Send the report' });
      equal(await send.isDisabled(), true);
      lplate.clock.advance(25_000);
      // The token of the console has ended, too.
      const crash = page.getByRole('listitem').filter({ hasText: 'Your program crashes' });
      await crash.getByText('(done)').waitFor();
      await page.getByLabel('Your report, as JSON').fill('{"policies":{}}');
      await send.click();
      const score = page.getByRole('region', { name: 'Score of run 1' });
      await score.getByText('Run 1, level 2.').waitFor();
      await score.getByText('One worker alone: 1').waitFor();
      await page.getByText('Best score of level 2: 0').waitFor();
    });

    /** Two policies for the first order, whatever the line does. */
    async function createTwice({ token }: TestClient): Promise<void> {
      const holder = 'Branch 1-01';
      const count = async () => {
        for (;;) {
          const list = await fetch(`${lplate.url}${policies}`, { headers: { Authorization: `Bearer ${token}` } })
            .then((response) => response.json() as Promise<{ items?: unknown[] }>)
            .catch(() => undefined);
          if (list?.items) return list.items.length;
        }
      };
      for (let tries = 0; (await count()) < 2; tries += 1) {
        await fetch(`${lplate.url}${policies}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ regNumber: `TWICE-${tries}`, holder }),
        }).catch(() => {});
      }
    }

    test('Console, certificate: it shows the nickname and what was solved, and its signed form can be checked', async (t) => {
      const client = await lplate.client();
      await bare(lplate, client, coverage);
      await lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname: 'Team <b>Blue</b>' } });
      const { page } = await visit(t, lplate.url, { client, path: '/lessons/certificate' });
      const certificate = page.getByRole('article', { name: 'Certificate' });
      await certificate.getByText('Team <b>Blue</b>').waitFor();
      await certificate.getByText('Look before you sign in').waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download the signed form' }).click(),
      ]);
      equal(file.suggestedFilename(), 'certificate.jws');
      const folder = await mkdtemp(join(tmpdir(), 'l-plate-certificate-'));
      t.after(() => rm(folder, { recursive: true }));
      await file.saveAs(join(folder, 'certificate.jws'));
      const program = await page.getByRole('region', { name: 'A program that checks the certificate' }).innerText();
      await writeFile(join(folder, 'check.mjs'), program);
      const { stdout } = await run(process.execPath, ['check.mjs'], { cwd: folder });
      match(stdout, /^true\n/);
      match(stdout, /nickname: 'Team <b>Blue<\/b>'/);
      await page.emulateMedia({ media: 'print' });
      deepEqual(
        [
          await certificate.isVisible(),
          await page.getByRole('heading', { level: 1 }).isVisible(),
          await page.getByText('How to check it').isVisible(),
          await page.getByRole('navigation', { name: 'Pages' }).isVisible(),
        ],
        [true, false, false, false],
      );
    });
  });

  test('Console, certificate: with all lessons it takes two pages at the most, in the console and as a file; on a phone the button stands under the count', async (t) => {
    const lplate = await startLPlate(t, engine);
    const client = await lplate.client();
    const at = '2026-03-02T10:15:30.000Z';
    const all = (await lplate.call('GET', '/range/v1/lessons?pageSize=500')).json.items as { id: string }[];
    const rows = all.map(
      ({ id }) =>
        `insert into lesson_progress (client_id, lesson_id, hints, misses, changed_at, solved_at)
         values ('${client.id}', '${id}', 0, 0, '${at}', '${at}') on conflict do nothing`,
    );
    await alter(lplate, ...rows);
    const { page } = await visit(t, lplate.url, { client, path: '/lessons/certificate' });
    const said = page.getByText(`solved ${all.length} of the ${all.length} lessons`);
    const pages = async () =>
      (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
    await said.waitFor();
    ok((await pages()) <= 2);
    const file = await fetch(`${lplate.url}/range/v1/me/certificate`, {
      headers: { Accept: 'text/html', Authorization: `Bearer ${client.token}` },
    });
    const body = await file.text();
    await page.route('**/file', (route) => route.fulfill({ body, contentType: 'text/html' }));
    await page.goto(`${lplate.url}/file`);
    await said.waitFor();
    ok((await pages()) <= 2);

    const { page: phone } = await visit(t, lplate.url, { client, path: '/lessons', width: 320 });
    const count = await phone.getByText(`${all.length} of ${all.length} solved`).boundingBox();
    const button = await phone.getByRole('link', { name: 'All solved. Next: the capstones' }).boundingBox();
    ok(count && button && button.y >= count.y + count.height, 'under it');
    ok(count && count.height < 50, 'in one line');
  });

  test('Console, lessons: a trainer’s own lessons appear, and the last one of all is celebrated', async (t) => {
    const lesson = (id: string, title: string, path: string) => ({
      ...{ id, title, topic: 'Ours \u202e<i>here</i>', goal: `Call \`${path}\` <img src=x onerror=alert(1)>.` },
      ...{ why: 'We do it so.', hints: ['Take `GET`.'], sections: ['House rules'], calls: [{ path, status: 200 }] },
    });
    const own = [lesson('options', 'Our options', coverage), lesson('ping', 'Our ping', '/insurer/v1/limited/ping')];
    const lplate = await startLPlate(t, engine, { lessons: { path: ['options', 'ping'], own } });
    const client = await lplate.client();
    const { page } = await visit(t, lplate.url, { client, path: '/lessons/options' });
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    equal(await page.locator('code', { hasText: coverage }).innerText(), coverage);
    await page.getByText('House rules').waitFor();
    await bare(lplate, client, coverage);
    await notice(page, 'Solved');
    await page.getByRole('link', { name: 'Next: Our ping' }).click();
    await bare(lplate, client, '/insurer/v1/limited/ping');
    await notice(page, 'You have solved all 2 lessons.');
    await page.getByRole('link', { name: 'Next: the capstones' }).waitFor();
  });

  test('Console, lessons: what was solved outlives a reload and a restart, and the page goes on by itself', async (t) => {
    const { start } = await restartable(engine);
    const port = await steadyPort();
    let lplate = await start({ port });
    t.after(() => lplate.close());
    const client = await lplate.client();
    const { page } = await visit(t, lplate.url, { client, path: '/lessons/coverage-options' });
    await notice(page, 'Make your calls');
    await bare(lplate, client, coverage);
    await notice(page, 'Solved');
    await page.reload();
    await notice(page, 'Solved');
    await lplate.close();
    await page.getByText('The service does not answer.').waitFor();
    lplate = await start({ port });
    await page.getByText('The service does not answer.').waitFor({ state: 'hidden' });
    await notice(page, 'Solved');
    await page.goto(`${lplate.url}/#/lessons/no-header`);
    await notice(page, 'Make your calls');
    await bare(lplate, client, policies);
    await notice(page, 'Solved');
  });
});
