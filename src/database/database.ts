import type { OutputColumn, Value } from './columns.ts';
import type { Listener } from './signals.ts';

export type { Value } from './columns.ts';

/** A statement as the texts around its values. The same array each time: it is prepared once, and found by identity. */
export type Texts = readonly string[];

/**
 * Runs statements, each written once as a tagged template that both engines take as it is. Values in `${…}` become
 * parameters, never text of the statement. Nothing checks the type of a row that is given here, so the program makes
 * its statements with `statement` (statement.ts); this is for migrations and tests.
 */
export interface Sql {
  /** The first row, or undefined. */
  get<Row>(texts: Texts, ...values: Value[]): Promise<Row | undefined>;
  /** Every row. */
  all<Row>(texts: Texts, ...values: Value[]): Promise<Row[]>;
  /** How many rows the statement changed. */
  run(texts: Texts, ...values: Value[]): Promise<number>;
}

/** What one process at a time does among all that share the database. Whoever does it has the constant. */
export interface Role {
  readonly name: string;
  /** The number of its lock, which stays: nodes of two versions run side by side. */
  readonly lock: number;
}

/** A role as one process sees it. */
export interface Lease {
  /** Whether this process has it now. */
  readonly held: boolean;
}

/** Why a transaction is run again. */
export const repeatReasons = ['deadlock', 'serialization'] as const;
export type RepeatReason = (typeof repeatReasons)[number];

export interface WriteOptions {
  /** Lets each statement take as long as it takes, since nobody waits for an answer: for migrations. */
  readonly unlimited?: true;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';

  /** How many writes work in the background has under way at a time (each-in-turn.ts). */
  readonly writesAtOnce: number;

  /** Reads what is committed. */
  readonly sql: Sql;

  /**
   * Runs `work` as one transaction and resolves with its result once that is durable. When `work` throws, or any of
   * its statements fails (even if caught), nothing of it remains and the promise rejects.
   *
   * `work` awaits only its own `sql`, which is dead when `work` ends; writes do not nest; it may run more than once
   * (a deadlock is tried again, and a group in which another write failed), so it has no effects outside the database.
   *
   * @throws {DatabaseUnavailable} when the database can't take writes now: disk full, server away; DatabaseBusy when
   *   others were in the way for too long
   */
  write<T>(work: (sql: Sql) => Promise<T>, options?: WriteOptions): Promise<T>;

  /**
   * Tells every process that shares the database that `channel` has news. Call it after the commit. Calls of one
   * moment may become one; one may be lost when a connection breaks, so listeners also look by themselves from time to time.
   *
   * @param whose whom the news are of, such as a client id, without a space; none where they may be of anybody
   */
  signal(channel: string, whose?: string): void;

  /**
   * Calls `listener` soon after each signal, in a turn of the event loop of its own, and now and then without one:
   * when some may have been missed. It is told whom the news are of; undefined where they may be of anybody. What it
   * throws becomes a warning of the process. Returns how to stop.
   */
  onSignal(channel: string, listener: Listener): () => void;

  /**
   * Asks for a role, which one process at a time has among all that share the database. When that process dies, another
   * one that asked gets it within seconds. On the embedded engine it is always ours.
   */
  role(role: Role): Promise<Lease>;

  /** Gives all roles up for good, so that others need not wait until this process has ended. */
  leave(): Promise<void>;

  /** What each statement would return, without running any; an Error for one that does not fit the schema. */
  describe(statements: readonly Texts[]): Promise<(OutputColumn[] | Error)[]>;

  /**
   * Makes sure that what was removed before is in no file any more, as far as that is up to us. On PostgreSQL that is its
   * vacuum and the archive of its log, so nothing is done.
   */
  erase(): Promise<void>;

  /** Finishes the writes under way and closes. A second call does nothing. */
  close(): Promise<void>;
}

/** The database can't be reached or can't write now. The caller may try again later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** The database is there, and has too much to do: others held what was needed for too long. Nothing of the write remains. */
export class DatabaseBusy extends DatabaseUnavailable {
  override name = 'DatabaseBusy';
}
