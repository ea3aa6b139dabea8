import { type Clock, instant } from '../clock.ts';
import type { HousekeepingTask } from '../component.ts';
import type { Database, Sql } from '../database/database.ts';
import { retention } from '../events/topic.ts';
import type { Metrics } from '../http/metrics.ts';
import type { DeliveryStatus } from './delivery.ts';
import { lockSubscription, releaseWaiting } from './locked-subscription.ts';
import { deliveryBytes } from './stored-bytes.ts';

/*
 * Removal of deliveries, in steps. A delivery is kept as long as its event; a test event, which is in no log, as long as
 * events are, and until it is done. Removed are the oldest first, so that the numbers left have no gaps.
 */

/** Rows that one step removes or reads, at most. */
const most = 500;

/** Subscriptions that one step looks at. */
const pageSize = 200;

interface OldestRow {
  number: number;
  status: DeliveryStatus;
  event_seq: number | null;
  created_at: string;
  bytes: number;
}

export class DeliveryRemoval implements HousekeepingTask {
  readonly name = 'deliveries';
  readonly removes = true;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  /** Where the walk through all subscriptions is. */
  #after = '';
  /** Those of the page at hand that have something to remove. */
  #found: string[] = [];

  constructor(database: Database, clock: Clock, metrics: Metrics) {
    this.#database = database;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  async step(): Promise<boolean> {
    const id = this.#found[0];
    if (id === undefined) return this.#nextPage();
    const removed = await this.#removeOldOf(id);
    if (removed < most) this.#found.shift();
    return true;
  }

  async #nextPage(): Promise<boolean> {
    const { sql } = this.#database;
    const page = await sql.all<{ id: string }>`
      select id from subscriptions where id > ${this.#after} order by id limit ${pageSize}`;
    const last = page.at(-1)?.id;
    if (last === undefined) {
      this.#after = '';
      return false;
    }
    const since = instant(this.#clock.now() - retention);
    const rows = await sql.all<{ id: string }>`
      select s.id from subscriptions s
      join deliveries d on d.subscription_id = s.id
        and d.number = (select min(o.number) from deliveries o where o.subscription_id = s.id)
      where s.id > ${this.#after} and s.id <= ${last} and s.status <> 'deleted'
        and (d.event_seq < ${await this.#oldestKept()} or d.event_seq is null and d.created_at <= ${since}
          and d.status in ('delivered', 'failed'))`;
    this.#found = rows.map((row) => row.id);
    this.#after = last;
    return true;
  }

  /** The number of the oldest event that is kept, or of the next one when none is. */
  async #oldestKept(sql: Sql = this.#database.sql): Promise<number> {
    const since = instant(this.#clock.now() - retention);
    const row = await sql.get<{ seq: number }>`
      select coalesce(
        (select e.seq from events e where e.published_at > ${since} order by e.seq limit 1),
        (select h.seq + 1 from event_head h where h.id = 1)
      ) as seq`;
    return row?.seq ?? 0;
  }

  /** Returns how many deliveries it removed. */
  async #removeOldOf(id: string): Promise<number> {
    const now = this.#clock.now();
    const since = instant(now - retention);
    const { removed, missed } = await this.#database.write(async (sql) => {
      if (!(await lockSubscription(sql, id))) return { removed: 0, missed: 0 };
      const oldest = await this.#oldestKept(sql);
      const rows = await sql.all<OldestRow>`
        select number, status, event_seq, created_at, length(payload) + length(kept_attempts) as bytes from deliveries
        where subscription_id = ${id} order by number limit ${most}`;
      const end = rows.findIndex((row) => !isPast(row, oldest, since));
      const past = end < 0 ? rows : rows.slice(0, end);
      const last = past.at(-1);
      if (!last) return { removed: 0, missed: 0 };
      const open = past.filter(isOpen).length;
      const bytes = past.reduce((sum, row) => sum + row.bytes + deliveryBytes, 0);
      await sql.run`delete from deliveries where subscription_id = ${id} and number <= ${last.number}`;
      await sql.run`
        update subscriptions set open_deliveries = open_deliveries - ${open}, stored_bytes = stored_bytes - ${bytes},
          missed_events = missed_events + ${open}
        where id = ${id}`;
      if (open > 0) await releaseWaiting(sql, id, instant(now));
      return { removed: past.length, missed: open };
    });
    if (missed > 0) this.#metrics.eventsMissed(missed);
    return removed;
  }
}

const isOpen = ({ status }: OldestRow) => status === 'waiting' || status === 'pending';

/** Whether a delivery is kept no longer. `oldest` is the number of the oldest event that is. */
function isPast(row: OldestRow, oldest: number, since: string): boolean {
  return row.event_seq === null ? row.created_at <= since && !isOpen(row) : row.event_seq < oldest;
}

/** Removes the subscriptions that were deleted. */
export class SubscriptionRemoval implements HousekeepingTask {
  readonly name = 'deleted subscriptions';
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async step(): Promise<boolean> {
    const next = await this.#database.sql.get<{ id: string }>`
      select id from subscriptions where status = 'deleted' order by id limit 1`;
    if (!next) return false;
    await this.#database.write((sql) => removeSubscriptionRows(sql, next.id));
    return true;
  }
}

/** Removes a subscription that was deleted, or the most of its rows that `limit` allows. Returns how many. */
export async function removeSubscriptionRows(sql: Sql, id: string, limit = most): Promise<number> {
  const removed = await sql.run`
    delete from deliveries where subscription_id = ${id} and number in (
      select number from deliveries where subscription_id = ${id} order by number limit ${limit}
    )`;
  if (removed === limit) return removed;
  return removed + (await sql.run`delete from subscriptions where id = ${id}`);
}

/** Removes the subscriptions of a client that is being removed, as far as `limit` rows. Returns how many. */
export async function removeClientSubscriptions(sql: Sql, clientId: string, limit: number): Promise<number> {
  // From now on nothing of it is called.
  await sql.run`update subscriptions set status = 'deleted' where client_id = ${clientId} and status <> 'deleted'`;
  let left = limit;
  while (left > 0) {
    const next = await sql.get<{ id: string }>`select id from subscriptions where client_id = ${clientId} limit 1`;
    if (!next) break;
    left -= await removeSubscriptionRows(sql, next.id, left);
  }
  return limit - left;
}
