import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HousekeepingTask } from '../component.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Clock, instant } from '../time/clock.ts';
import { clients } from './clients.ts';
import { type OwnedRows, removeRows } from './owned-rows.ts';

/*
 * The removal of demo clients that went `KEEP_CLIENTS_DAYS` without use, with all that is theirs; and of all of them, when
 * the trainer ends a class. In the first hour after a start nobody is idle: who comes back after the service was off for
 * days finds what it had.
 *
 *   there → being removed → gone
 *
 * The transaction of the first step looks again whether the client is idle, and marks it (`removed_at`). From then on
 * it is gone for every caller: its tokens and credentials are refused, its policies are in nobody's way, nothing of it
 * is called or published. Its rows are removed in that step and those that follow, the row of the client last. A client
 * with little goes in one step. Whoever finds a marked client goes on with it, so a crash in the middle changes nothing.
 */

/** Rows that one step removes at the most. */
const maxRows = 500;

/** Clients that one transaction marks at the most. */
const maxMarked = 100;

/** Milliseconds after a start in which no client counts as idle. */
const graceAfterStart = 60 * 60 * 1000;

export interface ClientRemovalOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds without use after which a demo client is removed (Limits, idle credential lifetime). */
  readonly lifetime: number;
  /** What clients own. */
  readonly rows: readonly OwnedRows[];
  /** Called when a client is gone for every caller. */
  readonly marked: (clientId: string) => void;
  /** Called when the last row of a client is gone. */
  readonly removed: () => void;
}

export class ClientRemoval implements HousekeepingTask {
  readonly name = 'idle clients';
  readonly removes = true;
  readonly #options: ClientRemovalOptions;
  readonly #startedAt: number;
  /** Since the log was last told. */
  #removed = 0;

  constructor(options: ClientRemovalOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  async step(): Promise<boolean> {
    const { database, clock, log, lifetime } = this.#options;
    const now = clock.now();
    const since = instant(now - lifetime);
    const marked = await findMarked(database.sql);
    const next =
      marked ?? (now - this.#startedAt < graceAfterStart ? undefined : await findIdle(database.sql, { since }));
    if (next) {
      await this.#remove(next.id, since);
      return true;
    }
    if (this.#removed > 0) {
      log.info({ removed: this.#removed }, 'idle clients removed');
      await database.erase();
    }
    this.#removed = 0;
    return false;
  }

  /**
   * Removes the demo clients that there are. They are gone for every caller before the first row of one is removed. What a
   * crash leaves of those that were marked, housekeeping removes. Resolves with how many there were.
   */
  async removeAll(): Promise<number> {
    const { database, clock, marked } = this.#options;
    const at = instant(clock.now());
    const ids: string[] = [];
    for (let after = ''; ; await nextTurn()) {
      const rows = await database.write((sql) => markSome(sql, { at, after, limit: maxMarked }));
      const some = rows.map(({ id }) => id).toSorted();
      for (const id of some) marked(id);
      ids.push(...some);
      if (some.length < maxMarked) break;
      after = some.at(-1) as string;
    }
    for (const id of ids) {
      while (!(await this.#remove(id, at))) await nextTurn();
    }
    await database.erase();
    return ids.length;
  }

  /** Removes one demo client. It is gone for every caller before its first row is removed. */
  async removeOne(id: string): Promise<void> {
    const at = instant(this.#options.clock.now());
    await this.#options.database.write((sql) => markOne(sql, { id, at }));
    this.#options.marked(id);
    while (!(await this.#remove(id, at))) await nextTurn();
  }

  /** One step. Returns whether nothing is left of the client. */
  async #remove(id: string, since: string): Promise<boolean> {
    const { database, clock, rows, marked, removed } = this.#options;
    const at = instant(clock.now());
    const gone = await database.write(async (sql) => {
      // It may have been used since it was looked for.
      if ((await mark(sql, { id, at, since })) === 0) return 'not there';
      if ((await removeRows(sql, rows, id, maxRows, 'remove')) === 0) return 'not yet';
      await removeClient(sql, { id });
      return 'removed';
    });
    marked(id);
    if (gone === 'removed') {
      this.#removed += 1;
      removed();
    }
    return gone !== 'not yet';
  }
}

const findMarked = statement.get`
  select ${clients.pick('id')} from clients where removed_at is not null order by removed_at, id limit 1`;

const findIdle = statement.get`
  select ${clients.pick('id')} from clients
  where preset = 0 and last_used_at <= ${'since'} and removed_at is null order by last_used_at limit 1`;

const mark = statement.run`
  update clients set removed_at = coalesce(removed_at, ${'at'})
  where id = ${'id'} and (removed_at is not null or preset = 0 and last_used_at <= ${'since'})`;

const markOne = statement.run`
  update clients set removed_at = ${'at'} where id = ${'id'} and preset = 0 and removed_at is null`;

// Those that come meanwhile stay.
const markSome = statement.all`
  update clients set removed_at = ${'at'}
  where id in (
    select id from clients
    where preset = 0 and removed_at is null and created_at <= ${'at'} and id > ${'after'} order by id limit ${'limit'}
  ) and removed_at is null
  returning ${clients.pick('id')}`;

const removeClient = statement.run`delete from clients where id = ${'id'}`;
