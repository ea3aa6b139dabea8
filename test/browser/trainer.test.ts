import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { day, hour } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, type TestClient, testSecrets } from '../support/lplate.ts';
import { closeBrowser, type VisitOptions, visit } from './support/browser.ts';

const { trainerToken } = testSecrets;
const minutes = 60_000;

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  /** The trainer's page, past its question for the token. Its timers are those of `page.clock`. */
  async function train(t: TestContext, path: string, options: VisitOptions = {}, at = lplate): Promise<Page> {
    const { page } = await visit(t, at.url, { path, ...options });
    await page.clock.install();
    await page.getByLabel('Trainer token').fill(trainerToken);
    await page.keyboard.press('Enter');
    await page.getByLabel('Trainer token').waitFor({ state: 'detached' });
    return page;
  }

  async function learner(nickname: string): Promise<TestClient> {
    const client = await lplate.client();
    await lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname } });
    return client;
  }

  /** Nearly solves the lesson “The wrong scheme”. Who sends the same again is told once. */
  async function miss({ id }: TestClient, Authorization = 'Bearer nonsense'): Promise<void> {
    await lplate.call('GET', `/for/${id}/insurer/v1/policies`, { headers: { Authorization } });
  }

  const basic = 'Basic bm86Ym9keQ==';

  /** Lets the page look at the class, as it does every few seconds. */
  const look = (page: Page) => page.clock.fastForward(5000);

  const rowOf = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Learners, who needs help first' }).getByRole('listitem').filter({ hasText: name });

  describe('Console, trainer: the token', () => {
    test('a wrong token is explained, the right one opens the class, and “Leave” forgets it', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/trainer' });
      for (const wrong of ['not-the-token', 'ünfit for a header']) {
        await page.getByLabel('Trainer token').fill(wrong);
        await page.getByRole('button', { name: 'Open the class' }).click();
        await page.getByRole('alert').filter({ hasText: 'This is not the trainer token.' }).waitFor();
      }
      await page.getByText('L-Plate prints it when it starts').waitFor();
      await page.getByLabel('Trainer token').fill(` ${trainerToken} `);
      await page.getByRole('button', { name: 'Open the class' }).click();
      await page.getByRole('tab', { name: 'The class' }).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      await page.reload();
      await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByLabel('Trainer token').waitFor();
      assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage)), []);
    });
  });

  describe('Console, trainer: the class', () => {
    test('the board follows while three learners work, beside a learner in the same browser', async (t) => {
      const own = await learner('In this browser');
      const page = await train(t, '/trainer', { client: own });
      const names = ['Ada', 'Ben', 'Cleo'];
      const learners = await Promise.all(names.map(learner));
      await look(page);
      for (const name of names)
        await rowOf(page, name)
          .getByText(/^2\/\d+$/)
          .waitFor();
      const [ada, ben, cleo] = learners as [TestClient, TestClient, TestClient];
      await lplate.call('POST', '/policies', { token: ada.token, json: { regNumber: 'TR-0001' } });
      await lplate.call('GET', `/for/${ben.id}/insurer/v1/policies`);
      await lplate.call('GET', '/policies/nothing', { token: cleo.token });
      await lplate.call('POST', '/range/v1/me/lessons/token-by-form/hints', { token: cleo.token });
      await look(page);
      for (const name of names)
        await rowOf(page, name)
          .getByText(/^3\/\d+$/)
          .waitFor();
      await rowOf(page, 'Ben').getByRole('link', { name: 'missing-token' }).waitFor();
      await rowOf(page, 'Cleo').getByText('1 hint').waitFor();
      await rowOf(page, 'Ada').getByText('Next: ').waitFor();
      await page.getByRole('banner').getByText('In this browser').waitFor();
    });

    test('who is stuck comes first, with the lesson and the last miss, or what was refused in a row; then who is silent, with what it did last', async (t) => {
      const page = await train(t, '/trainer/class');
      const busy = await learner('Busy Bee');
      const joined = (await lplate.call('POST', '/demo-clients')).json.client_id.slice(0, 13);
      const stuck = await learner('Stuck Stan');
      const again = await learner('Again Gina');
      const json = { lessonId: 'wrong-scheme' };
      await lplate.call('PUT', '/range/v1/me/open-lesson', { token: stuck.token, json });
      await miss(stuck, basic);
      await lplate.call('GET', `/for/${stuck.id}/insurer/v1/policies`);
      await look(page);
      await rowOf(page, 'Stuck Stan').getByText('2 misses').waitFor();
      assert.ok(!(await rowOf(page, 'Stuck Stan').innerText()).includes('near misses'));
      lplate.clock.advance(4 * minutes);
      await lplate.call('GET', '/policy', { token: stuck.token });
      lplate.clock.advance(4 * minutes);
      await miss(stuck);
      for (let count = 0; count < 9; count += 1) {
        await lplate.call('POST', '/policies', { token: again.token, json: { colour: 'red' } });
      }
      // Written before the time goes on.
      await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
      lplate.clock.advance(4 * minutes);
      await lplate.call('GET', `/for/${busy.id}/insurer/v1/policies`);
      await look(page);
      const row = rowOf(page, 'Stuck Stan');
      await row.getByText('4 near misses').waitFor();
      // The board may have been read before the time went on.
      await look(page);
      await row.getByText(/4 misses, nothing solved for \d+ min/).waitFor();
      assert.match(await row.innerText(), /The wrong scheme · 4 misses[^\n]+\s+Last miss: The scheme was Bearer/);
      await rowOf(page, 'Again Gina').getByText('9 near misses').waitFor();
      await rowOf(page, 'Again Gina').getByText('9 refusals in a row, the last: /regNumber is missing.').waitFor();
      await rowOf(page, 'Busy Bee').getByText('just now').waitFor();
      await rowOf(page, 'Ada').getByText('Silent for 12 min').waitFor();
      const ada = (await rowOf(page, 'Ada').innerText()).replaceAll(/[\u2066-\u2069]/g, '');
      assert.match(ada, /Silent since .*The last call: POST \/insurer\/v1\/policies → 201, /);
      await rowOf(page, joined).getByText('It joined, and has made no call of its own.').waitFor();
      const all = await page
        .getByRole('listitem')
        .filter({ hasText: /\d\/\d/ })
        .allInnerTexts();
      const stuckOnes = ['Stuck Stan', 'Again Gina'];
      assert.ok(
        all.slice(0, 2).every((text) => stuckOnes.some((name) => text.includes(name))),
        all.join('\n'),
      );
      const places = ['Stuck Stan', 'Ada', 'Busy Bee'].map((name) => all.findIndex((text) => text.includes(name)));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        all.join('\n'),
      );
      assert.ok(!/in a row|near misses|Silent/.test(all.find((text) => text.includes('Busy Bee')) ?? ''));
      await rowOf(page, 'Ada').getByRole('link', { name: 'Ada' }).click();
      await page.getByText('Silent since').waitFor();
      await page.getByText('Last call of its own').waitFor();
    });

    test('a learner whose clock is wrong is told, can hide it, and is marked for the trainer with what is wrong', async (t) => {
      const client = await learner('Late Liz');
      const { page: theirs } = await visit(t, lplate.url, { client });
      const warning = theirs.getByText('The clock of the computer with your console is');
      const live = async (off: number) => {
        await theirs.clock.setSystemTime(new Date(lplate.clock.now() + off));
        const told = theirs.waitForResponse(/range\/v1\/me$/);
        await theirs.reload();
        await told;
        await theirs.getByRole('banner').getByText('Late Liz').waitFor();
      };
      await live(0);
      await warning.waitFor({ state: 'detached' });
      await live(-20 * minutes);
      await warning.filter({ hasText: '20 minutes behind' }).waitFor();
      await theirs.getByRole('button', { name: 'Hide', exact: true }).click();
      await warning.waitFor({ state: 'detached' });
      const page = await train(t, '/trainer/class');
      await rowOf(page, 'Late Liz').getByText('Wrong clock').waitFor();
      await rowOf(page, 'Late Liz').getByRole('link', { name: 'Late Liz' }).click();
      await page.getByText('The clock of the computer with its console is 20 minutes behind.').waitFor();
    });

    test('on the wall it is the whole page, without controls or what gives a solution away', async (t) => {
      const page = await train(t, '/trainer/class?wall');
      const cards = page.getByRole('list', { name: 'Learners', exact: true }).getByRole('listitem');
      await cards.filter({ hasText: 'Stuck Stan' }).getByText('The wrong scheme').waitFor();
      assert.equal(await page.getByText('may need help', { exact: false }).count(), 1, 'only the link that shows it');
      await page.getByRole('link', { name: 'Show who may need help' }).click();
      await page.getByText('2 may need help').waitFor();
      assert.match(await rowOf(page, 'Stuck Stan').innerText(), /Stuck Stan[\s\S]*Stuck · The wrong scheme/);
      await rowOf(page, 'Ada').getByText('Silent').waitFor();
      await page.getByRole('link', { name: 'Hide names' }).click();
      await page.getByText('Stuck Stan').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Show names' }).click();
      assert.equal(await page.getByRole('button').count(), 0);
      assert.equal(await page.getByRole('navigation').count(), 0);
      assert.ok(!(await page.locator('body').innerText()).includes('Last miss'));
      await page.keyboard.press('Escape');
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await page.getByRole('tab', { name: 'The class', selected: true }).waitFor();
    });

    test('learners and lessons are a table that arrow keys go through, and that says what a cell means', async (t) => {
      const page = await train(t, '/trainer/lessons');
      const grid = page.getByRole('grid', { name: 'Learners and lessons' });
      await grid.getByRole('columnheader', { name: 'Credentials and tokens' }).waitFor();
      await grid.getByRole('columnheader', { name: 'The wrong scheme' }).waitFor();
      const row = grid.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Stuck Stan' }) });
      await row.getByRole('gridcell', { name: 'started, 4 misses' }).hover();
      await page.getByText('Stuck Stan · The wrong scheme (Credentials and tokens): started, 4 misses').waitFor();
      await grid.locator('[tabindex="0"]').focus();
      await page.getByText('Ada · Get credentials (Credentials and tokens): solved').waitFor();
      for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
      await page.getByText('Again Gina · Look before you sign in (Credentials and tokens): open').waitFor();
      assert.equal(await grid.locator('[tabindex="0"]').count(), 1);
    });

    test('one learner is shown with lessons, traffic, clock and drills', async (t) => {
      const page = await train(t, '/trainer/class');
      await rowOf(page, 'Stuck Stan').getByRole('link', { name: 'Stuck Stan' }).click();
      await page.getByRole('heading', { level: 1, name: 'Stuck Stan' }).waitFor();
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Nickname').fill('Stuck Stan 2');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Stuck Stan 2' }).waitFor();
      await page.getByText('Works on The wrong scheme').waitFor();
      await page
        .getByRole('button', { name: /401 GET \/for\// })
        .first()
        .click();
      await page.getByText('Headers of the request').first().click();
      await page.getByText('Authorization', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Move the clock' }).click();
      await page.getByText('There is no way back.').waitFor();
      await page.getByRole('button', { name: 'Yes: move the clock ahead by 61 minutes' }).click();
      await page.getByText('1 h 1 min ahead').waitFor();
      await page.getByRole('combobox', { name: 'Drill' }).selectOption('unavailable');
      await page.getByText('Details', { exact: true }).click();
      await page.getByLabel('Share of calls').fill('half');
      await page.getByRole('button', { name: 'Start for Stuck Stan 2' }).click();
      await page.getByRole('alert').filter({ hasText: '/parameters/share' }).waitFor();
      await page.getByLabel('Share of calls').fill('0.5');
      await page.getByRole('button', { name: 'Start for Stuck Stan 2' }).click();
      await page.getByRole('listitem').filter({ hasText: 'share: 0.5' }).getByText('5 min left').waitFor();
      await page.getByRole('button', { name: 'End unavailable' }).click();
      await page.getByText('No drill is on.').waitFor();
    });
  });

  describe('Console, trainer: who is about to be removed', () => {
    test('the board says who and when, with the flag that keeps them; who opens a page stays, and sees until when', async (t) => {
      // So that the browser and the service have one time at the end.
      const idle = 14 * day - 6 * hour;
      const clock = new TestClock(new Date(Date.now() - idle).toISOString());
      const own = await startLPlate(t, engine, { keepClientsDays: 14 }, clock);
      const [ada, ben] = [await own.client(), await own.client()];
      for (const [{ token }, nickname] of [
        [ada, 'Ada'],
        [ben, 'Ben'],
      ] as const)
        await own.call('PATCH', '/range/v1/me', { token, json: { nickname } });
      clock.advance(idle);
      const { json } = await own.call('GET', `/range/v1/trainer/learners/${ben.id}`, { token: trainerToken });
      const page = await train(t, '/trainer', {}, own);
      const notice = page.getByRole('listitem').filter({ hasText: /^(?:Ada|Ben): / });
      await page.getByText('2 learners about to be removed').waitFor();
      await page.getByText('--keep-clients-days 60').waitFor();
      const told = () => notice.locator('time').evaluateAll((all) => all.map((each) => each.getAttribute('datetime')));
      assert.deepEqual(await told(), [json.keptUntil, json.keptUntil]);
      await rowOf(page, 'Ada').getByText('About to be removed').waitFor();

      const learners = await visit(t, own.url, { client: ada });
      await learners.page.getByText('each call prolongs it').waitFor();
      const kept = await learners.page.getByText('each call prolongs it').locator('time').getAttribute('datetime');
      assert(Date.parse(kept ?? '') > Date.now() + 13 * day, String(kept));
      await look(page);
      await page.getByText('1 learner about to be removed').waitFor();
      assert.match(await notice.innerText(), /^Ben: /);
    });
  });

  describe('Console, trainer: the controls', () => {
    test('Decisions, classes: where nothing is announced, no page of the trainer asks for what is not there', async (t) => {
      await lplate.call('DELETE', '/range/v1/trainer/announcement', { token: trainerToken });
      const page = await train(t, '/trainer/class');
      const refused: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
      });
      for (const path of ['controls', 'class?wall', 'path', 'join', 'lessons', 'codes', 'certificates']) {
        await page.goto(`${lplate.url}/#/trainer/${path}`);
        await page.reload({ waitUntil: 'networkidle' });
      }
      assert.deepEqual(refused, []);
    });

    test('an announcement appears to a learner, as it was typed, and goes', async (t) => {
      const client = await learner('Reader');
      const { page: theirs } = await visit(t, lplate.url, { client });
      await theirs.clock.install();
      await theirs.reload();
      const page = await train(t, '/trainer/controls');
      const text = 'Lunch is at <b>12:30</b>.\nThen claims.';
      await page.getByLabel('Text').fill(text);
      // A break has one of these lengths.
      for (const length of ['10', '15', '30']) await page.getByLabel('Remove after').selectOption(`${length} minutes`);
      await page.getByLabel('Remove after').selectOption('Never');
      await page.getByRole('button', { name: 'Announce', exact: true }).click();
      await page.getByText('Learners see it within seconds.').waitFor();
      await look(theirs);
      await theirs.getByText('From your trainer').waitFor();
      assert.match(
        await theirs.locator('.announcement').innerText(),
        /^From your trainer, [\d:]+: Lunch is at <b>12:30<\/b>\.\nThen claims\.$/,
      );
      await page.getByRole('button', { name: 'Remove the announcement' }).click();
      await page.getByText('Nothing is announced.').waitFor();
      await look(theirs);
      await theirs.getByText('From your trainer').waitFor({ state: 'detached' });
    });

    test('a learner hides an announcement: it stays so after a reload, until there is another one', async (t) => {
      const client = await learner('Folder');
      const announce = async (text: string) => {
        lplate.clock.advance(1000);
        await lplate.call('PUT', '/range/v1/trainer/announcement', { token: trainerToken, json: { text } });
      };
      await announce('Lunch is at 12:30.');
      const { page } = await visit(t, lplate.url, { client });
      await page.getByText('Lunch is at 12:30.').waitFor();
      await page.getByRole('button', { name: 'Hide what your trainer announces' }).click();
      await page.getByText('Lunch is at 12:30.').waitFor({ state: 'detached' });
      await page.clock.install();
      await page.reload();
      const show = page.getByRole('button', { name: 'Show what your trainer announces', expanded: false });
      await show.waitFor();
      assert.equal(await page.getByText('Lunch is at 12:30.').count(), 0);
      await announce('Lunch is at 13:00.');
      await look(page);
      await page.getByText('Lunch is at 13:00.').waitFor();
      // Not on the pages of a trainer, which the same browser may have open.
      await page.evaluate(() => (location.hash = '#/trainer'));
      await page.getByText('From your trainer').waitFor({ state: 'detached' });
      await lplate.call('DELETE', '/range/v1/trainer/announcement', { token: trainerToken });
    });

    test('a drill of all hits a learner, has its time left, and ends', async (t) => {
      const { token } = await learner('Drilled');
      const page = await train(t, '/trainer/controls');
      await page.getByText('Choose one learner or all of them').waitFor();
      assert.equal(await page.getByRole('combobox', { name: 'Drill' }).count(), 0);
      await page.getByRole('option', { name: 'Drilled' }).waitFor({ state: 'attached' });
      await page.getByLabel('For whom').selectOption('all');
      await page.getByRole('combobox', { name: 'Drill' }).selectOption('unavailable');
      await page.getByLabel('Minutes').fill('2');
      await page.getByRole('button', { name: /Start for all \d+ learners/ }).click();
      await page.getByText('2 min left').waitFor();
      assert.equal((await lplate.call('GET', '/policies', { token })).status, 503);
      lplate.clock.advance(30_000);
      await look(page);
      await page.getByText('1 min 30 s left').waitFor();
      await page.getByRole('button', { name: 'End unavailable' }).click();
      await page.getByText('No drill is on.').waitFor();
      assert.equal((await lplate.call('GET', '/policies', { token })).status, 200);
    });

    test('a reset takes what one learner owns, and of all only after their number was typed', async (t) => {
      const [one, other] = [await learner('Reset me'), await learner('And me')];
      for (const [index, { token }] of [one, other].entries()) {
        await lplate.call('POST', '/policies', { token, json: { regNumber: `RE-000${index}` } });
      }
      const policies = async ({ token }: TestClient) =>
        (await lplate.call('GET', '/policies', { token })).json.totalItems as number;
      const page = await train(t, '/trainer/controls');
      await page.getByRole('option', { name: 'Reset me' }).waitFor({ state: 'attached' });
      await page.getByLabel('For whom').selectOption({ label: 'Reset me' });
      await page.getByRole('button', { name: 'Reset this learner' }).click();
      await page.getByText('All that Reset me owns will be removed.').waitFor();
      await page.getByRole('button', { name: 'Yes: reset this learner' }).click();
      await page.getByText('All that this learner owned is removed.').waitFor();
      assert.deepEqual([await policies(one), await policies(other)], [0, 1]);

      await page.getByLabel('For whom').selectOption('all');
      await page.getByRole('button', { name: 'Reset all' }).click();
      const yes = page.getByRole('button', { name: 'Yes: reset all' });
      const number = page.getByLabel('Type the number of learners');
      await number.fill('0');
      assert.equal(await yes.isDisabled(), true);
      const [, learners = ''] = /, (\d+),/.exec(await page.getByText('Type the number').innerText()) ?? [];
      await number.fill(learners);
      await yes.click();
      await page.getByText(`${learners} learners reset.`).waitFor();
      assert.deepEqual([await policies(one), await policies(other)], [0, 0]);
    });

    test('exports are saved as files, and what was changed with the token is listed', async (t) => {
      const page = await train(t, '/trainer/controls');
      const saved = async (button: string) => {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: button }).click(),
        ]);
        return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const;
      };
      const [csvName, csv] = await saved('Learners as CSV');
      assert.match(csvName, /^learners-\d{4}-\d\d-\d\d-\d{4}\.csv$/);
      assert.match(csv, /^\uFEFF"clientId","nickname".*"Stuck Stan 2"/s);
      const [jsonName, json] = await saved('Calls as JSON');
      assert.match(jsonName, /^calls-\d{4}-\d\d-\d\d-\d{4}\.json$/);
      assert.ok(JSON.parse(json).learners.every((each: { exchanges: unknown }) => Array.isArray(each.exchanges)));
      const [, lessons] = await saved('Lessons as CSV');
      assert.match(lessons, /^\uFEFF"clientId","nickname","firstSeenAt","lastSeenAt","solved","of","hintsTaken","/);
      await page.getByRole('button', { name: /204 POST .*\/reset/ }).waitFor();
    });
  });

  describe('Console, trainer: how to join', () => {
    test('an address that others can’t reach is told, and has no QR code', async (t) => {
      const page = await train(t, '/trainer/join');
      await page.getByText('Others can’t reach this address.').waitFor();
      assert.equal(await page.getByRole('img', { name: 'QR code' }).count(), 0);
    });

    test('the address that the service has for others is there as a QR code and large', async (t) => {
      const known = await startLPlate(t, engine, { publicUrl: 'https://class.example' });
      const page = await train(t, '/trainer/join', {}, known);
      await page.getByRole('img', { name: 'QR code of https://class.example/' }).waitFor();
      await page.getByRole('link', { name: 'Show on the wall' }).click();
      await page.getByText('Open this address, or scan the code.').waitFor();
      await page.getByText('https://class.example', { exact: true }).waitFor();
    });
  });

  describe('Console, trainer: questions', () => {
    test('a question closes after a while and when something else is done, and one about all asks for their number', async (t) => {
      const page = await train(t, '/trainer/controls');
      await page.getByRole('option', { name: 'Ada' }).waitFor({ state: 'attached' });
      await page.getByLabel('For whom').selectOption('all');
      const ask = page.getByRole('button', { name: 'Move all clocks' });
      await ask.click();
      const yes = page.getByRole('button', { name: /^Yes: move \d+ clocks ahead by 61 minutes$/ });
      assert.equal(await yes.isDisabled(), true);
      await page.clock.fastForward(16_000);
      await ask.click();
      await page.getByRole('button', { name: 'Renew preset-fleet' }).click();
      await yes.waitFor({ state: 'detached' });
      await page.getByText('All who use preset-fleet lose its policies and claims.').waitFor();
      await page.getByRole('button', { name: 'Yes: renew' }).click();
      await page.getByText('preset-fleet is as after the first start.').waitFor();
      await page.getByRole('button', { name: /204 POST .*\/fleet\/reset/ }).waitFor();
    });
  });

  describe('Console, trainer: hostile nicknames', () => {
    test('markup stays what it is, and text runs no other way, wide and narrow', async (t) => {
      const hostile = ['<img src=x onerror=alert(1)>', '=1+1', '\u202Egpj.txt', 'W'.repeat(40), '"><script>alert(1)//'];
      for (const name of hostile) await learner(name);
      for (const width of [1280, 360]) {
        const page = await train(t, '/trainer/class', { width });
        page.on('dialog', () => assert.fail('a nickname ran'));
        for (const part of ['class', 'class?wall', 'controls', 'lessons']) {
          await page.goto(`${lplate.url}/#/trainer/${part}`);
          const shown = part === 'controls' ? page.getByRole('option') : page.locator('bdi');
          await shown.getByText('=1+1', { exact: true }).waitFor({ state: 'attached' });
          const texts = await shown.allTextContents();
          // Of the table only what is in view is in the document.
          const expected = part === 'lessons' ? hostile.slice(0, 2) : hostile;
          for (const name of expected) assert.ok(texts.includes(name.replace('\u202E', '')), `${part}: ${name}`);
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          assert.ok(overflow <= 0, `${part} at ${width}: ${overflow} pixels too wide`);
        }
      }
    });
  });

  describe('Console, trainer: the end of a class', () => {
    test('nobody is left after the number was typed, and the board is empty', async (t) => {
      const { token } = await learner('Last Lea');
      const page = await train(t, '/trainer/controls');
      const number = page.getByLabel('Type the number of learners');
      await page.getByRole('option', { name: 'Last Lea' }).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'End this class' }).click();
      const [, learners = ''] = /, (\d+),/.exec(await page.getByText('Type the number').innerText()) ?? [];
      await number.fill(learners);
      await page.getByRole('button', { name: 'Yes: end this class' }).click();
      await page.getByText(`The class has ended: ${learners} learners removed.`).waitFor();
      assert.equal((await lplate.call('GET', '/policies', { token })).status, 401);
      await page.getByRole('tab', { name: 'The class' }).click();
      await page.getByText('Nobody is here yet.').waitFor();
    });

    test('a learner is told that the class has ended, sees nothing of the client that is gone, and makes a new one', async (t) => {
      const client = await learner('Late Lou');
      const { page } = await visit(t, lplate.url, { path: '/policies' });
      // As a browser keeps it: what the page is opened with would come back after each reload.
      await page.evaluate(
        ([clientId, clientSecret]) => {
          localStorage.setItem('lplate.client', JSON.stringify({ clientId, clientSecret }));
        },
        [client.id, client.secret],
      );
      await page.clock.install();
      await page.reload();
      await page.getByRole('banner').getByText('Late Lou').waitFor();
      await lplate.call('DELETE', '/range/v1/trainer/learners', { token: trainerToken });
      await look(page);
      await page.getByText('Your trainer has ended the class').waitFor();
      assert.equal(await page.getByRole('banner').getByText('Late Lou').count(), 0);
      // Also for who comes back to the page.
      await page.reload();
      await page.getByText('Your trainer has ended the class').waitFor();
      assert.equal(await page.getByRole('banner').getByText(client.id.slice(0, 13)).count(), 0);
      await page.getByRole('button', { name: 'Make a new client' }).click();
      await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
      await page.getByText('Your trainer has ended the class').waitFor({ state: 'detached' });
      await page
        .getByRole('banner')
        .getByText(/^demo-/)
        .first()
        .waitFor();
    });
  });
});
