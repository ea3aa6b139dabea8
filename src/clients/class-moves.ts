import { setTimeout as pause } from 'node:timers/promises';
import type { HousekeepingTask } from '../component.ts';
import { integer, table, text } from '../database/columns.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { eachInTurn } from '../database/each-in-turn.ts';
import { statement } from '../database/statement.ts';
import { unavailable } from '../http/problems/problem.ts';
import { type Clock, instant } from '../time/clock.ts';
import { clients } from './clients.ts';
import { nextMove } from './move-number.ts';

/*
 * Moves of the clocks of all demo clients.
 *
 *   begun → under way, from client to client → over
 *
 * A move is noted with its number when it begins, and the note goes when it is over. Each client takes part in a transaction
 * of its own, in which its row gets the number: so it takes part once, whoever asks, and nobody waits for more than one
 * client. A client takes part in all moves that it has missed, in their order. Whoever finds a note goes on with it, so
 * that a crash in the middle leaves no client behind. Clients that came when it had begun are left out.
 */

export const classMoves = table('class_moves', { number: integer, byMs: integer, begunAt: text });

/** Clients of one page. */
const pageSize = 20;

/** How often a page is tried again that the database refused, and milliseconds before that. */
const repeats = 5;
const pauseMs = 300;

/** How many clients were moved, and how many were not, since they are too far ahead. */
export interface MovedClients {
  readonly moved: number;
  readonly unmoved: number;
}

/** Has a client take part in the move with this number, and in those before. False when it is too far ahead. */
type TakePart = (clientId: string, number: number) => Promise<boolean>;

export class ClassMoves implements HousekeepingTask {
  readonly name = 'moves of all clocks under way';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #takePart: TakePart;
  /** How far housekeeping has come with which. */
  #position = { number: 0, after: '' };

  constructor(database: Database, clock: Clock, takePart: TakePart) {
    this.#database = database;
    this.#clock = clock;
    this.#takePart = takePart;
  }

  /**
   * Moves all by so many milliseconds.
   *
   * @throws {ProblemError} `unavailable` when the database refuses in the middle: housekeeping goes on with it
   */
  async advanceAll(by: number): Promise<MovedClients> {
    const begunAt = instant(this.#clock.now());
    const number = await this.#database.write(async (sql) => {
      const next = await nextMove(sql);
      await insert(sql, { number: next, byMs: by, begunAt });
      return next;
    });
    const all = { moved: 0, unmoved: 0 };
    for (let after = ''; ; ) {
      const page = await this.#movePage(number, begunAt, after).catch((error) => {
        throw error instanceof DatabaseUnavailable ? interrupted(all.moved) : error;
      });
      all.moved += page.moved;
      all.unmoved += page.unmoved;
      if (page.last === undefined) return all;
      after = page.last;
    }
  }

  async step(): Promise<boolean> {
    const pending = await findPending(this.#database.sql);
    if (!pending) return false;
    const { number, begunAt } = pending;
    if (this.#position.number !== number) this.#position = { number, after: '' };
    const { last } = await this.#movePage(number, begunAt, this.#position.after);
    this.#position.after = last ?? '';
    return true;
  }

  /** The clients after one: `last` is the last of them, undefined when there are none and the move is over. */
  async #movePage(number: number, begunAt: string, after: string): Promise<MovedClients & { readonly last?: string }> {
    for (let tries = 1; ; tries += 1) {
      try {
        const rows = await findPage(this.#database.sql, { begunAt, after, pageSize });
        const last = rows.at(-1)?.id;
        if (last !== undefined) return { ...(await this.#moveEach(number, rows)), last };
        await this.#database.write((sql) => remove(sql, { number }));
        return { moved: 0, unmoved: 0 };
      } catch (error) {
        // Who has taken part does so no more.
        if (!(error instanceof DatabaseUnavailable) || tries > repeats) throw error;
        await pause(pauseMs);
      }
    }
  }

  async #moveEach(number: number, rows: readonly { id: string; classMove: number }[]): Promise<MovedClients> {
    const left = rows.filter(({ classMove }) => classMove < number);
    const moved = await eachInTurn(this.#database, left, ({ id }) => this.#takePart(id, number));
    const unmoved = moved.filter((isMoved) => !isMoved).length;
    return { moved: rows.length - unmoved, unmoved };
  }
}

function interrupted(moved: number) {
  const detail = `The database did not take all of it: the clocks of ${moved} clients were moved, those of the others will be within a minute. Do not send it again, which would move all once more.`;
  return unavailable(detail, 60);
}

const insert = statement.run`insert into class_moves ${classMoves.values}`;

const remove = statement.run`delete from class_moves where number = ${'number'}`;

const findPending = statement.get`
  select ${classMoves.pick('number', 'begunAt')} from class_moves order by number limit 1`;

const findPage = statement.all`
  select ${clients.pick('id', 'classMove')} from clients
  where preset = 0 and removed_at is null and created_at <= ${'begunAt'} and id > ${'after'}
  order by id limit ${'pageSize'}`;
