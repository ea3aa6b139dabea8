import { DatabaseSync, type SQLTagStore, type StatementSync } from 'node:sqlite';
import { StartupError } from '../startup-error.ts';
import { holdDataDirectory } from './data-directory.ts';
import { type Database, DatabaseUnavailable, type Sql, type Value } from './database.ts';
import { checkValues, refuseInsideWork, Transaction } from './transaction.ts';

/*
 * The embedded engine: one file, one connection that writes and one that reads.
 *
 * A write waits in the queue until the turn of the event loop is over. Then the whole queue becomes one group:
 *
 *   begin → (savepoint → work → release, or rollback to it) for each → commit, with one sync → promises resolve
 *
 * A work that fails takes only its own savepoint with it. When the transaction itself is lost (disk full, input or
 * output error, failed commit), every write of the group is refused with DatabaseUnavailable, and the next group
 * starts afresh.
 *
 * The works of a group run one after the other, by microtasks alone: SQLite answers at once. So when no microtask is
 * left and a work is still pending, it waits for something other than its sql. It would hold up every other write,
 * so it is rolled back.
 *
 * Reads see one snapshot for each turn of the event loop. It ends before a commit, so that who has just written
 * reads it, and so that a checkpoint can reuse the log from its start.
 */

export interface SqliteOptions {
  /** Told the number of writes of each committed group. */
  onGroup?: (size: number) => void;
}

/** @throws {StartupError} when the directory or its database can't be used */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  const directory = await holdDataDirectory(path);
  const opened: DatabaseSync[] = [];
  try {
    const writer = connect(directory.databaseFile);
    opened.push(writer);
    // The mode stays with the file. It needs shared memory, which some network file systems lack.
    const mode = writer.prepare('pragma journal_mode = wal').get()?.journal_mode;
    if (mode !== 'wal') throw new Error('its file system does not support a write-ahead log');
    const reader = connect(directory.databaseFile);
    opened.push(reader);
    reader.exec('pragma query_only = on');
    return new Sqlite(writer, reader, () => directory.release(), options);
  } catch (error) {
    for (const connection of opened) connection.close();
    directory.release();
    throw new StartupError(1, `The database in ${path} can't be opened: ${(error as Error).message}`);
  }
}

function connect(file: string): DatabaseSync {
  // Only a foreign tool can hold the database locked, and waiting for it stops the event loop: wait briefly.
  const connection = new DatabaseSync(file, { timeout: 250 });
  connection.exec(`
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = -16000;
    pragma journal_size_limit = 67108864;
    pragma wal_autocheckpoint = 1000`);
  return connection;
}

class Sqlite implements Database {
  readonly engine = 'sqlite';
  readonly sql: Reader;
  readonly #writes: GroupWriter;
  readonly #release: () => void;
  #closing: Promise<void> | undefined;

  constructor(writer: DatabaseSync, reader: DatabaseSync, release: () => void, options: SqliteOptions) {
    this.sql = new Reader(reader);
    this.#writes = new GroupWriter(writer, () => this.sql.endSnapshot(), options.onGroup);
    this.#release = release;
  }

  async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    refuseInsideWork('write');
    if (this.#closing) throw closed();
    return (await this.#writes.add(work)) as T;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.sql.refuse();
    await this.#writes.idle();
    this.sql.close();
    this.#writes.close();
    this.#release();
  }
}

class Reader implements Sql {
  readonly #connection: DatabaseSync;
  readonly #statements: SQLTagStore;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #reading = false;
  #endPlanned = false;
  #refusing = false;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#statements = connection.createTagStore();
    this.#begin = connection.prepare('begin');
    this.#commit = connection.prepare('commit');
  }

  get<Row>(text: TemplateStringsArray, ...values: Value[]): Promise<Row | undefined> {
    try {
      this.#enter(values);
      return Promise.resolve(this.#statements.get(text, ...values) as Row | undefined);
    } catch (error) {
      return this.#failed(error);
    }
  }

  all<Row>(text: TemplateStringsArray, ...values: Value[]): Promise<Row[]> {
    try {
      this.#enter(values);
      return Promise.resolve(this.#statements.all(text, ...values) as Row[]);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** The connection is read-only: this is there for the sake of the interface, and fails when the statement writes. */
  run(text: TemplateStringsArray, ...values: Value[]): Promise<number> {
    try {
      this.#enter(values);
      return Promise.resolve(Number(this.#statements.run(text, ...values).changes));
    } catch (error) {
      return this.#failed(error);
    }
  }

  endSnapshot(): void {
    if (!this.#reading) return;
    this.#reading = false;
    if (this.#connection.isTransaction) this.#commit.run();
  }

  refuse(): void {
    this.#refusing = true;
  }

  close(): void {
    this.endSnapshot();
    this.#connection.close();
  }

  #enter(values: Value[]): void {
    if (this.#refusing) throw closed();
    refuseInsideWork('read');
    checkValues(values);
    if (this.#reading) return;
    this.#begin.run();
    this.#reading = true;
    if (this.#endPlanned) return;
    this.#endPlanned = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#endPlanned = false;
    this.endSnapshot();
  };

  #failed(error: unknown): Promise<never> {
    if (!isDiskFailure(error)) return Promise.reject(error);
    this.endSnapshot();
    return Promise.reject(new DatabaseUnavailable('The database can not be read now', { cause: error }));
  }
}

interface Waiting {
  readonly work: (sql: Sql) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class GroupWriter {
  readonly #connection: DatabaseSync;
  readonly #statements: SQLTagStore;
  readonly #beforeCommit: () => void;
  readonly #onGroup: ((size: number) => void) | undefined;
  #queue: Waiting[] = [];
  #busy = false;
  #whenIdle: (() => void) | undefined;
  /** Gives up the work that runs now. */
  #giveUp: (() => void) | undefined;

  constructor(connection: DatabaseSync, beforeCommit: () => void, onGroup: ((size: number) => void) | undefined) {
    this.#connection = connection;
    this.#statements = connection.createTagStore();
    this.#beforeCommit = beforeCommit;
    this.#onGroup = onGroup;
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
    try {
      this.#connection.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // Nothing is lost: the next start reads the log.
    }
    this.#connection.close();
  }

  #next(): void {
    this.#busy = this.#queue.length > 0;
    if (this.#busy) setImmediate(() => this.#runGroup().finally(() => this.#next()));
    else this.#whenIdle?.();
  }

  async #runGroup(): Promise<void> {
    const group = this.#queue;
    this.#queue = [];
    const done: { waiting: Waiting; result: unknown }[] = [];
    try {
      this.#statements.run`begin immediate`;
      this.#watch();
      for (const waiting of group) {
        const outcome = await this.#runOne(waiting.work);
        if ('error' in outcome) waiting.reject(outcome.error);
        else done.push({ waiting, result: outcome.result });
      }
      this.#beforeCommit();
      this.#statements.run`commit`;
    } catch (error) {
      this.#abandon();
      // To reject again a write that was refused for its own reason does nothing.
      for (const { reject } of group) {
        reject(new DatabaseUnavailable('The database can not write now', { cause: error }));
      }
      return;
    }
    for (const { waiting, result } of done) waiting.resolve(result);
    if (done.length > 0) this.#onGroup?.(done.length);
  }

  /** Throws only when the transaction of the whole group is lost. */
  async #runOne(work: Waiting['work']): Promise<{ result: unknown } | { error: unknown }> {
    this.#statements.run`savepoint work`;
    const transaction = new Transaction(this.#execute);
    const outcome = await this.#settle(transaction, work);
    transaction.end();
    const failure = transaction.failure ?? ('error' in outcome ? outcome : undefined);
    if (failure && (isDiskFailure(failure.error) || !this.#connection.isTransaction)) throw failure.error;
    if (failure) this.#statements.run`rollback to work`;
    this.#statements.run`release work`;
    return failure ?? outcome;
  }

  #settle(transaction: Transaction, work: Waiting['work']): Promise<{ result: unknown } | { error: unknown }> {
    return new Promise((resolve) => {
      const settle = (outcome: { result: unknown } | { error: unknown }): void => {
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

  readonly #execute = (method: 'get' | 'all' | 'run', text: TemplateStringsArray, values: Value[]): unknown => {
    const result = this.#statements[method](text, ...values);
    return method === 'run' ? Number((result as { changes: number | bigint }).changes) : result;
  };

  #abandon(): void {
    try {
      if (this.#connection.isTransaction) this.#statements.run`rollback`;
    } catch {
      // The begin of the next group then fails, and this is tried again.
    }
  }
}

function closed(): DatabaseUnavailable {
  return new DatabaseUnavailable('The database is closed');
}

/** Busy, locked, memory, read-only (but not a write through the reader), I/O, corrupt, full, can't open, protocol. */
const diskFailures = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26]);

function isDiskFailure(error: unknown): boolean {
  const code = (error as { errcode?: number } | null | undefined)?.errcode;
  return code !== undefined && code !== 8 && diskFailures.has(code & 0xff);
}
