import type { Database, Sql } from '../database/database.ts';

/** What a transaction does at its end: it changes counters of all, for which everybody waits (lock-order.ts). */
export type AtEnd = (work: (sql: Sql) => Promise<unknown>) => void;

/** Runs work as one transaction, with what it leaves to the end. */
export function writeWithEnd<Result>(
  database: Database,
  work: (sql: Sql, atEnd: AtEnd) => Promise<Result>,
): Promise<Result> {
  return database.write((sql) => withEnd(sql, (atEnd) => work(sql, atEnd)));
}

async function withEnd<Result>(sql: Sql, work: (atEnd: AtEnd) => Promise<Result>): Promise<Result> {
  const last: Parameters<AtEnd>[0][] = [];
  const result = await work((each) => last.push(each));
  for (const each of last) await each(sql);
  return result;
}

/** Removes rows of a client, at most `limit`. Returns how many: fewer when none is left. */
type RemoveRows = (sql: Sql, clientId: string, limit: number, atEnd: AtEnd) => Promise<number>;

/** Rows of one kind that belong to clients. Each part that keeps such rows registers them where it is opened. */
export interface OwnedRows {
  /** What they are: `claims`. */
  readonly name: string;
  /** Ends what is done for a client by itself, before the first row is removed. It locks what others change meanwhile. */
  readonly stop?: (sql: Sql, clientId: string) => Promise<unknown>;
  /** Called when a client is removed. */
  readonly remove: RemoveRows;
  /** Called when a client is reset, and stays. Default: `remove`. */
  readonly reset?: RemoveRows;
  /** Writes what a client owns from the first start on, in the step of a reset that follows its last removal. */
  readonly restore?: {
    readonly clientId: string;
    /** False, and nothing is written, while the client owns something. */
    write(sql: Sql): Promise<boolean>;
  };
  /** How many a client has. */
  readonly count?: (sql: Sql, clientId: string) => Promise<number>;
  /** Moves rows of a client that are due at some time `by` milliseconds earlier, since its clock is moved ahead. */
  readonly move?: (sql: Sql, clientId: string, by: number) => Promise<void>;
}

/**
 * Removes some of what a client owns, at most `limit` rows. What was registered last goes first, since it may need what
 * was there before it. Returns how many rows may still be removed: none if there may be more of the client.
 */
export async function removeRows(
  sql: Sql,
  rows: readonly OwnedRows[],
  clientId: string,
  limit: number,
  how: 'remove' | 'reset',
): Promise<number> {
  for (const { stop } of rows) await stop?.(sql, clientId);
  return withEnd(sql, async (atEnd) => {
    let left = limit;
    for (const each of rows.toReversed()) {
      const remove = (how === 'reset' && each.reset) || each.remove;
      if (left > 0) left -= await remove(sql, clientId, left, atEnd);
    }
    return left;
  });
}
