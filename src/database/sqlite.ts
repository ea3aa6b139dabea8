import { randomUUID } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { BoundedCache } from '../bounded-cache.ts';
import { StartupError } from '../settings/startup-error.ts';
import type { OutputColumn } from './columns.ts';
import { holdDataDirectory, lostData } from './data-directory.ts';
import { type Database, DatabaseUnavailable, type Lease, type Sql, type Texts, type Value } from './database.ts';
import { GroupWriter, isDiskFailure } from './group-writer.ts';
import { type Listener, Signals } from './signals.ts';
import { Statements } from './sqlite-statements.ts';
import { checkValues, refuseInsideWork } from './transaction.ts';

/*
 * The embedded engine: one file, one connection that writes in groups (group-writer.ts), and one that reads.
 *
 * Reads see one snapshot for each turn of the event loop. It ends before a commit, so that who has just written
 * reads it, and so that a checkpoint can reuse the log from its start.
 *
 * In memory there is no such log: who writes keeps those out who begin to read. So the reader takes its snapshot before
 * each group.
 */

export interface SqliteOptions {
  /** Told the number of writes of each committed group. */
  onGroup?: (size: number) => void;
  /** Where this process can be reached, for a second one that is refused its data directory. */
  address?: string;
}

/** @throws {StartupError} when the directory or its database can't be used */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Database> {
  const directory = await holdDataDirectory(path, options.address);
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
    if (directory.usedBefore && !reader.prepare('select 1 from sqlite_schema limit 1').get())
      throw lostData(directory.databaseFile, 'has no tables');
    return new Sqlite(writer, reader, { ...options, release: () => directory.release() });
  } catch (error) {
    for (const connection of opened) connection.close();
    directory.release();
    if (error instanceof StartupError) throw error;
    throw new StartupError(1, `The database in ${path} can't be opened: ${(error as Error).message}`);
  }
}

/** A database that nothing is kept of: it goes with its connections. */
export async function openMemory(options: SqliteOptions = {}): Promise<Database> {
  // The connections of this process share it by its name, which nobody else knows.
  const name = `file:/l-plate-${randomUUID()}?vfs=memdb`;
  const writer = connect(name);
  // Changes stay in the cache until the commit: before it, the reader could not be kept out.
  writer.exec('pragma journal_mode = memory; pragma cache_spill = off');
  const reader = connect(name);
  reader.exec('pragma query_only = on');
  return new Sqlite(writer, reader, { ...options, readsBeforeGroups: true });
}

function connect(file: string): DatabaseSync {
  // Only a foreign tool can hold the database locked, and waiting for it stops the event loop: wait briefly.
  const connection = new DatabaseSync(file, { timeout: 250 });
  // What is deleted is overwritten. A checkpoint stops the event loop: at 16 MB of log it is rare, and copies a page once that changed many times.
  connection.exec(`
    pragma synchronous = full;
    pragma secure_delete = on;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = -16000;
    pragma journal_size_limit = 67108864;
    pragma wal_autocheckpoint = 4000`);
  return connection;
}

interface EngineOptions extends SqliteOptions {
  readonly release?: () => void;
  /** Whether the reader needs its snapshot before a group is written. */
  readonly readsBeforeGroups?: true;
}

class Sqlite implements Database {
  readonly engine = 'sqlite';
  readonly writesAtOnce = 20;
  readonly sql: ReadConnection;
  readonly #writes: GroupWriter;
  // The data directory belongs to one process, so nobody outside it has to be told.
  readonly #signals = new Signals();
  readonly #release: EngineOptions['release'];
  #closing: Promise<void> | undefined;

  constructor(writer: DatabaseSync, reader: DatabaseSync, options: EngineOptions) {
    this.sql = new ReadConnection(reader);
    this.#writes = new GroupWriter(writer, {
      beforeGroup: () => options.readsBeforeGroups && this.sql.takeSnapshot(),
      beforeCommit: () => this.sql.endSnapshot(),
      onGroup: options.onGroup,
    });
    this.#release = options.release;
  }

  async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    refuseInsideWork('write');
    if (this.#closing) throw closed();
    return (await this.#writes.add(work)) as T;
  }

  signal(channel: string, whose?: string): void {
    refuseInsideWork('signal');
    this.#signals.signal(channel, whose);
  }

  onSignal(channel: string, listener: Listener): () => void {
    return this.#signals.onSignal(channel, listener);
  }

  /** The data directory belongs to this process, and so does every role. */
  async role(): Promise<Lease> {
    return { held: true };
  }

  /** There is nobody to leave them to. */
  async leave(): Promise<void> {}

  /** In the file it was overwritten. The log still has it, until that is moved into the file and emptied. */
  async erase(): Promise<void> {
    // Behind the writes before. No group begins before the next turn of the event loop.
    await this.write(async () => {});
    this.sql.endSnapshot();
    this.#writes.emptyLog();
  }

  describe(statements: readonly Texts[]): Promise<(OutputColumn[] | Error)[]> {
    return this.sql.describe(statements);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.sql.refuse();
    this.#signals.close();
    await this.#writes.idle();
    this.sql.close();
    this.#writes.close();
    this.#release?.();
  }
}

type Descriptions = WeakMap<Texts, OutputColumn[] | Error>;

/** What statements return, by the text of the schema: where a process opens many databases, they mostly have the same. */
const described = new BoundedCache<string, Descriptions>(5);

function descriptionsFor(connection: DatabaseSync): Descriptions {
  const rows = connection.prepare('select sql from sqlite_schema order by type, name').all();
  const schema = JSON.stringify(rows);
  const known = described.get(schema) ?? new WeakMap();
  described.set(schema, known);
  return known;
}

class ReadConnection implements Sql {
  readonly #connection: DatabaseSync;
  readonly #statements: Statements;
  readonly #steps: Record<'begin' | 'first' | 'commit', StatementSync>;
  #reading = false;
  #endPlanned = false;
  #refusing = false;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#statements = new Statements(connection);
    this.#steps = {
      begin: connection.prepare('begin'),
      // A transaction has its snapshot from its first statement on.
      first: connection.prepare('select 1 from sqlite_schema limit 1'),
      commit: connection.prepare('commit'),
    };
  }

  get<Row>(texts: Texts, ...values: Value[]): Promise<Row | undefined> {
    try {
      this.#enter(values);
      return Promise.resolve(this.#statements.get(texts, values) as Row | undefined);
    } catch (error) {
      return this.#failed(error);
    }
  }

  all<Row>(texts: Texts, ...values: Value[]): Promise<Row[]> {
    try {
      this.#enter(values);
      return Promise.resolve(this.#statements.all(texts, values) as Row[]);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** The connection is read-only: this is there for the sake of the interface, and fails when the statement writes. */
  run(texts: Texts, ...values: Value[]): Promise<number> {
    try {
      this.#enter(values);
      return Promise.resolve(this.#statements.run(texts, values));
    } catch (error) {
      return this.#failed(error);
    }
  }

  async describe(statements: readonly Texts[]): Promise<(OutputColumn[] | Error)[]> {
    this.#enter([]);
    const known = descriptionsFor(this.#connection);
    return statements.map((texts) => {
      const found = known.get(texts) ?? this.#describe(texts);
      known.set(texts, found);
      return found;
    });
  }

  #describe(texts: Texts): OutputColumn[] | Error {
    try {
      return this.#statements.describe(texts);
    } catch (error) {
      return error as Error;
    }
  }

  /** What is read until the snapshot ends is what is committed now. */
  takeSnapshot(): void {
    if (this.#reading) return;
    this.#beginSnapshot();
    this.#steps.first.get();
  }

  endSnapshot(): void {
    if (!this.#reading) return;
    this.#reading = false;
    try {
      if (this.#connection.isTransaction) this.#steps.commit.run();
    } catch {
      // The disk fails. The next read meets that as well, and its caller is told; here there is none.
    }
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
    if (!this.#reading) this.#beginSnapshot();
  }

  #beginSnapshot(): void {
    if (!this.#connection.isTransaction) this.#steps.begin.run();
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

function closed(): DatabaseUnavailable {
  return new DatabaseUnavailable('The database is closed');
}
