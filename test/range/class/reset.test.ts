import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { fleetId } from '../../../src/insurer/index.ts';
import { minute } from '../../../src/time/units.ts';
import { forEachEngine, forEachEngineInFull, onPostgres } from '../../support/engines.ts';
import { type LPlate, problem, startUndoubled, type TestClient, testSecrets } from '../../support/lplate.ts';
import { Receiver, Subscriber } from '../../support/receiver.ts';
import { alter, countStored } from '../../support/stored.ts';
import { batch } from '../../support/topic.ts';
import { listed, logOf, trainerToken } from '../range.ts';

const trainer = { token: trainerToken };

const own = ({ id }: { id: string }) => `client_id = '${id}'`;

/** Tables with rows of clients, besides what is counted and what stays. */
const tables = ['policies', 'claims', 'subscriptions', 'events', 'kept_answers', 'exchanges'];

const left = async (lplate: LPlate, client: { id: string }) =>
  Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await countStored(lplate, table, own(client))] as const)),
  );

const nothing = Object.fromEntries(tables.map((table) => [table, 0]));

/** Insures vehicles of the client, past the program. The id of the last policy is `lastId`. */
async function insureMany(lplate: LPlate, { id }: TestClient, count: number, lastId: string): Promise<void> {
  const n = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  await alter(
    lplate,
    `insert into policies (id, client_id, number, reg_number, reg_key, coverage_option, status, start_date, end_date,
        created_at, updated_at)
      ${n} select case when i = ${count} then '${lastId}' else 'pol-' || cast(i as text) end, '${id}', i,
        'RE-' || cast(i as text), 'RE' || cast(i as text), 'MTPL-12M', 'active', '2026-03-02', '2027-03-01',
        '2026-03-02T10:15:30.000Z', '2026-03-02T10:15:30.000Z' from n`,
    `update clients set policy_count = ${count} where id = '${id}'`,
  );
}

forEachEngine((engine) => {
  test('Decisions, the range: a reset removes all that the client owns and its log, and keeps credentials, tokens and nickname', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const receiver = await Receiver.open(t);
    const { client } = await Subscriber.open(lplate, receiver.url);
    const other = await lplate.client();
    await lplate.call('POST', '/policies', { token: other.token, json: { regNumber: 'RS-OTHER' } });
    const { token } = client;
    const headers = { 'Idempotency-Key': 'one' };
    const json = { regNumber: 'RS-0001' };
    const first = await lplate.call('POST', '/policies', { token, json, headers });
    equal(first.status, 201);
    await lplate.call('POST', '/claims/v1/claims', { token, json: { policyNumber: first.json.id } });
    await lplate.call('POST', '/range/v1/me/fleet', { token });
    await lplate.call('GET', '/policies/pol-1', { token });
    lplate.clock.advance(minute);
    await lplate.catchUp();
    await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Ada' } });
    const before = await left(lplate, client);
    ok(
      Object.values(before).every((count) => count > 0),
      JSON.stringify(before),
    );
    const { next } = await batch(lplate, token);

    // What waits to be written goes too.
    await lplate.call('GET', '/policies/pol-2', { token });
    equal((await lplate.call('POST', '/range/v1/me/reset', { token })).status, 204);
    deepEqual(await left(lplate, client), nothing);
    deepEqual(await logOf(lplate, client), []);
    const { json: me } = await lplate.call('GET', '/range/v1/me', { token });
    deepEqual(
      [me.nickname, me.calls, me.refusals, me.lastProblem, me.owns],
      ['Ada', 0, 0, null, { policies: 0, claims: 0, subscriptions: 0 }],
    );
    deepEqual((await lplate.call('GET', '/policies', { token })).json.totalItems, 0);
    deepEqual((await lplate.call('GET', '/claims/v1/claims', { token })).json.items, []);
    deepEqual((await batch(lplate, token)).events, []);
    const calls = receiver.calls.length;

    // The client goes on: the vehicle is free, the key is new, and its cursor is good.
    const again = await lplate.call('POST', '/policies', { token, json, headers });
    deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, null]);
    const claim = { policyNumber: again.json.id };
    equal((await lplate.call('POST', '/claims/v1/claims', { token, json: claim })).status, 201);
    lplate.clock.advance(minute);
    await lplate.catchUp();
    const { events } = await batch(lplate, token, `?after=${next}`);
    ok(events.length > 0);
    equal(receiver.calls.length, calls, 'nothing is delivered to a subscription of before');
    equal((await lplate.call('GET', '/claims/v1/claims', { token })).json.totalItems, 1);
    await lplate.token(client.id, client.secret);
    equal((await lplate.call('GET', '/policies', { token: other.token })).json.totalItems, 1);
    ok((await logOf(lplate, other)).length > 0);
  });

  test('Decisions, the range: a large client is reset in steps, and one that a crash broke off goes on by itself', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const lastId = 'pol-00000000-0000-7000-8000-000000001200';
    await insureMany(lplate, client, 1200, lastId);
    // What a step before the crash left.
    await lplate.call('POST', '/claims/v1/claims', { token: client.token, json: { policyNumber: lastId } });
    await alter(lplate, `insert into resets (target, done_up_to) values ('${client.id}', '')`);
    await lplate.housekeeping();
    if ((await countStored(lplate, 'resets')) > 0) {
      // A round that failed is made again in a minute. Why it did is not known yet: this tells.
      t.diagnostic(`not reset by the first round: ${lplate.log.filter((line) => /failed|"level":[45]/.test(line))}`);
      await lplate.housekeeping();
    }
    deepEqual({ ...(await left(lplate, client)), exchanges: 0 }, nothing);
    equal(await countStored(lplate, 'resets'), 0);
    equal((await lplate.call('GET', '/policies', client)).json.totalItems, 0);

    await insureMany(lplate, client, 1200, lastId);
    const pages: number[] = [];
    const reset = lplate.call('POST', '/range/v1/me/reset', client);
    for (let over = false; !over; ) {
      reset.then(() => (over = true));
      const { json } = await lplate.call('GET', '/policies?pageSize=500', client);
      equal(json.items.length, Math.min(500, json.totalItems), 'a page has no gaps');
      pages.push(json.totalItems);
    }
    equal((await reset).status, 204);
    deepEqual(
      pages,
      pages.toSorted((a, b) => b - a),
    );
    equal((await lplate.call('GET', '/policies', client)).json.totalItems, 0);
  });

  test('Decisions, the range: calls that run during a reset succeed or are refused, and leave nothing odd', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const { token } = client;
    const statuses = new Set<number>();
    let number = 0;
    const work = async () => {
      for (let round = 0; round < 8; round += 1) {
        number += 1;
        const made = await lplate.call('POST', '/policies', { token, json: { regNumber: `RU-${number}` } });
        statuses.add(made.status);
        const claim = { policyNumber: made.json.id };
        statuses.add((await lplate.call('POST', '/claims/v1/claims', { token, json: claim })).status);
        statuses.add((await lplate.call('POST', `/policies/${made.json.id}/cancel`, { token })).status);
        statuses.add((await lplate.call('GET', '/policies?pageSize=500', { token })).status);
      }
    };
    const resets = async () => {
      for (let round = 0; round < 4; round += 1) {
        statuses.add((await lplate.call('POST', '/range/v1/me/reset', { token })).status);
        statuses.add((await lplate.call('POST', '/range/v1/trainer/reset', trainer)).status);
        statuses.add((await lplate.call('POST', '/range/v1/me/fleet', { token })).status);
      }
    };
    await Promise.all([work(), work(), work(), resets(), resets()]);
    ok(
      [...statuses].every((status) => status < 500),
      String([...statuses]),
    );
    const { items, totalItems } = (await lplate.call('GET', '/policies?pageSize=500', { token })).json;
    equal(items.length, totalItems);
    equal((await lplate.call('POST', '/range/v1/me/reset', { token })).status, 204);
    deepEqual({ ...(await left(lplate, client)), exchanges: 0 }, nothing);
    equal(await countStored(lplate, 'resets'), 0);
  });
});

onPostgres((engine) => {
  test('Decisions, the range: a reset on one node holds on the other, while both go on; so does an announcement', async (t) => {
    const location = await engine.location();
    const node = () =>
      startUndoubled(t, { ...engine, location: async () => location }, { publicUrl: 'http://localhost:8080' });
    const [one, other] = [await node(), await node()];
    const client = await one.client();
    const { token } = client;
    const statuses = new Set<number>();
    for (let round = 0; round < 5; round += 1) {
      const calls = [one, other].flatMap((each) => [
        each.call('POST', '/range/v1/me/fleet', { token }),
        each.call('POST', '/range/v1/me/reset', { token }),
        each.call('POST', '/range/v1/trainer/reset', trainer),
        each.call('POST', '/range/v1/trainer/fleet/reset', trainer),
        each.call('POST', '/policies', { token, json: { regNumber: `TWO-${round}` } }),
        each.call('GET', '/policies?pageSize=500', { token }),
      ]);
      for (const { status } of await Promise.all(calls)) statuses.add(status);
    }
    ok(
      [...statuses].every((status) => status < 500),
      String([...statuses]),
    );
    equal((await one.call('POST', '/range/v1/me/reset', { token })).status, 204);
    equal((await other.call('GET', '/policies', { token })).json.totalItems, 0);
    equal(await countStored(one, 'resets'), 0);
    equal(await countStored(one, 'policies', `${own({ id: fleetId })} and status = 'active'`), 75);
    equal(
      (await one.call('PUT', '/range/v1/trainer/announcement', { ...trainer, json: { text: 'Both' } })).status,
      200,
    );
    equal((await other.call('GET', '/range/v1/me', { token })).json.announcement.text, 'Both');
  });
});

forEachEngineInFull((engine) => {
  test('Decisions, the range: the trainer resets one client, or all but the preconfigured ones', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const clients = await Promise.all(Array.from({ length: 5 }, () => lplate.client()));
    const [one, ...others] = clients as [TestClient, ...TestClient[]];
    for (const { token } of clients) {
      equal((await lplate.call('POST', '/range/v1/me/fleet', { token })).status, 201);
      await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Blue' } });
    }
    const owned = async ({ token }: TestClient) => (await lplate.call('GET', '/policies', { token })).json.totalItems;
    const path = (id: string) => `/range/v1/trainer/learners/${id}/reset`;
    equal((await lplate.call('POST', path(one.id), trainer)).status, 204);
    deepEqual(await Promise.all(clients.map(owned)), [0, 75, 75, 75, 75]);
    deepEqual(problem(await lplate.call('POST', path('demo-none'), trainer)), [404, 'client-not-found']);
    deepEqual(problem(await lplate.call('POST', path('%00'), trainer)), [404, 'client-not-found']);
    const refused = await lplate.call('POST', path(fleetId), trainer);
    deepEqual(problem(refused), [409, 'preset-client']);
    match(refused.json.detail, /POST \/trainer\/fleet\/reset/);
    deepEqual(problem(await lplate.call('POST', path(one.id), { token: one.token })), [401, 'invalid-token']);

    const all = await lplate.call('POST', '/range/v1/trainer/reset', trainer);
    deepEqual([all.status, all.json], [200, { clients: 5 }]);
    deepEqual(await Promise.all(clients.map(owned)), [0, 0, 0, 0, 0]);
    for (const client of others) {
      deepEqual(
        (await logOf(lplate, client)).map(({ url }) => url),
        ['/insurer/v1/policies'],
      );
    }
    const learners = await listed(lplate, '/range/v1/trainer/learners', trainerToken);
    ok(learners.every(({ nickname, calls }) => nickname === 'Blue' && calls <= 2));
    equal(await countStored(lplate, 'policies', own({ id: fleetId })), 75);
  });

  test('Decisions, the range: a reset of all goes through any number of clients in steps', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const n = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)';
    const id = "'demo-' || case when i < 100 then '0' else 'z' end || cast(i as text)";
    await alter(
      lplate,
      `insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at, policy_count)
        ${n} select ${id}, '', 'policies:read', 0, '2026-03-02T10:15:30.000Z', '2026-03-02T10:15:30.000Z', 3 from n`,
      `insert into policies (id, client_id, number, reg_number, reg_key, coverage_option, status, start_date, end_date,
          created_at, updated_at)
        ${n} select 'pol-' || cast(i * 3 + j as text), ${id}, j, 'RM-' || cast(i * 3 + j as text),
          'RM' || cast(i * 3 + j as text), 'MTPL-12M', 'active', '2026-03-02', '2027-03-01', '2026-03-02T10:15:30.000Z',
          '2026-03-02T10:15:30.000Z' from n, (select 1 as j union all select 2 union all select 3) numbers`,
      // One that a crash broke off had come so far.
      "insert into resets (target, done_up_to) values ('*', 'demo-z100')",
    );
    await lplate.call('POST', '/policies', { token: client.token, json: { regNumber: 'RM-OWN' } });
    equal((await lplate.call('POST', '/range/v1/trainer/reset', trainer)).json.clients, 251);
    equal(await countStored(lplate, 'policies', `client_id <> '${fleetId}'`), 0);
    equal(await countStored(lplate, 'clients', 'preset = 0 and policy_count > 0'), 0);
  });

  test('Decisions, the range: the trainer gives the preconfigured fleet its first state', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const token = await lplate.token(fleetId, testSecrets.fleetClientSecret);
    const list = async () => (await lplate.call('GET', '/policies?pageSize=500', { token })).json.items;
    const [first, second] = await list();
    await lplate.call('PUT', `/policies/${first.id}`, { token, json: { holder: 'Somebody' } });
    await lplate.call('POST', `/policies/${second.id}/cancel`, { token });
    await lplate.call('POST', '/policies', { token, json: { regNumber: 'RF-0001' } });
    const { token: others } = await lplate.client();
    await lplate.call('POST', '/policies', { token: others, json: { regNumber: second.regNumber } });
    lplate.clock.advance(10 * minute);
    await lplate.catchUp();
    equal((await lplate.call('POST', '/range/v1/trainer/fleet/reset', trainer)).status, 204);
    const policies = await list();
    equal(policies.length, 75);
    ok(policies.every(({ status }: { status: string }) => status === 'active'));
    deepEqual([policies[0].regNumber, policies[0].holder], ['FL-0001', 'Kestrel Couriers, van 1']);
    ok(!policies.some(({ regNumber }: { regNumber: string }) => /^(RF-0001|FL-0002)$/.test(regNumber)));
    equal((await lplate.call('GET', '/claims/v1/claims', { token })).json.totalItems, 0);
    await lplate.catchUp();
    equal((await lplate.call('GET', '/claims/v1/claims', { token })).json.totalItems, 12);
    ok((await batch(lplate, token)).events.length > 0);
    equal((await lplate.call('GET', '/policies', { token: others })).json.totalItems, 1);
  });
});
