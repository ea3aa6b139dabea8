import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { CoarseWindow } from '../../src/http/limits/coarse-window.ts';
import { day, hour, minute, second } from '../../src/time/units.ts';
import { bytesInUse } from '../support/bytes-in-use.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate, startWithClient } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';
import { restartable } from '../support/restart.ts';

const create = (lplate: LPlate, from = '192.0.2.1', token?: string) =>
  lplate.call('POST', '/demo-clients', { token, headers: { 'X-Forwarded-For': from } });

async function times(count: number, send: (at: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < count; at += 1) answers.push(await send(at));
  return answers;
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const header = ({ headers }: Answer, name: string) => headers.get(name);
const many = (count: number, status: number): number[] => Array(count).fill(status);

/**
 * Makes L-Plate count its clients, if the last count is a minute old. Else it does so while it creates the next ones,
 * and counts some of them twice until the next time.
 */
const counted = (lplate: LPlate) => metric(lplate, 'lplate_demo_clients');

forEachEngineInFull((engine) => {
  describe('Limits: who is counted when RATE_LIMIT_KEY is client', () => {
    const classroom = { rateLimitPerMinute: 10, rateLimitKey: 'client', trustProxy: 1 } as const;

    test('Limits, general rate: new clients bring no more calls to create clients with', async (t) => {
      const lplate = await startLPlate(t, engine, classroom);
      const credentials: { client_id: string; client_secret: string }[] = [];
      const tokens: string[] = [];
      // As an attacker would: every client that could be made gives a token, and every token makes clients.
      for (let at = 0; at < 150; at += 1) {
        const made = await create(lplate, '192.0.2.1', tokens.at(-1));
        if (made.status === 201) credentials.push(made.json);
        const json = credentials.at(-1);
        const got = await lplate.call('POST', '/auth/token', {
          json,
          token: tokens.at(-1),
          headers: { 'X-Forwarded-For': '192.0.2.1' },
        });
        if (got.status === 200) tokens.push(got.json.access_token);
      }
      assert.equal(
        credentials.length + tokens.length,
        10,
        `${credentials.length} clients from one address in a minute`,
      );
      const [token] = tokens;
      const list = await lplate.call('GET', '/policies', { token, headers: { 'X-Forwarded-For': '192.0.2.1' } });
      assert.deepEqual([list.status, header(list, 'ratelimit-remaining')], [200, '9'], 'each client has its own ten');
    });

    test('Limits, general rate: a token whose client was removed counts by address', async (t) => {
      const { lplate, client: idle } = await startWithClient(t, engine, classroom);
      lplate.clock.advance(day + 5 * minute);
      await lplate.housekeeping();
      lplate.clock.step(-day);
      const answers = await times(12, () => lplate.call('GET', '/policies', { token: idle.token }));
      assert.deepEqual(statuses(answers), [...many(10, 401), ...many(2, 429)]);
      const other = await lplate.call('GET', '/coverage-options');
      assert.equal(other.status, 429, 'they were counted by the address');
    });

    test('Limits, general rate: a token is no use of its client where no endpoint asks for one', async (t) => {
      const { lplate, client: idle } = await startWithClient(t, engine, classroom);
      const other = await lplate.client();
      lplate.clock.advance(55 * minute);
      const path = '/vehicle-registry/v2/vehicles/AB-1234';
      const { headers } = await lplate.call('GET', path, { token: idle.token });
      assert.equal(headers.get('ratelimit-remaining'), '9');
      await lplate.call('GET', '/policies', { token: other.token });
      lplate.clock.advance(day - 30 * minute);
      await lplate.housekeeping();
      const ask = ({ id, secret }: typeof idle) =>
        lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } });
      assert.deepEqual(statuses([await ask(idle), await ask(other)]), [401, 200]);
    });
  });

  describe('Limits, demo clients a day', () => {
    test('Limits, demo clients a day: an address may create so many in a day, then it is 429 with the time until the next', async (t) => {
      const lplate = await startLPlate(t, engine, { demoClientsPerDay: 3, trustProxy: 1 });
      assert.deepEqual(statuses(await times(3, () => create(lplate))), many(3, 201));
      lplate.clock.advance(90 * minute);
      const refused = await create(lplate);
      assert.deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
      assert.match(refused.json.detail, /3 demo clients/);
      // Counted by hours: they are free a day after the end of the hour they were created in.
      const wait = Number(header(refused, 'retry-after'));
      assert.ok(wait > 22 * 3600 && wait <= 23.5 * 3600, `${wait} s`);
      assert.deepEqual(
        ['limit', 'remaining', 'reset', 'policy'].map((name) => header(refused, `ratelimit-${name}`)),
        ['3', '0', String(wait), '3;w=86400'],
      );
      assert.equal((await create(lplate, '192.0.2.2')).status, 201, 'another address has its own');
      lplate.clock.advance(wait * second - 1);
      assert.equal((await create(lplate)).status, 429);
      lplate.clock.advance(1);
      assert.deepEqual(statuses(await times(4, () => create(lplate))), [...many(3, 201), 429]);
      assert.equal(await metric(lplate, 'lplate_demo_clients_refused_total{reason="address"}'), 3);
    });

    test('Limits, demo clients a day: the default is 200 times the requests of a minute; 0 is no limit', async (t) => {
      const one = await startLPlate(t, engine, { rateLimitPerMinute: 1 });
      const made: number[] = [];
      for (let minutes = 0; minutes < 201; minutes += 1) {
        made.push((await create(one)).status);
        one.clock.advance(minute);
      }
      assert.deepEqual(made, [...many(200, 201), 429]);
      const off = await startLPlate(t, engine, { rateLimitPerMinute: 1, demoClientsPerDay: 0 });
      for (let minutes = 0; minutes < 201; minutes += 1) {
        assert.equal((await create(off)).status, 201);
        off.clock.advance(minute);
      }
    });

    test('Limits, demo clients a day: what was refused, for whatever reason, does not count', async (t) => {
      const lplate = await startLPlate(t, engine, {
        demoClientsPerDay: 4,
        demoClientsTotal: 2,
        rateLimitPerMinute: 10,
        trustProxy: 1,
      });
      assert.deepEqual(statuses(await times(10, () => create(lplate))), [201, 201, ...many(8, 503)]);
      assert.deepEqual(statuses(await times(5, () => create(lplate))), many(5, 429), 'the general limit');
      lplate.clock.advance(day + hour);
      await lplate.housekeeping();
      await counted(lplate);
      assert.deepEqual(statuses(await times(2, () => create(lplate))), [201, 201]);
    });

    test('Limits, demo clients a day: many at once are no more than one after the other', async (t) => {
      const lplate = await startLPlate(t, engine, { demoClientsPerDay: 7, trustProxy: 1 });
      const answers = await Promise.all(Array.from({ length: 40 }, () => create(lplate)));
      assert.equal(answers.filter(({ status }) => status === 201).length, 7);
    });
  });

  describe('Limits, demo clients in all', () => {
    test('Limits, demo clients in all: at the bound it is 503 with Retry-After until some are removed', async (t) => {
      const lplate = await startLPlate(t, engine, { demoClientsTotal: 5 });
      assert.deepEqual(statuses(await times(3, () => create(lplate))), many(3, 201));
      lplate.clock.advance(hour);
      await counted(lplate);
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(lplate)));
      assert.equal(answers.filter(({ status }) => status === 201).length, 2, 'also of many at once');
      const refused = answers.find(({ status }) => status !== 201) as Answer;
      assert.deepEqual(problem(refused), [503, 'unavailable']);
      assert.equal(header(refused, 'retry-after'), '60');
      assert.match(refused.json.detail, /5 demo clients/);
      assert.equal(await counted(lplate), 5);
      assert.equal(await metric(lplate, 'lplate_demo_clients_refused_total{reason="total"}'), 18);
      // Three have been idle for a day.
      lplate.clock.advance(day - hour + 5 * minute);
      await lplate.housekeeping();
      await counted(lplate);
      assert.deepEqual(statuses(await times(4, () => create(lplate))), [...many(3, 201), 503]);
    });

    test('Limits, demo clients in all: those of before a restart count; preconfigured ones do not; 0 is no limit', async (t) => {
      const { start } = await restartable(engine);
      const first = await start();
      t.after(() => first.close());
      assert.deepEqual(statuses(await times(3, () => create(first))), many(3, 201));
      await first.close();
      const second = await start({ demoClientsTotal: 4 });
      t.after(() => second.close());
      assert.deepEqual(statuses(await times(2, () => create(second))), [201, 503]);
      await second.close();
      const third = await start({ demoClientsTotal: 0 });
      t.after(() => third.close());
      assert.deepEqual(statuses(await times(2, () => create(third))), [201, 201]);
    });
  });
});

onPostgres((engine) => {
  test('Limits, demo clients in all: another node’s clients count within a minute', async (t) => {
    const { start, location } = await restartable(engine);
    const clock = new TestClock();
    const [one, other] = [await start({ demoClientsTotal: 4 }, clock), await start({ demoClientsTotal: 4 }, clock)];
    for (const node of [one, other]) t.after(() => node.close());
    assert.deepEqual(statuses(await times(4, () => create(one))), many(4, 201));
    clock.advance(minute);
    // The first one after a minute makes the node count anew.
    await create(other);
    const deadline = Date.now() + 10_000;
    while ((await create(other)).status !== 503) assert.ok(Date.now() < deadline, 'refused by the other node too');
    clock.advance(minute);
    // A count that was under way still adds what was created meanwhile; the next one is exact.
    await counted(other);
    assert.equal(await counted(other), await countIn(location));
  });
});

async function countIn(location: Parameters<typeof openDatabase>[0]): Promise<number> {
  const database = await openDatabase(location);
  const row = await database.sql.get<{ count: number }>`select count(*) as count from clients where preset = 0`;
  await database.close();
  return row?.count ?? 0;
}

test('Limits, demo clients a day: 100,000 addresses are remembered, in bounded memory', () => {
  const window = new CoarseWindow({ limit: 12_000, windowMs: day, stepMs: hour });
  const before = bytesInUse();
  for (let at = 0; at < 120_000; at += 1) window.take(`2001:db8:${at.toString(16)}::/64`, at);
  for (let call = 0; call < 12_000; call += 1) window.take('198.51.100.7', call * 7 * second);
  assert.equal(window.keys, 100_000);
  const megabytes = (bytesInUse() - before) / 2 ** 20;
  assert.ok(megabytes < 64, `${megabytes} MB`);
});

test('Limits, demo clients a day: never more than the limit in any 24 hours, whenever they come', () => {
  const window = new CoarseWindow({ limit: 20, windowMs: day, stepMs: hour });
  const taken: number[] = [];
  let random = 12345;
  let now = 0;
  for (let call = 0; call < 5000; call += 1) {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    now += (random / 2 ** 31) * 40 * minute;
    const { admitted, resetSeconds, remaining } = window.take('one', now);
    if (admitted) taken.push(now);
    const inWindow = taken.filter((at) => at > now - day).length;
    assert.ok(inWindow <= 20, `${inWindow} within a day at ${now}`);
    assert.ok(remaining >= 0 && resetSeconds >= 1 && resetSeconds <= 25 * 3600);
    if (!admitted) assert.ok(taken.filter((at) => at > now - day - hour).length >= 20, 'refused only at the limit');
  }
});

test('Limits, demo clients a day: what is released is free again, once', () => {
  const window = new CoarseWindow({ limit: 2, windowMs: day, stepMs: hour });
  const first = window.take('one', 0);
  window.take('one', hour);
  assert.equal(window.take('one', hour).admitted, false);
  first.release();
  first.release();
  assert.equal(window.take('one', hour).admitted, true);
  assert.equal(window.take('one', hour).admitted, false);
});
