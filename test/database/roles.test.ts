import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../../src/component.ts';
import type { Lease, Role } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import type { System } from '../../src/system.ts';
import { administer, forEachEngine, onPostgres, onSqlite, openEmpty } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { open, place, throughTcpRelay } from '../support/on-postgres.ts';
import { deskRole, housekeepingRole, relayRole, roles, webhooksRole } from '../support/roles.ts';
import { testWithin } from '../support/within.ts';

/* Parts that one process at a time plays. What never comes to be is a failure: it is cut after this long. */
const test = testWithin({ timeout: 30_000 });

forEachEngine((engine) => {
  test('The program, more than one node: a process that is alone plays every part', async (t) => {
    const database = await openEmpty(t, engine);
    for (const role of roles) assert.equal((await database.role(role)).held, true, role.name);
    // Asked for again it is the same one.
    for (const role of roles) assert.equal((await database.role(role)).held, true, role.name);
  });
});

onSqlite((engine) => {
  /** With a system of this test that has this role, and a job for it unless told otherwise. */
  async function startWith(t: TestContext, role: Role, listed: readonly Role[] = [role]): Promise<void> {
    const job: Job = { name: 'to do nothing', role, everyMs: 60_000, run: async () => {} };
    const system: System = {
      ...{ name: 'extra', problems: {}, addresses: [], documents: [], roles: listed, jobs: [job] },
      register: async () => {},
    };
    await startLPlate(t, engine, {}, undefined, { extraSystems: () => [system] });
  }

  test('Design, roles: two of one name or of one lock stop the start, also when its job does not run', async (t) => {
    await startWith(t, { name: 'extra', lock: 100 });
    for (const { name, lock } of roles) {
      await assert.rejects(startWith(t, { name: 'extra', lock }), /Two roles/);
      await assert.rejects(startWith(t, { name, lock: 100 }), /Two roles/);
    }
  });

  test('Design, roles: a job for a role that is in no list stops the start', async (t) => {
    await assert.rejects(startWith(t, { name: 'extra', lock: 100 }, []), /in no list of roles/);
  });

  test('Design, roles: the locks keep their numbers, since nodes of two versions run side by side', () => {
    const locks = Object.fromEntries(roles.map(({ name, lock }) => [name, lock]));
    assert.deepEqual(locks, { desk: 0, webhooks: 1, relay: 2, housekeeping: 3, imports: 5, statements: 6 });
  });
});

onPostgres((engine) => {
  test('The program, more than one node: a part that is taken is nobody else’s, whatever their other parts are', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const there = await open(t, url);
    const desk = await here.role(deskRole);
    const theirs = await there.role(deskRole);
    const relay = await there.role(relayRole);
    assert.deepEqual([desk.held, theirs.held, relay.held], [true, false, true]);
    assert.equal((await here.role(relayRole)).held, false);
    // Longer than the pause between two tries.
    await pause(1_500);
    assert.deepEqual([desk.held, theirs.held, relay.held], [true, false, true]);
    assert.deepEqual(await owners(url, [deskRole, relayRole]), { desk: 1, relay: 1 });
  });

  test('The program, more than one node: those who share another database have parts of their own', async (t) => {
    const held = await Promise.all(
      [await place(engine), await place(engine)].map(async (url) => (await (await open(t, url)).role(deskRole)).held),
    );
    assert.deepEqual(held, [true, true]);
  });

  test('The program, more than one node: a process that closes hands its parts over at once', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const ours = await Promise.all(roles.map((role) => here.role(role)));
    const there = await open(t, url);
    const theirs = await Promise.all(roles.map((role) => there.role(role)));
    const closed = here.close();
    assert.deepEqual(
      ours.filter(({ held }) => held),
      [],
      'not held from the moment on that they may be another’s',
    );
    await closed;
    await all(theirs, 2_000);
  });

  test('The program, more than one node: the parts of a process that dies go to another within seconds', async (t) => {
    const url = await place(engine);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program(url)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    assert.deepEqual(await once(createInterface(child.stdout), 'line'), ['true']);
    const role = await (await open(t, url)).role(deskRole);
    assert.equal(role.held, false);
    child.kill('SIGKILL');
    await all([role], 2_000);
  });

  test('The program, more than one node: when the server ends the session of a part, one process has it again, and nothing else is disturbed', async (t) => {
    const url = await place(engine);
    const databases = [await open(t, url), await open(t, url)];
    const both = await Promise.all(databases.map((database) => database.role(webhooksRole)));
    const playing = (): Lease[] => both.filter(({ held }) => held);
    for (let round = 0; round < 2; round += 1) {
      assert.equal(playing().length, 1);
      const before = await sessions(url);
      assert.equal(before.length, 1);
      await administer(`select pg_terminate_backend(${before[0]})`, url);
      await Promise.all(databases.map((database) => database.sql.get`select 1`));
      for (const began = Date.now(); (await sessions(url)).join() === before.join() || !playing().length; ) {
        assert.ok(Date.now() - began < 5_000, 'nobody has it');
        await pause(20);
      }
      await pause(1_500);
    }
    assert.equal(playing().length, 1);
    assert.deepEqual(await owners(url, [webhooksRole]), { webhooks: 1 });
  });

  test('The program, more than one node: who no longer hears the server gives its parts up before another has them', async (t) => {
    const url = await place(engine);
    const { relay, url: shaky } = await throughTcpRelay(t, url);
    const here = await open(t, shaky);
    const ours = await here.role(relayRole);
    const there = await open(t, url);
    const theirs = await there.role(relayRole);
    assert.deepEqual([ours.held, theirs.held], [true, false]);
    relay.swallow();
    for (const began = Date.now(); !theirs.held; await pause(10)) {
      assert.ok(Date.now() - began < 15_000, 'the other never had it');
    }
    assert.equal(ours.held, false);

    relay.pass();
    await pause(3_000);
    assert.deepEqual([ours.held, theirs.held], [false, true], 'it stays where it is');
    // What it asked, and how it tried to connect meanwhile, nobody will ever answer.
    await there.close();
    await all([ours], 10_000);
  });

  test('The program, more than one node: a process that stood still for long has no part before it has asked for it again', async (t) => {
    const role = await (await open(t, await place(engine))).role(deskRole);
    assert.equal(role.held, true);
    // So long that the server ended the session. Nothing of that was read when the process goes on.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8_500);
    assert.equal(role.held, false);
    await all([role], 5_000);
  });

  test('The program, more than one node: a part that cannot be asked for is not played, and is asked for until it can', async (t) => {
    const { relay, url } = await throughTcpRelay(t, await place(engine));
    const database = await open(t, url);
    relay.refuse();
    const role = await database.role(deskRole);
    assert.equal(role.held, false);
    relay.pass();
    await all([role], 5_000);

    // The same once it was had.
    relay.refuse();
    await none([role], 2_000);
    relay.pass();
    await all([role], 5_000);
  });

  test('The program, more than one node: parts that many ask for at once are told to each as they are, on one connection', async (t) => {
    const url = await place(engine);
    const here = await open(t, url);
    const there = await open(t, url);
    assert.equal((await there.role(housekeepingRole)).held, true);
    const asked = await Promise.all(Array.from({ length: 10 }, () => roles.map((role) => here.role(role))).flat());
    for (const [index, role] of asked.entries()) {
      assert.equal(role.held, roles[index % roles.length] !== housekeepingRole);
    }
    assert.equal((await sessions(url)).length, 2);
    assert.deepEqual(await owners(url, roles), Object.fromEntries(roles.map(({ name }) => [name, 1])));
  });

  test('The program, more than one node: what is closed has no part, no connection and asks for none', async (t) => {
    const url = await place(engine);
    const database = await open(t, url);
    const [role] = await Promise.all([database.role(deskRole), database.role(relayRole)]);
    await database.close();
    assert.equal(role.held, false);
    assert.equal((await database.role(deskRole)).held, false);
    await pause(1_500);
    assert.equal(role.held, false);
    assert.deepEqual(await connections(url), []);
  });

  test('The program, more than one node: a server that does not answer keeps no process with parts from closing', async (t) => {
    for (const what of ['silent', 'silent while it is asked', 'gone'] as const) {
      const { relay, url } = await throughTcpRelay(t, await place(engine));
      const database = await openPostgres(url);
      if (what !== 'silent while it is asked') assert.equal((await database.role(deskRole)).held, true);
      if (what === 'gone') relay.refuse();
      else relay.swallow();
      const asking = database.role(relayRole);
      const began = Date.now();
      await database.close();
      assert.equal((await asking).held, false);
      assert.ok(Date.now() - began < 2_000, `${what}: ${Date.now() - began} ms`);
    }
  });
});

/** A process that plays the desk until it is ended. */
function program(url: string): string {
  return `
    const { openPostgres } = await import(${JSON.stringify(import.meta.resolve('../../src/database/postgres.ts'))});
    const database = await openPostgres(${JSON.stringify(url)});
    console.log((await database.role(${JSON.stringify(deskRole)})).held);`;
}

/** Waits until all are held; fails when they are not within the time. */
async function all(parts: readonly Lease[], milliseconds: number): Promise<void> {
  for (const began = Date.now(); !parts.every(({ held }) => held); await pause(10)) {
    assert.ok(Date.now() - began < milliseconds, `not held within ${milliseconds} ms`);
  }
}

async function none(parts: readonly Lease[], milliseconds: number): Promise<void> {
  for (const began = Date.now(); parts.some(({ held }) => held); await pause(10)) {
    assert.ok(Date.now() - began < milliseconds, `still held after ${milliseconds} ms`);
  }
}

const locks = `pg_locks where locktype = 'advisory' and classid = 7501947 and granted
  and database = (select oid from pg_database where datname = current_database())`;

/** How many sessions the server lets play each of these parts. */
async function owners(url: string, asked: readonly Role[]): Promise<Record<string, number>> {
  const rows = await administer<{ part: string; sessions: number }>(
    `select objid::text as part, count(*)::int as sessions from ${locks} group by objid`,
    url,
  );
  const of = (lock: number) => rows.find(({ part }) => part === String(lock))?.sessions;
  return Object.fromEntries(asked.map(({ name, lock }) => [name, of(lock) ?? 0]));
}

/** The sessions that play a part. */
async function sessions(url: string): Promise<number[]> {
  return (await administer<{ pid: number }>(`select distinct pid from ${locks} order by pid`, url)).map(
    ({ pid }) => pid,
  );
}

/** Those of the program, once the server has seen which of them were ended. */
async function connections(url: string): Promise<unknown[]> {
  const open = () =>
    administer(
      `select pid, query from pg_stat_activity where datname = current_database() and application_name = 'l-plate'`,
      url,
    );
  for (const began = Date.now(); (await open()).length > 0 && Date.now() - began < 2_000; ) await pause(20);
  return open();
}
