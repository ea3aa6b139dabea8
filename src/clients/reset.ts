import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HousekeepingTask } from '../component.ts';
import { table, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
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
 * crash in the middle changes nothing. A reset of all notes how far it has come, in the order of the ids.
 *
 * What a client owns from the first start on is written again in the step that removed the last row.
 */

const resets = table('resets', { target: text, doneUpTo: text });

/** The target of a reset of all demo clients. */
const everyone = '*';

/** Rows that one step removes at the most, and clients that it looks at. */
const maxRows = 500;
const maxClients = 100;

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
      const ids = target === everyone ? await this.#clientsAfter(sql, note.doneUpTo) : [target];
      let left = maxRows;
      let done = 0;
      for (const id of ids) {
        left = await this.#removeSome(sql, id, left);
        if (left === 0) break;
        done += 1;
      }
      const more = left === 0 || ids.length === maxClients;
      if (more) await noteProgress(sql, { target, doneUpTo: ids[done - 1] ?? note.doneUpTo });
      else await endReset(sql, { target });
      return { done, more };
    });
  }

  async #clientsAfter(sql: Sql, after: string): Promise<string[]> {
    return (await findClients(sql, { after, limit: maxClients })).map(({ id }) => id);
  }

  /** Returns how many rows the step may still remove: none if there may be more of this client. */
  async #removeSome(sql: Sql, clientId: string, limit: number): Promise<number> {
    // The row of the client comes first, as wherever it gets something.
    if (!(await holdClient(sql, clientId))) return limit;
    const left = await removeRows(sql, this.#rows, clientId, limit, 'reset');
    if (left > 0) for (const { restore } of this.#rows) await restore?.(sql, clientId);
    return left;
  }
}

const findPending = statement.get`select ${resets.pick('target')} from resets order by target limit 1`;

// One that was under way begins anew: meanwhile its first clients may own something again.
const beginReset = statement.get`
  insert into resets (target, done_up_to) values (${'target'}, '')
  on conflict (target) do update set done_up_to = excluded.done_up_to
  returning ${resets.pick('doneUpTo')}`;

// The row is locked, so that a note is worked on by one at a time.
const continueReset = statement.get`
  update resets set done_up_to = done_up_to where target = ${'target'} returning ${resets.pick('doneUpTo')}`;

const noteProgress = statement.run`
  update resets set done_up_to = ${'doneUpTo'} where target = ${'target'}`;

const endReset = statement.run`delete from resets where target = ${'target'}`;

const findClients = statement.all`
  select ${clients.pick('id')} from clients
  where preset = 0 and removed_at is null and id > ${'after'} order by id limit ${'limit'}`;
