import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { fleetId, readerId } from '../../src/insurer/index.ts';
import { banner } from '../../src/process/banner.ts';
import { day, hour, minute } from '../../src/time/units.ts';
import { listed, trainerToken } from '../range/range.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngineInFull, onPostgres, onSqlite } from '../support/engines.ts';
import {
  type Answer,
  type LPlate,
  problem,
  startLPlate,
  startWithClient,
  type TestClient,
  testSecrets,
} from '../support/lplate.ts';
import { countStored } from '../support/stored.ts';

const insure = (lplate: LPlate, { token }: TestClient, regNumber: string) =>
  lplate.call('POST', '/policies', { token, json: { regNumber } });

const askToken = (lplate: LPlate, { id, secret }: TestClient) =>
  lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } });

/** Whether the client is there; asking counts as its use. */
async function exists(lplate: LPlate, client: TestClient): Promise<boolean> {
  const answer = await askToken(lplate, client);
  if (answer.status !== 200) assert.deepEqual(problem(answer), [401, 'invalid-client']);
  return answer.status === 200;
}

forEachEngineInFull((engine) => {
  test('Limits, idle lifetime: after a day without use a demo client is gone, and its vehicles are free again', async (t) => {
    const { lplate, client: idle } = await startWithClient(t, engine);
    for (const regNumber of ['ID-0001', 'ID-0002']) assert.equal((await insure(lplate, idle, regNumber)).status, 201);
    lplate.clock.advance(day + 5 * minute);
    const other = await lplate.client();
    assert.equal((await insure(lplate, other, 'id0001')).status, 409, 'until housekeeping comes round');
    await lplate.housekeeping();
    assert.equal(await exists(lplate, idle), false);
    for (const regNumber of ['id0001', 'ID-0002']) assert.equal((await insure(lplate, other, regNumber)).status, 201);
    assert.equal((await lplate.call('GET', '/policies', { token: other.token })).json.totalItems, 2);
  });

  test('Limits, idle lifetime: never earlier than a day after the last use, and at most five minutes later', async (t) => {
    const { lplate, client: onTheGrain } = await startWithClient(
      t,
      engine,
      {},
      new TestClock('2026-03-02T10:20:00.000Z'),
    );
    lplate.clock.advance(1);
    const [early, late] = [await lplate.client(), await lplate.client()];
    lplate.clock.advance(day - 2);
    await lplate.housekeeping();
    lplate.clock.advance(1);
    await lplate.housekeeping();
    assert.equal(await exists(lplate, onTheGrain), false, 'a day after');
    assert.equal(await exists(lplate, early), true, 'a day less a millisecond after');
    lplate.clock.advance(5 * minute);
    await lplate.housekeeping();
    assert.equal(await exists(lplate, late), false);
    assert.equal(await exists(lplate, early), true, 'it was used in between');
  });

  test('Decisions, classes: KEEP_CLIENTS_DAYS says for how many days without use a client is kept, and GET /me until when', async (t) => {
    const { lplate, client: idle } = await startWithClient(
      t,
      engine,
      { keepClientsDays: 14 },
      new TestClock('2026-03-02T10:20:00.000Z'),
    );
    const { json } = await lplate.call('GET', '/range/v1/me', { token: idle.token });
    assert.equal(json.keptUntil, '2026-03-16T10:20:00.000Z');
    lplate.clock.advance(14 * day - 1);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'clients', `id = '${idle.id}'`), 1);
    lplate.clock.advance(1);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'clients', `id = '${idle.id}'`), 0);
    const reader = await lplate.token('preset-reader', lplate.secrets.readerClientSecret);
    assert.equal((await lplate.call('GET', '/range/v1/me', { token: reader })).json.keptUntil, null);
  });

  test('Decisions, classes: after a pause that was longer than clients are kept, none goes within a day, and all are told of', async (t) => {
    const location = await engine.location();
    const same = { ...engine, location: async () => location };
    const clock = new TestClock('2026-03-02T10:20:00.000Z');
    const before = await startLPlate(t, same, {}, clock);
    const [idle, back] = [await before.client(), await before.client()];
    for (const [client, nickname] of [
      [idle, 'Ada'],
      [back, 'Bo'],
    ] as const)
      await before.call('PATCH', '/range/v1/me', { token: client.token, json: { nickname } });
    assert.equal(before.going, null);
    await before.close();
    clock.advance(16 * day);

    // Longer than that they are kept, so nothing is told.
    const kept = await startLPlate(t, same, { keepClientsDays: 60 }, clock);
    assert.equal(kept.going, null);
    const [first] = await listed(kept, '/range/v1/trainer/learners', trainerToken);
    assert.deepEqual([first.keptUntil, first.warnings], ['2026-05-01T10:20:00.000Z', []]);
    await kept.close();

    const lplate = await startLPlate(t, same, {}, clock);
    const goesAt = '2026-03-19T10:20:00.000Z';
    const names = lplate.going?.names ?? [];
    assert.deepEqual(names.toSorted(), ['Ada', 'Bo']);
    assert.deepEqual(lplate.going, { total: 2, names, keptUntil: goesAt, days: 60 });
    assert.match(
      banner(lplate.config, lplate),
      /ABOUT TO BE REMOVED, since nobody used them for long: (?:Ada, Bo|Bo, Ada)\.\nWho makes no call before 19 March 2026 at 10:20 UTC .* --keep-clients-days 60\./,
    );
    assert.deepEqual((await lplate.overview?.())?.going, lplate.going);
    const learners = await listed(lplate, '/range/v1/trainer/learners', trainerToken);
    for (const { keptUntil, warnings } of learners) {
      assert.equal(keptUntil, goesAt);
      assert.deepEqual(warnings, [
        {
          kind: 'removal',
          detail:
            'It has made no call since 2 March 2026 at 10:20 UTC. It is removed on 19 March 2026 at 10:20 UTC with all that is its own, unless a call comes before, or the service is started again with --keep-clients-days 60.',
        },
      ]);
    }
    clock.advance(day - 1);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'clients', 'preset = 0'), 2);
    assert.equal(await exists(lplate, back), true);
    const of = async ({ id }: TestClient) =>
      (await lplate.call('GET', `/range/v1/trainer/learners/${id}`, { token: trainerToken })).json;
    assert.deepEqual([(await of(back)).keptUntil, (await of(back)).warnings], ['2026-03-20T10:20:00.000Z', []]);
    assert.equal((await of(idle)).warnings[0].kind, 'removal');
    await lplate.close();

    // The day goes on over a start, which tells of it a second time, and leaves an hour.
    clock.advance(1);
    const again = await startLPlate(t, same, {}, clock);
    assert.deepEqual(again.going, { total: 1, names: ['Ada'], keptUntil: '2026-03-19T11:20:00.000Z', days: 60 });
    clock.advance(hour - 1);
    await again.housekeeping();
    assert.equal(await countStored(again, 'clients', `id = '${idle.id}'`), 1);
    clock.advance(1);
    await again.housekeeping();
    assert.deepEqual([await exists(again, idle), await exists(again, back)], [false, true]);
  });

  test('Decisions, classes: after a sleep of the machine that was longer than clients are kept, none goes within a day, and all are told of', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const lplate = await startLPlate(t, engine, { keepClientsDays: 14 }, new TestClock('2026-03-02T10:20:00.000Z'));
    const [idle, back] = [await lplate.client(), await lplate.client()];
    const stored = () => countStored(lplate, 'clients', 'preset = 0');
    lplate.clock.advance(16 * day);
    t.mock.timers.tick(minute);
    await lplate.housekeeping();
    const learners = await listed(lplate, '/range/v1/trainer/learners', trainerToken);
    for (const { keptUntil, warnings } of learners)
      assert.deepEqual([keptUntil, warnings[0]?.kind], ['2026-03-19T10:20:00.000Z', 'removal']);
    lplate.clock.advance(day - 1);
    await lplate.housekeeping();
    assert.equal(await stored(), 2);
    assert.equal(await exists(lplate, back), true);
    lplate.clock.advance(1);
    await lplate.housekeeping();
    assert.deepEqual([await exists(lplate, idle), await exists(lplate, back)], [false, true]);
  });

  test('Decisions, classes: what was told before a pause of days is told again, and the day begins anew', async (t) => {
    const location = await engine.location();
    const same = { ...engine, location: async () => location };
    const clock = new TestClock('2026-03-02T10:20:00.000Z');
    const settings = { keepClientsDays: 14 };
    const before = await startLPlate(same, settings, clock);
    const idle = await before.client();
    await before.close();
    // Each Monday for a morning: it is told of in the third week, goes in none of these, and the fourth day in a row it may.
    for (const pause of [7 * day, 7 * day, 7 * day]) {
      clock.advance(pause);
      const lplate = await startLPlate(same, settings, clock);
      clock.advance(6 * hour);
      await lplate.housekeeping();
      assert.equal(await countStored(lplate, 'clients', `id = '${idle.id}'`), 1);
      await lplate.close();
      clock.advance(-6 * hour);
    }
    const lplate = await startLPlate(t, same, settings, clock);
    assert.equal(lplate.going?.total, 1);
    clock.advance(day);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'clients', `id = '${idle.id}'`), 0);
  });

  test('Limits, idle lifetime: the policies of a removed client are gone with it, those of others stay', async (t) => {
    const location = await engine.location();
    const lplate = await startLPlate({ ...engine, location: async () => location });
    const idle = await lplate.client();
    for (const regNumber of ['ID-0011', 'ID-0012', 'ID-0013']) await insure(lplate, idle, regNumber);
    lplate.clock.advance(12 * hour);
    const other = await lplate.client();
    const { json: kept } = await insure(lplate, other, 'ID-0014');
    lplate.clock.advance(12 * hour + 5 * minute);
    await lplate.housekeeping();
    const token = await lplate.token(other.id, other.secret);
    assert.deepEqual((await lplate.call('GET', '/policies', { token })).json.items, [kept]);
    await lplate.close();

    const database = await openDatabase(location);
    t.after(() => database.close());
    const clients = await database.sql.all<{ id: string }>`select id from clients order by id`;
    assert.deepEqual(new Set(clients.map(({ id }) => id)), new Set([other.id, fleetId, readerId]));
    const policies = await database.sql.all<{ client_id: string }>`
      select client_id from policies where client_id <> ${fleetId}`;
    assert.deepEqual(
      policies.map((row) => row.client_id),
      [other.id],
    );
  });

  test('Decisions, tokens: the token of a removed client is refused, even where its time has not come', async (t) => {
    const { lplate, client: idle } = await startWithClient(t, engine);
    const { json: policy } = await insure(lplate, idle, 'ID-0021');
    lplate.clock.advance(day + 5 * minute);
    await lplate.housekeeping();
    // A token never outlives its client, so the clock is set back to before the token's end.
    lplate.clock.advance(-day);
    const { token } = idle;
    for (const answer of [
      await lplate.call('GET', '/policies', { token }),
      await lplate.call('GET', `/policies/${policy.id}`, { token }),
      await insure(lplate, idle, 'ID-0022'),
      await lplate.call('POST', `/policies/${policy.id}/cancel`, { token }),
    ]) {
      assert.deepEqual(problem(answer), [401, 'invalid-token']);
      assert.match(answer.json.detail, /removed/);
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
    assert.equal((await insure(lplate, await lplate.client(), 'ID-0021')).status, 201);
  });

  test('What the service does: a client lives on, with its policies, as long as it is used', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { json: policy } = await insure(lplate, client, 'ID-0031');
    for (let days = 1; days <= 5; days += 1) {
      lplate.clock.advance(day - 1);
      await lplate.housekeeping();
      assert.equal(await exists(lplate, client), true, `${days} days on`);
    }
    const token = await lplate.token(client.id, client.secret);
    assert.deepEqual((await lplate.call('GET', `/policies/${policy.id}`, { token })).json, policy);
  });

  test('Decisions, clients: use is a token issued or any authenticated request, refused ones too, and nothing else', async (t) => {
    const lplate = await startLPlate(t, engine);
    const uses: [string, boolean, (client: TestClient) => Promise<Answer>][] = [
      ['a token', true, (client) => askToken(lplate, client)],
      ['a list', true, ({ token }) => lplate.call('GET', '/policies', { token })],
      ['an unknown policy', true, ({ token }) => lplate.call('GET', '/policies/pol-none', { token })],
      ['an invalid body', true, ({ token }) => lplate.call('POST', '/policies', { token, json: {} })],
      ['an empty page', true, ({ token }) => lplate.call('GET', '/policies?page=99', { token })],
      ['a wrong secret', false, (client) => askToken(lplate, { ...client, secret: 'wrong' })],
      ['a broken token', false, ({ token }) => lplate.call('GET', '/policies', { token: token.slice(0, -9) })],
      ['an open endpoint', false, ({ token }) => lplate.call('GET', '/coverage-options', { token })],
      ['a path that is not there', false, ({ token }) => lplate.call('GET', '/nothing', { token })],
    ];
    const clients = await Promise.all(uses.map(() => lplate.client()));
    const narrow = await lplate.client('policies:read');
    const unused = await lplate.client();
    lplate.clock.advance(50 * minute);
    for (const [at, [, , use]] of uses.entries()) await use(clients[at] as TestClient);
    assert.equal((await insure(lplate, narrow, 'ID-0041')).status, 403);
    lplate.clock.advance(day - 40 * minute);
    await lplate.housekeeping();
    for (const [at, [what, kept]] of uses.entries()) {
      assert.equal(await exists(lplate, clients[at] as TestClient), kept, what);
    }
    assert.equal(await exists(lplate, narrow), true, 'a refusal for want of a scope');
    assert.equal(await exists(lplate, unused), false);
  });

  test('Decisions, clients: preconfigured clients are never removed, however long nobody uses them', async (t) => {
    const lplate = await startLPlate(t, engine);
    lplate.clock.advance(1000 * day);
    await lplate.housekeeping();
    const fleet = await lplate.token(fleetId, testSecrets.fleetClientSecret);
    // Those of before have expired, and new ones took their place.
    assert.equal((await lplate.call('GET', '/policies', { token: fleet })).json.totalItems, 150);
    await lplate.token(readerId, testSecrets.readerClientSecret);
  });

  test('Limits, idle lifetime: one round removes all that are idle, however many', async (t) => {
    const lplate = await startLPlate(t, engine);
    const create = () => lplate.call('POST', '/demo-clients').then(({ json }) => json);
    const made = await Promise.all(Array.from({ length: 230 }, create));
    lplate.clock.advance(day + 5 * minute);
    await lplate.housekeeping();
    for (const at of [0, 99, 100, 150, 229]) {
      const json = made[at];
      assert.deepEqual(problem(await lplate.call('POST', '/auth/token', { json })), [401, 'invalid-client']);
    }
    assert(lplate.log.some((line) => JSON.parse(line).removed === 230));
  });

  test('Decisions, clients: removal looks again: a client that is used while others are removed stays', async (t) => {
    const lplate = await startLPlate(t, engine);
    const clients: TestClient[] = [];
    for (let at = 0; at < 60; at += 1) clients.push(await lplate.client());
    await Promise.all(clients.map((client, at) => insure(lplate, client, `RC-${at}`)));
    lplate.clock.advance(day + 5 * minute);
    const round = lplate.housekeeping();
    const answers = await Promise.all(clients.toReversed().map((client) => askToken(lplate, client)));
    await round;
    const known = answers.filter(({ status }) => status === 200);
    for (const { json } of known) {
      const list = await lplate.call('GET', '/policies', { token: json.access_token });
      assert.deepEqual(
        [list.status, list.json.totalItems],
        [200, 1],
        'who got a token is there, with all that is its own',
      );
    }
    for (const answer of answers) if (answer.status !== 200) assert.equal(answer.status, 401);
  });
});

onSqlite((engine) => {
  test('Decisions, clients: a use that can’t be kept refuses no read, and is kept by a later call', async (t) => {
    const location = await engine.location();
    assert.ok('directory' in location);
    const { lplate, client } = await startWithClient(t, { ...engine, location: async () => location });
    using other = new DatabaseSync(join(location.directory, 'l-plate.db'));
    other.exec('begin immediate');
    for (let time = 0; time < 2; time++) {
      lplate.clock.advance(6 * minute);
      assert.equal((await lplate.call('GET', '/policies', client)).status, 200);
      assert.equal((await askToken(lplate, client)).status, 200);
      assert.deepEqual(problem(await insure(lplate, client, 'ID-0051')), [503, 'unavailable']);
    }
    other.exec('rollback');
    lplate.clock.advance(minute);
    assert.equal((await lplate.call('GET', '/policies', client)).status, 200);
    lplate.clock.advance(day - 1);
    await lplate.housekeeping();
    assert.equal(await exists(lplate, client), true);
  });
});

onPostgres((engine) => {
  test('Decisions, clients: what one node removes, another refuses a second later at the most', async (t) => {
    const location = await engine.location();
    const shared = { ...engine, location: async () => location };
    const clock = new TestClock();
    const publicUrl = 'http://localhost:8080';
    const one = await startLPlate(t, shared, { publicUrl }, clock);
    const other = await startLPlate(t, shared, { publicUrl }, clock);
    const idle = await one.client();
    assert.equal((await insure(other, idle, 'ND-0001')).status, 201);
    clock.advance(day + 5 * minute);
    await one.housekeeping();
    clock.advance(-day);
    clock.advance(1000);
    for (const node of [one, other]) {
      assert.deepEqual(problem(await node.call('GET', '/policies', { token: idle.token })), [401, 'invalid-token']);
    }
    assert.equal((await insure(other, await other.client(), 'ND-0001')).status, 201);
  });

  test('Decisions, clients: use on one node keeps a client from removal by another', async (t) => {
    const location = await engine.location();
    const shared = { ...engine, location: async () => location };
    const clock = new TestClock();
    const one = await startLPlate(t, shared, {}, clock);
    const other = await startLPlate(t, shared, {}, clock);
    const client = await one.client();
    clock.advance(23 * hour);
    assert.equal(await exists(other, client), true);
    clock.advance(23 * hour);
    await one.housekeeping();
    assert.equal(await exists(one, client), true);
  });
});
