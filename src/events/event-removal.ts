import { type Clock, instant } from '../clock.ts';
import type { HousekeepingTask } from '../component.ts';
import type { Database } from '../database/database.ts';
import type { Metrics } from '../http/metrics.ts';
import { retention } from './topic.ts';

/** How many events one step removes, at most. */
const most = 500;

/** Removes events past retention. Subscriptions without a delivery for one by then miss it, and count it. */
export class EventRemoval implements HousekeepingTask {
  readonly name = 'events';
  readonly removes = true;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #metrics: Metrics;

  constructor(database: Database, clock: Clock, metrics: Metrics) {
    this.#database = database;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  async step(): Promise<boolean> {
    const since = instant(this.#clock.now() - retention);
    const oldest = await this.#database.sql.get<{ seq: number; published_at: string }>`
      select seq, published_at from events order by seq limit 1`;
    if (!oldest || oldest.published_at > since) return false;
    const end = oldest.seq + most;
    const missed = await this.#database.write(async (sql) => {
      const row = await sql.get<{ missed: number }>`
        select count(*) as missed from events e
        join subscriptions s on s.client_id = e.client_id and s.topic = e.topic and s.taken_seq < e.seq and s.status <> 'deleted'
        where e.seq < ${end} and e.published_at <= ${since}`;
      const missed = row?.missed ?? 0;
      if (missed > 0) {
        await sql.run`
          update subscriptions set missed_events = missed_events + (
            select count(*) from events e
            where e.client_id = subscriptions.client_id and e.topic = subscriptions.topic and e.seq > subscriptions.taken_seq
              and e.seq < ${end} and e.published_at <= ${since}
          )
          where taken_seq < ${end} and status <> 'deleted'
            and client_id in (select client_id from events where seq < ${end} and published_at <= ${since})`;
      }
      await sql.run`delete from events where seq < ${end} and published_at <= ${since}`;
      return missed;
    });
    if (missed > 0) this.#metrics.eventsMissed(missed);
    return true;
  }
}
