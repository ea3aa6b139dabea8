import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { networkOrigins } from '../../src/settings/network-origins.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { networksOf } from '../support/networks.ts';
import { alter } from '../support/stored.ts';
import { closeBrowser, visit } from './support/browser.ts';
import { startWithAuthority } from './support/scene.ts';

const trainer = testSecrets.trainerToken;

onSqlite((engine) => {
  let lplate: LPlate;
  before(async () => {
    const own = {
      ...{ id: 'our-options', title: 'Our options', goal: 'List the coverage options.', why: 'All begins there.' },
      calls: [{ method: 'GET', path: '/insurer/v1/coverage-options', status: 200 }],
    };
    const lessons = { path: [{ topic: 'credentials' }, 'our-options'], own: [own] };
    lplate = await startLPlate(engine, { host: '0.0.0.0', lessons, lessonsFile: 'monday.json' });
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  describe('Console, trainer: how the class is set up', () => {
    test('Console, trainer: the lessons of the class are listed by topic, with their file, their ids and which are its own', async (t) => {
      const { page } = await visit(t, lplate.url, { path: '/trainer/path', trainer });
      await page.getByRole('tab', { name: 'Lessons', exact: true, selected: true }).waitFor();
      await page.getByText('12 lessons').waitFor();
      await page.getByText('monday.json').waitFor();
      await page.getByText('1 of your own').waitFor();
      await page.getByRole('heading', { name: 'Credentials and tokens credentials 11 lessons' }).waitFor();
      const own = page.getByRole('listitem').filter({ hasText: 'our-options' }).last();
      assert.match(await own.innerText(), /Our options\s+our-options\s+your own/);

      const all = await startLPlate(t, engine);
      const other = await visit(t, all.url, { path: '/trainer/path', trainer });
      await other.page.getByText('all lessons, no file chosen').waitFor();
    });

    test('Console, trainer: opened as localhost, Join has the address in the network, and links to itself by each', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { path: '/trainer/join', trainer });
      const origins = networkOrigins(lplate.config);
      const [first] = origins;
      // A machine without a network has none.
      if (first === undefined) return void (await page.getByText('Others can’t reach this address.').waitFor());
      await page.getByRole('img', { name: `QR code of ${first}/` }).waitFor();
      for (const origin of origins)
        assert.equal(
          await page.getByRole('link', { name: origin, exact: true }).getAttribute('href'),
          `${origin}/#/trainer/join`,
        );
      await page.getByText('The class has 12 lessons, from monday.json.').waitFor();
    });

    test('Console, trainer: when the machine has come to another network, Join and the wall say the new address by themselves', async (t) => {
      const come = networksOf(t);
      come('10.11.12.13');
      const { port } = new URL(lplate.config.publicUrl);
      const { page } = await visit(t, lplate.config.publicUrl, { path: '/trainer/join', trainer });
      await page.getByRole('img', { name: `QR code of http://10.11.12.13:${port}/` }).waitFor();
      const wall = await visit(t, lplate.config.publicUrl, { path: '/trainer/join?wall', trainer });
      await wall.page.getByText(`http://10.11.12.13:${port}`).first().waitFor();
      come('192.168.7.8');
      await page.getByRole('img', { name: `QR code of http://192.168.7.8:${port}/` }).waitFor();
      await page.getByRole('link', { name: `http://192.168.7.8:${port}`, exact: true }).waitFor();
      await wall.page.getByText(`http://192.168.7.8:${port}`).first().waitFor();
    });

    test('Console, trainer: while nobody is here, the page says where learners go', async (t) => {
      const { page } = await visit(t, lplate.config.publicUrl, { path: '/trainer', trainer });
      const [first] = networkOrigins(lplate.config);
      await page.getByText('Nobody is here yet.').waitFor();
      await page.getByText(first ?? 'Others can’t reach this L-Plate yet').waitFor();
    });
  });

  describe('Console, trainer: certificates', () => {
    test('Console, trainer: all are printed at once, a page of A4 each, with the names that this browser keeps', async (t) => {
      const whole = await startLPlate(t, engine);
      const at = '2026-03-02T10:15:30.000Z';
      const { json } = await whole.call('GET', '/range/v1/lessons?pageSize=500');
      const capstones = await whole.call('GET', '/range/v1/capstones');
      for (const nickname of ['Ada', 'Ben', 'Cleo']) {
        const { id, token } = await whole.client();
        await whole.call('PATCH', '/range/v1/me', { token, json: { nickname } });
        if (nickname !== 'Ben') continue;
        const row = (lessonId: string) =>
          `insert into lesson_progress (client_id, lesson_id, hints, misses, changed_at, solved_at, calls)
           values ('${id}', '${lessonId}', 0, 0, '${at}', '${at}', 3) on conflict do nothing`;
        const capstone = (capstoneId: string) =>
          `insert into capstone_records (client_id, capstone_id, runs, level_two_completed_at)
           values ('${id}', '${capstoneId}', 1, '${at}')`;
        const idsOf = (items: { id: string }[]) => items.map((each) => each.id);
        await alter(whole, ...idsOf(json.items).map(row), ...idsOf(capstones.json.items).map(capstone));
      }
      const { page } = await visit(t, whole.url, { path: '/trainer/controls', trainer });
      await page.getByRole('link', { name: 'Print certificates of all' }).click();
      await page.getByRole('button', { name: 'Print certificates of all (3)' }).waitFor();
      await page.getByLabel('Course').fill('Interfaces <b>2026</b>');
      await page.getByLabel('Trainer', { exact: true }).fill('Grace Hopper');
      await page.reload();
      await page.getByText('3 pages.').waitFor();
      for (const name of ['Ada', 'Ben', 'Cleo']) {
        const paper = page.getByRole('article', { name: `Certificate of ${name}` });
        await paper.getByText('In the course Interfaces <b>2026</b>').waitFor();
        await paper.getByText('Grace Hopper').waitFor();
        // An address of the room leads nowhere once the class is over.
        assert.match(await paper.innerText(), /Issued by L-Plate on [A-Z][a-z]+ \d+, \d{4} to demo-\w+$/);
      }
      // With all lessons and capstones, too.
      await page.getByText(`solved ${json.totalItems} of the ${json.totalItems} lessons`).waitFor();
      await page.getByText('on the seeds that are the same for everybody').waitFor();
      const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
      assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 3);
    });
  });

  describe('Console, HTTPS with a class authority', () => {
    test('Console, HTTPS: Join and Start lead to the class authority with its fingerprint, and the first calls trust it', async (t) => {
      const secure = await startWithAuthority(engine);
      t.after(() => secure.close());
      const { authorityFingerprint = '' } = secure;
      const { page } = await visit(t, secure.url, { path: '/trainer/join', trainer });
      const fingerprint = page.getByText(authorityFingerprint);
      await fingerprint.waitFor();
      await page.getByRole('link', { name: 'https://class.example:8443/ca' }).waitFor();
      const wall = await visit(t, secure.url, { path: '/trainer/join?wall', trainer, width: 1920 });
      const sizes = await wall.page.getByText(authorityFingerprint).evaluate((code) => {
        const size = (element: Element | null) => element && getComputedStyle(element).fontSize;
        return [size(code), size(code.closest('li'))];
      });
      assert.equal(sizes[0], sizes[1], 'as large as the steps, for who compares it from a seat');
      await page.emulateMedia({ media: 'print' });
      const sheet = (await page.locator('body').innerText()).trim();
      assert.match(sheet, /^https:\/\/class\.example:8443\s+Open this address[\s\S]*what was answered\.$/);
      assert.ok(await fingerprint.isVisible());
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('button', { name: 'Print the sheet' }).waitFor();

      await page.goto(`${secure.url}/#/`);
      await page.getByRole('button', { name: 'Make a client' }).click();
      await page.getByRole('heading', { name: '1. Trust this service, once' }).waitFor();
      await page.getByText(authorityFingerprint).waitFor();
      await page.getByRole('link', { name: `${secure.url}/ca` }).waitFor();
      const text = (name: string) => page.getByRole('region', { name }).innerText();
      assert.match(await text('How curl trusts the class authority'), /curl -k .*\/ca\.pem\nopenssl x509/);
      assert.match(await text('First calls with curl'), /curl --cacert lplate-ca\.pem -s/);
      await page.getByRole('tab', { name: 'Python' }).click();
      assert.match(await text('First calls with Python'), /cafile="lplate-ca\.pem"/);
    });
  });
});
