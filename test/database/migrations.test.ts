import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { migrate } from '../../src/database/migrations.ts';
import { openDatabase } from '../../src/database/open.ts';
import { StartupError } from '../../src/startup-error.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngine, onPostgres, openEmpty } from '../support/engines.ts';

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
      [{ number: 1, name: 'insurer', applied_at: '2026-03-02T10:15:30.000Z' }],
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
        /^The database was set up by a newer L-Plate \(migration 99; this one knows 1\)[^\n]*$/,
      );
      return true;
    });
  });

  test('a migration that fails leaves nothing of itself', async (t) => {
    const database = await openEmpty(t, engine);
    const first = { number: 1, name: 'first', up: async () => {} };
    const broken = {
      number: 2,
      name: 'broken',
      async up(sql) {
        await sql.run`create table half (id text)`;
        await sql.run`create table clients (id text)`;
      },
    } satisfies Parameters<typeof migrate>[2] extends readonly (infer M)[] | undefined ? M : never;
    await assert.rejects(migrate(database, new TestClock(), [first, broken]), /already exists/);
    await assert.rejects(database.sql.all`select id from half`, /half/);
    assert.equal((await database.sql.all`select number from migrations`).length, 1);
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

onPostgres((engine) => {
  test('three processes that start at once on an empty database all open it', async () => {
    const location = await engine.location();
    const start = async (): Promise<string> => {
      const running = promisify(execFile)(process.execPath, [program, JSON.stringify(location)]);
      running.child.stdin?.end();
      return (await running).stdout;
    };
    assert.deepEqual(await Promise.all([start(), start(), start()]), ['open\n', 'open\n', 'open\n']);
    const database = await openDatabase(location);
    assert.equal((await database.sql.all`select number from migrations`).length, 1);
    await database.close();
  });

  test('many openings at once in one process all succeed', async () => {
    const location = await engine.location();
    const databases = await Promise.all(Array.from({ length: 8 }, () => openDatabase(location)));
    for (const database of databases) await database.close();
  });
});
