import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/database.ts';
import { mostPerClient } from '../pending-calls.ts';
import { type Step, stepOf } from './step.ts';

/*
 * The last exchanges of the clients that called last, as steps, so that an exchange can be judged without reading those
 * before it. What is not in memory, or was kept by another node, is read from the log.
 */

/** Exchanges that a lesson looks back at: half of the log, so that a large class fits into memory. */
const looksBack = 150;

/** Exchanges that are read at once: each has up to 32 KiB of bodies. */
const chunkSize = 20;

/** What is known of a client. It does not change: what comes makes a new one. */
export interface Known {
  /** Oldest first. */
  readonly steps: readonly Step[];
  /** The number `kept` of the latest exchange in it. */
  readonly kept: number;
  /** The lessons that were solved when it was read. */
  readonly solved: ReadonlySet<string>;
}

/** Reads the exchanges of a client that were kept after `kept`, in that order, at most `limit`. */
export type ReadKept = (
  sql: Sql,
  clientId: string,
  kept: number,
  limit: number,
) => Promise<{ readonly kept: number; readonly exchange: Parameters<typeof stepOf>[0] }[]>;

export type ReadSolved = (sql: Sql, clientId: string) => Promise<ReadonlySet<string>>;

export class Histories {
  readonly #read: ReadKept;
  readonly #readSolved: ReadSolved;
  readonly #known: LRUCache<string, Known>;

  /** `mostBytes` of memory are taken, roughly. */
  constructor(read: ReadKept, readSolved: ReadSolved, mostBytes: number) {
    this.#read = read;
    this.#readSolved = readSolved;
    this.#known = new LRUCache({ maxSize: mostBytes, sizeCalculation: sizeOf });
  }

  get bytes(): number {
    return this.#known.calculatedSize;
  }

  /** What is there without a look at the log: another node may have kept more. */
  inMemory(clientId: string): Known | undefined {
    return this.#known.get(clientId);
  }

  /** All that the log has, read anew. */
  async whole(sql: Sql, clientId: string): Promise<readonly Step[]> {
    let [steps, kept]: [readonly Step[], number] = [[], 0];
    for (;;) {
      const rows = await this.#read(sql, clientId, kept, chunkSize);
      steps = merged(
        steps,
        rows.map(({ exchange }) => exchange),
        mostPerClient,
      );
      const last = rows.at(-1);
      if (!last || rows.length < chunkSize) return steps;
      kept = last.kept;
      await nextTurn();
    }
  }

  /** The last ones that were kept up to the number `upTo`, from memory as far as it is there. */
  async upTo(sql: Sql, clientId: string, upTo = Number.MAX_SAFE_INTEGER): Promise<Known> {
    let known = this.#known.get(clientId) ?? {
      steps: [],
      kept: 0,
      solved: await this.#readSolved(sql, clientId),
    };
    while (known.kept < upTo) {
      const rows = await this.#read(sql, clientId, known.kept, chunkSize);
      const last = rows.at(-1);
      if (!last) break;
      known = {
        ...known,
        steps: merged(
          known.steps,
          rows.map(({ exchange }) => exchange),
        ),
        kept: last.kept,
      };
      if (rows.length < chunkSize) break;
      await nextTurn();
    }
    return known;
  }

  keep(clientId: string, known: Known): void {
    this.#known.set(clientId, known);
  }

  forget(whose: (clientId: string) => boolean): void {
    for (const clientId of [...this.#known.keys()]) if (whose(clientId)) this.#known.delete(clientId);
  }
}

/** With those that came, in the order of time. A stream comes again when it ends: the last one counts. */
export function merged(
  steps: readonly Step[],
  came: readonly Parameters<typeof stepOf>[0][],
  most = looksBack,
): readonly Step[] {
  const all = new Map(steps.map((step) => [step.id, step]));
  for (const exchange of came) {
    const step = stepOf(exchange);
    if (step) all.set(step.id, step);
  }
  return [...all.values()].sort((a, b) => a.at - b.at).slice(-most);
}

function sizeOf({ steps }: Known): number {
  let size = 200;
  for (const step of steps) size += step.size;
  return size;
}
