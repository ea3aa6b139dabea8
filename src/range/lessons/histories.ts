import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/database.ts';
import type { LogHead } from '../exchanges/learners.ts';
import { maxPerClient } from '../exchanges/log.ts';
import { type Entry, entryOf, lessonHeaders } from './entry.ts';
import type { Ticks } from './progress.ts';

/*
 * The last exchanges of the clients that called last, as entries, so that an exchange can be judged without reading those
 * before it. What is not in memory, or was kept by another node, is read from the log.
 */

/** Exchanges that a lesson looks back at: half of the log, so that a large class fits into memory. */
export const looksBack = 150;

/** Exchanges that are read at once: each has up to 32 KiB of bodies. */
const chunkSize = 20;

/** Bytes of memory that a lesson takes which was begun, roughly. */
const lessonSize = 500;

/** The knowledge of a client. It does not change: what comes makes a new one. */
export interface Known extends LogHead {
  /** Those of the log after `cleared` up to `kept`, oldest first. */
  readonly entries: readonly Entry[];
  /** How far it had got with lessons when it was read, by their ids. */
  readonly lessons: ReadonlyMap<string, KnownLesson>;
}

/** How far a client is with a lesson. */
export interface KnownLesson {
  readonly solved: boolean;
  readonly ticks: Ticks;
  /** Milliseconds since 1970: entries before it don't count. */
  readonly begunAt: number;
  /** What was missing last, if no step was done since. */
  readonly lastMiss: string | null;
}

type Judgeable = Parameters<typeof entryOf>[0];

/** Reads the exchanges of a client that were kept after `kept`, in that order, at most `limit`. */
export type ReadKept = (
  sql: Sql,
  clientId: string,
  kept: number,
  limit: number,
) => Promise<{ readonly kept: number; readonly exchange: Judgeable }[]>;

/** Reads of the log and of the progress of a client. */
export interface HistoryReads {
  readonly readKept: ReadKept;
  readonly readHead: (sql: Sql, clientId: string) => Promise<LogHead>;
  readonly readLessons: (sql: Sql, clientId: string) => Promise<Known['lessons']>;
}

export class Histories {
  readonly #reads: HistoryReads;
  readonly #known: LRUCache<string, Known>;
  readonly #headers: ReadonlySet<string>;

  /** `maxBytes` of memory are taken, roughly. `headers`: those of requests that lessons look at, in lower case. */
  constructor(reads: HistoryReads, maxBytes: number, headers = lessonHeaders) {
    this.#reads = reads;
    this.#headers = headers;
    this.#known = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf });
  }

  get bytes(): number {
    return this.#known.calculatedSize;
  }

  /** Looks only into memory: another node may have added to it, or reset the client. */
  inMemory(clientId: string): Known | undefined {
    return this.#known.get(clientId);
  }

  /** All that the log has, read anew. */
  async whole(sql: Sql, clientId: string): Promise<readonly Entry[]> {
    const { kept, cleared } = await this.#reads.readHead(sql, clientId);
    return (await this.#readOn(sql, clientId, { entries: [], kept: cleared }, kept, maxPerClient)).entries;
  }

  /**
   * The last ones that the log has, from memory as far as it is there. `head` of the log is read without one; with one it is
   * in a transaction.
   */
  async upTo(sql: Sql, clientId: string, head?: LogHead): Promise<Known> {
    const { kept, cleared, lessonsBegun, openLesson } = head ?? (await this.#reads.readHead(sql, clientId));
    const known = this.#known.get(clientId);
    // The client was reset on another node, took a lesson again, or was removed.
    const isCurrent = known?.cleared === cleared && known.lessonsBegun === lessonsBegun && known.kept <= kept;
    const before = isCurrent
      ? known
      : { entries: [], kept: cleared, cleared, lessonsBegun, lessons: await this.#reads.readLessons(sql, clientId) };
    return {
      ...before,
      openLesson,
      ...(await this.#readOn(sql, clientId, before, kept, looksBack, head !== undefined)),
    };
  }

  /** Adds what the log has up to the number `upTo`, and keeps the last `most`. */
  async #readOn(
    sql: Sql,
    clientId: string,
    before: Pick<Known, 'entries' | 'kept'>,
    upTo: number,
    most: number,
    isInTransaction = false,
  ): Promise<Pick<Known, 'entries' | 'kept'>> {
    let { entries, kept } = before;
    while (kept < upTo) {
      const rows = await this.#reads.readKept(sql, clientId, kept, chunkSize);
      entries = this.merge(
        entries,
        rows.map(({ exchange }) => exchange),
        most,
      );
      const isEnd = rows.length < chunkSize;
      // The log may no longer have the last of the numbers.
      kept = Math.max(rows.at(-1)?.kept ?? kept, isEnd ? upTo : kept);
      // A transaction must wait for nothing else.
      if (kept < upTo && !isInTransaction) await nextTurn();
    }
    return { entries, kept };
  }

  /** With those that came, in the order of time. A stream comes again when it ends: the last one counts. */
  merge(entries: readonly Entry[], came: readonly Judgeable[], most = looksBack): readonly Entry[] {
    const newer = new Map<string, Entry>();
    for (const exchange of came) {
      const entry = entryOf(exchange, this.#headers);
      if (entry) newer.set(entry.id, entry);
    }
    const others = entries.filter(({ id }) => !newer.has(id));
    return [...others, ...newer.values()].sort((a, b) => a.at - b.at).slice(-most);
  }

  keep(clientId: string, known: Known): void {
    this.#known.set(clientId, known);
  }

  forget(whose: (clientId: string) => boolean): void {
    for (const clientId of [...this.#known.keys()]) if (whose(clientId)) this.#known.delete(clientId);
  }
}

/** Those that count for a lesson: all, unless the client takes it again. */
export function sinceBegun(entries: readonly Entry[], begunAt: number): readonly Entry[] {
  return begunAt === 0 ? entries : entries.filter(({ at }) => at >= begunAt);
}

function sizeOf({ entries, lessons }: Known): number {
  let size = 200 + lessons.size * lessonSize;
  for (const entry of entries) size += entry.size;
  return size;
}
