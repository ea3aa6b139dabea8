import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { day } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, startWithClient } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { claimOn, drain, insure, pass } from '../support/topic.ts';

const numberOf = (claimId: string) => Number(/^CLM-\d{4}-(\d{6,})$/.exec(claimId)?.[1]);

/** Starts with the counter of 2026 as if so many claims had been registered. */
async function startedAt(t: TestContext, engine: Engine, last: number): Promise<LPlate> {
  const { start, location } = await restartable(engine);
  // On the fleet's account the counter is there.
  const first = await start({ eventsDuplicateRate: 0 });
  await first.close();
  const database = await openDatabase(location);
  await database.write((sql) => sql.run`update claim_numbers set last = ${last} where year = ${2026}`);
  await database.close();
  const lplate = await start({ eventsDuplicateRate: 0 });
  t.after(() => lplate.close());
  return lplate;
}

interface Claim {
  claimId: string;
}
const ids = (items: readonly Claim[]) => items.map(({ claimId }) => claimId);

forEachEngineInFull((engine) => {
  test('Resources, Claim: claimId is CLM, the year and six digits, which rise from claim to claim over all clients', async (t) => {
    const lplate = await startLPlate(t, engine);
    const owners: { token: string; policy: string }[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { token } = await lplate.client();
      owners.push({ token, policy: await insure(lplate, token) });
    }
    const register = ({ token, policy }: (typeof owners)[number]) => claimOn(lplate, token, policy);
    const ids: string[] = [];
    for (const owner of [...owners, ...owners]) ids.push(await register(owner));
    const first = numberOf(ids[0] as string);
    assert.deepEqual(
      ids,
      ids.map((_, at) => `CLM-2026-${String(first + at).padStart(6, '0')}`),
    );
    const burst = await Promise.all(Array.from({ length: 30 }, (_, at) => register(owners[at % 3] as never)));
    const numbers = burst.map(numberOf).toSorted((one, other) => one - other);
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => first + 6 + at),
      'also of those registered at once',
    );
  });

  test('Decisions, claims: a refused registration uses up no number', async (t) => {
    const lplate = await startLPlate(t, engine, { claimsPerClient: 1 });
    const [one, other] = [await lplate.client(), await lplate.client()];
    const [policy, another] = [await insure(lplate, one.token), await insure(lplate, other.token)];
    const before = numberOf(await claimOn(lplate, one.token, policy));
    for (const policyNumber of [policy, another, 'pol-none']) {
      const refused = await lplate.call('POST', '/claims/v1/claims', { token: one.token, json: { policyNumber } });
      assert(refused.status >= 400);
    }
    assert.equal(numberOf(await claimOn(lplate, other.token, another)), before + 1);
  });

  test('Decisions, tokens: the number of a claim never comes again, though its client was removed', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const lplate = await start({}, clock);
    t.after(() => lplate.close());
    const idle = await lplate.client();
    const policy = await insure(lplate, idle.token);
    const gone: string[] = [];
    for (let at = 0; at < 3; at += 1) gone.push(await claimOn(lplate, idle.token, policy));
    clock.advance(day + 300_000);
    await lplate.housekeeping();
    await lplate.close();
    const again = await start({}, clock);
    t.after(() => again.close());
    const { token } = await again.client();
    const fresh = await claimOn(again, token, await insure(again, token));
    assert(numberOf(fresh) > Math.max(...gone.map(numberOf)), fresh);
    for (const id of gone) assert.equal((await again.call('GET', `/claims/v1/claims/${id}`, { token })).status, 404);
  });

  test('Resources, Claim: the numbers begin anew with each year, which is that of UTC', async (t) => {
    const clock = new TestClock('2026-12-31T23:59:59.999Z');
    const { lplate, token } = await startWithClient(t, engine, {}, clock);
    const policy = await insure(lplate, token);
    assert.match(await claimOn(lplate, token, policy, { paceSeconds: 1 }), /^CLM-2026-/);
    clock.advance(1);
    const ids = [await claimOn(lplate, token, policy), await claimOn(lplate, token, policy)];
    assert.deepEqual(ids, ['CLM-2027-000001', 'CLM-2027-000002']);
    const { json } = await lplate.call('GET', '/claims/v1/claims', { token });
    assert.deepEqual(
      json.items.slice(1).map(({ claimId }: { claimId: string }) => claimId),
      ids,
    );
    await pass(lplate, 1);
    const { events } = await drain(lplate, token);
    assert.match(events[0]?.data.claimId ?? '', /^CLM-2026-/, 'a claim keeps its id over the turn of the year');
  });

  test('Decisions, claims: after 999,999 the numbers of a year go on with a seventh digit, on every interface', async (t) => {
    const lplate = await startedAt(t, engine, 999_997);
    const { token } = await lplate.client();
    const policy = await insure(lplate, token);
    const registered: string[] = [];
    for (let at = 0; at < 5; at += 1) registered.push(await claimOn(lplate, token, policy, { paceSeconds: 1 }));
    const expected = ['999998', '999999', '1000000', '1000001', '1000002'].map((number) => `CLM-2026-${number}`);
    assert.deepEqual(registered, expected);

    for (const id of expected) {
      const { status, json } = await lplate.call('GET', `/claims/v1/claims/${id}`, { token });
      assert.deepEqual([status, json.claimId], [200, id]);
    }
    const list = async (query: string) => (await lplate.call('GET', `/claims/v1/claims?${query}`, { token })).json;
    assert.deepEqual(ids((await list('')).items), expected, 'oldest first');
    const pages = [await list('page=1&pageSize=2'), await list('page=2&pageSize=2'), await list('page=3&pageSize=2')];
    assert.deepEqual(
      pages.flatMap(({ items }) => ids(items)),
      expected,
    );
    assert.deepEqual(ids((await list('status=REGISTERED&page=2&pageSize=2')).items), expected.slice(2, 4));

    // All are due at the same moment: they move in the order of their numbers.
    await pass(lplate, 1);
    const { events } = await drain(lplate, token);
    assert.deepEqual(
      events.map(({ data }) => data.claimId),
      expected,
    );
    await pass(lplate, 2);
    assert.equal((await drain(lplate, token)).events.length, 15);
    const stranger = await lplate.client();
    for (const id of [
      'CLM-2026-1000000',
      'CLM-2026-01000000',
      `CLM-2026-${'9'.repeat(16)}`,
      `CLM-2026-${'9'.repeat(40)}`,
    ]) {
      const refused = await lplate.call('GET', `/claims/v1/claims/${id}`, { token: stranger.token });
      assert.deepEqual(problem(refused), [404, 'claim-not-found']);
    }
  });

  test('Decisions, claims: nobody can use up the numbers: they go on past what 32 bits hold', async (t) => {
    const lplate = await startedAt(t, engine, 2_147_483_646);
    const { token } = await lplate.client();
    const policy = await insure(lplate, token);
    const registered = [await claimOn(lplate, token, policy), await claimOn(lplate, token, policy)];
    assert.deepEqual(registered, ['CLM-2026-2147483647', 'CLM-2026-2147483648']);
    assert.equal((await lplate.call('GET', `/claims/v1/claims/${registered[1]}`, { token })).status, 200);
  });

  test('Decisions, claims: the published patterns take a seventh digit, and no fewer than six', async (t) => {
    const lplate = await startLPlate(t, engine);
    for (const path of ['/claims/v1/openapi.yaml', '/claims/v1/asyncapi.yaml']) {
      const { text } = await lplate.call('GET', path);
      const patterns = [...text.matchAll(/pattern: (['"]?)(\^CLM\S+)\1$/gm)].map(([, , pattern]) => pattern);
      assert.ok(patterns.length > 0, path);
      for (const pattern of patterns) assert.equal(pattern, '^CLM-\\d{4}-\\d{6,}$', path);
    }
  });

  test('Decisions, claims: the numbers given out before an upgrade are kept by it', async (t) => {
    const location = await engine.location();
    const where = async () => openDatabase(location);
    const database = await where();
    // As the release before left it.
    await database.write(async (sql) => {
      await sql.run`drop table claim_numbers`;
      await sql.run`create table claim_numbers (year integer not null primary key, last integer not null)`;
      await sql.run`insert into claim_numbers (year, last) values (2025, 17), (2026, 999999)`;
      await sql.run`delete from migrations where name = 'claim-numbers'`;
    });
    await database.close();
    const upgraded = await where();
    t.after(() => upgraded.close());
    const rows = await upgraded.sql.all<{ year: number; last: number }>`
      select year, last from claim_numbers order by year`;
    assert.deepEqual(
      rows.map(({ year, last }) => [year, last]),
      [
        [2025, 17],
        [2026, 999_999],
      ],
    );
  });
});

onPostgres((engine) => {
  test('Resources, Claim: two programs on one database number claims from one row', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const nodes = [await start({}, clock), await start({}, clock)];
    for (const node of nodes) t.after(() => node.close());
    const owners: { node: LPlate; token: string; policy: string }[] = [];
    for (const node of nodes) {
      const { token } = await node.client();
      owners.push({ node, token, policy: await insure(node, token) });
    }
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, at) => {
        const { node, token, policy } = owners[at % 2] as (typeof owners)[number];
        return claimOn(node, token, policy);
      }),
    );
    const numbers = ids.map(numberOf).toSorted((one, other) => one - other);
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => (numbers[0] as number) + at),
    );
  });
});
