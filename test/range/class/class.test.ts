import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Config, readConfig } from '../../../src/settings/config.ts';
import { networkAddresses } from '../../../src/settings/networks.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, startLPlate, startWithClient } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';

const trainer = { token: trainerToken };
const path = '/range/v1/trainer/class';

forEachEngineInFull((engine) => {
  test('Decisions, the range: the trainer sees which lessons the class has, from which file, and where learners go', async (t) => {
    const lplate = await startLPlate(t, engine);
    deepEqual(problem(await lplate.call('GET', path)), [401, 'missing-token']);
    const { json } = await lplate.call('GET', path, trainer);
    const all = (await lplate.call('GET', '/range/v1/lessons?pageSize=500')).json.items;
    deepEqual([json.lessonsFile, json.lessons, json.ownLessons, json.addresses], [null, all.length, 0, []]);
    deepEqual(
      json.topics.flatMap(({ title, lessons }: { title: string; lessons: { id: string }[] }) =>
        lessons.map(({ id }) => [title, id]),
      ),
      all.map(({ topic, id }: { topic: string; id: string }) => [topic, id]),
    );
  });

  test('Decisions, the range: of a file of lessons the trainer sees its name, its topics in order and its own lessons', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'lplate-class-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'my class.json');
    const own = {
      id: 'our-options',
      title: 'Our options',
      goal: 'List the coverage options.',
      why: 'All begins there.',
      calls: [{ method: 'GET', path: '/insurer/v1/coverage-options', status: 200 }],
    };
    await writeFile(file, JSON.stringify({ path: ['our-options', { topic: 'repeats' }, 'credentials'], own: [own] }));
    const { lessons, lessonsFile } = readConfig([], { LESSONS: file }) as Config;
    const lplate = await startLPlate(t, engine, { lessons, lessonsFile, host: '0.0.0.0' });
    const { json } = await lplate.call('GET', path, trainer);
    deepEqual([json.lessonsFile, json.ownLessons], ['my class.json', 1]);
    deepEqual(
      json.topics.map(({ id }: { id: string }) => id),
      ['own', 'repeats', 'credentials'],
    );
    deepEqual(json.topics[0].lessons, [{ id: 'our-options', title: 'Our options', own: true }]);
    ok(json.topics[1].lessons.every(({ own }: { own: boolean }) => !own));
    const port = new URL(lplate.url).port;
    deepEqual(
      json.addresses,
      networkAddresses().map(({ address }) => `http://${address}:${port}`),
    );
  });

  test('Decisions, the range: when a class ended is told to everybody', async (t) => {
    const lplate = await startLPlate(t, engine);
    const service = async () => (await lplate.call('GET', '/range/v1/service')).json;
    deepEqual(await service(), { authority: null, classEndedAt: null });
    for (const at of ['2026-03-02T10:20:30.000Z', '2026-03-02T10:25:30.000Z']) {
      lplate.clock.advance(300_000);
      await lplate.client();
      equal((await lplate.call('DELETE', '/range/v1/trainer/learners', trainer)).status, 200);
      equal((await service()).classEndedAt, at);
    }
  });

  test('Decisions, REST conventions: a DELETE that lost its id removes nothing', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const lost = await lplate.call('DELETE', '/range/v1/trainer/learners/', trainer);
    deepEqual(problem(lost), [404, 'not-found']);
    match(lost.json.detail, /^DELETE \/range\/v1\/trainer\/learners\/ has nothing after its last slash/);
    equal((await lplate.call('DELETE', '/range/v1/trainer/learners//', trainer)).status, 404);
    equal((await lplate.call('DELETE', '/range/v1/trainer/learners/?all=1', trainer)).status, 404);
    equal((await lplate.call('GET', '/range/v1/me', { token })).status, 200);
    equal((await lplate.call('DELETE', '/range/v1/trainer/learners', trainer)).status, 200);
    equal((await lplate.call('GET', '/range/v1/me', { token })).status, 401);
  });

  test('Decisions, the range: the trainer gets the certificate of each client as the client itself does', async (t) => {
    const {
      lplate,
      client: { id, token },
    } = await startWithClient(t, engine);
    await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Ada' } });
    const own = (await lplate.call('GET', '/range/v1/me/certificate', { token })).json.certificate;
    const { json } = await lplate.call('GET', `/range/v1/trainer/learners/${id}/certificate`, trainer);
    deepEqual(json.certificate, own);
    ok(json.certificate.lessons.length > 0 && json.jws.split('.').length === 3);
    const unknown = await lplate.call('GET', '/range/v1/trainer/learners/demo-none/certificate', trainer);
    deepEqual(problem(unknown), [404, 'client-not-found']);
  });
});
