import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, type TestClient, testSecrets } from '../support/lplate.ts';
import { claimOn, pass } from '../support/topic.ts';
import { closeBrowser, visit } from './support/browser.ts';

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  const policyOf = (client: TestClient, regNumber: string) =>
    lplate.call('POST', '/policies', { token: client.token, json: { regNumber, coverageOption: 'MTPL-1M' } });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const preview = (page: Page) => page.getByRole('region', { name: 'What would happen', exact: true });

  describe('Console, time', () => {
    test('Console, time: a jump of 61 minutes expires a token, which is told before', async (t) => {
      const client = await lplate.client('policies:read');
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await page.getByText('It says the real time').waitFor();
      await button(page, '61 minutes').click();
      await button(page, 'What would happen?').click();
      await preview(page).getByText('A token of yours expires, with the scopes policies:read.').waitFor();
      assert.equal((await lplate.call('GET', '/policies', { token: client.token })).status, 200);

      await button(page, 'Move my clock').click();
      await page.getByText('Your clock was moved.').waitFor();
      await page.getByText('"aheadSeconds": 3660').waitFor();
      await page.getByText('It is 1 hour 1 minute ahead of the real time.').waitFor();
      const refused = await lplate.call('GET', '/policies', { token: client.token });
      assert.deepEqual(problem(refused), [401, 'invalid-token']);
      assert.match(refused.json.detail, /^The token expired/);
    });

    test('Console, time: what a look costs is told where calls are limited', async (t) => {
      for (const [limit, times] of [
        [60, 1],
        ['off', 0],
      ] as const) {
        const other = await startLPlate(t, engine, { rateLimitPerMinute: limit });
        const { page } = await visit(t, other.url);
        await button(page, 'Make a client').click();
        await page.getByRole('link', { name: 'Time and drills' }).click();
        await page.getByText('It says the real time').waitFor();
        await page.getByText('This can’t be undone.').waitFor();
        assert.equal(await page.getByText('takes some of your 60 calls a minute').count(), times);
      }
    });

    test('Console, time: which policy expires is told before a jump, and what it did after it', async (t) => {
      const client = await lplate.client();
      await policyOf(client, 'TM-0001');
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await button(page, 'What would happen?').click();
      await preview(page).getByText('The policy for TM-0001 expires').waitFor();
      const inTime = preview(page).getByRole('region', { name: 'In that time' });
      assert.equal(await inTime.getByText('The policy for TM-0001 expires').count(), 0);
      await button(page, '1 month').click();
      await inTime.getByText('The policy for TM-0001 expires').waitFor();

      await button(page, 'Move my clock').click();
      await button(page, 'What did it cause?').click();
      await page.getByText('The policy for TM-0001 went from active to expired.').waitFor();
    });

    test('Console, time: a jump leads to the next thing that happens', async (t) => {
      const client = await lplate.client();
      const { json: policy } = await policyOf(client, 'TM-0002');
      const claim = { policyNumber: policy.id, paceSeconds: 600 };
      await lplate.call('POST', '/claims/v1/claims', { token: client.token, json: claim });
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await button(page, 'To the next thing that happens').click();
      // Its pace is not shown, so the latest time counts; the token of an hour ends as late.
      await page.getByText(/^Next: /).waitFor();
      await button(page, 'Move my clock').click();
      await button(page, 'What did it cause?').click();
      await page.getByText(/went from REGISTERED to/).waitFor();
    });

    test('Console, time: after eight days pages say that events and deliveries were removed, not that there were none', async (t) => {
      const client = await lplate.client();
      const { json: policy } = await policyOf(client, 'TM-0008');
      await claimOn(lplate, client.token, policy.id, { paceSeconds: 1 });
      await pass(lplate, 3);
      const json = { url: 'http://127.0.0.1:9/hook' };
      const made = await lplate.call('POST', '/claims/v1/subscriptions', { token: client.token, json });
      const moved = await lplate.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'P8D' } });
      assert.equal(moved.status, 200);
      const { page } = await visit(t, lplate.url, { path: '/events', client });
      await page.getByText('all of yours were removed. Get a new cursor with after=latest').waitFor();
      await page.goto(`${lplate.url}/#/webhooks`);
      await page.getByText('none in seven days').waitFor();
      await page.goto(`${lplate.url}/#/webhooks/${made.json.id}`);
      await page.getByText('Nothing was delivered in the last seven days.').waitFor();
    });

    test('Console, time: the clock is dragged on a line that shows what is to come, and what the move passes', async (t) => {
      const client = await lplate.client();
      await policyOf(client, 'TM-0009');
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await button(page, 'What would happen?').click();
      const line = page.getByRole('slider', { name: 'How far ahead' });
      const expiry = page.locator('.marks li[title*="TM-0009"]');
      await expiry.waitFor({ state: 'attached' });
      assert.equal(await expiry.getAttribute('class'), '');
      await line.focus();
      await page.keyboard.press('End');
      assert.equal(await page.getByLabel('Duration').inputValue(), 'P2Y');
      assert.equal(await expiry.getAttribute('class'), 'passed');
      await page.keyboard.press('Home');
      assert.equal(await page.getByLabel('Duration').inputValue(), 'PT1M');
      const box = await line.boundingBox();
      assert.ok(box);
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + 8, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2, y, { steps: 5 });
      await page.mouse.up();
      const half = await page.getByLabel('Duration').inputValue();
      assert.match(half, /^P/);
      assert.notEqual(half, 'PT1M');
      await button(page, 'Move my clock').click();
      await page.getByText('Your clock was moved.').waitFor();
    });

    test('Console, time: a duration that the service refuses is told why, by the service', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await page.getByLabel('Duration').fill('P3Y');
      await page.getByText('That is no duration that the service takes').waitFor();
      await button(page, 'Move my clock').click();
      await page.getByRole('alert').getByText('is more than 2 years').first().waitFor();
    });
  });

  describe('Console, drills', () => {
    test('Console, drills: a drill that is switched on hits a call, shows the time left and is switched off', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await page.getByText('Calls are refused with 503').click();
      const settings = page.getByRole('group').filter({ hasText: 'Calls are refused with 503' });
      await settings.getByLabel('Seconds in Retry-After').fill('7');
      await settings.getByLabel('Minutes').fill('2');
      await settings.getByRole('button', { name: 'Switch on unavailable' }).click();
      const on = page.getByRole('region', { name: 'Drills that are on' });
      await on
        .getByRole('timer')
        .getByText(/^(?:2:00|1:5\d) left$/)
        .waitFor();
      const hit = await lplate.call('GET', '/policies', { token: client.token });
      assert.deepEqual([hit.status, hit.headers.get('Retry-After')], [503, '7']);

      await on.getByRole('button', { name: 'Switch off unavailable' }).click();
      await page.getByText('No drill is on.').waitFor();
      assert.equal((await lplate.call('GET', '/policies', { token: client.token })).status, 200);
    });

    test('Console, drills: a sequence is typed or clicked, calls are chosen, and what is left is shown', async (t) => {
      const client = await lplate.client();
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await page.getByText('Calls are refused with 503').click();
      const settings = page.getByRole('group').filter({ hasText: 'Calls are refused with 503' }).first();
      await settings.getByText('Faults in a row, for some calls alone').click();
      await settings.getByLabel('Sequence', { exact: true }).fill('hit');
      await settings.getByRole('button', { name: 'Add pass' }).click();
      await settings.getByRole('button', { name: 'Add hit' }).click();
      await settings.getByLabel('Add a call').selectOption('GET /claims/v1/claims');
      await settings.getByLabel('Add a call').selectOption('GET /insurer/v1/policies');
      await settings.getByLabel('After the sequence').selectOption('hit');
      await settings.getByRole('button', { name: 'Switch on unavailable' }).click();
      const on = page.getByRole('region', { name: 'Drills that are on' });
      await on.getByText('Left of its sequence: hit pass hit.').waitFor();
      const { json } = await lplate.call('GET', '/range/v1/me/drills/unavailable', { token: client.token });
      const { seed: _, ...parameters } = json.parameters;
      assert.deepEqual(parameters, {
        retryAfter: 2,
        sequence: ['hit', 'pass', 'hit'],
        sequenceThen: 'hit',
        calls: ['GET /claims/v1/claims', 'GET /insurer/v1/policies'],
      });
      const statuses: number[] = [];
      while (statuses.length < 4)
        statuses.push((await lplate.call('GET', '/policies', { token: client.token })).status);
      assert.deepEqual(statuses, [503, 200, 503, 503]);
      await on.getByText('Its sequence is over.').waitFor();
    });

    test('Console, drills: those of the trainer for everybody can’t be switched off here, one’s own all at once', async (t) => {
      const client = await lplate.client();
      const trainer = '/range/v1/trainer/drills';
      await lplate.call('POST', trainer, { token: testSecrets.trainerToken, json: { name: 'cut-streams' } });
      for (const name of ['delay', 'duplicate-events'])
        await lplate.call('POST', '/range/v1/me/drills', { token: client.token, json: { name } });
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      const on = page.getByRole('region', { name: 'Drills that are on' });
      await on.getByText('Your trainer switched it on for everybody. It can’t be switched off here.').waitFor();
      assert.equal(await on.getByRole('timer').count(), 3);
      assert.equal(await on.getByRole('button', { name: 'Switch off cut-streams' }).count(), 0);
      await on.getByRole('button', { name: 'Switch all off' }).click();
      await on.getByText('delay').waitFor({ state: 'detached' });
      const { json } = await lplate.call('GET', '/range/v1/me/drills', { token: client.token });
      assert.deepEqual(
        json.items.map(({ name }: { name: string }) => name),
        ['cut-streams'],
      );
      await lplate.call('DELETE', `${trainer}/cut-streams`, { token: testSecrets.trainerToken });
    });
  });

  describe('Console, reset', () => {
    test('Console, reset: a reset removes what the client owns, once that is confirmed', async (t) => {
      const client = await lplate.client();
      await policyOf(client, 'TM-0003');
      const { page } = await visit(t, lplate.url, { path: '/time', client });
      await button(page, 'Reset my client').click();
      await page.getByText('This removes 1 policy, 0 claims and 0 subscriptions').waitFor();
      await button(page, 'Keep it').click();
      await button(page, 'Reset my client').click();
      await button(page, 'Yes, remove all of it').click();
      await page.getByText('All of it is removed.').waitFor();
      const { json } = await lplate.call('GET', '/policies', { token: client.token });
      assert.equal(json.totalItems, 0);
    });

    test('Console, reset: what pages show follows a reset, whoever asked for it', async (t) => {
      const client = await lplate.client();
      const claimed = async () => {
        const { json } = await policyOf(client, 'TM-0004');
        await claimOn(lplate, client.token, json.id, { paceSeconds: 1 });
        await pass(lplate, 2);
      };
      const reset = async () => {
        await lplate.call('POST', '/range/v1/me/reset', client);
        // The page asks how things are soon after each call.
        await lplate.call('GET', '/coverage-options', client);
      };
      await claimed();
      const { page } = await visit(t, lplate.url, { path: '/events', client });
      await page.getByRole('list', { name: 'Events' }).waitFor();
      await reset();
      await page.getByText('There are no events yet').waitFor();
      await page.goto(`${lplate.url}/#/traffic`);
      const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
      await calls.filter({ hasText: '/insurer/v1/coverage-options' }).waitFor();
      assert.equal(await calls.count(), 1);
      await claimed();
      await page.goto(`${lplate.url}/#/policies`);
      await page.getByRole('link', { name: 'TM-0004' }).waitFor();
      await reset();
      await page.getByText('You have no policies yet.').waitFor();
    });

    test('Console, reset: where there was none, nothing is read again', async (t) => {
      const client = await lplate.client();
      const { json } = await policyOf(client, 'TM-0005');
      // Calls that the service does not count with those of the token.
      for (let call = 0; call < 20; call += 1) await lplate.call('GET', `/for/${client.id}/insurer/v1/policies`);
      const { page } = await visit(t, lplate.url, { path: `/policies/${json.id}`, client });
      let reads = 0;
      page.on('request', (request) => {
        if (/exchanges\?|\/policies/.test(request.url())) reads += 1;
      });
      await page.getByRole('heading', { level: 1, name: 'TM-0005' }).waitFor();
      const asksAgain = () => page.waitForResponse((response) => response.url().endsWith('/range/v1/me'));
      await asksAgain();
      await asksAgain();
      const before = reads;
      await asksAgain();
      await asksAgain();
      assert.equal(reads, before);
    });
  });
});
