import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HousekeepingTask } from '../component.ts';
import { table, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { clients, holdClient } from './clients.ts';
import { type OwnedRows, removeRows } from './owned-rows.ts';

/*
 * The reset of a client: all that it owns is removed, and the client stays, with its credentials.
 *
 *   there → being reset → there, and owns nothing
 *
 * Rows are removed in steps of one short transaction each, and other writes get their turn in between. Each step leaves
 * what a caller may see: claims go before policies, and policies from the last one on, so that their numbers have no
 * gaps. What the client creates while it is being reset may go as well. A client with little goes in one step.
 *
 * The first step notes what is being reset, the last one removes the note. Whoever finds a note goes on with it, so a
 * crash in the middle changes nothing. A reset of all goes from client to client in the order of their ids, one in each
 * step, and notes how far it has come.
 *
 * What a client owns from the first start on is written again in a step of its own: vehicles are taken in one order, rows
 * are removed in another.
 */

const resets = table('resets', { target: text, doneUpTo: text });

/** The target of a reset of all demo clients. */
const everyone = '*';

/** Rows that one step removes at the most. */
const maxRows = 500;

export class ClientReset implements HousekeepingTask {
  readonly name = 'resets under way';
  readonly #database: Database;
  readonly #rows: readonly OwnedRows[];

  /** `rows`: what clients own. */
  constructor(database: Database, rows: readonly OwnedRows[]) {
    this.#database = database;
    this.#rows = rows;
  }

  /** Resolves when the client owns what it owned at the first start, which is nothing but for the preconfigured fleet. */
  async reset(clientId: string): Promise<void> {
    await this.#run(clientId);
  }

  /** Resolves when no demo client owns anything any more. Returns how many there are. */
  resetAll(): Promise<number> {
    return this.#run(everyone);
  }

  async step(): Promise<boolean> {
    const pending = await findPending(this.#database.sql);
    if (!pending) return false;
    await this.#step(pending.target, continueReset);
    return true;
  }

  async #run(target: string): Promise<number> {
    let { done, more } = await this.#step(target, beginReset);
    while (more) {
      await nextTurn();
      const next = await this.#step(target, continueReset);
      done += next.done;
      more = next.more;
    }
    return done;
  }

  #step(target: string, open: typeof beginReset): Promise<{ done: number; more: boolean }> {
    return this.#database.write(async (sql) => {
      const note = await open(sql, { target });
      // Another one did the rest meanwhile.
      if (!note) return { done: 0, more: false };
      const id = target === everyone ? (await findNext(sql, { after: note.doneUpTo }))?.id : target;
      const state = id === undefined ? 'over' : await this.#clear(sql, id, note.doneUpTo === id);
      const isOver = state === 'over' || (state === 'done' && target !== everyone);
      if (isOver) await endReset(sql, { target });
      else if (id !== undefined && state !== 'more') await noteProgress(sql, { target, doneUpTo: id });
      return { done: state === 'done' ? 1 : 0, more: !isOver };
    });
  }

  /** Does some of what is to be done for a client: `emptied` when nothing is left of it, and something is to be restored. */
  async #clear(sql: Sql, clientId: string, isEmptied: boolean): Promise<'more' | 'emptied' | 'done'> {
    // The row of the client comes first, as wherever it gets something.
    if (!(await holdClient(sql, clientId))) return 'done';
    const restore = this.#rows.find((each) => each.restore?.clientId === clientId)?.restore;
    if (isEmptied && (await restore?.write(sql))) return 'done';
    if ((await removeRows(sql, this.#rows, clientId, maxRows, 'reset')) === 0) return 'more';
    return restore ? 'emptied' : 'done';
  }
}

const findPending = statement.get`select ${resets.pick('target')} from resets order by target limit 1`;

// One that was under way begins anew: meanwhile its first clients may own something again.
const beginReset = statement.get`
  insert into resets (target, done_up_to) values (${'target'}, '')
  on conflict (target) do update set done_up_to = excluded.done_up_to
  returning ${resets.pick('doneUpTo')}`;

// A note is worked on by one at a time.
const continueReset = statement.get`
  select ${resets.pick('doneUpTo')} from resets where target = ${'target'} ${lockRows}`;

const noteProgress = statement.run`
  update resets set done_up_to = ${'doneUpTo'} where target = ${'target'}`;

const endReset = statement.run`delete from resets where target = ${'target'}`;

const findNext = statement.get`
  select ${clients.pick('id')} from clients
  where preset = 0 and removed_at is null and id > ${'after'} order by id limit 1`;
