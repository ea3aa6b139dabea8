import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { claimStatusChanged } from '../../src/claims/status-changed.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Position } from '../../src/events/cursor.ts';
import { EventLog } from '../../src/events/event-log.ts';
import type { ProblemError } from '../../src/http/problems/problem.ts';
import { ClientClocks } from '../../src/time/client-clocks.ts';
import { instant } from '../../src/time/clock.ts';
import { day } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import {
  administer,
  type Engine,
  forEachEngine,
  forEachEngineInFull,
  onPostgres,
  openEmpty,
} from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { startLPlate, startWithClient } from '../support/lplate.ts';
import { batch, claimOn, drain, EventStream, insure, pass } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { longTimeout } from './listener.ts';
import { firstChange } from './published.ts';

/** A transaction on a connection of its own that has added an event to the log, and stays open. */
async function holdOpen(t: test.TestContext, url: string, clientId: string, claimId: string) {
  const line = new pg.Client({ connectionString: url });
  await line.connect();
  t.after(() => line.end());
  await line.query('begin');
  const { rows } = await line.query('update event_head set seq = seq + 1 where id = 1 returning seq');
  const event = firstChange(claimId);
  await line.query(
    `insert into events (seq, event_id, client_id, ordering_key, payload, published_at) values ($1, $2, $3, $4, $5, $6)`,
    [rows[0].seq, event.eventId, clientId, claimId, JSON.stringify(event), event.occurredAt],
  );
  return { seq: Number(rows[0].seq), eventId: event.eventId, end: (how: 'commit' | 'rollback') => line.query(how) };
}

onPostgres((engine) => {
  for (const how of ['commit', 'rollback'] as const) {
    const outcome = how === 'commit' ? 'then come first for every reader' : 'and leave no gap when they are undone';
    test(
      `Events, rule 2: changes of a transaction that stays open hold later ones back, ${outcome}`,
      longTimeout,
      async (t) => {
        const where = await engine.location();
        assert.ok('url' in where);
        const lplate = await startLPlate(
          t,
          { ...engine, location: async () => where },
          { eventsDuplicateRate: 0, eventsHeartbeatSeconds: 3600 },
        );
        const { id, token } = await lplate.client();
        const claimId = await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 10 });
        await pass(lplate, 0);
        const { next } = await drain(lplate, token);
        const held = await holdOpen(t, where.url, id, 'CLM-2026-900000');
        const stream = await EventStream.open(lplate.url, token, { after: next });
        t.after(() => stream.close());
        const polled = batch(lplate, token, `?after=${next}&wait=30`);

        lplate.clock.advance(10_000);
        await until(async () => {
          const waiting = await administer(
            `select 1 from pg_stat_activity where datname = current_database()
           and wait_event_type = 'Lock' and query like '%update event_head%'`,
            where.url,
          );
          return waiting.length > 0;
        }, 'a desk that waits');
        const meanwhile = await batch(lplate, token);
        assert.deepEqual(meanwhile.events, []);
        assert.equal((await lplate.call('GET', `/claims/v1/claims/${claimId}`, { token })).json.status, 'REGISTERED');
        // Nobody else waits for it.
        await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 3600 });
        assert.equal(stream.received.length, 0);

        await held.end(how);
        const wanted = how === 'commit' ? ['CLM-2026-900000', claimId] : [claimId];
        await stream.until(() => stream.received.length >= wanted.length);
        const streamed = stream.received.map((each) => [each.id, each.event.data.claimId]);
        assert.deepEqual(
          streamed,
          wanted.map((each, at) => [`${held.seq + at}-1`, each]),
        );
        // The poll was woken, and not answered at the end of its time.
        const late = pause(10_000, undefined, { ref: false });
        const woken = await Promise.race([polled, late]);
        assert.equal(woken?.events[0]?.data.claimId, wanted[0]);
        for (const after of ['earliest', next, meanwhile.next]) {
          const read = await drain(lplate, token, after, 1);
          assert.deepEqual(
            read.events.map(({ data }) => data.claimId),
            wanted,
            `after ${after}`,
          );
        }
      },
    );
  }
});

/** Several connections to one database: on PostgreSQL as several processes have them. */
async function openSeveral(t: test.TestContext, engine: Engine): Promise<Database[]> {
  if (engine.name === 'sqlite') return [await openEmpty(t, engine)];
  const where = await engine.location();
  const databases: Database[] = [];
  for (let number = 0; number < 4; number++) {
    const database = await openDatabase(where);
    t.after(() => database.close());
    databases.push(database);
  }
  return databases;
}

const appenders = 8;
const transactions = extent(10, 25);

forEachEngine((engine) => {
  test(
    'Events, rule 2: whoever appends at the same time, numbers have no gaps and readers pass nothing by',
    longTimeout,
    async (t) => {
      const databases = await openSeveral(t, engine);
      const clock = new TestClock();
      const logs = databases.map((database) => new EventLog(database, new ClientClocks(clock), 0));
      const committed = new Map<string, string[]>();
      let appending = true;

      async function append(at: number): Promise<void> {
        const database = databases[at % databases.length] as Database;
        const log = logs[at % logs.length] as EventLog;
        const claimId = `CLM-2026-00000${at}`;
        committed.set(claimId, []);
        for (let number = 0; number < transactions; number++) {
          const events = Array.from({ length: 1 + (number % 4) }, () => firstChange(claimId));
          const undo = number % 5 === 3;
          const written = database.write(async (sql) => {
            await log.append(
              sql,
              claimStatusChanged,
              events.map((event) => ({ clientId: 'reader', event })),
            );
            // Some take their time to commit. The works of the embedded engine run one after the other and may not.
            if (engine.name === 'postgres' && number % 3 === 0) await pause(number % 7);
            if (undo) throw new Error('undone');
          });
          if (undo) await assert.rejects(written, { message: 'undone' });
          else {
            await written;
            committed.get(claimId)?.push(...events.map(({ eventId }) => eventId));
          }
          log.announce();
        }
      }

      async function read(log: EventLog, limit: number) {
        const seen: { seq: number; claimId: string; eventId: string }[] = [];
        let next: Position = 'earliest';
        for (let last = false; ; await turn()) {
          const read = await log.read(claimStatusChanged, 'reader', next, limit);
          next = read.next;
          for (const { cursor, payload } of read.events) {
            const { eventId, data } = JSON.parse(payload);
            seen.push({ seq: cursor.seq, claimId: data.claimId, eventId });
          }
          if (read.events.length > 0) continue;
          // Once more after the last append.
          if (last) return seen;
          last = !appending;
        }
      }

      const reading = [1, 2, 7, 100].flatMap((limit) => logs.map((log) => read(log, limit)));
      await Promise.all(Array.from({ length: appenders }, (_, at) => append(at)));
      appending = false;
      const count = [...committed.values()].flat().length;
      for (const seen of await Promise.all(reading)) {
        assert.deepEqual(
          seen.map(({ seq }) => seq),
          Array.from({ length: count }, (_, at) => at + 1),
        );
        for (const [claimId, eventIds] of committed) {
          assert.deepEqual(
            seen.filter((each) => each.claimId === claimId).map(({ eventId }) => eventId),
            eventIds,
          );
        }
      }
    },
  );
});

forEachEngineInFull((engine) => {
  for (const rate of [0, 0.5, 1]) {
    test(
      `Events, rule 1: from every cursor there is, batches of any size and streams bring all that follows, at a rate of ${rate}`,
      longTimeout,
      async (t) => {
        const { lplate, token } = await startWithClient(t, engine, {
          eventsDuplicateRate: rate,
          streamsPerClient: 100,
        });
        const policy = await insure(lplate, token);
        for (let number = 0; number < 3; number++) await claimOn(lplate, token, policy, { paceSeconds: 1 });
        await pass(lplate, 3);
        const whole = await drain(lplate, token);
        const all = whole.events.map(({ eventId }) => eventId);
        assert.equal(new Set(all).size, 9);
        if (rate !== 0.5) assert.equal(all.length, rate === 0 ? 9 : 18);

        const stream = await EventStream.open(lplate.url, token);
        t.after(() => stream.close());
        await stream.until(() => stream.received.length === all.length);
        const cursors = stream.received.map(({ id }) => id);
        assert.equal(new Set(cursors).size, all.length);
        for (const [at, cursor] of cursors.entries()) {
          const follows = all.slice(at + 1);
          for (const limit of [1, 2, 3, 500]) {
            const { events } = await drain(lplate, token, cursor, limit);
            assert.deepEqual(
              events.map(({ eventId }) => eventId),
              follows,
              `after ${cursor}, by ${limit}`,
            );
          }
          const resumed = await EventStream.open(lplate.url, token, { lastEventId: cursor });
          await resumed.until(() => resumed.received.length === follows.length);
          assert.deepEqual(
            resumed.received.map(({ id }) => id),
            cursors.slice(at + 1),
          );
          resumed.close();
        }
      },
    );
  }

  test('Events, rule 3: the oldest event that is kept is found in looks of bounded size, whatever the clock did', async (t) => {
    const clock = new TestClock();
    const clocks = new ClientClocks(clock);
    const database = await openEmpty(t, engine);
    const log = new EventLog(database, clocks, 0);
    // One each ten seconds, with gaps. For a while the clock was a day ahead, and for a while a day behind.
    const rows = Array.from({ length: 24_000 }, (_, at) => {
      const step = at >= 8000 && at < 8100 ? day : at >= 16_000 && at < 16_100 ? -day : 0;
      return { seq: 50_001 + at * 3, at: clock.now() - (24_000 - at) * 10_000 + step };
    });
    await database.write(async (sql) => {
      for (let from = 0; from < rows.length; from += 2000) {
        const values = rows
          .slice(from, from + 2000)
          .map(({ seq, at }) => `(${seq}, 'event', 'client', 'key', '{}', '${instant(at)}')`);
        await sql.run([
          `insert into events (seq, event_id, client_id, ordering_key, payload, published_at) values ${values.join()}`,
        ]);
      }
      await sql.run`update event_head set seq = ${150_000}`;
    });

    // By clients that are so far ahead that they keep what is younger than this, in a mixed order.
    const ages = [0, 9_999, 30_000, 2 * day, 80_000_000, 600_000, day, 78_000_000, 160_000_000, 30_000, 6 * day];
    for (const [at, age] of ages.entries()) {
      const clientId = `client-${at % 8}`;
      const by = 7 * day - age;
      clocks.forget(clientId);
      clocks.set(clientId, { offset: by, moves: [{ at: clock.now(), by }] });
      const since = clocks.since(clientId, 7 * day);
      const oldest = rows.find((row) => row.at > since)?.seq ?? 150_001;
      const found = await log.bounds(clientId);
      assert.deepEqual([found.head, found.oldest], [150_000, oldest], `age ${age}`);
    }
    const found = await log.bounds(undefined);
    assert.deepEqual([found.head, found.oldest], [150_000, 50_001]);

    // Other work gets its turns meanwhile. What one look has found is not looked for again, by whomever.
    const turnsFor = async (one: EventLog, clientId: string) => {
      let turns = 0;
      const count = () => {
        turns += 1;
        next = setImmediate(count);
      };
      let next = setImmediate(count);
      await one.bounds(clientId);
      clearImmediate(next);
      return turns;
    };
    if (engine.name === 'postgres') return;
    const fresh = new EventLog(database, clocks, 0);
    // The ages 30,000 and 600,000.
    assert.ok((await turnsFor(fresh, 'client-5')) > 10);
    assert.ok((await turnsFor(fresh, 'client-5')) <= 1);
    assert.ok((await turnsFor(fresh, 'client-1')) <= 2);
  });

  test('Errors, 1: two readers that name one bad place in two ways are each told their own', longTimeout, async (t) => {
    const clock = new TestClock();
    const log = new EventLog(await openEmpty(t, engine), new ClientClocks(clock), 0);
    const place = { seq: 1000, copy: 1 };
    const names = [{ parameter: 'after' }, { header: 'Last-Event-ID' }] as const;
    const refusals = await Promise.allSettled(
      names.map((named) => log.read(claimStatusChanged, 'reader', place, 100, named)),
    );
    for (const [at, refusal] of refusals.entries()) {
      assert.equal(refusal.status, 'rejected');
      const [error] = (refusal.reason as ProblemError).extras.errors ?? [];
      assert.deepEqual({ ...error, detail: '' }, { ...names[at], detail: '' });
    }
  });
});
