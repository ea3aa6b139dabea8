import assert from 'node:assert/strict';
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { onSqlite, openEmpty } from '../support/engines.ts';

onSqlite((engine) => {
  async function openAt(t: test.TestContext): Promise<{ database: Database; file: string }> {
    const location = await engine.location();
    assert.ok('directory' in location);
    const database = await openDatabase(location);
    t.after(() => database.close());
    return { database, file: join(location.directory, 'l-plate.db') };
  }

  const addKey = (database: Database, id: string): Promise<number> =>
    database.write((sql) => sql.run`insert into signing_keys (id, jwk, created_at) values (${id}, ${'{}'}, ${'now'})`);

  async function keys(database: Database): Promise<string> {
    const rows = await database.sql.all<{ id: string }>`select id from signing_keys order by id`;
    return rows.map(({ id }) => id).join(' ');
  }

  test('the writer syncs at every commit, keeps a write-ahead log and holds to foreign keys', async (t) => {
    const database = await openEmpty(t, engine);
    const settings = await database.write(async (sql) => [
      await sql.get`pragma synchronous`,
      await sql.get`pragma journal_mode`,
      await sql.get`pragma foreign_keys`,
      await sql.get`pragma temp_store`,
    ]);
    assert.deepEqual(
      settings.map((row) => ({ ...(row as object) })),
      [{ synchronous: 2 }, { journal_mode: 'wal' }, { foreign_keys: 1 }, { temp_store: 2 }],
    );
  });

  for (const [what, foreign] of Object.entries({
    'a timer': () => pause(1),
    'an immediate': () => turn(),
    'a file': () => stat('.'),
    'what never comes': () => new Promise<never>(() => {}),
  })) {
    test(`a work that awaits ${what} is rolled back, and the others of its group are not`, async (t) => {
      const database = await openEmpty(t, engine);
      const wait = (id: string): Promise<void> =>
        database.write(async (sql) => {
          await sql.run`insert into signing_keys (id, jwk, created_at) values (${id}, ${'{}'}, ${'now'})`;
          await foreign();
          await sql.run`insert into signing_keys (id, jwk, created_at) values (${`${id} too`}, ${'{}'}, ${'now'})`;
        });
      const results = await Promise.allSettled([addKey(database, 'a'), wait('x'), wait('y'), addKey(database, 'b')]);
      assert.deepEqual(
        results.map((result) => (result.status === 'rejected' ? result.reason.message : 'done')),
        [
          'done',
          'The work of a write awaited something other than its own sql: it is rolled back',
          'The work of a write awaited something other than its own sql: it is rolled back',
          'done',
        ],
      );
      await pause(5);
      assert.equal(await keys(database), 'a b');
    });
  }

  test('two reads in one turn of the event loop see the same, and the next turn sees what is new', async (t) => {
    const { database, file } = await openAt(t);
    using other = new DatabaseSync(file);
    assert.equal(await keys(database), '');
    other.exec("insert into signing_keys values ('a', '{}', 'now')");
    assert.equal(await keys(database), '');
    await turn();
    assert.equal(await keys(database), 'a');
  });

  test('reads between the writes do not let the write-ahead log grow without end', async (t) => {
    const { database, file } = await openAt(t);
    const text = 'x'.repeat(60_000);
    for (let i = 0; i < 1_000; i++) {
      await keys(database);
      await database.write(
        (sql) => sql.run`insert into signing_keys (id, jwk, created_at) values (${`k${i}`}, ${text}, ${'now'})
        on conflict (id) do nothing`,
      );
    }
    // The log starts again at every four thousand pages of 4 KiB; what was written is four times that.
    assert.ok((await stat(`${file}-wal`)).size < 24_000_000);
  });

  test('while another program holds the file, writes are refused as unavailable, reads go on, and then it heals', async (t) => {
    const { database, file } = await openAt(t);
    await addKey(database, 'a');
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    const results = await Promise.allSettled([addKey(database, 'b'), addKey(database, 'c')]);
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseUnavailable);
    }
    assert.equal(await keys(database), 'a');
    other.exec('rollback');
    await addKey(database, 'd');
    assert.equal(await keys(database), 'a d');
  });

  test('a read that the disk fails is refused as unavailable, never answered as if there were nothing', async (t) => {
    const location = await engine.location();
    assert.ok('directory' in location);
    const before = await openDatabase(location);
    await Promise.all(Array.from({ length: 100 }, (_, i) => addKey(before, `${'k'.repeat(1_000)} ${i}`)));
    await before.close();
    const database = await openDatabase(location);
    t.after(() => database.close());
    await truncate(join(location.directory, 'l-plate.db'), 4_096);
    await assert.rejects(keys(database), DatabaseUnavailable);
    await assert.rejects(addKey(database, 'a'), DatabaseUnavailable);
  });

  test('a commit that fails refuses its whole group, and the next group is written', async (t) => {
    const database = await openEmpty(t, engine);
    await database.write(async (sql) => {
      await sql.run`create table parents (id text primary key)`;
      await sql.run`create table children (parent text references parents (id) deferrable initially deferred)`;
    });
    const orphan = database.write((sql) => sql.run`insert into children (parent) values (${'nobody'})`);
    // The second 'a' fails because of the first, which is never committed: it may not say so.
    const results = await Promise.allSettled([
      addKey(database, 'a'),
      addKey(database, 'a'),
      orphan,
      addKey(database, 'b'),
    ]);
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseUnavailable);
    }
    assert.equal(await keys(database), '');
    await addKey(database, 'c');
    assert.equal(await keys(database), 'c');
  });
});
