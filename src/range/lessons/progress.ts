import type { ErasedRows, Erasing } from '../../clients/owned-rows.ts';
import { integer, nullable, type RowOf, table, text } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { NameFinder } from '../../text/name-finder.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { forgetKnown } from '../exchanges/learners.ts';
import type { Proof } from './proof.ts';
import type { Word } from './word.ts';

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
  /** JSON: the steps that were done in this attempt, `Ticks`. Null if none was. */
  steps: nullable(text),
  /** JSON: the `Proof` of the last miss. */
  missProof: nullable(text),
  /** Calls before it don't count: the client takes the lesson again. */
  begunAt: nullable(text),
  /** JSON: what was said last of a call while the lesson was open, a `Word`. */
  lastWord: nullable(text),
  /** How many calls it took. Null if it is not solved, or was by an older version. */
  calls: nullable(integer),
  /** When it was solved before it was taken again as one of “A month later”. */
  solvedBefore: nullable(text),
});

/** What did each step in this attempt, in the order of the steps; null or missing where nothing did so far. */
export type Ticks = readonly (Proof | null)[];

/** What exchanges came to, short of solving a lesson. */
export interface Attempt {
  readonly ticks: Ticks;
  /** How many exchanges did not suffice. */
  readonly misses: number;
  /** What was missing in the last of them, if no step was done since. */
  readonly last: Miss | undefined;
}

/** How a lesson was solved. */
interface Solved {
  readonly proof: Proof | null;
  readonly ticks: Ticks;
  readonly calls: number;
}

/** What was missing in an exchange. */
export interface Miss {
  readonly sentence: string;
  readonly proof: Proof;
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
  async solve(sql: Sql, clientId: string, lessonId: string, { proof, ticks, calls }: Solved): Promise<boolean> {
    const done = { solvedAt: this.#now(), proof: json(proof), steps: json(ticks), calls };
    return (await markSolved(sql, { ...this.#row(clientId, lessonId), ...done })) > 0;
  }

  async note(sql: Sql, clientId: string, lessonId: string, { ticks, misses, last }: Attempt): Promise<void> {
    await noteAttempt(sql, {
      ...this.#row(clientId, lessonId),
      misses,
      lastMiss: last?.sentence ?? null,
      missProof: json(last?.proof ?? null),
      steps: json(ticks),
    });
  }

  /** Keeps what is said of a call to the lesson that is open. */
  async say(sql: Sql, clientId: string, lessonId: string, word: Word): Promise<void> {
    await keepWord(sql, { ...this.#row(clientId, lessonId), lastWord: json(word) });
  }

  /**
   * Forgets all that was done: from now on the lesson can be solved anew. `solvedBefore`: it is taken again as one of “A month
   * later”.
   */
  async beginAgain(sql: Sql, clientId: string, lessonId: string, solvedBefore: string | null = null): Promise<void> {
    await clear(sql, { ...this.#row(clientId, lessonId), begunAt: this.#now(), solvedBefore });
  }

  /** Those of “A month later” that are solved again are ordinary ones from now on. */
  async endMonthLater(sql: Sql, clientId: string): Promise<void> {
    await forgetBefore(sql, { clientId });
  }

  /** One more hint, of so many. */
  async takeHint(sql: Sql, clientId: string, lessonId: string, most: number): Promise<void> {
    await addHint(sql, { ...this.#row(clientId, lessonId), hints: 1, most });
  }

  #row(clientId: string, lessonId: string) {
    const nothing = {
      lastMiss: null,
      solvedAt: null,
      proof: null,
      steps: null,
      missProof: null,
      begunAt: null,
      lastWord: null,
      calls: null,
      solvedBefore: null,
    };
    return { clientId, lessonId, changedAt: this.#now(), hints: 0, misses: 0, ...nothing };
  }

  #now(): string {
    return instant(this.#clock.now());
  }
}

const json = (value: object | null) => value && JSON.stringify(value);

export function ticksOf({ steps }: Pick<LessonProgress, 'steps'>): Ticks {
  return steps === null ? [] : (JSON.parse(steps) as Ticks);
}

/** Removes what is kept of a client that is being removed, at most `limit` rows. Returns how many. */
export function removeProgress(sql: Sql, clientId: string, limit: number): Promise<number> {
  return removeSome(sql, { clientId, limit });
}

/** Forgets the steps of lessons that are not solved: what they were done with is gone. Returns how many were changed. */
export function clearSteps(sql: Sql, clientId: string, limit: number): Promise<number> {
  return clearSome(sql, { clientId, limit });
}

/** Takes a name out of what was said of the calls of a client. */
export async function eraseInProgress(sql: Sql, { clientId, name }: Erasing): Promise<ErasedRows> {
  // In memory are calls and steps as they were.
  await forgetKnown(sql, clientId);
  let changed = 0;
  for (const row of await findOfClient(sql, { clientId })) {
    const { lessonId, lastMiss, lastWord, proof, steps, missProof } = row;
    const before = { lastMiss, lastWord, proof, steps, missProof };
    const within = (text: string | null) => text && JSON.stringify(withoutName(JSON.parse(text), name));
    const after = {
      lastMiss: lastMiss && name.erase(lastMiss),
      lastWord: within(lastWord),
      proof: within(proof),
      steps: within(steps),
      missProof: within(missProof),
    };
    if (JSON.stringify(after) !== JSON.stringify(before))
      changed += await setTexts(sql, { clientId, lessonId, ...after });
  }
  return { changed };
}

/** A `Proof`, `Ticks` or `Word`, the name taken out of the texts that may have it. */
function withoutName<T>(value: T, name: NameFinder): T {
  if (Array.isArray(value)) return value.map((each) => withoutName(each, name)) as T;
  if (value === null || typeof value !== 'object') return value;
  const { path, text, exchange } = value as Partial<Proof & Word>;
  return {
    ...value,
    ...(path !== undefined && { path: name.erase(path) }),
    ...(text !== undefined && { text: name.erase(text) }),
    ...(exchange && { exchange: withoutName(exchange, name) }),
  };
}

const findOfClient = statement.all`
  select ${shown} from lesson_progress where client_id = ${'clientId'} order by lesson_id`;

const markSolved = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    solved_at = excluded.solved_at, proof = excluded.proof, steps = excluded.steps, calls = excluded.calls,
    changed_at = excluded.changed_at
  where lesson_progress.solved_at is null`;

const noteAttempt = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    misses = lesson_progress.misses + excluded.misses, last_miss = excluded.last_miss,
    miss_proof = excluded.miss_proof, steps = excluded.steps, changed_at = excluded.changed_at
  where lesson_progress.solved_at is null`;

const keepWord = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set last_word = excluded.last_word, changed_at = excluded.changed_at`;

const clear = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    misses = 0, last_miss = null, miss_proof = null, steps = null, solved_at = null, proof = null,
    begun_at = excluded.begun_at, changed_at = excluded.changed_at, calls = null, last_word = null,
    solved_before = excluded.solved_before`;

const setTexts = statement.run`
  update lesson_progress set last_miss = ${'lastMiss'}, last_word = ${'lastWord'}, proof = ${'proof'}, steps = ${'steps'},
    miss_proof = ${'missProof'}
  where client_id = ${'clientId'} and lesson_id = ${'lessonId'}`;

const forgetBefore = statement.run`
  update lesson_progress set solved_before = null
  where client_id = ${'clientId'} and solved_at is not null and solved_before is not null`;

const clearSome = statement.run`
  update lesson_progress set steps = null where client_id = ${'clientId'} and lesson_id in (
    select lesson_id from lesson_progress
    where client_id = ${'clientId'} and steps is not null and solved_at is null limit ${'limit'}
  )`;

const addHint = statement.run`
  insert into lesson_progress ${progress.values}
  on conflict (client_id, lesson_id) do update set
    hints = lesson_progress.hints + 1, changed_at = excluded.changed_at
  where lesson_progress.hints < ${'most'}`;

const removeSome = statement.run`
  delete from lesson_progress where client_id = ${'clientId'} and lesson_id in (
    select lesson_id from lesson_progress where client_id = ${'clientId'} limit ${'limit'}
  )`;
