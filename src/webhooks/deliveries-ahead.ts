import type { HousekeepingTask } from '../component.ts';
import { alias, integer, text } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Clock, instant } from '../time/clock.ts';
import { ForADay, impossible } from '../time/clock-steps.ts';
import { retryIntervals } from './retry-intervals.ts';
import { deliveries } from './tables.ts';

/** How many rows change in one transaction, at most. */
const batch = 500;

/**
 * Dates to now what was written while the clock was ahead (clock-steps.ts): at once attempts, which would not become
 * due; after a day deliveries, which would not grow old and keep later ones from being removed. Those of a client with
 * a clock of its own are ahead for that.
 */
export class DeliveriesAhead implements HousekeepingTask {
  readonly name = 'deliveries ahead of the clock';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #found: ForADay;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#found = new ForADay(clock);
  }

  async step(): Promise<boolean> {
    const more = [await this.#attempts(), await this.#deliveries()];
    return more.includes(true);
  }

  async #attempts(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now, Math.max(...retryIntervals));
    const rows = await findAttempts(this.#database.sql, { ahead, batch });
    if (rows.length === 0) return false;
    await this.#database.write(async (sql) => {
      for (const row of rows) await dateAttempt(sql, { ...row, ahead, now: instant(now) });
    });
    return rows.length === batch;
  }

  // Those of one time ahead follow each other; only when the first of them is the oldest do they keep others.
  async #deliveries(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now);
    const oldest = await findOldest(this.#database.sql, { ahead, batch });
    if (!this.#found.lasts(oldest.length > 0)) return false;
    for (const { subscriptionId, number } of oldest) {
      for (let from = number, changed = 1; changed > 0; from += batch) {
        const some = { subscriptionId, from, end: from + batch, ahead, now: instant(now) };
        changed = await this.#database.write((sql) => date(sql, some));
      }
    }
    return oldest.length === batch;
  }
}

const findAttempts = statement.all`
  select ${deliveries.pick('subscriptionId', 'number')} from deliveries
  where status = 'pending' and next_attempt_at > ${'ahead'} order by next_attempt_at limit ${'batch'}`;

const dateAttempt = statement.run`
  update deliveries set next_attempt_at = ${'now'}
  where subscription_id = ${'subscriptionId'} and number = ${'number'}
    and status = 'pending' and next_attempt_at > ${'ahead'}`;

const findOldest = statement.all`
  select s.id as ${alias('subscriptionId', text)},
    (select min(d.number) from deliveries d where d.subscription_id = s.id) as ${alias('number', integer)}
  from subscriptions s
  join clients k on k.id = s.client_id and k.clock_offset = 0
  where (select d.created_at from deliveries d where d.subscription_id = s.id order by d.number limit 1) > ${'ahead'}
  limit ${'batch'}`;

const date = statement.run`
  update deliveries set created_at = ${'now'}
  where subscription_id = ${'subscriptionId'} and number >= ${'from'} and number < ${'end'} and created_at > ${'ahead'}`;
