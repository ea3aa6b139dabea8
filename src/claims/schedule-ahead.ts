import { type Clock, instant } from '../clock.ts';
import { ForADay, impossible } from '../clock-steps.ts';
import type { Database } from '../database/database.ts';
import { fleetId } from '../insurer/index.ts';
import { retryIntervals } from '../webhooks/index.ts';
import { maxPaceSeconds } from './claim.ts';

/** How many rows change in one transaction, at most. */
const batch = 500;

/**
 * Sets times to now that were written while the clock was ahead (clock-steps.ts): at once the due times of claims and
 * deliveries, which would come too late; after a day those of events, deliveries and closed claims of the fleet, which
 * would be kept too long, and everything after them too.
 */
export class ScheduleAhead {
  readonly name = 'times ahead of the clock';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #found: Record<'events' | 'deliveries' | 'fleetClaims', ForADay>;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    const found = () => new ForADay(clock);
    this.#found = { events: found(), deliveries: found(), fleetClaims: found() };
  }

  /** Does a bounded part of the work. Returns whether there may be more of it. */
  async step(): Promise<boolean> {
    const more = [
      await this.#moves(),
      await this.#attempts(),
      await this.#events(),
      await this.#deliveries(),
      await this.#fleetClaims(),
    ];
    return more.includes(true);
  }

  async #moves(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now, maxPaceSeconds * 1000);
    const rows = await this.#database.sql.all<{ id: string }>`
      select id from claims where due_at > ${ahead} order by due_at limit ${batch}`;
    if (rows.length === 0) return false;
    await this.#database.write(async (sql) => {
      for (const { id } of rows) {
        await sql.run`update claims set due_at = ${instant(now)} where id = ${id} and due_at > ${ahead}`;
      }
    });
    return rows.length === batch;
  }

  async #attempts(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now, Math.max(...retryIntervals));
    const rows = await this.#database.sql.all<{ subscription_id: string; number: number }>`
      select subscription_id, number from deliveries
      where status = 'pending' and next_attempt_at > ${ahead} order by next_attempt_at limit ${batch}`;
    if (rows.length === 0) return false;
    await this.#database.write(async (sql) => {
      for (const { subscription_id, number } of rows) {
        await sql.run`
          update deliveries set next_attempt_at = ${instant(now)}
          where subscription_id = ${subscription_id} and number = ${number}
            and status = 'pending' and next_attempt_at > ${ahead}`;
      }
    });
    return rows.length === batch;
  }

  // Such events follow each other. They stop the removal of others only when the first of them is the oldest event.
  async #events(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now);
    const oldest = await this.#database.sql.get<{ seq: number; published_at: string }>`
      select seq, published_at from events order by seq limit 1`;
    const found = oldest !== undefined && oldest.published_at > ahead;
    if (!this.#found.events.lasts(found) || !oldest) return false;
    for (let from = oldest.seq, changed = 1; changed > 0; from += batch) {
      changed = await this.#database.write(
        (sql) => sql.run`
          update events set published_at = ${instant(now)}
          where seq >= ${from} and seq < ${from + batch} and published_at > ${ahead}`,
      );
    }
    return false;
  }

  // In the same way, for each subscription.
  async #deliveries(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now);
    const oldest = await this.#database.sql.all<{ id: string; number: number }>`
      select s.id, d.number from subscriptions s
      join deliveries d on d.subscription_id = s.id
        and d.number = (select min(o.number) from deliveries o where o.subscription_id = s.id)
      where d.created_at > ${ahead} limit ${batch}`;
    if (!this.#found.deliveries.lasts(oldest.length > 0)) return false;
    for (const { id, number } of oldest) {
      for (let from = number, changed = 1; changed > 0; from += batch) {
        changed = await this.#database.write(
          (sql) => sql.run`
            update deliveries set created_at = ${instant(now)}
            where subscription_id = ${id} and number >= ${from} and number < ${from + batch}
              and created_at > ${ahead}`,
        );
      }
    }
    return oldest.length === batch;
  }

  async #fleetClaims(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now);
    const oldest = await this.#database.sql.get<{ status: string; updated_at: string }>`
      select status, updated_at from claims where client_id = ${fleetId} order by number limit 1`;
    const found = oldest?.status === 'CLOSED' && oldest.updated_at > ahead;
    if (!this.#found.fleetClaims.lasts(found)) return false;
    const changed = await this.#database.write(
      (sql) => sql.run`
        update claims set registered_at = ${instant(now)}, updated_at = ${instant(now)}
        where client_id = ${fleetId} and status = 'CLOSED' and updated_at > ${ahead} and number in (
          select number from claims where client_id = ${fleetId} order by number limit ${batch}
        )`,
    );
    return changed === batch;
  }
}
