import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngine, forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, startWithClient, type TestClient } from '../../support/lplate.ts';
import { listed, trainerToken } from '../range.ts';

const me = '/range/v1/me';
const learners = '/range/v1/trainer/learners';
const transfers = '/range/v1/transfers';

forEachEngineInFull((engine) => {
  describe('clients of a class', () => {
    const lplate = sharedLPlate(engine);

    const byTrainer = (method: string, path: string, json?: unknown) =>
      lplate.call(method, `${learners}/${path}`, { token: trainerToken, ...(json !== undefined && { json }) });
    const read = async ({ token }: TestClient) => (await lplate.call('GET', me, { token })).json;
    const rename = ({ token }: TestClient, nickname: string | null) =>
      lplate.call('PATCH', me, { token, json: { nickname } });
    const tokenBy = async (credentials: object) => lplate.call('POST', '/auth/token', { json: credentials });

    test('Decisions, classes: a client removes itself, or the trainer one, with all that is its own', async () => {
      for (const byWhom of ['itself', 'the trainer']) {
        const [gone, other] = [await lplate.client(), await lplate.client()];
        const { json: policy } = await lplate.call('POST', '/policies', {
          token: gone.token,
          json: { regNumber: 'RM-1' },
        });
        ok(policy.id);
        await rename(gone, 'Gone');
        const removed =
          byWhom === 'itself'
            ? await lplate.call('DELETE', me, { token: gone.token })
            : await byTrainer('DELETE', gone.id);
        equal(removed.status, 204, byWhom);
        deepEqual(problem(await lplate.call('GET', me, { token: gone.token })), [401, 'invalid-token']);
        deepEqual(problem(await tokenBy({ client_id: gone.id, client_secret: gone.secret })), [401, 'invalid-client']);
        deepEqual(problem(await byTrainer('GET', gone.id)), [404, 'client-not-found']);
        const left = await listed(lplate, learners, trainerToken);
        ok(!left.some(({ clientId }) => clientId === gone.id));
        // Its vehicle is in nobody's way, and the other client is as it was.
        const again = await lplate.call('POST', '/policies', { token: other.token, json: { regNumber: 'RM-1' } });
        equal(again.status, 201);
        await lplate.call('POST', `${me}/reset`, { token: other.token });
      }
    });

    test('Decisions, classes: a preconfigured client is not removed, has no code and asks for no help', async () => {
      for (const [method, path, json] of [
        ['DELETE', 'preset-reader', undefined],
        ['POST', 'preset-fleet/transfer', undefined],
        ['PUT', 'preset-fleet/note', { text: 'x' }],
        ['DELETE', 'preset-reader/help', undefined],
      ] as const) {
        deepEqual(problem(await byTrainer(method, path, json)), [409, 'preset-client'], path);
      }
      deepEqual(problem(await byTrainer('DELETE', 'demo-none')), [404, 'client-not-found']);
    });

    test('Decisions, classes: a locked nickname is changed by the trainer alone', async () => {
      const client = await lplate.client();
      await rename(client, 'Rude');
      const { json } = await byTrainer('PATCH', client.id, { nickname: 'Team Blue', nicknameLocked: true });
      deepEqual([json.nickname, json.nicknameLocked], ['Team Blue', true]);
      deepEqual(problem(await rename(client, 'Rude')), [409, 'nickname-locked']);
      equal((await read(client)).nickname, 'Team Blue');
      await byTrainer('PATCH', client.id, { nicknameLocked: false });
      equal((await rename(client, 'Kind')).status, 200);
      equal((await byTrainer('PATCH', client.id, {})).json.nickname, 'Kind');
    });

    test('Decisions, classes: two of one name are told apart', async () => {
      const clients: TestClient[] = [];
      for (let count = 0; count < 3; count += 1) {
        lplate.clock.advance(1);
        clients.push(await lplate.client());
        await rename(clients[count] as TestClient, 'Twin');
      }
      const names = async () => Promise.all(clients.map(async (each) => (await read(each)).shownName));
      deepEqual(await names(), ['Twin', 'Twin (2)', 'Twin (3)']);
      const shown = await listed(lplate, learners, trainerToken);
      deepEqual(
        shown
          .filter(({ nickname }) => nickname === 'Twin')
          .map(({ shownName }) => shownName)
          .toSorted(),
        ['Twin', 'Twin (2)', 'Twin (3)'],
      );
      await rename(clients[0] as TestClient, null);
      deepEqual(await names(), [clients[0]?.id, 'Twin', 'Twin (2)']);
    });

    test('Decisions, classes: a learner asks for help, and the trainer says something to one learner', async () => {
      const [client, other] = [await lplate.client(), await lplate.client()];
      const { json: help } = await lplate.call('POST', `${me}/help`, {
        token: client.token,
        json: { message: 'My signature is wrong.' },
      });
      equal(help.message, 'My signature is wrong.');
      const seen = (await byTrainer('GET', client.id)).json;
      deepEqual([seen.help, (await read(other)).help], [help, null]);
      const { json: note } = await byTrainer('PUT', `${client.id}/note`, { text: 'Sign the bytes.' });
      deepEqual([(await read(client)).note, (await read(other)).note], [note, null]);
      equal((await byTrainer('DELETE', `${client.id}/help`)).status, 204);
      equal((await byTrainer('DELETE', `${client.id}/note`)).status, 204);
      const { help: noHelp, note: noNote } = await read(client);
      deepEqual([noHelp, noNote], [null, null]);
      for (const message of ['', 'x'.repeat(501), 'a\0b', '\ud800', 7]) {
        const refused = await lplate.call('POST', `${me}/help`, { token: client.token, json: { message } });
        deepEqual(problem(refused), [400, 'validation-error'], String(message));
      }
      equal((await lplate.call('DELETE', `${me}/help`, { token: client.token })).status, 204);
    });

    test('Decisions, classes: a code gives the client a new secret once, and the old one ends', async () => {
      const client = await lplate.client();
      const { status, json } = await lplate.call('POST', `${me}/transfer`, { token: client.token });
      equal(status, 201);
      match(json.code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
      // As people type it.
      const typed = json.code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
      const taken = await lplate.call('POST', transfers, { json: { code: typed } });
      equal(taken.json.client_id, client.id);
      deepEqual(problem(await tokenBy({ client_id: client.id, client_secret: client.secret })), [
        401,
        'invalid-client',
      ]);
      equal((await tokenBy(taken.json)).status, 200);
      deepEqual(problem(await lplate.call('POST', transfers, { json: { code: json.code } })), [
        404,
        'transfer-not-found',
      ]);
    });

    test('Decisions, classes: a code ends with its time, with the next one, and with its client', async () => {
      const client = await lplate.client();
      const code = async (byWhom: 'itself' | 'trainer') =>
        (byWhom === 'itself'
          ? await lplate.call('POST', `${me}/transfer`, { token: client.token })
          : await byTrainer('POST', `${client.id}/transfer`)
        ).json as { code: string; expiresAt: string };
      const use = async ({ code }: { code: string }) =>
        (await lplate.call('POST', transfers, { json: { code } })).status;
      const [before, next] = [await code('itself'), await code('itself')];
      deepEqual([await use(before), await use(next)], [404, 200]);
      const [minutes, day] = [await code('itself'), 24 * 60 * 60_000];
      equal(Date.parse(minutes.expiresAt) - lplate.clock.now(), 15 * 60_000);
      lplate.clock.advance(15 * 60_000);
      equal(await use(minutes), 404);
      const long = await code('trainer');
      equal(Date.parse(long.expiresAt) - lplate.clock.now(), day);
      lplate.clock.advance(60 * 60_000);
      equal(await use(long), 200);
      const { json: credentials } = await lplate.call('POST', '/demo-clients');
      const token = (await tokenBy(credentials)).json.access_token;
      const last = await lplate.call('POST', `${me}/transfer`, { token });
      await lplate.call('DELETE', me, { token });
      equal(await use(last.json), 404);
      doesNotMatch(lplate.log.join('\n'), new RegExp([before, next, minutes, long].map((each) => each.code).join('|')));
    });
  });
});

forEachEngine((engine) => {
  test('Decisions, classes: an address that guesses codes is refused after ten, the right one too, until the minute is over', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { code } = (await lplate.call('POST', `${me}/transfer`, { token: client.token })).json;
    const use = (each: string) => lplate.call('POST', transfers, { json: { code: each } });
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) statuses.push((await use(`AAAAA-AAAA${guess % 10}`)).status);
    deepEqual(statuses, [...Array(10).fill(404), 429, 429]);
    deepEqual(problem(await use(code)), [429, 'rate-limit-exceeded']);
    lplate.clock.advance(60_000);
    equal((await use(code)).status, 200);
  });
});

forEachEngine((engine) => {
  test('Decisions, classes: no two learners show the same name, whatever they choose', async (t) => {
    const lplate = await startLPlate(t, engine);
    const first = await lplate.client();
    lplate.clock.advance(1);
    const [second, third] = [await lplate.client(), await lplate.client()];
    const rename = (client: TestClient, nickname: string) =>
      lplate.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname } });
    equal((await rename(first, 'Team Blue')).status, 200);
    for (const same of [
      ...['Team\u200b Blue', 'Te\u00adam Blue', 'Team\u3164 Blue', 'Team\u00a0Blue', 'Team   Blue', 'Team Blu\u034fe'],
      ...['\u2068Team Blue\u2069', 'Team Blue\u2800', 'T\u200deam Blue', 'Team\ufe0f Blue', 'Team Blue\u{e0041}'],
    ]) {
      const { status, json } = await rename(second, same);
      deepEqual([status, json.nickname, json.shownName], [200, 'Team Blue', 'Team Blue (2)'], JSON.stringify(same));
    }
    equal((await rename(second, 'Cafe\u0301')).json.nickname, 'Café');
    for (const [emoji, kept] of [
      ['👩\u200d💻', '👩\u200d💻'],
      ['👍\u200d', '👍'],
      ['❤\ufe0f', '❤\ufe0f'],
    ] as const)
      equal((await rename(second, emoji)).json.nickname, kept);
    await rename(second, 'Team Blue');
    for (const taken of [
      ...['Team Blue (2)', 'Team Blue (99)', 'Team Blue（2）', 'Team Blue (2\u200b)', 'Team Blue ( 2 )'],
      ...[
        first.id,
        third.id,
        `${first.id.toUpperCase()}`,
        `${first.id}\u200b`,
        'preset-fleet',
        'trainer',
        '\u200b\u3164',
      ],
    ]) {
      const answer = await rename(third, taken);
      deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(taken));
      equal(answer.json.errors[0].pointer, '/nickname');
      const byTrainer = await lplate.call('PATCH', `/range/v1/trainer/learners/${third.id}`, {
        token: trainerToken,
        json: { nickname: taken },
      });
      equal(byTrainer.status, 400);
    }
    const names = (await listed(lplate, '/range/v1/trainer/learners', trainerToken)).map(({ shownName }) => shownName);
    deepEqual(names.toSorted(), [third.id, 'Team Blue', 'Team Blue (2)'].toSorted());
  });

  test('Decisions, classes: a nickname that is locked while its learner changes it is never that of the learner', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { id, token } = await lplate.client();
    const trainer = `/range/v1/trainer/learners/${id}`;
    for (let race = 0; race < 20; race += 1) {
      await lplate.call('PATCH', trainer, { token: trainerToken, json: { nickname: 'Ada', nicknameLocked: false } });
      const changes = Array.from({ length: 4 }, () =>
        lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Rude' } }),
      );
      // With the lock the name of the trainer is written first.
      await lplate.call('PATCH', trainer, { token: trainerToken, json: { nicknameLocked: true } });
      const { nickname } = (await lplate.call('PATCH', trainer, { token: trainerToken, json: { nickname: 'Ada' } }))
        .json;
      equal(nickname, 'Ada');
      for (const { status } of await Promise.all(changes)) ok(status === 200 || status === 409, `${status}`);
      equal((await lplate.call('GET', trainer, { token: trainerToken })).json.nickname, 'Ada', `race ${race}`);
    }
  });
});
