import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { administer, onPostgres } from '../support/engines.ts';
import { open, place, throughTcpRelay } from '../support/on-postgres.ts';
import { testWithin } from '../support/within.ts';

/* Signals from one process to another. A wait that never ends is a failure: it is cut after this long. */
const test = testWithin({ timeout: 30_000 });

onPostgres((engine) => {
  /** What a listener has heard. The first time comes by itself, when the server listens. */
  async function listen(
    database: Database,
    channel: string,
  ): Promise<{ heard: () => number; told: () => Promise<void> }> {
    let heard = 0;
    let next = Promise.withResolvers<void>();
    database.onSignal(channel, () => {
      heard++;
      next.resolve();
      next = Promise.withResolvers();
    });
    await next.promise;
    return { heard: () => heard, told: () => next.promise };
  }

  const lines = (url: string): Promise<{ pid: number }[]> =>
    administer(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'l-plate' and query like 'listen %'`,
      url,
    );

  async function breakLine(url: string): Promise<void> {
    const [line, ...more] = await lines(url);
    assert.ok(line && more.length === 0, 'one connection listens');
    await administer(`select pg_terminate_backend(${line.pid})`, url);
  }

  test('Decisions, claims and events: a signal is heard by another process, on its channel alone', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const there = await open(t, url);
    const channel = `Odd "one"; it's`;
    const other = await listen(there, 'other');
    const odd = await listen(there, channel);
    for (let i = 1; i <= 3; i++) {
      const told = odd.told();
      here.signal(channel);
      await told;
    }
    assert.deepEqual([odd.heard(), other.heard()], [4, 1]);
    const back = await listen(here, 'other');
    const told = back.told();
    there.signal('other');
    await told;
  });

  test('Decisions, claims and events: many channels, listened to at once, are all heard', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const there = await open(t, url);
    const channels = Array.from({ length: 8 }, (_, i) => `channel ${i}`);
    const ears = await Promise.all(channels.map((channel) => listen(there, channel)));
    const told = ears.map((ear) => ear.told());
    for (const channel of channels) here.signal(channel);
    await Promise.all(told);
    assert.equal((await lines(url)).length, 1);
  });

  test('Decisions, claims and events: what this process signals comes to its own listeners once', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const own = await listen(here, 'a');
    const echo = await listen(await open(t, url), 'a');
    const echoed = echo.told();
    here.signal('a');
    await echoed;
    // On a line notifications come in the order of their commits: after this one, the own has come as well.
    const told = own.told();
    await administer(`select pg_notify('lplate_a', 'somebody else')`, url);
    await told;
    assert.equal(own.heard(), 3, 'as it began, the own signal, and that of somebody else');
  });

  test('Decisions, claims and events: a burst of signals is one notification, and one more for what came meanwhile', async (t) => {
    const url = await place(engine);
    const database = await open(t, url);
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    t.after(() => watcher.end());
    await watcher.query('listen lplate_a');
    const seen: (string | undefined)[] = [];
    const last = new Promise<void>((resolve) =>
      watcher.on('notification', ({ payload }) => (payload === 'the last' ? resolve() : seen.push(payload))),
    );
    // One connection in the pool: what is asked after the burst is answered after its first notification.
    for (let i = 0; i < 100; i++) database.signal('a');
    while (seen.length < 2) await database.sql.get`select 1`;
    await watcher.query(`select pg_notify('lplate_a', 'the last')`);
    await last;
    assert.equal(seen.length, 2);
  });

  test('Decisions, claims and events: another process is told whom news are of, all that came meanwhile, or of nobody where they are too many', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const there = await open(t, url);
    const heard = new Set<string | undefined>();
    const ear = await listen(there, 'a');
    there.onSignal('a', (whose) => heard.add(whose));
    const some = Array.from({ length: 100 }, (_, at) => `demo-${String(at).padStart(36, '0')}`);
    for (const whose of some) here.signal('a', whose);
    while (heard.size < some.length) await ear.told();
    assert.deepEqual([...heard], some);
    // The first one goes alone, the others while it is under way.
    for (const whose of [...some, ...some.map((each) => `${each}-again`)]) here.signal('a', whose);
    while (!heard.has(undefined)) await ear.told();
    assert.equal(heard.size, some.length + 1);
  });

  test('Decisions, claims and events: a line that the server ends is replaced, and all are told as they may have missed something', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const there = await open(t, url);
    const ears = [await listen(there, 'a'), await listen(there, 'b')];
    for (let i = 0; i < 2; i++) {
      const again = ears.map((ear) => ear.told());
      await breakLine(url);
      await Promise.all(again);
      const told = ears.map((ear) => ear.told());
      for (const channel of ['a', 'b']) here.signal(channel);
      await Promise.all(told);
    }
  });

  test('Decisions, claims and events: while the server refuses, the line is tried again and again', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const { relay, url: shaky } = await throughTcpRelay(t, url);
    const there = await open(t, shaky);
    const ear = await listen(there, 'a');
    relay.refuse();
    for (let attempts = 0; attempts < 3; attempts++) await relay.connected();
    here.signal('a');
    // What is signalled here while nobody else can be told is heard here all the same.
    let told = ear.told();
    there.signal('a');
    await told;
    told = ear.told();
    relay.pass();
    await told;
    told = ear.told();
    here.signal('a');
    await told;
  });

  test('The program: a closed database leaves no connection on the server', async (t) => {
    const url = await place(engine);
    const database = await open(t, url);
    await listen(database, 'a');
    assert.equal((await lines(url)).length, 1);
    database.signal('a');
    await database.close();
    const left = (): Promise<unknown[]> =>
      administer(
        `select pid from pg_stat_activity where datname = current_database() and application_name = 'l-plate'`,
        url,
      );
    while ((await left()).length > 0) await pause(5);
  });

  test('The program: no server can keep a database from being closed, nor one that does not answer', async (t) => {
    const url = await place(engine);
    const timeouts = { connectionTimeoutMillis: 600_000, statementTimeoutMillis: 600_000 };
    for (const what of ['on the line', 'while it opens', 'in a pause', 'without a listener']) {
      const { relay, url: shaky } = await throughTcpRelay(t, url);
      const database = await openPostgres(shaky, timeouts);
      if (what === 'on the line' || what === 'in a pause') await listen(database, 'a');
      if (what === 'in a pause') {
        relay.refuse();
        await relay.connected();
      } else {
        relay.swallow();
      }
      if (what === 'while it opens') {
        database.onSignal('a', () => {});
        await relay.connected();
      }
      await database.close();
    }
  });

  test('The program: a process whose database is closed ends by itself, also while the server refuses', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    for (const refused of [false, true]) {
      const { relay, url: shaky } = await throughTcpRelay(t, url);
      const program = `
      const { openPostgres } = await import(${JSON.stringify(import.meta.resolve('../../src/database/postgres.ts'))});
      const database = await openPostgres(${JSON.stringify(shaky)});
      database.onSignal('a', () => console.log('told'));
      process.stdin.resume().on('end', () => database.close());`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      t.after(() => child.kill());
      const exit = once(child, 'exit');
      const output = createInterface(child.stdout);
      await once(output, 'line');
      const told = once(output, 'line');
      here.signal('a');
      await told;
      if (refused) {
        relay.refuse();
        for (let attempts = 0; attempts < 2; attempts++) await relay.connected();
      }
      child.stdin.end();
      assert.deepEqual(await exit, [0, null]);
    }
  });
});
