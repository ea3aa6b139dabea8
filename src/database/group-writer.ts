import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DatabaseUnavailable, type Sql, type Texts, type Value } from './database.ts';
import { Statements } from './sqlite-statements.ts';
import { Transaction } from './transaction.ts';

/*
 * The writes of the embedded engine.
 *
 * A write waits in the queue until the turn of the event loop is over. Then the whole queue becomes one group:
 *
 *   begin → work → work → … → commit, with one sync → promises resolve
 *
 * A work that fails may take only its own changes with it. Savepoints see to that, but they cost a tenth of a write and
 * most groups have no failing work. So a group runs without them; when a work fails, all is rolled back and the group
 * runs again, each work in a savepoint of its own, and so does the next group, until one has no failure.
 *
 * The promise of a failed work rejects after the commit too: what it met may be a change of this very group, which
 * nobody may hear of before it is committed. When the transaction itself is lost (disk full, input or output error,
 * failed commit), every write of the group is refused with DatabaseUnavailable, and the next group starts afresh.
 *
 * The works of a group run one after the other, by microtasks alone: SQLite answers at once. So when no microtask is
 * left and a work is still pending, it waits for something other than its sql. It would hold up every other write,
 * so it is rolled back.
 */

interface Waiting {
  readonly work: (sql: Sql) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Control = 'begin' | 'savepoint' | 'release' | 'undo' | 'commit' | 'rollback';

type Outcome = { result: unknown } | { error: unknown };

export interface GroupWriterOptions {
  /** Called before a group begins. */
  readonly beforeGroup: () => void;
  readonly beforeCommit: () => void;
  /** Told the number of writes of each committed group. */
  readonly onGroup: ((size: number) => void) | undefined;
}

export class GroupWriter {
  readonly #connection: DatabaseSync;
  readonly #statements: Statements;
  readonly #steps: Record<Control, StatementSync>;
  readonly #options: GroupWriterOptions;
  #queue: Waiting[] = [];
  #busy = false;
  #whenIdle: (() => void) | undefined;
  /** Whether the next group gets savepoints from the start, because a work of the last one failed. */
  #careful = false;
  /** Gives up the work that runs now. */
  #giveUp: (() => void) | undefined;

  constructor(connection: DatabaseSync, options: GroupWriterOptions) {
    this.#connection = connection;
    this.#statements = new Statements(connection);
    this.#steps = {
      begin: connection.prepare('begin immediate'),
      savepoint: connection.prepare('savepoint work'),
      release: connection.prepare('release work'),
      undo: connection.prepare('rollback to work'),
      commit: connection.prepare('commit'),
      rollback: connection.prepare('rollback'),
    };
    this.#options = options;
  }

  add(work: (sql: Sql) => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ work, resolve, reject });
      if (!this.#busy) this.#next();
    });
  }

  async idle(): Promise<void> {
    if (this.#busy) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  close(): void {
    // If it can't be emptied, nothing is lost: the next start reads the log.
    this.emptyLog();
    this.#connection.close();
  }

  /** Moves what the log has into the file, and empties it. Not while a group runs. */
  emptyLog(): void {
    try {
      this.#connection.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // The disk fails, or another program reads the file. It is tried again at the next occasion.
    }
  }

  #next(): void {
    this.#busy = this.#queue.length > 0;
    if (this.#busy) setImmediate(() => this.#runGroup().finally(() => this.#next()));
    else this.#whenIdle?.();
  }

  async #runGroup(): Promise<void> {
    const group = this.#queue;
    this.#queue = [];
    let outcomes: Outcome[];
    try {
      outcomes = await this.#commitTogether(group);
    } catch (error) {
      this.#abandon();
      for (const { reject } of group) {
        reject(new DatabaseUnavailable('The database can not write now', { cause: error }));
      }
      return;
    }
    let done = 0;
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index] as Outcome;
      if ('error' in outcome) {
        reject(outcome.error);
      } else {
        resolve(outcome.result);
        done++;
      }
    }
    if (done > 0) this.#options.onGroup?.(done);
  }

  /** Throws only when the transaction of the whole group is lost. */
  async #commitTogether(group: Waiting[]): Promise<Outcome[]> {
    this.#options.beforeGroup();
    this.#steps.begin.run();
    this.#watch();
    let outcomes = await this.#runAll(group, this.#careful);
    const failed = outcomes.some((outcome) => 'error' in outcome);
    if (failed && !this.#careful) {
      this.#steps.rollback.run();
      this.#steps.begin.run();
      outcomes = await this.#runAll(group, true);
    }
    this.#careful = failed;
    this.#options.beforeCommit();
    this.#steps.commit.run();
    return outcomes;
  }

  /** Without savepoints it stops at the first work that fails: there is no going back to before it. */
  async #runAll(group: Waiting[], savepoints: boolean): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { work } of group) {
      if (savepoints) this.#steps.savepoint.run();
      const outcome = await this.#runOne(work);
      outcomes.push(outcome);
      const failed = 'error' in outcome;
      if (failed && !savepoints) break;
      if (failed) this.#steps.undo.run();
      if (savepoints) this.#steps.release.run();
    }
    return outcomes;
  }

  async #runOne(work: Waiting['work']): Promise<Outcome> {
    const transaction = new Transaction(this.#execute);
    const outcome = await this.#settle(transaction, work);
    transaction.end();
    const failure = transaction.failure ?? ('error' in outcome ? outcome : undefined);
    if (failure && (isDiskFailure(failure.error) || !this.#connection.isTransaction)) throw failure.error;
    return failure ?? outcome;
  }

  #settle(transaction: Transaction, work: Waiting['work']): Promise<Outcome> {
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        this.#giveUp = undefined;
        resolve(outcome);
      };
      this.#giveUp = () =>
        settle({ error: new Error('The work of a write awaited something other than its own sql: it is rolled back') });
      transaction.perform(work).then(
        (result) => settle({ result }),
        (error) => settle({ error }),
      );
    });
  }

  /** A tick that is asked for by a microtask comes when no microtask is left. */
  #watch(): void {
    queueMicrotask(() =>
      process.nextTick(() => {
        if (!this.#giveUp) return;
        this.#giveUp();
        this.#watch();
      }),
    );
  }

  readonly #execute = (method: 'get' | 'all' | 'run', texts: Texts, values: Value[]): unknown =>
    this.#statements[method](texts, values);

  #abandon(): void {
    try {
      if (this.#connection.isTransaction) this.#steps.rollback.run();
    } catch {
      // The begin of the next group then fails, and this is tried again.
    }
  }
}

/** Busy, locked, memory, read-only (but not a write through the reader), I/O, corrupt, full, can't open, protocol. */
const diskFailures = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

export function isDiskFailure(error: unknown): boolean {
  const code = (error as { errcode?: number } | null | undefined)?.errcode;
  return code !== undefined && code !== 8 && diskFailures.has(code & 0xff);
}
