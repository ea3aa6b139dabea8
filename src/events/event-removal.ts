import type { HousekeepingTask } from '../component.ts';
import { alias, integer, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { events } from './event-log.ts';
import { retention } from './retention.ts';

/** How many events one step removes, at most. */
const most = 500;

/** Removes events past retention. Subscriptions without a delivery for one by then miss it, and count it. */
export class EventRemoval implements HousekeepingTask {
  readonly name = 'events';
  readonly removes = true;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #missed: (count: number) => void;

  constructor(database: Database, clock: Clock, missed: (count: number) => void) {
    this.#database = database;
    this.#clock = clock;
    this.#missed = missed;
  }

  async step(): Promise<boolean> {
    const since = instant(this.#clock.now() - retention);
    const oldest = await findOldest(this.#database.sql);
    if (!oldest || oldest.publishedAt > since) return false;
    const end = oldest.seq + most;
    const missed = await this.#database.write(async (sql) => {
      const row = await countMissed(sql, { end, since });
      const missed = row?.missed ?? 0;
      if (missed > 0) {
        await lockBehind(sql, { end, since });
        await addMissed(sql, { end, since });
      }
      await removeOld(sql, { end, since });
      return missed;
    });
    if (missed > 0) this.#missed(missed);
    return true;
  }
}

/**
 * Takes events away from a client, at most `limit`, oldest first. Returns how many. They stay in the log as nobody's: if
 * they went, cursors of other clients might be older than the oldest event that is left.
 */
export function disownEvents(sql: Sql, clientId: string, limit: number): Promise<number> {
  return disown(sql, { clientId, limit });
}

/** Of a subscription. */
const id = alias('id', text);

const disown = statement.run`
  with oldest as materialized (
    select seq from events where client_id between ${'clientId'} and ${'clientId'}
    order by client_id, seq limit ${'limit'} ${lockRows}
  )
  update events set client_id = '' where seq in (select seq from oldest)`;

/**
 * The same for clients with a clock of their own, which is ahead. What was not relayed stays until it is: the others who
 * read it have the real time.
 */
export class MovedEventRemoval implements HousekeepingTask {
  readonly name = 'events of clients that are ahead';
  readonly removes = true;
  readonly #database: Database;
  readonly #clocks: ClientClocks;
  readonly #relayed: boolean;
  readonly #missed: (count: number) => void;
  /** The clients of this round that are left. */
  #left: string[] | undefined;

  /** `relayed`: whether events are relayed to Kafka. */
  constructor(database: Database, clocks: ClientClocks, relayed: boolean, missed: (count: number) => void) {
    this.#database = database;
    this.#clocks = clocks;
    this.#relayed = relayed;
    this.#missed = missed;
  }

  async step(): Promise<boolean> {
    this.#left ??= [...this.#clocks.moved];
    const clientId = this.#left[0];
    if (clientId === undefined) {
      this.#left = undefined;
      return false;
    }
    if ((await this.#removeOldOf(clientId)) < most) this.#left.shift();
    return true;
  }

  async #removeOldOf(clientId: string): Promise<number> {
    const since = instant(this.#clocks.since(clientId, retention));
    const rows = await findOldestOf(this.#database.sql, { clientId, relayed: this.#relayed ? 1 : 0, most });
    const kept = rows.findIndex(({ publishedAt }) => publishedAt > since);
    const old = kept < 0 ? rows : rows.slice(0, kept);
    const end = old.at(-1)?.seq;
    if (end === undefined) return 0;
    const missed = await this.#database.write(async (sql) => {
      const row = await countMissedOf(sql, { clientId, end });
      const missed = row?.missed ?? 0;
      if (missed > 0) {
        await lockOfClient(sql, { clientId });
        await addMissedOf(sql, { clientId, end });
      }
      await removeOf(sql, { clientId, end });
      return missed;
    });
    if (missed > 0) this.#missed(missed);
    return old.length;
  }
}

const findOldestOf = statement.all`
  select ${events.pick('seq', 'publishedAt')} from events
  where client_id between ${'clientId'} and ${'clientId'}
    and (cast(${'relayed'} as integer) = 0 or seq <= (select r.seq from kafka_relay r where r.id = 1))
  order by client_id, seq limit ${'most'}`;

const countMissedOf = statement.get`
  select count(*) as ${alias('missed', integer)} from events e
  join subscriptions s on s.client_id = e.client_id and s.topic = e.topic and s.taken_seq < e.seq and s.status <> 'deleted'
  where e.client_id = ${'clientId'} and e.seq <= ${'end'}`;

const addMissedOf = statement.run`
  update subscriptions set missed_events = missed_events + (
    select count(*) from events e
    where e.client_id = subscriptions.client_id and e.topic = subscriptions.topic and e.seq > subscriptions.taken_seq
      and e.seq <= ${'end'}
  )
  where client_id = ${'clientId'} and status <> 'deleted'`;

const removeOf = statement.run`
  with old as materialized (
    select seq from events where client_id = ${'clientId'} and seq <= ${'end'} order by seq ${lockRows}
  )
  delete from events where seq in (select seq from old)`;

const lockOfClient = statement.all`
  select ${id} from subscriptions where client_id = ${'clientId'} order by id ${lockRows}`;

const findOldest = statement.get`select ${events.pick('seq', 'publishedAt')} from events order by seq limit 1`;

const countMissed = statement.get`
  select count(*) as ${alias('missed', integer)} from events e
  join subscriptions s on s.client_id = e.client_id and s.topic = e.topic and s.taken_seq < e.seq and s.status <> 'deleted'
  where e.seq < ${'end'} and e.published_at <= ${'since'}`;

const addMissed = statement.run`
  update subscriptions set missed_events = missed_events + (
    select count(*) from events e
    where e.client_id = subscriptions.client_id and e.topic = subscriptions.topic and e.seq > subscriptions.taken_seq
      and e.seq < ${'end'} and e.published_at <= ${'since'}
  )
  where taken_seq < ${'end'} and status <> 'deleted'
    and client_id in (select client_id from events where seq < ${'end'} and published_at <= ${'since'})`;

const removeOld = statement.run`
  with old as materialized (
    select seq from events where seq < ${'end'} and published_at <= ${'since'} order by seq ${lockRows}
  )
  delete from events where seq in (select seq from old)`;

// Whoever creates deliveries, or ends a client, may have some of them.
const lockBehind = statement.all`
  select ${id} from subscriptions
  where taken_seq < ${'end'} and status <> 'deleted'
    and client_id in (select client_id from events where seq < ${'end'} and published_at <= ${'since'})
  order by id ${lockRows}`;
