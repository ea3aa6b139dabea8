import assert from 'node:assert/strict';
import { test } from 'node:test';
import { day, hour, minute } from '../../src/time/units.ts';
import { trainerToken } from '../range/range.ts';
import { forEachEngine, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, sign, startUndoubled, type TestClient } from '../support/lplate.ts';
import { Receiver, Subscriber } from '../support/receiver.ts';
import { alter, countStored } from '../support/stored.ts';
import { batch } from '../support/topic.ts';

/** From now on the deletion of a row fails of which the condition on `old` holds. Returns how to take that back. */
async function refuseDeletion(lplate: LPlate, table: string, condition: string): Promise<() => Promise<void>> {
  if (lplate.config.databaseUrl) {
    await alter(
      lplate,
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
      `create trigger refusal before delete on ${table} for each row when (${condition}) execute function refuse()`,
    );
    return () => alter(lplate, `drop trigger refusal on ${table}`, 'drop function refuse');
  }
  const refusal = `begin select raise(abort, 'no'); end`;
  await alter(lplate, `create trigger refusal before delete on ${table} when ${condition} ${refusal}`);
  return () => alter(lplate, 'drop trigger refusal');
}

const insure = (lplate: LPlate, token: string, regNumber: string) =>
  lplate.call('POST', '/policies', { token, json: { regNumber } });

/** Policies 1 and on of the client, for the vehicles `MARK-1` and on. */
async function insureMany(lplate: LPlate, { id }: TestClient, mark: string, count: number): Promise<void> {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const text = (sql: string) => `cast(${sql} as text)`;
  await alter(
    lplate,
    `insert into policies (id, client_id, number, reg_number, reg_key, coverage_option, status, start_date, end_date,
        created_at, updated_at)
      ${numbers} select 'pol-${mark}-' || ${text('i')}, '${id}', i, '${mark}-' || ${text('i')}, '${mark}' || ${text('i')},
        'MTPL-12M', 'active', '2026-03-02', '2027-03-01', '2026-03-02T10:15:30.000Z', '2026-03-02T10:15:30.000Z' from n`,
    `update clients set policy_count = ${count} where id = '${id}'`,
  );
}

/** Deliveries 1 and on of the subscription, delivered on the first day. */
async function addDeliveries(lplate: LPlate, { id }: Subscriber, count: number): Promise<void> {
  await alter(
    lplate,
    `insert into deliveries (subscription_id, number, event_id, ordering_key, payload, status, copies_left, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select '${id}', i, '01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', 'CLM-2026-000000', '', 'delivered', 0,
        '2026-03-02T10:15:30.000Z' from n`,
    `update subscriptions set deliveries = ${count}, stored_bytes = ${402 * count} where id = '${id}'`,
  );
}

/** Exchanges of a client that the log keeps. */
async function addExchanges(lplate: LPlate, { id }: TestClient, count: number): Promise<void> {
  await alter(
    lplate,
    `insert into exchanges (id, client_id, started_at, number, status, path, kept, summary, details)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      select 'exchange-' || cast(i as text), '${id}', '2026-03-03T10:15:30.000Z', i, 200, '/', i, '{}', '{}' from n`,
  );
}

const own = ({ id }: TestClient) => `client_id = '${id}'`;
const warnings = ({ log }: LPlate) => log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);

forEachEngine((engine) => {
  test('Decisions, clients: who was removed by the trainer is not told that nobody used it, in any answer', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { id, secret, token } = await lplate.client();
    const trainer = { token: trainerToken };
    await lplate.call('DELETE', `/range/v1/trainer/learners/${id}`, trainer);
    const answers = [
      await lplate.call('GET', '/policies', { token }),
      await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } }),
      await lplate.call('GET', '/range/v1/me', { token }),
      await lplate.call('GET', `/range/v1/trainer/learners/${id}`, trainer),
    ];
    const read = async (path: string) => (await fetch(`${lplate.url}${path}`)).text();
    const prefixed = await read(`/for/${id}/insurer/v1/policies`);
    const page = await read('/problems/invalid-client');
    const others = [await read('/problems/client-not-found'), await read('/problems/invalid-token')];
    for (const text of [prefixed, page, ...others, ...answers.map((each) => each.text)])
      assert.doesNotMatch(text, /nobody used|a day after its last use/);
    assert.match(prefixed, /by a trainer/);
    assert.match(page, /by a trainer/);
  });

  test('Decisions, clients: removal in steps: the answers that are kept for a client go last, in steps too', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const headers = { 'Idempotency-Key': 'mine' };
    const json = { regNumber: 'KEPT-1' };
    assert.equal((await lplate.call('POST', '/policies', { token: client.token, json, headers })).status, 201);
    await alter(
      lplate,
      `insert into kept_answers (client_id, endpoint, idempotency_key, fingerprint, answer, kept_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 700)
        select '${client.id}', 'POST /', 'key-' || cast(i as text), '', '{}', '2026-03-02T10:15:30.000Z' from n`,
      `update clients set last_used_at = '2026-03-01T10:10:00.000Z' where id = '${client.id}'`,
    );
    lplate.clock.advance(hour);
    const takeBack = await refuseDeletion(lplate, 'clients', `old.id = '${client.id}'`);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'policies', own(client)), 0);
    const left = await countStored(lplate, 'kept_answers', own(client));
    assert.ok(left > 200 && left < 701, `the first step is done: ${left}`);
    await takeBack();
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'kept_answers', own(client)), 0);
    assert.equal(await countStored(lplate, 'clients', `id = '${client.id}'`), 0);
  });

  test('Decisions, clients: removal in steps: a client whose removal stopped in the middle is gone for every caller, and removal goes on where it stopped', async (t) => {
    const lplate = await startUndoubled(t, engine, { webhookDisableHours: 0 });
    const receiver = await Receiver.open(t);
    const idle = await Subscriber.open(lplate, receiver.url);
    const { client } = idle;
    await alter(lplate, `delete from policies where ${own(client)}`);
    await insureMany(lplate, client, 'STEP', 800);
    const policyNumber = 'pol-00000000-0000-7000-8000-000000000790';
    await alter(lplate, `update policies set id = '${policyNumber}' where id = 'pol-STEP-790'`);
    const token = await lplate.token(client.id, client.secret);
    const json = { policyNumber, paceSeconds: 3600 };
    assert.equal((await lplate.call('POST', '/claims/v1/claims', { token, json })).status, 201);
    // It moves when its client is gone.
    await alter(lplate, `update claims set due_at = '2026-03-03T11:00:00.000Z' where policy_id = '${policyNumber}'`);
    await addDeliveries(lplate, idle, 600);
    // Who reads the log has its calls written: later they would push out what is added here.
    await lplate.call('GET', '/range/v1/me/exchanges', { token });
    await addExchanges(lplate, client, 600);
    // Met in the second step, when its exchanges are gone.
    const takeBack = await refuseDeletion(lplate, 'claims', `old.${own(client)}`);
    lplate.clock.advance(day + 5 * minute);
    const other = await lplate.client();
    await lplate.housekeeping();
    assert.deepEqual(
      warnings(lplate).map(({ msg, task }) => [msg, task]),
      [['housekeeping failed; it is retried in a minute', 'idle clients']],
    );
    const metrics = await (await fetch(`${lplate.url}/metrics`)).text();
    assert.match(metrics, /^lplate_housekeeping_failures_total\{task="idle clients"\} 1$/m);
    assert.ok((await countStored(lplate, 'exchanges', own(client))) < 600, 'the first step is done');
    assert.equal(await countStored(lplate, 'policies', own(client)), 800);
    assert.equal(await countStored(lplate, 'subscriptions', `${own(client)} and status <> 'deleted'`), 0);

    const credentials = { client_id: client.id, client_secret: client.secret };
    const refused = await lplate.call('POST', '/auth/token', { json: credentials });
    assert.deepEqual(problem(refused), [401, 'invalid-client']);
    const body = JSON.stringify({ regNumber: 'STEP-760' });
    const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body) };
    assert.equal((await lplate.call('POST', '/signed/policy-check', { body, headers })).json.insured, false);
    for (const regNumber of ['STEP-1', 'step700', 'STEP-750', 'STEP-800']) {
      assert.equal((await insure(lplate, other.token, regNumber)).status, 201, regNumber);
    }
    assert.equal((await insure(lplate, other.token, 'STEP-750')).status, 409);
    await lplate.catchUp();
    lplate.clock.advance(2 * hour);
    await lplate.catchUp();
    const fresh = await lplate.token(other.id, other.secret);
    assert.deepEqual((await batch(lplate, fresh)).events, []);
    assert.equal(await countStored(lplate, 'events', own(client)), 0, 'nothing of it is published any more');
    assert.deepEqual(receiver.calls, []);
    lplate.clock.advance(-day);
    assert.deepEqual(problem(await lplate.call('GET', '/policies', { token })), [401, 'invalid-token']);
    lplate.clock.advance(day);

    await takeBack();
    await lplate.housekeeping();
    for (const table of ['policies', 'claims', 'subscriptions', 'claim_counts', 'exchanges']) {
      assert.equal(await countStored(lplate, table, own(client)), 0, table);
    }
    assert.equal(await countStored(lplate, 'clients', `id = '${client.id}'`), 0);
    assert.equal((await lplate.call('GET', '/policies', { token: fresh })).json.totalItems, 4);
    assert(lplate.log.some((line) => JSON.parse(line).removed === 1));
  });

  test('Decisions, the program: housekeeping: a task that fails keeps no other from its work', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const idle = await lplate.client();
    await insure(lplate, idle.token, 'FAIL-1');
    await lplate.catchUp();
    assert(await countStored(lplate, 'events'));
    const takeBack = await refuseDeletion(lplate, 'policies', `old.${own(idle)}`);
    lplate.clock.advance(8 * day);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'policies', own(idle)), 1);
    assert.equal(await countStored(lplate, 'events', `published_at < '2026-03-03'`), 0);
    await takeBack();
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'policies', own(idle)), 0);
  });

  test('Decisions, the program: housekeeping: a subscription with many deliveries is gone at once, and its rows go in steps', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const subscriber = await Subscriber.open(lplate, 'http://127.0.0.1:9/hooks');
    const count = 1200;
    await addDeliveries(lplate, subscriber, count);
    assert.equal((await subscriber.call('DELETE')).status, 204);
    const left = await countStored(lplate, 'deliveries');
    assert(left > 0 && left < count, `${left} deliveries are left`);
    for (const [method, below] of [
      ['GET', ''],
      ['GET', '/deliveries'],
      ['POST', '/enable'],
      ['DELETE', ''],
    ] as const) {
      const answer = await subscriber.call(method, below);
      assert.deepEqual(problem(answer), [404, 'subscription-not-found'], `${method} ${below}`);
    }
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'deliveries'), 0);
    assert.equal(await countStored(lplate, 'subscriptions'), 0);
  });

  test('Decisions, the program: housekeeping: past their days, many events and deliveries go in steps, and what is left stays readable', async (t) => {
    const lplate = await startUndoubled(t, engine, { webhookDisableHours: 0 });
    const subscriber = await Subscriber.open(lplate, 'http://127.0.0.1:9/hooks');
    const count = 1300;
    await addDeliveries(lplate, subscriber, count);
    await alter(lplate, "update deliveries set created_at = '2026-03-09T10:15:30.000Z' where number > 1200");
    for (let half = 0; half < 15; half += 1) {
      lplate.clock.advance(12 * hour);
      await subscriber.call('GET');
    }
    await lplate.housekeeping();
    const { json } = await subscriber.call('GET', '/deliveries?pageSize=1');
    assert.deepEqual([json.totalItems, json.items[0].number], [100, 1201]);
    assert.equal(await countStored(lplate, 'subscriptions', `stored_bytes = ${402 * 100}`), 1);
  });
});

onPostgres((engine) => {
  test('Decisions, clients: removal in steps: a client with much is removed though all of it takes longer than DATABASE_TIMEOUT_SECONDS', async (t) => {
    const lplate = await startUndoubled(t, engine, { databaseTimeoutSeconds: 3 });
    const client = await lplate.client();
    await insureMany(lplate, client, 'SLOW', 3500);
    // A slow disk: a tenth of a second for every hundred rows. Many short pauses would grow on a busy machine.
    await alter(
      lplate,
      'create sequence removed',
      `create function slow() returns trigger language plpgsql as $$
       begin if nextval('removed') % 100 = 0 then perform pg_sleep(0.1); end if; return old; end $$`,
      'create trigger slowness before delete on policies for each row execute function slow()',
    );
    lplate.clock.advance(day + 5 * minute);
    await lplate.housekeeping();
    assert.deepEqual(warnings(lplate), []);
    assert.equal(await countStored(lplate, 'policies', own(client)), 0);
    assert.equal(await countStored(lplate, 'clients', `id = '${client.id}'`), 0);
  });
});
