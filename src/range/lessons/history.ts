import type { Entry } from './entry.ts';

/** The exchanges of a client before a certain one, as far as the log has them. */
export class History {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly #end: number;

  /** Those of `entries` before the index `end`. */
  constructor(entries: readonly Entry[], end = entries.length) {
    this.entries = entries;
    this.#end = end;
  }

  /** The latest that fits. */
  last(fits: (entry: Entry) => boolean): Entry | undefined {
    for (let at = this.#end - 1; at >= 0; at -= 1) {
      const entry = this.entries[at] as Entry;
      if (fits(entry)) return entry;
    }
    return undefined;
  }

  has(fits: (entry: Entry) => boolean): boolean {
    return this.last(fits) !== undefined;
  }

  /** All that fit, oldest first. */
  all(fits: (entry: Entry) => boolean): Entry[] {
    return this.entries.slice(0, this.#end).filter(fits);
  }

  /** The last ones, latest first. */
  latest(count: number): Entry[] {
    return this.entries.slice(Math.max(0, this.#end - count), this.#end).reverse();
  }

  /** Those after `entry`, oldest first. */
  since(entry: Entry): Entry[] {
    return this.entries.slice(this.entries.indexOf(entry) + 1, this.#end);
  }

  /** The history before `entry`. */
  before(entry: Entry): History {
    return new History(this.entries, Math.max(0, this.entries.indexOf(entry)));
  }
}
