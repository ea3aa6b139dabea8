import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { secretHash } from '../../src/clients/client.ts';
import { allScopes } from '../../src/clients/scope.ts';
import { migrate, migrations } from '../../src/database/migrations.ts';
import { type DatabaseLocation, openDatabase } from '../../src/database/open.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openSqlite } from '../../src/database/sqlite.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngine, onPostgres, openEmpty } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { startLPlate, testSecrets } from '../support/lplate.ts';
import { startProgram } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { stored } from '../support/stored.ts';
import { batch, claimOn, pass } from '../support/topic.ts';

const newest = migrations.length;
const program = join(import.meta.dirname, '../support/database-process.ts');

forEachEngine((engine) => {
  test('migrations run once and are recorded with their time', async (t) => {
    const location = await engine.location();
    const clock = new TestClock();
    await (await openDatabase(location, { clock })).close();
    clock.advance(1_000);
    const database = await openDatabase(location, { clock });
    t.after(() => database.close());
    const rows = await database.sql.all`select number, name, applied_at from migrations order by number`;
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      migrations.map(({ number, name }) => ({ number, name, applied_at: '2026-03-02T10:15:30.000Z' })),
    );
    assert.deepEqual(
      migrations.map(({ number }) => number),
      migrations.map((_, at) => at + 1),
    );
  });

  test('a database of a newer program is refused with one line', async () => {
    const location = await engine.location();
    const database = await openDatabase(location);
    await database.write(
      (sql) => sql.run`insert into migrations values (${99}, ${'future'}, ${'2030-01-01T00:00:00.000Z'})`,
    );
    await database.close();
    await assert.rejects(openDatabase(location), (error) => {
      assert.ok(error instanceof StartupError);
      assert.equal(error.exitCode, 1);
      assert.match(
        error.message,
        new RegExp(
          `^The database was upgraded by a newer L-Plate \\(migration 99; this version knows ${newest}\\)[^\\n]*$`,
        ),
      );
      return true;
    });
  });

  test('a migration that fails leaves nothing of itself', async (t) => {
    const database = await openEmpty(t, engine);
    const broken = {
      number: newest + 1,
      name: 'broken',
      async up(sql) {
        await sql.run`create table half (id text)`;
        await sql.run`create table clients (id text)`;
      },
    } satisfies Parameters<typeof migrate>[2] extends readonly (infer M)[] | undefined ? M : never;
    await assert.rejects(migrate(database, new TestClock(), [...migrations, broken]), /already exists/);
    await assert.rejects(database.sql.all`select id from half`, /half/);
    assert.equal((await database.sql.all`select number from migrations`).length, newest);
  });

  test('a database from before there were claims gets them and keeps what it had', async (t) => {
    const location = await engine.location();
    const policyId = await leaveFirstRelease(location);
    const lplate = await startLPlate(t, { ...engine, location: async () => location });
    const token = await lplate.token(old.id, old.secret);
    const { json: policy } = await lplate.call('GET', `/policies/${policyId}`, { token });
    assert.deepEqual([policy.regNumber, policy.holder, policy.status], ['OLD-1', 'Ada Example', 'active']);

    const claimId = await claimOn(lplate, token, policyId, { paceSeconds: 1 });
    await pass(lplate, 3);
    assert.equal((await lplate.call('GET', `/claims/v1/claims/${claimId}`, { token })).json.status, 'CLOSED');
    assert.equal(new Set((await batch(lplate, token)).events.map(({ eventId }) => eventId)).size, 3);

    const fleet = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
    assert.equal((await lplate.call('GET', '/policies', { token: fleet })).json.totalItems, 75);
    assert.ok((await lplate.call('GET', '/claims/v1/claims', { token: fleet })).json.totalItems > 0);
    assert.ok((await batch(lplate, fleet)).events.length > 0, 'the topic has nothing to read');
  });

  test('a database of before there were bounds opens without a loss: deliveries are sent from their copies, attempts stay, what is stored is counted', async (t) => {
    const location = await engine.location();
    const receiver = await Receiver.open(t);
    const id = await leaveThirdMigration(location, receiver.url);
    const lplate = await startLPlate(t, { ...engine, location: async () => location }, { eventsDuplicateRate: 0 });
    await receiver.until(1);
    const token = await lplate.token(old.id, old.secret);
    const call = async (below: string) =>
      (await lplate.call('GET', `/claims/v1/subscriptions/${id}${below}`, { token })).json;
    let log = (await call('/deliveries')).items;
    for (let looks = 0; looks < 500 && log[1].status === 'pending'; looks += 1) log = (await call('/deliveries')).items;
    assert.deepEqual(
      log[0].attempts,
      [1, 2, 3, 4, 5, 6, 7].map((attempt) => ({
        attempt,
        attemptedAt: at,
        responseStatus: attempt === 7 ? 204 : attempt === 3 ? null : 500,
        responseBody: null,
        error: attempt === 3 ? 'a "quoted" \\ error' : null,
      })),
    );
    assert.deepEqual(log[0].attemptCounts, { total: 7, taken: 1, refused: 5, unanswered: 1 });
    assert.deepEqual([log[1].status, receiver.calls[0]?.body], ['delivered', '{"copied":true}']);
    assert.deepEqual([(await call('')).status, (await call('')).missedEvents], ['active', 0]);
    const [row] = await stored<Record<string, unknown>>(
      lplate,
      `select s.open_deliveries, s.stored_bytes - (select sum(length(payload) + length(kept_attempts) + 400) from deliveries)
        as beyond, (select sum(length(payload) + 200) - max(client_bytes) from events where client_id = '${old.id}')
        as uncounted from subscriptions s where s.id = '${id}'`,
    );
    assert.deepEqual([row?.open_deliveries, row?.beyond, row?.uncounted].map(Number), [0, 0, 0]);
  });

  test('one vehicle has one policy in force, whatever was before; a client takes its policies along', async (t) => {
    const database = await openEmpty(t, engine);
    const addPolicy = (id: string, number: number, status: string): Promise<number> =>
      database.write(
        (sql) => sql.run`insert into policies (id, client_id, number, reg_number, reg_key, coverage_option, status,
          start_date, end_date, created_at, updated_at) values (${id}, ${'demo-a'}, ${number}, ${'AB 1'}, ${'AB1'},
          ${'full'}, ${status}, ${'2026-03-02'}, ${'2027-03-01'}, ${'now'}, ${'now'})`,
      );
    await assert.rejects(addPolicy('none', 1, 'active'), /foreign key/i);
    await database.write(
      (sql) => sql.run`insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at)
      values (${'demo-a'}, ${'hash'}, ${'policies:read'}, ${0}, ${'now'}, ${'now'})`,
    );
    await addPolicy('p1', 1, 'expired');
    await addPolicy('p2', 2, 'cancelled');
    await addPolicy('p3', 3, 'updated');
    await assert.rejects(addPolicy('p4', 4, 'active'), /unique/i);
    await assert.rejects(addPolicy('p5', 3, 'cancelled'), /unique/i);
    await assert.rejects(addPolicy('p6', 6, 'lost'), /check/i);
    await database.write((sql) => sql.run`delete from clients where id = ${'demo-a'}`);
    assert.deepEqual(await database.sql.all`select id from policies`, []);
  });
});

/** A client of the first release. */
const old = { id: 'demo-0123456789abcdef0123', secret: 'the-secret-of-then' };

/** Leaves a database as the release without claims does: its schema, its presets, a client with a policy. */
async function leaveFirstRelease(where: DatabaseLocation): Promise<string> {
  const clock = new TestClock();
  const database = await ('url' in where ? openPostgres(where.url) : openSqlite(where.directory));
  await migrate(database, clock, migrations.slice(0, 1));
  const at = '2026-03-02T10:00:00.000Z';
  const policyId = 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';
  // Its statements, not those of today, which may name columns that came later.
  await database.write(async (sql) => {
    const addClient = (id: string, secret: string, scopes: string, preset: number, policies: number) =>
      sql.run`insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at, policy_count)
        values (${id}, ${secretHash(secret)}, ${scopes}, ${preset}, ${at}, ${at}, ${policies})`;
    const addPolicy = (id: string, owner: string, number: number, regNumber: string, holder: string) =>
      sql.run`insert into policies (id, client_id, number, reg_number, reg_key, holder, coverage_option, status,
          start_date, end_date, created_at, updated_at)
        values (${id}, ${owner}, ${number}, ${regNumber}, ${regNumber.replace('-', '')}, ${holder}, ${'MTPL-12M'},
          ${'active'}, ${'2026-03-02'}, ${'2027-03-01'}, ${at}, ${at})`;
    await addClient('preset-reader', testSecrets.readerClientSecret, 'policies:read', 1, 0);
    await addClient('preset-fleet', testSecrets.fleetClientSecret, allScopes.join(' '), 1, 75);
    for (let van = 1; van <= 75; van += 1) {
      const regNumber = `FL-${String(van).padStart(4, '0')}`;
      await addPolicy(`pol-${randomUUID()}`, 'preset-fleet', van, regNumber, `Kestrel Couriers, van ${van}`);
    }
    await addClient(old.id, old.secret, allScopes.join(' '), 0, 1);
    await addPolicy(policyId, old.id, 1, 'OLD-1', 'Ada Example');
  });
  assert.deepEqual([...(await database.sql.all`select name from migrations`)].map(nameOf), ['insurer']);
  await assert.rejects(database.sql.all`select id from claims`, /claims/);
  await database.close();
  return policyId;
}

const at = '2026-03-02T10:00:00.000Z';

/** Leaves a database as the program before the bounds does: a subscription with two deliveries. Returns its id. */
async function leaveThirdMigration(where: DatabaseLocation, url: string): Promise<string> {
  const policyId = await leaveFirstRelease(where);
  const id = 'sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';
  const eventId = '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11';
  const database = await ('url' in where ? openPostgres(where.url) : openSqlite(where.directory));
  await migrate(database, new TestClock(), migrations.slice(0, 3));
  await database.write(async (sql) => {
    await sql.run`insert into claims (id, client_id, policy_id, number, status, outcome, pace_seconds, registered_at,
      updated_at) values ('CLM-2026-000001', ${old.id}, ${policyId}, 1, 'CLOSED', 'APPROVED', 1, ${at}, ${at})`;
    await sql.run`insert into claim_counts (client_id, claims) values (${old.id}, 1)`;
    await sql.run`insert into claim_numbers (year, last) values (2026, 1)`;
    await sql.run`insert into events (seq, event_id, client_id, claim_id, payload, published_at)
      values (1, ${eventId}, ${old.id}, 'CLM-2026-000001', '{"one":1}', ${at}),
        (2, ${eventId}, ${old.id}, 'CLM-2026-000001', '{"two":"2"}', ${at})`;
    await sql.run`update event_head set seq = 2`;
    await sql.run`insert into subscriptions (id, client_id, number, url, secret, created_at, taken_seq, deliveries)
      values (${id}, ${old.id}, 1, ${url}, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwEXAMPLEONLY=', ${at}, 2, 2)`;
    await sql.run`insert into deliveries (subscription_id, number, event_id, claim_id, payload, status, copies_left,
        attempts, created_at, next_attempt_at)
      values (${id}, 1, ${eventId}, 'CLM-2026-000001', '{"copied":1}', 'delivered', 0, 7, ${at}, null),
        (${id}, 2, ${eventId}, 'CLM-2026-000001', '{"copied":true}', 'pending', 1, 0, ${at}, ${at})`;
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      const status = attempt === 7 ? 204 : attempt === 3 ? null : 500;
      const error = attempt === 3 ? 'a "quoted" \\ error' : null;
      await sql.run`insert into delivery_attempts (subscription_id, delivery_number, attempt, attempted_at,
        response_status, error) values (${id}, 1, ${attempt}, ${at}, ${status}, ${error})`;
    }
  });
  await database.close();
  return id;
}

const nameOf = (row: unknown) => (row as { name: string }).name;

onPostgres((engine) => {
  test('programs that start at once on a database from before there were claims all serve it, with one set of claims', async (t) => {
    const location = await engine.location();
    await leaveFirstRelease(location);
    const programs = await Promise.all(Array.from({ length: extent(2, 4) }, () => startProgram(t, location)));
    for (const { secrets, token, url } of programs) {
      const headers = { Authorization: `Bearer ${await token('preset-fleet', secrets.fleetClientSecret)}` };
      const answer = await fetch(`${url}/claims/v1/claims?pageSize=500`, { headers });
      const { items } = (await answer.json()) as { items: { claimId: string; registeredAt: string }[] };
      // The first start makes twelve, minutes apart; each of them once, whoever made it.
      assert.equal(new Set(items.map(({ registeredAt }) => registeredAt)).size, items.length);
      assert.deepEqual(
        items.map(({ claimId }) => Number(claimId.slice(-6))),
        items.map((_, at) => at + 1),
      );
      assert.ok(items.length >= 12 && items.length <= 13, `${items.length} claims`);
    }
    for (const program of programs) assert.deepEqual(await program.stop(), { code: 0, signal: null });
    const database = await openDatabase(location);
    t.after(() => database.close());
    assert.deepEqual((await database.sql.all`select name from migrations order by number`).map(nameOf), [
      ...migrations.map(nameOf),
    ]);
  });

  test('three processes that start at once on an empty database all open it', async () => {
    const location = await engine.location();
    const start = async (): Promise<string> => {
      const running = promisify(execFile)(process.execPath, [program, JSON.stringify(location)]);
      running.child.stdin?.end();
      return (await running).stdout;
    };
    assert.deepEqual(await Promise.all([start(), start(), start()]), ['open\n', 'open\n', 'open\n']);
    const database = await openDatabase(location);
    assert.equal((await database.sql.all`select number from migrations`).length, newest);
    await database.close();
  });

  test('many openings at once in one process all succeed', async () => {
    const location = await engine.location();
    const databases = await Promise.all(Array.from({ length: 8 }, () => openDatabase(location)));
    for (const database of databases) await database.close();
  });
});
