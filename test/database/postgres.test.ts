import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Database,
  DatabaseBusy,
  DatabaseUnavailable,
  type RepeatReason,
  type Sql,
} from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openPostgres, type PostgresOptions } from '../../src/database/postgres.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { administer, onPostgres } from '../support/engines.ts';
import { expectLockWaits } from '../support/server-log.ts';

onPostgres((engine) => {
  async function open(
    t: test.TestContext,
    options?: PostgresOptions,
    through?: (url: string) => Promise<string>,
  ): Promise<{ database: Database; url: string }> {
    const location = await engine.location();
    assert.ok('url' in location);
    const { url } = location;
    await administer('create table items (id text not null primary key, n integer)', url);
    const database = await openPostgres((await through?.(url)) ?? url, options);
    t.after(() => database.close());
    return { database, url };
  }

  const add = (database: Database, id: string): Promise<number> =>
    database.write((sql) => sql.run`insert into items (id, n) values (${id}, ${0})`);

  const killAll = (url: string): Promise<unknown> =>
    administer(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'l-plate'`,
      url,
    );

  async function untilWritten(database: Database, id: string): Promise<void> {
    for (let tries = 0; tries < 15; tries++) {
      try {
        await add(database, id);
        return;
      } catch (error) {
        assert.ok(error instanceof DatabaseUnavailable);
      }
    }
    assert.fail('it did not recover');
  }

  test('a connection that the server ends in the middle of a write makes it unavailable, and the next write works', async (t) => {
    const { database, url } = await open(t);
    for (const settle of [0, 50]) {
      const broken = database.write(async (sql) => {
        await sql.run`insert into items (id) values (${'lost'})`;
        await killAll(url);
        await pause(settle);
        await sql.run`insert into items (id) values (${'lost too'})`;
      });
      await assert.rejects(broken, DatabaseUnavailable);
      await untilWritten(database, `after ${settle}`);
    }
    const rows = await database.sql.all<{ id: string }>`select id from items order by id`;
    assert.deepEqual(rows, [{ id: 'after 0' }, { id: 'after 50' }]);
  });

  test('connections that the server ends while idle are replaced', async (t) => {
    const { database, url } = await open(t);
    await Promise.all(['a', 'b', 'c'].map((id) => add(database, id)));
    await killAll(url);
    await untilWritten(database, 'd');
    await killAll(url);
    await pause(50);
    await add(database, 'e');
    assert.equal((await database.sql.all`select id from items`).length, 5);
  });

  test('under a storm of ended connections every write is done or unavailable, and what is done is there', async (t) => {
    const { database, url } = await open(t);
    let storm = true;
    const killer = (async () => {
      while (storm) {
        await killAll(url);
        await pause(3);
      }
    })();
    const done: string[] = [];
    let refused = 0;
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let i = 0; i < 60; i++) {
          const id = `${worker} ${i}`;
          try {
            await add(database, id);
            done.push(id);
          } catch (error) {
            assert.ok(error instanceof DatabaseUnavailable, String(error));
            refused++;
          }
          await database.sql.get`select n from items where id = ${id}`.catch((error) =>
            assert.ok(error instanceof DatabaseUnavailable, String(error)),
          );
        }
      }),
    );
    storm = false;
    await killer;
    await untilWritten(database, 'after the storm');
    const found = new Set((await database.sql.all<{ id: string }>`select id from items`).map(({ id }) => id));
    for (const id of done) assert.ok(found.has(id), `${id} was acknowledged`);
    assert.ok(refused > 0 && done.length > 0, `${done.length} done, ${refused} refused`);
  });

  test('a commit whose answer is lost is unavailable: nobody knows whether it took place', async (t) => {
    let cut = false;
    const { database, url } = await open(t, {}, (target) =>
      proxy(target, (data, client, server) => {
        if (!cut || !data.includes('commit\0')) return;
        server.unpipe(client);
        setTimeout(() => client.destroy(), 50);
      }),
    );
    await add(database, 'a');
    cut = true;
    await assert.rejects(add(database, 'b'), DatabaseUnavailable);
    cut = false;
    assert.equal((await administer('select id from items', url)).length, 2, 'in this case it took place');
    await untilWritten(database, 'c');
  });

  test('Decisions, the program: a migration may take longer than the limit of a statement; other writes may not', async (t) => {
    const { database } = await open(t, { max: 1, statementTimeoutMillis: 100 });
    const slow = (sql: Sql) => sql.run`select pg_sleep(0.5)`;
    assert.equal(await database.write(slow, { unlimited: true }), 1);
    await assert.rejects(database.write(slow), DatabaseUnavailable);
  });

  test('a network that swallows all answers makes a write unavailable, and its connection is not used again', async (t) => {
    let swallow = false;
    const { database } = await open(t, { max: 1, statementTimeoutMillis: 150 }, (target) =>
      proxy(target, (_, client, server) => {
        if (swallow) server.unpipe(client);
      }),
    );
    const broken = database.write(async (sql) => {
      await sql.run`insert into items (id) values (${'a'})`;
      swallow = true;
      await sql.run`insert into items (id) values (${'b'})`;
    });
    await assert.rejects(broken, DatabaseUnavailable);
    swallow = false;
    await add(database, 'c');
    assert.deepEqual(await database.sql.all`select id from items`, [{ id: 'c' }]);
  });

  test('a commit that the server turns down refuses the write', async (t) => {
    const { database, url } = await open(t);
    await administer('alter table items add constraint later unique (n) deferrable initially deferred', url);
    await add(database, 'a');
    await assert.rejects(add(database, 'b'), /later/);
    assert.equal((await database.sql.all`select id from items`).length, 1);
  });

  test('writes that deadlock are tried again until both are done, and each time is reported', async (t) => {
    const repeated: RepeatReason[] = [];
    const { database, url } = await open(t, { onRepeat: (reason) => repeated.push(reason) });
    await expectLockWaits(url);
    await add(database, 'a');
    await add(database, 'b');
    let runs = 0;
    const both = Promise.withResolvers<void>();
    const swap = (first: string, second: string): Promise<void> =>
      database.write(async (sql) => {
        await sql.run`set local deadlock_timeout = '20ms'`;
        await sql.run`update items set n = n + 1 where id = ${first}`;
        if (++runs === 2) both.resolve();
        await both.promise;
        await sql.run`update items set n = n + 1 where id = ${second}`;
      });
    await Promise.all([swap('a', 'b'), swap('b', 'a')]);
    // Once more at the least: the one that began anew may get in the way of the other again.
    assert.ok(runs >= 3, `${runs} runs`);
    assert.deepEqual(repeated, Array(runs - 2).fill('deadlock'));
    assert.deepEqual(await database.sql.all`select n from items`, [{ n: 2 }, { n: 2 }]);
  });

  test('a write that meets a serialization failure each time ends as busy', async (t) => {
    const repeated: RepeatReason[] = [];
    const { database } = await open(t, { onRepeat: (reason) => repeated.push(reason) });
    let runs = 0;
    const hopeless = database.write(async (sql) => {
      runs++;
      await sql.run`do $$ begin raise exception 'again' using errcode = '40001'; end $$`;
    });
    await assert.rejects(hopeless, DatabaseBusy);
    assert.equal(runs, 5);
    assert.deepEqual(repeated, Array(4).fill('serialization'));
  });

  test('a write that waits too long for a connection is refused as busy, and so is a statement that takes too long', async (t) => {
    const { database } = await open(t, { max: 1, connectionTimeoutMillis: 400, statementTimeoutMillis: 2500 });
    const busy = database.write((sql) => sql.get`select pg_sleep(1.5)`);
    await assert.rejects(add(database, 'a'), DatabaseBusy);
    await busy;
    await assert.rejects(database.sql.get`select pg_sleep(20)`, DatabaseBusy);
    await assert.rejects(
      database.write((sql) => sql.get`select pg_sleep(20)`),
      DatabaseBusy,
    );
    await add(database, 'b');
  });

  test('a write that waits too long for a row is refused as busy, keeps its connection, and changes nothing', async (t) => {
    const { database } = await open(t, { max: 2, statementTimeoutMillis: 400 });
    await add(database, 'a');
    const change = (by: number) => (sql: Sql) => sql.run`update items set n = n + ${by} where id = 'a'`;
    const held = Promise.withResolvers<void>();
    const enough = Promise.withResolvers<void>();
    const holding = database.write(async (sql) => {
      await change(1)(sql);
      held.resolve();
      await enough.promise;
    });
    await held.promise;
    await assert.rejects(database.write(change(10)), DatabaseBusy);
    enough.resolve();
    await holding;
    await database.write(change(100));
    assert.deepEqual(await database.sql.all`select n from items`, [{ n: 101 }]);
  });

  test('a failed statement costs a write its transaction, not its connection', async (t) => {
    const { database } = await open(t, { max: 1 });
    const pid = (): Promise<unknown> => database.write((sql) => sql.get`select pg_backend_pid() as pid`);
    const before = await pid();
    await add(database, 'a');
    await assert.rejects(add(database, 'a'), /duplicate key/);
    assert.deepEqual(await pid(), before);
  });

  test('a statement is prepared once a connection, under its own name', async (t) => {
    const { database } = await open(t, { max: 1 });
    for (const id of ['a', 'b', 'c']) await add(database, id);
    const rows = await database.sql.all<{ statement: string }>`select statement from pg_prepared_statements
      where statement like 'insert%'`;
    assert.deepEqual(rows, [{ statement: 'insert into items (id, n) values ($1, $2)' }]);
  });

  test('a server that can not be reached or refuses stops the start with one line, without the password', async () => {
    const location = await engine.location();
    assert.ok('url' in location);
    const closed = new URL(location.url);
    closed.port = '1';
    const wrong = new URL(location.url);
    wrong.password = 'secret-word';
    const absent = new URL(location.url);
    absent.pathname = '/absent';
    const urls = {
      [closed.href]: /ECONNREFUSED/,
      [wrong.href]: /authentication failed/,
      [absent.href]: /does not exist/,
    };
    for (const [url, reason] of Object.entries(urls)) {
      await assert.rejects(openDatabase({ url }), (error) => {
        assert.ok(error instanceof StartupError);
        assert.equal(error.exitCode, 1);
        assert.match(error.message, reason);
        assert.match(error.message, /^The PostgreSQL database at 127\.0\.0\.1:\d+\/\w+ can't be used: [^\n]+$/);
        assert.ok(!error.message.includes(new URL(url).password));
        return true;
      });
    }
  });
});

/** The URL of the same database through a relay, which can meddle whenever the client has sent something. */
async function proxy(target: string, meddle: (data: Buffer, client: Socket, server: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(target);
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    server.pipe(client);
    client.on('data', (data: Buffer) => {
      server.write(data);
      meddle(data, client, server);
    });
    for (const end of [client, server]) end.on('error', () => {});
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  relay.unref();
  const through = new URL(target);
  through.port = String((relay.address() as AddressInfo).port);
  return through.href;
}

test('a database URL that is none stops the start with one line that tells nothing of it', async () => {
  for (const url of [
    '',
    'nonsense',
    'mysql://u:secret@h/db',
    'postgres://u:sec#ret@h/db',
    'postgres://u:12/secret@h/db',
  ]) {
    await assert.rejects(openDatabase({ url }), (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, /^The database URL is not valid\. [^\n]+$/);
      assert.doesNotMatch(error.message, /secret|12/);
      return true;
    });
  }
});
