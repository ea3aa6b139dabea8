import type { HousekeepingTask } from '../component.ts';
import type { Database, Sql } from '../database/database.ts';
import { type Clock, instant } from '../time/clock.ts';
import { DayTimer, impossible } from '../time/clock-steps.ts';

/** How many rows change in one transaction, at most. */
const batch = 500;

/** Times of one kind that were written while the clock of the machine was ahead (clock-steps.ts), and are set to now. */
export interface TimesAhead<Row = unknown> {
  /**
   * At once: what is due then would wait until the clock has come there again. After a day with the clock back: what is
   * removed by its age would not grow old.
   */
  readonly when: 'at once' | 'after a day';
  /** Milliseconds by which such a time may rightly be in the future. */
  readonly mayBeAhead?: number;
  /** Finds rows with times after `ahead`: all of them, at most `batch`, or those by which the rest is found. */
  find(sql: Sql, bounds: { readonly ahead: string; readonly batch: number }): Promise<readonly Row[]>;
  /** Sets the times to now. Returns `batch` if there may be more of them. */
  set(database: Database, rows: readonly Row[], times: SetTimes): Promise<number>;
}

interface SetTimes {
  readonly ahead: string;
  readonly now: string;
  readonly batch: number;
}

/** Sets times that lie ahead to now, in bounded steps. */
export class TimesAheadTask implements HousekeepingTask {
  readonly name: string;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #kinds: readonly { readonly times: TimesAhead; readonly found: DayTimer }[];

  constructor(name: string, database: Database, clock: Clock, kinds: readonly TimesAhead[]) {
    this.name = name;
    this.#database = database;
    this.#clock = clock;
    this.#kinds = kinds.map((times) => ({ times, found: new DayTimer(clock) }));
  }

  async step(): Promise<boolean> {
    let more = false;
    for (const { times, found } of this.#kinds) {
      const now = this.#clock.now();
      const ahead = impossible(now, times.mayBeAhead);
      const rows = await times.find(this.#database.sql, { ahead, batch });
      const isThere = rows.length > 0;
      if (times.when === 'at once' ? !isThere : !found.lasts(isThere)) continue;
      if ((await times.set(this.#database, rows, { ahead, now: instant(now), batch })) === batch) more = true;
    }
    return more;
  }
}

/** For rows with numbers, of which those of one time ahead follow each other: a batch in each transaction. */
export async function setInBatches(
  database: Database,
  first: number,
  set: (sql: Sql, range: { readonly from: number; readonly end: number }) => Promise<number>,
): Promise<void> {
  for (let from = first, changed = 1; changed > 0; from += batch)
    changed = await database.write((sql) => set(sql, { from, end: from + batch }));
}
