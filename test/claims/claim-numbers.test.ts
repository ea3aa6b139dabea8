import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngine, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { claimOn, drain, insure, pass } from '../support/topic.ts';

const day = 86_400_000;
const numberOf = (claimId: string) => Number(/^CLM-\d{4}-(\d{6})$/.exec(claimId)?.[1]);

forEachEngine((engine) => {
  test('Resources, Claim: claimId is CLM, the year and six digits, which rise from claim to claim over all clients', async (t) => {
    const lplate = await startLPlate(engine);
    t.after(() => lplate.close());
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
    const lplate = await startLPlate(engine, { claimsPerClient: 1 });
    t.after(() => lplate.close());
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
    const lplate = await startLPlate(engine, {}, clock);
    t.after(() => lplate.close());
    const { token } = await lplate.client();
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

  test('Decisions, claims: a year has 999,999 numbers; then it is 503 until the next, and all else goes on', async (t) => {
    const { start, location } = await restartable(engine);
    const clock = new TestClock('2026-12-31T20:00:00.000Z');
    const first = await start({ eventsDuplicateRate: 0 }, clock);
    t.after(() => first.close());
    const client = await first.client();
    const policy = await insure(first, client.token);
    await first.close();
    const database = await openDatabase(location);
    await database.write((sql) => sql.run`update claim_numbers set last = ${999_998} where year = ${2026}`);
    await database.close();

    const second = await start({ eventsDuplicateRate: 0 }, clock);
    t.after(() => second.close());
    assert.equal(await claimOn(second, client.token, policy), 'CLM-2026-999999');
    clock.advance(1);
    const refused = await second.call('POST', '/claims/v1/claims', {
      token: client.token,
      json: { policyNumber: policy },
    });
    assert.deepEqual(problem(refused), [503, 'unavailable']);
    assert.equal(refused.headers.get('retry-after'), String(4 * 3600), 'to the end of the year, rounded up');
    assert.match(refused.json.detail, /2026/);
    const list = await second.call('GET', '/claims/v1/claims', { token: client.token });
    assert.equal(list.json.totalItems, 1);

    // The fleet wants a claim every three minutes; that it gets none must not keep the desk from moving others.
    await pass(second, 600);
    const { events } = await drain(second, client.token);
    assert.deepEqual(
      events.map(({ data }) => data.newStatus),
      ['UNDER_REVIEW', 'APPROVED', 'CLOSED'],
    );
    await second.close();

    const third = await start({}, clock);
    t.after(() => third.close());
    clock.advance(4 * 3_600_000);
    const token = await third.token(client.id, client.secret);
    await third.catchUp();
    const id = await claimOn(third, token, policy);
    assert.match(id, /^CLM-2027-00000[12]$/, 'the fleet may have been first');
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
