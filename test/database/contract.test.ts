import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, DatabaseUnavailable, type Sql, type Value } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { forEachEngine, type Opened, onMemory, openEmpty } from '../support/engines.ts';

function contract(engine: Opened): void {
  async function open(t: test.TestContext, options?: Parameters<typeof openEmpty>[2]): Promise<Database> {
    const database = await openEmpty(t, engine, options);
    await database.write(async (sql) => {
      await sql.run`create table items (id text not null primary key, n integer)`;
    });
    return database;
  }

  const add = (database: Database, id: string, n: number | null = 0): Promise<number> =>
    database.write((sql) => sql.run`insert into items (id, n) values (${id}, ${n})`);

  async function ids(sql: Sql): Promise<string> {
    const rows = await sql.all<{ id: string }>`select id from items order by id`;
    return rows.map(({ id }) => id).join(' ');
  }

  test('a write is seen by others when it has resolved, and never before', async (t) => {
    const database = await open(t);
    const inserted = Promise.withResolvers<void>();
    let looked = false;
    const outside = inserted.promise.then(async () => {
      const seen = await ids(database.sql);
      looked = true;
      return seen;
    });
    await database.write(async (sql) => {
      await sql.run`insert into items (id) values (${'a'})`;
      inserted.resolve();
      for (let i = 0; i < 10_000 && !looked; i++) assert.equal(await ids(sql), 'a');
    });
    assert.ok(looked, 'the look from outside came before the commit');
    assert.equal(await outside, '');
    assert.equal(await ids(database.sql), 'a');
  });

  test('a write gives what its work returns', async (t) => {
    const database = await open(t);
    assert.deepEqual(await database.write(async () => ({ any: 'thing' })), { any: 'thing' });
  });

  test('get gives the first row or undefined, all every row, run the number of changed rows', async (t) => {
    const database = await open(t);
    for (const id of ['a', 'b', 'c']) assert.equal(await add(database, id, 7), 1);
    assert.equal((await database.sql.get<{ id: string }>`select id from items order by id desc`)?.id, 'c');
    assert.equal(await database.sql.get`select id from items where id = ${'x'}`, undefined);
    assert.deepEqual(await database.sql.all`select id from items where id = ${'x'}`, []);
    assert.equal(await database.write((sql) => sql.run`update items set n = 8 where n = ${7}`), 3);
    assert.equal(await database.write((sql) => sql.run`update items set n = 8 where n = ${7}`), 0);
    const row = await database.write(
      (sql) => sql.get<{ n: number }>`insert into items (id, n) values (${'d'}, ${9}) returning n`,
    );
    assert.equal(row?.n, 9);
  });

  test('each value of a statement goes to its own place, whatever it contains', async (t) => {
    const database = await open(t);
    const ask = (id: string, n: number): Promise<{ id: string; n: number }[]> =>
      database.sql.all<{ id: string; n: number }>`select id, n from items where id = ${id} and n = ${n}`;
    const odd = `'; drop table items; -- $1 ? \${x} 車 😀`;
    await add(database, odd, 1);
    await add(database, 'b', 2);
    assert.equal((await ask(odd, 1))[0]?.id, odd);
    assert.equal((await ask('b', 2))[0]?.n, 2);
    assert.deepEqual(await ask('b', 1), []);
    // The same text in another place of the program, and a text that differs only in where the value stands.
    assert.equal((await database.sql.all`select id, n from items where id = ${'b'} and n = ${2}`).length, 1);
    assert.equal((await database.sql.all`select id, n from items where n = ${2} and id = ${'b'}`).length, 1);
    for (let limit = 0; limit < 3; limit++) {
      assert.equal((await database.sql.all`select id from items limit ${limit}`).length, limit);
    }
  });

  test('null is null, a count is a number, and truth is 0 or 1', async (t) => {
    const database = await open(t);
    await add(database, 'a', null);
    const row = await database.sql.get`select n, count(*) over () as total, n is null as empty from items`;
    assert.deepEqual({ ...(row as object) }, { n: null, total: 1, empty: 1 });
  });

  test('an integer that JavaScript can not hold is an error, not another integer', async (t) => {
    const database = await open(t);
    await assert.rejects(
      database.sql.get`select cast('9007199254740993' as bigint) as n`,
      (error) => error instanceof RangeError,
    );
    const row = await database.sql.get<{ n: number }>`select cast('9007199254740991' as bigint) as n`;
    assert.equal(row?.n, Number.MAX_SAFE_INTEGER);
  });

  test('only strings, safe integers, bytes and null can be bound', async (t) => {
    const database = await open(t);
    const refused: unknown[] = [
      undefined,
      true,
      Number.NaN,
      Infinity,
      1.5,
      2 ** 53,
      5n,
      new Date(),
      {},
      '\0',
      '\ud800',
    ];
    for (const value of refused as Value[]) {
      await assert.rejects(database.sql.get`select id from items where id = ${value}`, TypeError);
      await assert.rejects(
        database.write((sql) => sql.run`insert into items (id, n) values (${'x'}, ${value})`),
        TypeError,
      );
    }
    assert.equal(await ids(database.sql), '');
  });

  test('bytes come back as they were, whatever they are', async (t) => {
    const database = await open(t);
    const sent = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));
    await database.write(async (sql) => {
      await sql.run`create table files (id text not null primary key, content bytea not null)`;
      for (const [id, content] of [
        ['all', sent],
        ['none', new Uint8Array()],
      ] as const)
        await sql.run`insert into files (id, content) values (${id}, ${content})`;
    });
    const read = async (id: string) => {
      const row = await database.sql.get<{ content: Uint8Array }>`select content from files where id = ${id}`;
      return Buffer.from(row?.content ?? 'nothing');
    };
    assert.deepEqual([await read('all'), await read('none')], [sent, Buffer.alloc(0)]);
  });

  test('nothing remains of a write whose work throws', async (t) => {
    const database = await open(t);
    const broken = database.write(async (sql) => {
      await sql.run`insert into items (id) values (${'a'})`;
      throw new Error('on second thoughts');
    });
    await assert.rejects(broken, /on second thoughts/);
    assert.equal(await ids(database.sql), '');
  });

  test('a failed statement poisons its write, even when the work catches it', async (t) => {
    const database = await open(t);
    let later: unknown;
    const first = await database
      .write(async (sql) => {
        await sql.run`insert into items (id) values (${'a'})`;
        const failure = await sql.run`insert into items (id) values (${'a'})`.catch((error) => error);
        later = await sql.run`insert into items (id) values (${'b'})`.catch((error) => error);
        assert.equal(later, failure, 'later statements fail with the first failure');
        return 'all is well';
      })
      .catch((error) => error);
    assert.ok(first instanceof Error && !(first instanceof DatabaseUnavailable));
    assert.equal(first, later);
    assert.equal(await ids(database.sql), '');
    await add(database, 'c');
    assert.equal(await ids(database.sql), 'c');
  });

  test('a statement that the work does not wait for is part of the write all the same', async (t) => {
    const database = await open(t);
    await database.write(async (sql) => {
      void sql.run`insert into items (id) values (${'a'})`;
    });
    assert.equal(await ids(database.sql), 'a');
    const broken = database.write(async (sql) => {
      void sql.run`insert into items (id) values (${'b'})`;
      void sql.run`insert into items (id) values (${'a'})`;
    });
    await assert.rejects(broken, /unique/i);
    assert.equal(await ids(database.sql), 'a');
  });

  test('the sql of a write is dead when the work has ended', async (t) => {
    const database = await open(t);
    let kept: Sql | undefined;
    await database.write(async (sql) => {
      kept = sql;
    });
    assert.ok(kept);
    await assert.rejects(kept.run`insert into items (id) values (${'a'})`, /has ended/);
    await assert.rejects(kept.get`select 1 as one`, /has ended/);
    assert.equal(await ids(database.sql), '');
  });

  test('inside a work, the database refuses another write and a read', async (t) => {
    const database = await open(t);
    await assert.rejects(
      database.write(async () => void (await add(database, 'a'))),
      /do not nest/,
    );
    await assert.rejects(
      database.write(async () => void (await ids(database.sql))),
      /reads through the sql that was given/,
    );
    let after: Promise<number> | undefined;
    await database.write(async (sql) => {
      await sql.get`select 1 as one`;
      after = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(add(database, 'b')))));
    });
    await after;
    assert.equal(await ids(database.sql), 'b', 'what a work has started may write when the work is over');
  });

  test('a read never writes', async (t) => {
    const database = await open(t);
    await assert.rejects(database.sql.run`insert into items (id) values (${'a'})`, /read-?only/);
    await assert.rejects(database.sql.get`insert into items (id) values (${'a'}) returning id`, /read-?only/);
    assert.equal(await ids(database.sql), '');
  });

  test('many writes at once lose none', async (t) => {
    const database = await open(t);
    await add(database, 'counter', 0);
    const write = (i: number): Promise<number> =>
      database.write(async (sql) => {
        await sql.run`update items set n = n + 1 where id = 'counter'`;
        return sql.run`insert into items (id, n) values (${`i${i}`}, ${i})`;
      });
    await Promise.all(Array.from({ length: 200 }, (_, i) => write(i)));
    assert.equal((await database.sql.get<{ n: number }>`select n from items where id = 'counter'`)?.n, 200);
    assert.equal((await database.sql.all`select id from items`).length, 201);
  });

  test('a work that fails harms no other of its group', async (t) => {
    const database = await open(t);
    await add(database, 'b');
    const results = await Promise.allSettled([
      add(database, 'a'),
      add(database, 'b'),
      database.write(async (sql) => {
        await sql.run`insert into items (id) values (${'thrown'})`;
        throw new Error('no');
      }),
      add(database, 'c'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.equal(await ids(database.sql), 'a b c');
  });

  test('whichever works of a row of groups fail, the changes of every other are there once', async (t) => {
    const database = await open(t);
    await add(database, 'counter', 0);
    let expected = 0;
    // No failure, one at the end, in the middle, at the start, everywhere, and none again: each after each.
    const groups = ['....', '...x', '.x..', 'x...', 'xxxx', '....', '....', 'x.x.', '....'];
    for (const group of groups) {
      const results = await Promise.allSettled(
        [...group].map((mark) =>
          database.write(async (sql) => {
            await sql.run`update items set n = n + 1 where id = 'counter'`;
            if (mark === 'x') throw new Error('no');
          }),
        ),
      );
      assert.equal(results.map(({ status }) => (status === 'fulfilled' ? '.' : 'x')).join(''), group);
      expected += group.replaceAll('x', '').length;
      assert.equal((await database.sql.get<{ n: number }>`select n from items where id = 'counter'`)?.n, expected);
    }
  });

  test('the sizes of committed groups are reported: on SQLite a turn of the event loop, on PostgreSQL one', async (t) => {
    const sizes: number[] = [];
    const database = await open(t, { onGroup: (size) => sizes.push(size) });
    sizes.length = 0;
    await Promise.allSettled([...'abcde', 'a'].map((id) => add(database, id)));
    await add(database, 'f');
    await assert.rejects(add(database, 'f'));
    assert.deepEqual(sizes, engine.name === 'sqlite' ? [5, 1] : [1, 1, 1, 1, 1, 1]);
  });

  test('close finishes the writes under way, can be called twice, and refuses what comes later', async (t) => {
    const location = await engine.location();
    const database = await openDatabase(location);
    await database.write(async (sql) => {
      await sql.run`create table items (id text not null primary key, n integer)`;
    });
    const read = ids(database.sql);
    const writes = Promise.all(['a', 'b', 'c'].map((id) => add(database, id)));
    const closed = database.close();
    assert.deepEqual(await writes, [1, 1, 1]);
    assert.equal(await read, '');
    await closed;
    await database.close();
    await assert.rejects(add(database, 'd'), DatabaseUnavailable);
    await assert.rejects(ids(database.sql), DatabaseUnavailable);
    if (location === 'memory') return;
    const again = await openDatabase(location);
    t.after(() => again.close());
    assert.equal(await ids(again.sql), 'a b c');
  });
}

forEachEngine(contract);
onMemory(contract);
