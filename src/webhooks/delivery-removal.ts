import type { HousekeepingTask } from '../component.ts';
import { alias, integer } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import type { EventLog } from '../events/event-log.ts';
import { retention } from '../events/retention.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { isOpen } from './delivery.ts';
import { afterPause, lockSubscription, releaseWaiting } from './locked-subscription.ts';
import { deliveryBytes } from './stored-bytes.ts';
import { deliveries, subscriptions } from './tables.ts';

/*
 * Removal of deliveries, in steps. A delivery is kept as long as its event; a test event, which is in no log, as long as
 * events are, and until it is done; both by the clock of its client. Removed are the oldest first, so that the numbers
 * left have no gaps.
 *
 * The walk through all subscriptions begins every ten minutes, and in the next round after a clock was moved: days may
 * have passed then. Rounds between two walks have nothing to look at.
 */

/** Rows that one step removes or reads, at most. */
const most = 500;

/** Subscriptions that one step looks at. */
export const pageSize = 200;

/** Milliseconds between two walks through all subscriptions, by the clock, which may be set. */
export const walkEveryMs = 600_000;

export interface DeliveryRemovalOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly log: EventLog;
  /** Counts deliveries that were still open. */
  readonly missed: (count: number) => void;
}

export class DeliveryRemoval implements HousekeepingTask {
  readonly name = 'deliveries';
  readonly removes = true;
  readonly #options: DeliveryRemovalOptions;
  /** Where the walk through all subscriptions is. */
  #after = '';
  /** Those of the page at hand that have something to remove. */
  #found: string[] = [];
  /** When the last walk began, unless a clock was moved since. */
  #begun = Number.NEGATIVE_INFINITY;

  constructor(options: DeliveryRemovalOptions) {
    this.#options = options;
    options.clocks.onMoved(() => {
      this.#begun = Number.NEGATIVE_INFINITY;
    });
  }

  async step(): Promise<boolean> {
    const id = this.#found[0];
    if (id === undefined) return this.#nextPage();
    const removed = await this.#removeOldOf(id);
    if (removed < most) this.#found.shift();
    return true;
  }

  async #nextPage(): Promise<boolean> {
    const { clock, clocks } = this.#options;
    const { sql } = this.#options.database;
    if (this.#after === '') {
      if (Math.abs(clock.now() - this.#begun) < walkEveryMs) return false;
      this.#begun = clock.now();
    }
    const page = await findPage(sql, { after: this.#after, pageSize });
    const last = page.at(-1)?.id;
    if (last === undefined) {
      this.#after = '';
      return false;
    }
    const { oldest, since } = await this.#kept(undefined);
    const rows = await findWithOld(sql, { after: this.#after, last, oldestKept: oldest, since });
    this.#found = rows.map((row) => row.id);
    for (const { id, clientId } of page) {
      if (clocks.offset(clientId) > 0 && (await this.#hasOld(id, clientId))) this.#found.push(id);
    }
    this.#after = last;
    return true;
  }

  /** By the clock of a client, or in real time: the oldest event that is kept, and since when test events are. */
  async #kept(clientId: string | undefined, sql?: Sql): Promise<{ oldest: number; since: string }> {
    const { clocks, log } = this.#options;
    const { oldest } = await log.bounds(clientId, sql);
    return { oldest, since: instant(clocks.now(clientId) - retention) };
  }

  async #hasOld(id: string, clientId: string): Promise<boolean> {
    const [first] = await findOldest(this.#options.database.sql, { id, most: 1 });
    if (!first) return false;
    const { oldest, since } = await this.#kept(clientId);
    return isPast(first, oldest, since);
  }

  /** Returns how many deliveries it removed. */
  async #removeOldOf(id: string): Promise<number> {
    const { database, clock, missed: countMissed } = this.#options;
    const { removed, missed } = await database.write(async (sql) => {
      const locked = await lockSubscription(sql, id);
      if (!locked) return { removed: 0, missed: 0 };
      const { oldest, since } = await this.#kept(locked.clientId, sql);
      const rows = await findOldest(sql, { id, most });
      const end = rows.findIndex((row) => !isPast(row, oldest, since));
      const past = end < 0 ? rows : rows.slice(0, end);
      const last = past.at(-1);
      if (!last) return { removed: 0, missed: 0 };
      const open = past.filter(({ status }) => isOpen(status)).length;
      const bytes = past.reduce((sum, row) => sum + row.bytes + deliveryBytes, 0);
      await removeUpTo(sql, { id, last: last.number });
      await addMissed(sql, { id, open, bytes });
      if (open > 0) await releaseWaiting(sql, { id, at: afterPause(locked.pausedUntil, instant(clock.now())) });
      return { removed: past.length, missed: open };
    });
    if (missed > 0) countMissed(missed);
    return removed;
  }
}

type OldestRow = Awaited<ReturnType<typeof findOldest>>[number];

/** Whether a delivery is kept no longer. `oldest` is the number of the oldest event that is. */
function isPast(row: OldestRow, oldest: number, since: string): boolean {
  return row.eventSeq === null ? row.createdAt <= since && !isOpen(row.status) : row.eventSeq < oldest;
}

/** Removes the subscriptions that were deleted. */
export class SubscriptionRemoval implements HousekeepingTask {
  readonly name = 'deleted subscriptions';
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async step(): Promise<boolean> {
    const next = await findDeleted(this.#database.sql);
    if (!next) return false;
    await this.#database.write((sql) => removeSubscriptionRows(sql, next.id));
    return true;
  }
}

/** Removes a subscription that was deleted, or the most of its rows that `limit` allows. Returns how many. */
export async function removeSubscriptionRows(sql: Sql, id: string, limit = most): Promise<number> {
  await lock(sql, { id });
  const removed = await removeOldest(sql, { id, limit });
  if (removed === limit) return removed;
  return removed + (await removeSubscription(sql, { id }));
}

/** From now on nothing of the client is called. */
export function endSubscriptions(sql: Sql, clientId: string): Promise<number> {
  return markAllDeleted(sql, { clientId });
}

/** Removes the subscriptions of a client, as far as `limit` rows. Returns how many rows. */
export async function removeSubscriptions(sql: Sql, clientId: string, limit: number): Promise<number> {
  let left = limit;
  while (left > 0) {
    const next = await findAnyOf(sql, { clientId });
    if (!next) break;
    left -= await removeSubscriptionRows(sql, next.id, left);
  }
  return limit - left;
}

export const findPage = statement.all`
  select ${subscriptions.pick('id', 'clientId')} from subscriptions
  where id > ${'after'} order by id limit ${'pageSize'}`;

const findWithOld = statement.all`
  select ${subscriptions.pick('id').of('s')} from subscriptions s
  join deliveries d on d.subscription_id = s.id
    and d.number = (select min(o.number) from deliveries o where o.subscription_id = s.id)
  where s.id > ${'after'} and s.id <= ${'last'} and s.status <> 'deleted'
    and (d.event_seq < ${'oldestKept'} or d.event_seq is null and d.created_at <= ${'since'}
      and d.status in ('delivered', 'failed'))`;

const findOldest = statement.all`
  select ${deliveries.pick('number', 'status', 'eventSeq', 'createdAt')},
    length(payload) + length(kept_attempts) as ${alias('bytes', integer)}
  from deliveries where subscription_id = ${'id'} order by number limit ${'most'}`;

const removeUpTo = statement.run`
  delete from deliveries where subscription_id = ${'id'} and number <= ${'last'}`;

const addMissed = statement.run`
  update subscriptions set open_deliveries = open_deliveries - ${'open'}, stored_bytes = stored_bytes - ${'bytes'},
    missed_events = missed_events + ${'open'}
  where id = ${'id'}`;

const findDeleted = statement.get`
  select ${subscriptions.pick('id')} from subscriptions where status = 'deleted' order by id limit 1`;

const removeOldest = statement.run`
  delete from deliveries where subscription_id = ${'id'} and number in (
    select number from deliveries where subscription_id = ${'id'} order by number limit ${'limit'}
  )`;

const lock = statement.get`
  select ${subscriptions.pick('id')} from subscriptions where id = ${'id'} ${lockRows}`;

const removeSubscription = statement.run`delete from subscriptions where id = ${'id'}`;

// Those that were deleted before, too: they go with the rest.
const markAllDeleted = statement.run`
  with own as materialized (
    select id from subscriptions where client_id = ${'clientId'} order by id ${lockRows}
  )
  update subscriptions set status = 'deleted' where id in (select id from own) and status <> 'deleted'`;

const findAnyOf = statement.get`
  select ${subscriptions.pick('id')} from subscriptions where client_id = ${'clientId'} limit 1`;
