import { integer, nullable, type RowOf, table, text } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { type Clock, instant } from '../../time/clock.ts';
import type { Entry } from './entry.ts';

/** How far a client got with a lesson. There is no row where nothing happened. */
export const progress = table('lesson_progress', {
  clientId: text,
  lessonId: text,
  /** How many were taken. */
  hints: integer,
  /** Exchanges that nearly solved it, and what was missing in the last of them. */
  misses: integer,
  lastMiss: nullable(text),
  changedAt: text,
  solvedAt: nullable(text),
  /** JSON: a `Proof`. Null where an answer needed no exchange. */
  proof: nullable(text),
});

/** The part of the exchange that solved a lesson which is kept. The log itself has it for a day. */
export interface Proof {
  readonly exchangeId: string;
  readonly startedAt: string;
  readonly method: string;
  /** Without a personal prefix. */
  readonly path: string;
  readonly status: number;
}

const shown = progress.omit('clientId');

export type LessonProgress = RowOf<typeof shown>;

/** The progress of clients with the lessons. */
export class Progress {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  ofClient(clientId: string, sql: Sql = this.#database.sql): Promise<LessonProgress[]> {
    return findOfClient(sql, { clientId });
  }

  /** Returns whether it was not solved before. */
  async solve(sql: Sql, clientId: string, lessonId: string, entry: Entry | undefined): Promise<boolean> {
    const proof = entry ? JSON.stringify(proofOf(entry)) : null;
    return (await markSolved(sql, { ...this.#row(clientId, lessonId), solvedAt: this.#now(), proof })) > 0;
  }

  async miss(sql: Sql, clientId: string, lessonId: string, lastMiss: string): Promise<void> {
    await addMiss(sql, { ...this.#row(clientId, lessonId), misses: 1, lastMiss });
  }

  /** One more hint, of so many. */
  async takeHint(sql: Sql, clientId: string, lessonId: string, most: number): Promise<void> {
    await addHint(sql, { ...this.#row(clientId, lessonId), hints: 1, most });
  }

  #row(clientId: string, lessonId: string) {
    const nothing = { hints: 0, misses: 0, lastMiss: null, solvedAt: null, proof: null };
    return { clientId, lessonId, changedAt: this.#now(), ...nothing };
  }

  #now(): string {
    return instant(this.#clock.now());
  }
}

function proofOf({ id, at, call, path, search, status }: Entry): Proof {
  const [method = ''] = call.split(' ', 1);
  return { exchangeId: id, startedAt: instant(at), method, path: path + search, status };
}

/** Removes what is kept of a client that is being removed, at most `limit` rows. Returns how many. */
export function removeProgress(sql: Sql, clientId: string, limit: number): Promise<number> {
  return removeSome(sql, { clientId, limit });
}

const findOfClient = statement.all`
  select ${shown} from lesson_progress where client_id = ${'clientId'} order by lesson_id`;

const markSolved = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    solved_at = excluded.solved_at, proof = excluded.proof, changed_at = excluded.changed_at
  where lesson_progress.solved_at is null`;

const addMiss = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    misses = lesson_progress.misses + 1, last_miss = excluded.last_miss, changed_at = excluded.changed_at
  where lesson_progress.solved_at is null`;

const addHint = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    hints = lesson_progress.hints + 1, changed_at = excluded.changed_at
  where lesson_progress.hints < ${'most'}`;

const removeSome = statement.run`
  delete from lesson_progress where client_id = ${'clientId'} and lesson_id in (
    select lesson_id from lesson_progress where client_id = ${'clientId'} limit ${'limit'}
  )`;
