import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { administer } from './engines.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';
import { expectLockWaits, lockFaults } from './server-log.ts';
import { until } from './until.ts';

describe('Tests, the log of PostgreSQL', { concurrency: true, skip: postgresMissing() }, () => {
  let server: PostgresServer;
  before(async () => {
    server = (await startPostgres()) as PostgresServer;
  });
  // It has faults, which is what is tested here.
  after(() => server?.stop().catch(() => {}));

  async function twoRows(): Promise<{ url: string; name: string }> {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await administer(`create database ${name}`, server.url);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await administer(['create table items (id text primary key)', "insert into items values ('a'), ('b')"], url.href);
    return { url: url.href, name };
  }

  async function connect(t: test.TestContext, url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    t.after(() => client.end());
    return client;
  }

  const take = (client: pg.Client, id: string) =>
    client.query(`select from items where id = '${id}' for no key update`);

  async function deadlock(t: test.TestContext, url: string): Promise<void> {
    const [one, other] = [await connect(t, url), await connect(t, url)];
    for (const client of [one, other]) await client.query('begin');
    // The one that completes the circle sees it: two at once would both give up.
    await other.query("set local deadlock_timeout = '20ms'");
    const { pid } = (await one.query('select pg_backend_pid() as pid')).rows[0];
    await take(one, 'a');
    await take(other, 'b');
    const waiting = take(one, 'b');
    const isWaiting = async () =>
      (await other.query('select from pg_locks where not granted and pid = $1', [pid])).rowCount !== 0;
    await until(isWaiting, 'it waits');
    await assert.rejects(take(other, 'a'), { code: '40P01' });
    await waiting;
  }

  async function wait(
    t: test.TestContext,
    url: string,
    milliseconds: number,
    lock: (client: pg.Client) => Promise<unknown>,
  ) {
    const [one, other] = [await connect(t, url), await connect(t, url)];
    for (const client of [one, other]) await client.query('begin');
    await lock(one);
    const waiting = lock(other);
    await pause(milliseconds);
    await one.query('commit');
    await waiting;
  }

  const faultsOf = async (name: string) => lockFaults(await server.log()).filter(({ database }) => database === name);

  test('a deadlock is found, with the statements of both', async (t) => {
    const { url, name } = await twoRows();
    assert.deepEqual(await faultsOf(name), []);
    await deadlock(t, url);
    const [fault, ...more] = await faultsOf(name);
    assert.deepEqual(more, []);
    assert.match(
      fault?.text ?? '',
      /deadlock detected\n[\s\S]*id = 'a' for no key update\n[\s\S]*id = 'b' for no key update/,
    );
  });

  test('a long wait for a row is found, with its statement; a shorter one, or one for an advisory lock, is none', async (t) => {
    const { url, name } = await twoRows();
    await Promise.all([
      wait(t, url, 5200, (client) => client.query('select pg_advisory_xact_lock(1)')),
      wait(t, url, 1300, (client) => take(client, 'b')),
    ]);
    assert.deepEqual(await faultsOf(name), []);
    await wait(t, url, 5200, (client) => take(client, 'a'));
    const [fault, ...more] = await faultsOf(name);
    assert.deepEqual(more, []);
    assert.match(
      fault?.text ?? '',
      /still waiting for ShareLock on transaction \d+ after [\s\S]*STATEMENT: .* id = 'a' for/,
    );
  });

  test('what a test expects is passed over in its own database alone', async (t) => {
    const [expected, other] = [await twoRows(), await twoRows()];
    await expectLockWaits(expected.url);
    await deadlock(t, expected.url);
    await deadlock(t, other.url);
    assert.deepEqual(await faultsOf(expected.name), []);
    assert.equal((await faultsOf(other.name)).length, 1);
  });
});

test('Tests, the log of PostgreSQL: a server whose log has a fault stops with it, however often it was started, and leaves no file', {
  skip: postgresMissing(),
}, async (t) => {
  const server = (await startPostgres()) as PostgresServer;
  const { data_directory: data } =
    (await administer<{ data_directory: string }>('show data_directory', server.url))[0] ?? {};
  assert.ok(data && existsSync(data));
  const client = new pg.Client({ connectionString: server.url });
  t.after(() => client.end());
  client.on('error', () => {});
  await client.connect();
  await client.query("do $$ begin raise 'deadlock detected' using errcode = '40P01'; end $$").catch(() => {});
  await server.kill();
  await server.start();
  await assert.rejects(server.stop(), /1 deadlocks or long waits for a row:\n\n.* deadlock detected/);
  assert.ok(!existsSync(data));
});
