import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HousekeepingTask } from '../component.ts';
import type { Database } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { type Clock, instant } from '../time/clock.ts';
import { clients, type Removal } from './clients.ts';
import type { Going } from './going.ts';
import { type OwnedRows, removeRows } from './owned-rows.ts';

/*
 * The removal of demo clients that went `KEEP_CLIENTS_DAYS` without use, with all that is theirs; and of all of them, when
 * the trainer ends a class. Who is about to go is told of before (`going.ts`).
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
const maxMarked = 20;

export interface ClientRemovalOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which of them are idle (Limits, idle credential lifetime). */
  readonly going: Going;
  /** What clients own. */
  readonly rows: readonly OwnedRows[];
  /** Called when a client is gone for every caller. */
  readonly marked: (clientId: string, why: Removal | undefined) => void;
  /** Called when the last row of a client is gone. */
  readonly removed: () => void;
}

export class ClientRemoval implements HousekeepingTask {
  readonly name = 'idle clients';
  readonly removes = true;
  readonly #options: ClientRemovalOptions;
  /** Since the log was last told. */
  #removed = 0;

  constructor(options: ClientRemovalOptions) {
    this.#options = options;
  }

  async step(): Promise<boolean> {
    const { database, log, going } = this.#options;
    await going.tell();
    const { idle } = going;
    const marked = await findMarked(database.sql);
    const next = marked ?? (idle && (await findIdle(database.sql, idle)));
    if (next) {
      // Why one that is marked goes was told before.
      await this.#remove(next.id, idle ?? never, marked ? undefined : 'time without use');
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
      for (const id of some) marked(id, 'the trainer');
      ids.push(...some);
      if (some.length < maxMarked) break;
      after = some.at(-1) as string;
    }
    for (const id of ids) {
      while (!(await this.#remove(id, never, undefined))) await nextTurn();
    }
    await database.erase();
    return ids.length;
  }

  /** Removes one demo client. It is gone for every caller before its first row is removed. */
  async removeOne(id: string): Promise<void> {
    const at = instant(this.#options.clock.now());
    await this.#options.database.write((sql) => markOne(sql, { id, at }));
    this.#options.marked(id, 'a call');
    while (!(await this.#remove(id, never, undefined))) await nextTurn();
  }

  /** One step. Returns whether nothing is left of the client. `why` is left out where it was told before. */
  async #remove(id: string, idle: Idle, why: Removal | undefined): Promise<boolean> {
    const { database, clock, rows, marked, removed } = this.#options;
    const at = instant(clock.now());
    const gone = await database.write(async (sql) => {
      // It may have been used since it was looked for.
      if ((await mark(sql, { id, at, ...idle })) === 0) return 'not there';
      if ((await removeRows(sql, rows, id, maxRows, 'remove')) === 0) return 'not yet';
      await removeClient(sql, { id });
      return 'removed';
    });
    marked(id, gone === 'not there' ? undefined : why);
    if (gone === 'removed') {
      this.#removed += 1;
      removed();
    }
    return gone !== 'not yet';
  }
}

type Idle = NonNullable<Going['idle']>;

/** Where none is looked for: those that are marked go all the same. */
const never: Idle = { since: '', told: '', now: '' };

const findMarked = statement.get`
  select ${clients.pick('id')} from clients where removed_at is not null order by removed_at, id limit 1`;

const findIdle = statement.get`
  select ${clients.pick('id')} from clients
  where preset = 0 and last_used_at <= ${'since'} and removed_at is null
    and (noticed_at is null or noticed_at < last_used_at or noticed_at <= ${'told'} or noticed_at > ${'now'})
  order by last_used_at limit 1`;

const mark = statement.run`
  update clients set removed_at = coalesce(removed_at, ${'at'})
  where id = ${'id'} and (removed_at is not null or preset = 0 and last_used_at <= ${'since'}
    and (noticed_at is null or noticed_at < last_used_at or noticed_at <= ${'told'} or noticed_at > ${'now'}))`;

const markOne = statement.run`
  update clients set removed_at = ${'at'} where id = ${'id'} and preset = 0 and removed_at is null`;

// Those that come meanwhile stay.
const markSome = statement.all`
  with next as materialized (
    select id from clients
    where preset = 0 and removed_at is null and created_at <= ${'at'} and id > ${'after'} order by id limit ${'limit'}
    ${lockRows}
  )
  update clients set removed_at = ${'at'} where id in (select id from next)
  returning ${clients.pick('id')}`;

const removeClient = statement.run`delete from clients where id = ${'id'}`;
