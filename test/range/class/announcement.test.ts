import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, startLPlate, startWithClient } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';

const path = '/range/v1/trainer/announcement';
const trainer = { token: trainerToken };

forEachEngineInFull((engine) => {
  test('Decisions, the range: the announcement is shown by every me until it is deleted, also after a restart', async (t) => {
    const location = await engine.location();
    const start = () =>
      startLPlate({ ...engine, location: async () => location }, { publicUrl: 'http://localhost:8080' });
    let lplate = await start();
    t.after(() => lplate.close());
    const clients = [await lplate.client(), await lplate.client()];
    const seen = async () =>
      Promise.all(clients.map(async (each) => (await lplate.call('GET', '/range/v1/me', each)).json.announcement));
    const none = await lplate.call('GET', path, trainer);
    deepEqual(problem(none), [404, 'announcement-not-found']);
    match(none.json.detail, /PUT \/trainer\/announcement makes one/);
    deepEqual(await seen(), [null, null]);

    const text = 'Lunch is at 12:30.\n\t<b>Then</b> part 2 – 見本 "\'\\ 🚗';
    const made = await lplate.call('PUT', path, { ...trainer, json: { text } });
    const announcement = { text, publishedAt: '2026-03-02T10:15:30.000Z' };
    deepEqual([made.status, made.json], [200, announcement]);
    deepEqual((await lplate.call('GET', path, trainer)).json, announcement);
    deepEqual(await seen(), [announcement, announcement]);
    await lplate.close();
    lplate = await start();
    deepEqual(await seen(), [announcement, announcement]);

    lplate.clock.advance(1000);
    await lplate.call('PUT', path, { ...trainer, json: { text: 'Done.' } });
    await lplate.call('POST', '/range/v1/trainer/reset', trainer);
    const last = { text: 'Done.', publishedAt: '2026-03-02T10:15:31.000Z' };
    deepEqual(await seen(), [last, last]);
    for (let count = 0; count < 2; count += 1) equal((await lplate.call('DELETE', path, trainer)).status, 204);
    deepEqual(await seen(), [null, null]);
    deepEqual(problem(await lplate.call('GET', path, trainer)), [404, 'announcement-not-found']);
  });

  test('Decisions, the range: an announcement with minutes ends by itself', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const seen = async () => (await lplate.call('GET', '/range/v1/me', { token })).json.announcement?.text ?? null;
    const put = (minutes: unknown) => lplate.call('PUT', path, { ...trainer, json: { text: 'Lunch.', minutes } });
    const { json } = await put(10);
    equal(Date.parse(json.endsAt) - Date.parse(json.publishedAt), 600_000);
    lplate.clock.advance(599_000);
    equal(await seen(), 'Lunch.');
    lplate.clock.advance(1000);
    equal(await seen(), null);
    deepEqual(problem(await lplate.call('GET', path, trainer)), [404, 'announcement-not-found']);
    for (const minutes of [0, 1441, 1.5, '10', null]) {
      deepEqual(problem(await put(minutes)), [400, 'validation-error'], `${minutes}`);
    }
  });

  test('Decisions, the range: an announcement has 1 to 1000 characters, without control characters', async (t) => {
    const lplate = await startLPlate(t, engine);
    const put = (json: unknown) => lplate.call('PUT', path, { ...trainer, json });
    equal((await put({ text: '🚗'.repeat(1000) })).status, 200);
    for (const text of ['', 'x'.repeat(1001), 'a\u0000', 'a\rb', '\u007f', '\ud800', 7, null]) {
      deepEqual(problem(await put({ text })), [400, 'validation-error'], JSON.stringify(text));
    }
    for (const json of [{}, [], 'text', { Text: 'x' }]) deepEqual(problem(await put(json)), [400, 'validation-error']);
    const posted = await lplate.call('POST', path, { ...trainer, json: { text: 'x' } });
    deepEqual(problem(posted), [405, 'method-not-allowed']);
    match(posted.json.detail, /To make or replace it: PUT/);
    equal((await lplate.call('GET', path, trainer)).json.text.length, 2000, 'what was refused changed nothing');
  });
});
