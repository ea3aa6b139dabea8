import type { HousekeepingTask } from '../component.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Clock, instant } from '../time/clock.ts';
import { ForADay, impossible } from '../time/clock-steps.ts';
import { events } from './event-log.ts';

/** How many rows change in one transaction, at most. */
const batch = 500;

/**
 * Dates events that were published while the clock was ahead (clock-steps.ts) to now, when it has been back for a day:
 * they would not grow old, and keep those after them from being removed. Those of one time ahead follow each other, and
 * only when the first of them is the oldest event do they keep others.
 */
export class EventsAhead implements HousekeepingTask {
  readonly name = 'events ahead of the clock';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #found: ForADay;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#found = new ForADay(clock);
  }

  /** Always false: it dates all of them, a batch in each transaction. */
  async step(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now);
    const oldest = await findOldest(this.#database.sql);
    const found = oldest !== undefined && oldest.publishedAt > ahead;
    if (!this.#found.lasts(found) || !oldest) return false;
    for (let from = oldest.seq, changed = 1; changed > 0; from += batch) {
      const some = { from, end: from + batch, ahead, now: instant(now) };
      changed = await this.#database.write((sql) => date(sql, some));
    }
    return false;
  }
}

const findOldest = statement.get`
  select ${events.pick('seq', 'publishedAt')} from events order by seq limit 1`;

const date = statement.run`
  update events set published_at = ${'now'} where seq >= ${'from'} and seq < ${'end'} and published_at > ${'ahead'}`;
