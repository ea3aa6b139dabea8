import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Config } from '../../src/settings/config.ts';
import { Checker, type Document } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate, startWithClient, type TestClient } from '../support/lplate.ts';
import { Receiver, until } from '../support/receiver.ts';
import { claimOn, insure } from '../support/topic.ts';
import { trainerToken } from './range.ts';

const now = Date.parse('2026-03-01T09:00:00.000Z');
const trainer = { token: trainerToken };
const topic = '/claims/v1/topics/claims.status-changed';

onSqlite((engine) => {
  /** A service in memory, with 47 as its seed and a time that stands still unless others are given. */
  function started(t: TestContext, settings: Partial<Config> = {}): Promise<LPlate> {
    const fixture = { dataDir: 'memory', seed: 47, now, publicUrl: 'http://insurer.test', webhookAllow: ['127.0.0.1'] };
    return startLPlate(t, engine, { ...fixture, ...settings });
  }

  const everything = (lplate: LPlate) => lplate.call('POST', '/range/v1/trainer/reset?what=everything', trainer);
  const advance = (lplate: LPlate, path: string, token: string, by: string) =>
    lplate.call('POST', `/range/v1/${path}`, { token, json: { advance: by } });
  const statuses = async (lplate: LPlate, token: string): Promise<string[]> =>
    (await lplate.call('GET', '/claims/v1/claims', { token })).json.items.map(
      ({ status }: { status: string }) => status,
    );

  test('Decisions, a fixture: services in one process each have data of their own', async (t) => {
    const [one, other] = [await started(t), await started(t)];
    const client = await one.client();
    equal((await one.call('GET', '/policies', client)).status, 200);
    deepEqual(problem(await other.call('GET', '/policies', client)), [401, 'invalid-token']);
    // The other one has the same key, and soon the same client.
    deepEqual(await other.client(), client);
    equal((await other.call('GET', '/policies', client)).status, 200);
  });

  for (const [whose, path] of [
    ['of the client', 'me/clock'],
    ['of time itself', 'trainer/clock'],
  ] as const)
    test(`Decisions, time: one move ${whose} does all that is due by then, of every job and once: groups of a slow import, steps of claims and of capstones`, async (t) => {
      const lplate = await started(t);
      const [client, runner] = [await lplate.client(), await lplate.client()];
      const json = { name: 'slow-imports', parameters: { groupSeconds: 10 } };
      equal((await lplate.call('POST', '/range/v1/me/drills', { token: client.token, json })).status, 201);
      await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 10 });
      const sent = await lplate.call('POST', '/policy-imports', {
        token: client.token,
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: Array.from({ length: 115 }, (_, at) => `{"regNumber":"MOVE-${at}"}`).join('\n'),
      });
      equal(sent.headers.get('retry-after'), '60');
      await lplate.call('POST', '/range/v1/me/capstones/night-shift/runs', { token: runner.token });
      const read = async (of: string) => (await lplate.call('GET', of, client)).json;
      equal((await read(`/policy-imports/${sent.json.id}`)).done, 0);
      await advance(lplate, path, path === 'me/clock' ? client.token : trainerToken, 'PT25S');
      equal((await read(`/policy-imports/${sent.json.id}`)).done, 40, 'not what is due later');
      deepEqual(await statuses(lplate, client.token), ['APPROVED']);
      await advance(lplate, path, path === 'me/clock' ? client.token : trainerToken, 'PT35S');
      const { status, created } = await read(`/policy-imports/${sent.json.id}`);
      deepEqual([status, created, (await read('/policies')).totalItems], ['completed', 115, 116]);
      deepEqual(await statuses(lplate, client.token), ['CLOSED']);
      // The steps of a schedule move a clock further: what is due then has happened, too.
      if (path === 'me/clock') return;
      const token = await lplate.token(runner.id, runner.secret);
      const after = await statuses(lplate, token);
      ok(after.includes('CLOSED'), `${after}`);
      await lplate.catchUp();
      deepEqual(await statuses(lplate, token), after);
    });

  test('Decisions, a fixture: another seed gives other clients, secrets, policies, plates, keys and events', async (t) => {
    const unset = { hmacSecret: undefined, readerClientSecret: undefined, fleetClientSecret: undefined };
    const seen = await Promise.all(
      [47, 48].map(async (seed) => {
        const lplate = await started(t, { ...unset, seed });
        const client = await lplate.client();
        const fleet = await lplate.call('POST', '/range/v1/me/fleet', client);
        const subscription = await lplate.call('POST', '/claims/v1/subscriptions', {
          token: client.token,
          json: { url: 'http://127.0.0.1:9/' },
        });
        await claimOn(lplate, client.token, fleet.json.policies[70].id, { paceSeconds: 1 });
        await advance(lplate, 'me/clock', client.token, 'PT1S');
        const { events } = (await lplate.call('GET', `${topic}?after=earliest`, client)).json;
        const { json: keys } = await lplate.call('GET', '/.well-known/jwks.json');
        const [{ id, regNumber }] = fleet.json.policies;
        const { eventId } = events[0];
        const { hmacSecret, readerClientSecret, fleetClientSecret } = lplate.secrets;
        return [
          client.id,
          client.secret,
          client.token,
          id,
          regNumber,
          eventId,
          keys.keys[0].kid,
          subscription.json.id,
          subscription.json.secret,
          fleet.headers.get('x-request-id'),
          hmacSecret,
          readerClientSecret,
          fleetClientSecret,
        ];
      }),
    );
    const [one = [], other = []] = seen;
    for (const [at, value] of one.entries()) notEqual(value, other[at]);
    equal(new Set(seen.flat()).size, 2 * one.length, 'no two are alike');
  });

  test('Decisions, a fixture: tokens of a seeded service are the same bytes, and anybody can verify them', async (t) => {
    const [one, other] = [await started(t), await started(t)];
    const client = await one.client();
    equal((await other.client()).token, client.token);
    const keys = createLocalJWKSet((await one.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet);
    const currentDate = new Date(now);
    const { payload } = await jwtVerify(client.token, keys, {
      issuer: 'http://insurer.test',
      typ: 'at+jwt',
      currentDate,
    });
    deepEqual([payload.sub, payload.iat], [client.id, now / 1000]);
  });

  test('Decisions, a fixture: time stands still, for one client until it moves its clock, for all until the trainer does', async (t) => {
    const lplate = await started(t);
    const [one, other] = [await lplate.client(), await lplate.client()];
    for (const { token } of [one, other])
      await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 60 });
    const dates = async (token: string) =>
      Date.parse((await lplate.call('GET', '/policies', { token })).headers.get('date') ?? '');
    equal(await dates(one.token), now);
    await lplate.catchUp();
    deepEqual(await statuses(lplate, one.token), ['REGISTERED']);

    const moved = await advance(lplate, 'me/clock', one.token, 'PT1M');
    // What is due has been done when the answer comes.
    deepEqual(
      [await statuses(lplate, one.token), await statuses(lplate, other.token)],
      [['UNDER_REVIEW'], ['REGISTERED']],
    );
    deepEqual([moved.json.now, moved.json.present], ['2026-03-01T09:01:00.000Z', '2026-03-01T09:00:00.000Z']);
    equal(await dates(one.token), now + 60_000);

    deepEqual((await advance(lplate, 'trainer/clock', trainerToken, 'PT2M')).json.moved, 2);
    deepEqual([await statuses(lplate, one.token), await statuses(lplate, other.token)], [['CLOSED'], ['APPROVED']]);
    const late = await lplate.client();
    const { json: clock } = await lplate.call('GET', '/range/v1/me/clock', late);
    deepEqual(
      [clock.now, clock.present, clock.aheadSeconds],
      ['2026-03-01T09:02:00.000Z', '2026-03-01T09:02:00.000Z', 0],
    );
  });

  test('Decisions, a fixture: the fleet lives in the time that the trainer moves: a claim comes, policies are renewed, tokens end', async (t) => {
    const lplate = await started(t);
    const fleet = await lplate.token('preset-fleet', lplate.secrets.fleetClientSecret);
    const claims = async (token: string) => (await lplate.call('GET', '/claims/v1/claims', { token })).json.totalItems;
    const before = await claims(fleet);
    equal((await advance(lplate, 'trainer/clock', trainerToken, 'PT10M')).status, 200);
    equal(await claims(fleet), before + 1);
    equal((await advance(lplate, 'trainer/clock', trainerToken, 'P400D')).status, 200);
    deepEqual(problem(await lplate.call('GET', '/policies', { token: fleet })), [401, 'invalid-token']);
    const token = await lplate.token('preset-fleet', lplate.secrets.fleetClientSecret);
    const { items } = (await lplate.call('GET', '/policies?pageSize=500', { token })).json;
    equal(items.filter(({ status }: { status: string }) => status === 'active').length, 75);
  });

  test('Decisions, a fixture: a clock that is moved has done all that is due: what is kept for a time goes when it is over', async (t) => {
    for (const path of ['me/clock', 'trainer/clock']) {
      const lplate = await started(t, { eventsDuplicateRate: 0 });
      const client = await lplate.client();
      /** In parts of less than a day, after which the trainer's move removes who did nothing. */
      const pass = async (...parts: string[]) => {
        for (const by of parts) {
          equal((await advance(lplate, path, path === 'me/clock' ? client.token : trainerToken, by)).status, 200);
          client.token = await lplate.token(client.id, client.secret);
        }
      };
      const create = (key: string) => {
        const headers = { 'Idempotency-Key': `"${key}"` };
        return lplate.call('POST', '/policies', { token: client.token, headers, json: { regNumber: key } });
      };
      const replayed = async (key: string) => (await create(key)).headers.get('idempotency-replayed');
      const events = async () => (await lplate.call('GET', `${topic}?after=earliest`, client)).json.events.length;

      const { id } = (await create('DUE-1')).json;
      await pass('PT12H');
      await create('DUE-2');
      await pass('PT11H59M59S');
      deepEqual([await replayed('DUE-1'), await replayed('DUE-2')], ['true', 'true'], path);
      await pass('PT1S');
      deepEqual([await replayed('DUE-1'), await replayed('DUE-2')], [null, 'true'], path);

      await claimOn(lplate, client.token, id, { paceSeconds: 1 });
      await pass('PT1S', 'PT1S');
      equal(await events(), 2, path);
      await pass('PT1S', ...Array.from({ length: 7 }, () => 'PT23H59M59S'), 'PT4S');
      equal(await events(), 3, path);
      await pass('PT1S');
      equal(await events(), 2, path);
      await pass('PT23H');
      equal(await events(), 0, path);
    }
  });

  test('Decisions, a fixture: whoever did nothing for KEEP_CLIENTS_DAYS is removed when the time is moved past it; the log says so, and the answer does not', async (t) => {
    const lplate = await started(t);
    const [idle, other] = [await lplate.client(), await lplate.client()];
    equal((await advance(lplate, 'trainer/clock', trainerToken, 'PT23H')).status, 200);
    other.token = await lplate.token(other.id, other.secret);
    equal((await advance(lplate, 'trainer/clock', trainerToken, 'PT1H')).status, 200);
    const asked = { json: { client_id: idle.id, client_secret: idle.secret } };
    const refused = await lplate.call('POST', '/auth/token', asked);
    deepEqual(problem(refused), [401, 'invalid-client']);
    // Whether there was ever such a client is nobody's business.
    const never = { json: { client_id: `demo-${'0'.repeat(20)}`, client_secret: idle.secret } };
    const other401 = await lplate.call('POST', '/auth/token', never);
    const told = ({ json: { instance: _, ...rest } }: typeof refused) => rest;
    deepEqual(told(refused), told(other401));
    const lines = lplate.log.map((line) => JSON.parse(line)).filter(({ msg }) => /the client was removed/.test(msg));
    deepEqual(
      lines.map(({ clientId, removedBy }) => [clientId, removedBy]),
      [[idle.id, 'time without use']],
    );
    equal(typeof (await lplate.token(other.id, other.secret)), 'string');
  });

  test('Decisions, a fixture: a move of more than a day removes nobody at once: it tells who goes, and they stay for a day', async (t) => {
    const lplate = await started(t, { keepClientsDays: 14 });
    const [idle, back] = [await lplate.client(), await lplate.client()];
    const pass = async (by: string) => equal((await advance(lplate, 'trainer/clock', trainerToken, by)).status, 200);
    const told = async ({ id }: TestClient) => {
      const { status, json } = await lplate.call('GET', `/range/v1/trainer/learners/${id}`, { token: trainerToken });
      return status === 404 ? 'removed' : json.warnings.map(({ kind }: { kind: string }) => kind).join();
    };
    await pass('P16D');
    deepEqual([await told(idle), await told(back)], ['removal', 'removal']);
    await pass('PT23H59M59S');
    deepEqual([await told(idle), await told(back)], ['removal', 'removal']);
    back.token = await lplate.token(back.id, back.secret);
    await pass('PT1S');
    deepEqual([await told(idle), await told(back)], ['removed', '']);
  });

  test('Decisions, a fixture: time goes ahead by ten years at the most', async (t) => {
    const lplate = await started(t);
    for (let years = 2; years <= 10; years += 2) {
      equal((await advance(lplate, 'trainer/clock', trainerToken, 'P2Y')).status, 200);
    }
    const refused = await advance(lplate, 'trainer/clock', trainerToken, 'P1Y');
    deepEqual(problem(refused), [400, 'validation-error']);
    match(refused.json.errors[0].detail, /more than 10 years/);
    equal((await everything(lplate)).status, 200);
    equal((await advance(lplate, 'trainer/clock', trainerToken, 'P2Y')).status, 200);
  });

  test('Decisions, a fixture: a stream ends when time is moved past the end of its token', async (t) => {
    const lplate = await started(t);
    const client = await lplate.client();
    const headers = { Authorization: `Bearer ${client.token}`, Accept: 'text/event-stream' };
    const stream = await fetch(`${lplate.url.replace('insurer.test', 'localhost')}${topic}`, { headers });
    const ended = stream.text();
    await advance(lplate, 'trainer/clock', trainerToken, 'PT1H');
    match(await ended, /^retry: 3000\n: There are no events yet/);
  });

  /** What a test may do with a service, and all that it is answered. */
  async function useOf(lplate: LPlate, receiver: Receiver): Promise<unknown[]> {
    const answers: Answer[] = [];
    const call: LPlate['call'] = async (...given) => {
      const answer = await lplate.call(...given);
      answers.push(answer);
      return answer;
    };
    const client = await lplate.client();
    const { token } = client;
    const { id } = (await call('POST', '/policies', { token, json: { regNumber: 'RE-0001' } })).json;
    await call('POST', '/range/v1/me/fleet', { token });
    const subscription = await call('POST', '/claims/v1/subscriptions', { token, json: { url: receiver.url } });
    await call('POST', '/claims/v1/claims', { token, json: { policyNumber: id, paceSeconds: 1 } });
    await call('POST', '/range/v1/me/drills', { token, json: { name: 'unavailable', parameters: { share: 0.5 } } });
    await advance(lplate, 'me/clock', token, 'PT3S');
    await until(() => new Set(receiver.eventIds).size === 3, 'three events are delivered');
    for (let times = 0; times < 8; times += 1) await call('GET', '/policies', { token });
    await call('GET', `${topic}?after=earliest`, { token });
    await call('PUT', '/range/v1/trainer/announcement', { ...trainer, json: { text: 'Lunch' } });
    await call('POST', '/range/v1/trainer/drills', {
      ...trainer,
      json: { name: 'bad-json', parameters: { share: 0 } },
    });
    await call('POST', '/range/v1/trainer/clock', { ...trainer, json: { advance: 'P3D' } });
    await call('GET', '/range/v1/trainer/learners', trainer);
    // Limits count in real time.
    const told = ({ headers }: Answer) => [...headers].filter(([name]) => name !== 'ratelimit-reset');
    const kept = receiver.calls.splice(0).map(({ headers, body }) => [headers['webhook-signature'], body]);
    return [
      client,
      subscription.json.secret,
      kept,
      ...answers.map((answer) => [answer.status, told(answer), answer.text]),
    ];
  }

  test('Decisions, a fixture: a reset of everything brings the service back to its start, so that each test sees the same bytes', async (t) => {
    const receiver = await Receiver.open(t);
    const lplate = await started(t, { eventsDuplicateRate: 0.5 });
    const first = await useOf(lplate, receiver);
    for (let times = 0; times < 3; times += 1) {
      deepEqual((await everything(lplate)).json, { clients: 0 });
      const again = await useOf(lplate, receiver);
      for (const [at, answer] of again.entries()) deepEqual(answer, first[at]);
    }
  });

  test('Decisions, a fixture: after a reset of everything nothing of before is there, in real time and without a seed too', async (t) => {
    const receiver = await Receiver.open(t);
    const held = Promise.withResolvers<number>();
    receiver.answer = () => held.promise;
    const lplate = await started(t, { seed: undefined, now: undefined, rateLimitPerMinute: 100 });
    const fleet = await lplate.token('preset-fleet', lplate.secrets.fleetClientSecret);
    const client = await lplate.client();
    const { token } = client;
    const policy = await insure(lplate, token);
    await lplate.call('POST', '/claims/v1/subscriptions', { token, json: { url: receiver.url } });
    await claimOn(lplate, token, policy, { paceSeconds: 1 });
    const { items } = (await lplate.call('GET', '/policies', { token: fleet })).json;
    await lplate.call('POST', `/policies/${items[0].id}/cancel`, { token: fleet });
    await lplate.call('PUT', '/range/v1/trainer/announcement', { ...trainer, json: { text: 'Lunch' } });
    await lplate.call('POST', '/range/v1/trainer/drills', {
      ...trainer,
      json: { name: 'bad-json', parameters: { share: 0 } },
    });
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const url = lplate.url.replace('insurer.test', 'localhost');
    const streams = [topic, '/range/v1/me/exchanges'].map(async (path) =>
      (await fetch(url + path, { headers })).text(),
    );
    await advance(lplate, 'me/clock', token, 'PT1S');
    await until(() => receiver.calls.length === 1, 'a webhook is under way');

    equal((await everything(lplate)).status, 200);
    lplate.clock.elapse(1);
    for (const text of await Promise.all(streams)) match(text, /^(?:retry: 3000\n)?: /);
    deepEqual(problem(await lplate.call('GET', '/policies', client)), [401, 'invalid-token']);
    await lplate
      .call('POST', '/auth/token', { json: { client_id: client.id, client_secret: client.secret } })
      .then((answer) => equal(answer.status, 401));
    equal((await lplate.call('GET', '/range/v1/trainer/announcement', trainer)).status, 404);
    equal((await lplate.call('GET', '/range/v1/trainer/drills', trainer)).json.items?.length ?? 0, 0);
    equal((await lplate.call('GET', '/range/v1/trainer/learners', trainer)).json.totalItems, 0);
    // The preconfigured clients keep their secrets and tokens, and have what they had at first.
    const again = (await lplate.call('GET', '/policies', { token: fleet })).json;
    deepEqual([again.totalItems, again.items[0].status, again.items[0].regNumber], [75, 'active', 'FL-0001']);
    const next = await lplate.client();
    const created = await lplate.call('POST', '/policies', { token: next.token, json: { regNumber: 'AFTER-1' } });
    equal(created.status, 201);
    // Calls are counted anew: of those after the reset.
    ok(Number(created.headers.get('ratelimit-remaining')) > 90);
    held.resolve(204);
    equal(receiver.calls.length, 1);
  });

  test('Decisions, a fixture: what a receiver answers after a reset of everything is of no delivery since', async (t) => {
    const receiver = await Receiver.open(t);
    const held: ((status: number) => void)[] = [];
    receiver.answer = () => new Promise((resolve) => held.push(resolve));
    const lplate = await started(t, { eventsDuplicateRate: 0 });
    const seen: string[] = [];
    for (const count of [1, 2]) {
      const { token } = await lplate.client();
      const { json } = await lplate.call('POST', '/claims/v1/subscriptions', { token, json: { url: receiver.url } });
      await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
      await advance(lplate, 'me/clock', token, 'PT1S');
      await receiver.until(count);
      if (count === 2) held[0]?.(204);
      const log = await lplate.call('GET', `/claims/v1/subscriptions/${json.id}/deliveries`, { token });
      if (count === 2) deepEqual(log.json.items[0].attemptCounts.total, 0);
      seen.push(json.id);
      if (count === 1) equal((await everything(lplate)).status, 200);
    }
    equal(new Set(seen).size, 1);
  });

  test('Decisions, a fixture: a reset of everything ends idle streams, and those since then get events at once', async (t) => {
    const lplate = await started(t, { eventsHeartbeatSeconds: 600 });
    const url = lplate.url.replace('insurer.test', 'localhost');
    const open = ({ token }: { token: string }) =>
      fetch(`${url}${topic}?after=latest`, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
      });
    const before = await lplate.client();
    await claimOn(lplate, before.token, await insure(lplate, before.token), { paceSeconds: 1 });
    await advance(lplate, 'me/clock', before.token, 'PT3S');
    const idle = (await open(before)).text();
    equal((await everything(lplate)).status, 200);
    match(await idle, /only events from now on follow/);
    const client = await lplate.client();
    await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 1 });
    const stream = await open(client);
    await advance(lplate, 'me/clock', client.token, 'PT1S');
    let text = '';
    for await (const piece of stream.body ?? []) {
      text += Buffer.from(piece);
      if (text.includes('UNDER_REVIEW')) break;
    }
    match(text, /^data: .*UNDER_REVIEW/m);
  });

  test('Decisions, a fixture: a reset of everything is refused where data are kept, and removes nothing there', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const refused = await everything(lplate);
    deepEqual(problem(refused), [400, 'validation-error']);
    match(refused.json.errors[0].detail, /--data-dir memory/);
    deepEqual(problem(await lplate.call('POST', '/range/v1/trainer/reset?what=all', trainer)), [
      400,
      'validation-error',
    ]);
    equal((await lplate.call('GET', '/policies', client)).status, 200);
    // The other reset is as ever.
    deepEqual((await lplate.call('POST', '/range/v1/trainer/reset?what=clients', trainer)).json, { clients: 1 });
    equal((await lplate.call('GET', '/policies', client)).status, 200);
  });

  test('Decisions, a fixture: a reset while calls run leaves a service that works, without any answer of 500', async (t) => {
    const lplate = await started(t);
    const found = new Set<number>();
    const work = async () => {
      for (let times = 0; times < 12; times += 1) {
        const made = await lplate.call('POST', '/demo-clients');
        const { client_id, client_secret } = made.json ?? {};
        const got = await lplate.call('POST', '/auth/token', { json: { client_id, client_secret } });
        const token = got.json?.access_token;
        const policy = await lplate.call('POST', '/policies', { token, json: { regNumber: `RUN-${times}` } });
        const claim = await lplate.call('POST', '/claims/v1/claims', {
          token,
          json: { policyNumber: `${policy.json?.id}`, paceSeconds: 1 },
        });
        const clock = await advance(lplate, 'me/clock', `${token}`, 'PT2S');
        for (const { status } of [made, got, policy, claim, clock]) found.add(status);
      }
    };
    const resets = async () => {
      for (let times = 0; times < 12; times += 1) found.add((await everything(lplate)).status);
    };
    await Promise.all([work(), work(), work(), resets()]);
    ok(
      [...found].every((status) => status < 500),
      String([...found]),
    );
    equal((await everything(lplate)).status, 200);
    equal((await lplate.call('GET', '/policies', await lplate.client())).json.totalItems, 0);
  });

  /** Calls an interface, and checks each answer against the description that this service has of it. */
  async function described({ url }: LPlate, base: string) {
    const document = (await (await fetch(`${url}${base}/openapi.json`)).json()) as Document;
    match(document.info.description, /a limit is switched off/);
    const checker = new Checker(document);
    return async (method: string, path: string, token = '', body?: object): Promise<Answer> => {
      const headers = { ...(token && { Authorization: `Bearer ${token}` }), 'Content-Type': 'application/json' };
      const sent = { method, headers, body: body ? JSON.stringify(body) : null };
      const response = await fetch(url + base + path, sent);
      const text = await response.text();
      const answer = { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
      deepEqual(checker.faults(method, path, answer), []);
      return answer;
    };
  }

  test('Decisions, a fixture: with limits off no call is counted or refused, and the descriptions say so', async (t) => {
    const lplate = await started(t, { rateLimitPerMinute: 'off', probeLimitPerMinute: 'off', policiesPerClient: 1 });
    const insurer = await described(lplate, '/insurer/v1');
    const range = await described(lplate, '/range/v1');
    const { client_id, client_secret } = (await insurer('POST', '/demo-clients')).json;
    const { access_token: token } = (await insurer('POST', '/auth/token', '', { client_id, client_secret })).json;
    for (let times = 0; times < 70; times += 1) {
      const pong = await insurer('GET', '/limited/ping');
      deepEqual([pong.status, pong.json, pong.headers.get('ratelimit-limit')], [200, { pong: true }, null]);
    }
    const list = await range('GET', '/me/exchanges', token);
    deepEqual([list.status, [...list.headers].filter(([name]) => name.startsWith('ratelimit'))], [200, []]);
    equal((await insurer('POST', '/policies', token, { regNumber: 'CAP-1' })).status, 201);
    const capped = await insurer('POST', '/policies', token, { regNumber: 'CAP-2' });
    deepEqual([problem(capped), capped.headers.get('retry-after')], [[429, 'quota-exceeded'], null]);
    // The drill is a limit all the same.
    const drill = { name: 'small-rate-limit', parameters: { limit: 1 } };
    equal((await range('POST', '/me/drills', token, drill)).status, 201);
    equal((await insurer('GET', '/policies', token)).headers.get('ratelimit-limit'), '1');
    deepEqual(problem(await insurer('GET', '/policies', token)), [429, 'rate-limit-exceeded']);
  });

  test('Decisions, a fixture: with one limit off the other is as ever', async (t) => {
    const insurer = await described(await started(t, { rateLimitPerMinute: 'off' }), '/insurer/v1');
    const { json, headers } = await insurer('GET', '/limited/ping');
    deepEqual([json, headers.get('ratelimit-limit')], [{ pong: true, remaining: 4 }, '5']);
    const plain = await started(t);
    doesNotMatch((await plain.call('GET', '/openapi.yaml')).text, /a limit is switched off/);
  });
});
