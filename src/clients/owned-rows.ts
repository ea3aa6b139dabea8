import type { Database, Sql } from '../database/database.ts';
import type { NameFinder } from '../text/name-finder.ts';

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

/** A name that is to be taken out of what is kept of a client. */
export interface Erasing {
  readonly clientId: string;
  readonly name: NameFinder;
  /** Where the client asked for it, as calls are counted by. */
  readonly address: string;
}

/** A step of it: how many rows it changed, and behind which row the next one goes on; absent when it was the last. */
export interface ErasedRows {
  readonly changed: number;
  readonly after?: string;
}

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
  /** Takes a name out of a bounded part of the rows, those behind `after` in their order; all are behind ''. */
  readonly erase?: (sql: Sql, erasing: Erasing, after: string, atEnd: AtEnd) => Promise<ErasedRows>;
  /** What may have the name afterwards, and why. */
  readonly keeps?: {
    readonly what: string;
    readonly why: string;
    readonly count: (sql: Sql, erasing: Erasing) => Promise<number>;
  };
  /** Resolves when this node has written what it had still to write of a client. */
  readonly settle?: (clientId: string) => Promise<void>;
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

/** Where an erasure is: the rows of this name, behind one of them. */
const placeIn = ({ name }: OwnedRows, after: string) => `${name}/${after}`;

/**
 * One step of an erasure, from a place on; it begins at ''. Returns what the rows are, how many it changed, and the next
 * place; undefined when all was looked at.
 */
export async function eraseRows(
  sql: Sql,
  rows: readonly OwnedRows[],
  erasing: Erasing,
  place: string,
  atEnd: AtEnd,
): Promise<{ what: string; changed: number; next: string | undefined }> {
  const erasable = rows.filter(({ erase }) => erase);
  const slash = place.indexOf('/');
  // What another version has no more is begun anew: to look twice changes nothing.
  const at = Math.max(
    0,
    erasable.findIndex(({ name }) => name === place.slice(0, slash)),
  );
  const own = erasable[at] as OwnedRows & Required<Pick<OwnedRows, 'erase'>>;
  const { changed, after } = await own.erase(sql, erasing, place.slice(slash + 1), atEnd);
  const following = after === undefined ? erasable[at + 1] : undefined;
  const next = after === undefined ? following && placeIn(following, '') : placeIn(own, after);
  return { what: own.name, changed, next };
}

/** Rows that have the name when all was looked at: what they are, how many, and why. */
export interface KeptName {
  readonly what: string;
  readonly count: number;
  readonly why: string;
}

/** What still has the name. */
export async function keptRows(sql: Sql, rows: readonly OwnedRows[], erasing: Erasing): Promise<KeptName[]> {
  const kept: KeptName[] = [];
  for (const { keeps } of rows) {
    const count = (await keeps?.count(sql, erasing)) ?? 0;
    if (keeps && count > 0) kept.push({ what: keeps.what, count, why: keeps.why });
  }
  return kept;
}
