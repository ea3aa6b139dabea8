import { type Clock, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import { ProblemError } from '../http/problem.ts';
import { invalid } from '../http/validation.ts';
import { type Cursor, copiesOf, cursorText, everyCopy, retention } from './event.ts';
import type { ClaimStatusChanged } from '../claims/schemas.ts';
import { eventBytes } from '../webhooks/stored-bytes.ts';

/*
 * The log of the topic. An event gets its number in the transaction of the change it reports, from a counter row that
 * stays locked until that transaction ends. So numbers have no gaps and come in the order of commits, and whoever has
 * read up to a number has missed nothing before it. The row is the last lock of a transaction: what else a transaction
 * changes, it changes before.
 *
 * Retention follows from the clock: an event past its days is not read, whether or not housekeeping has removed it.
 */

/** The channel on which readers hear that events were appended. */
export const eventsAppended = 'events';

/** Where to go on reading. */
export type Place = Cursor | 'earliest' | 'latest';

/** Where the caller named it, should it be refused. */
export type PlaceName = { parameter: 'after' } | { header: 'Last-Event-ID' };

/** One delivery of an event: an event that comes twice has two. */
export interface Delivery {
  readonly cursor: Cursor;
  /** The payload as JSON text. */
  readonly payload: string;
}

export interface Read {
  readonly deliveries: readonly Delivery[];
  /** Where to go on. */
  readonly next: Cursor;
}

export class EventLog {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #duplicateRate: number;
  /** The reads that began in this turn of the event loop: readers at the same place share one. */
  readonly #reads = new Map<string, Promise<Read>>();

  constructor(database: Database, clock: Clock, duplicateRate: number) {
    this.#database = database;
    this.#clock = clock;
    this.#duplicateRate = duplicateRate;
  }

  /** Adds events in the transaction that makes the changes they report; its last act. */
  async append(sql: Sql, events: readonly { clientId: string; event: ClaimStatusChanged }[]): Promise<void> {
    if (events.length === 0) return;
    const head = await sql.get<{ seq: number }>`
      update event_head set seq = seq + ${events.length} where id = 1 returning seq`;
    const at = instant(this.#clock.now());
    let seq = (head?.seq ?? 0) - events.length;
    for (const { clientId, event } of events) {
      seq += 1;
      const payload = JSON.stringify(event);
      // The running total of stored-bytes.ts.
      await sql.run`
        insert into events (seq, event_id, client_id, claim_id, payload, published_at, client_bytes)
        values (${seq}, ${event.eventId}, ${clientId}, ${event.data.claimId}, ${payload}, ${at},
          coalesce((select client_bytes from events where client_id = ${clientId} order by seq desc limit 1), 0)
            + ${payload.length + eventBytes})`;
    }
  }

  /** Tells waiting readers of every node. To be called once the append is committed. */
  announce(): void {
    this.#database.signal(eventsAppended);
  }

  /**
   * What follows a place in the topic, of the events on the client's own policies. `named` is where the caller put it.
   *
   * @throws {ProblemError} `cursor-expired`, or `validation-error` for a cursor of another topic
   */
  read(clientId: string, after: Place, limit: number, named: PlaceName = { parameter: 'after' }): Promise<Read> {
    const place = typeof after === 'string' ? after : cursorText(after);
    const key = `${clientId} ${place} ${limit} ${Object.keys(named)}`;
    const shared = this.#reads.get(key);
    if (shared) return shared;
    const read = this.#read(clientId, after, limit, named);
    if (this.#reads.size === 0) setImmediate(() => this.endSharing());
    this.#reads.set(key, read);
    return read;
  }

  /** Reads that begin from now on are made anew. */
  endSharing(): void {
    this.#reads.clear();
  }

  async #read(clientId: string, after: Place, limit: number, named: PlaceName): Promise<Read> {
    // First the head: all events up to it are committed, and seen by the second statement.
    const { head, oldest } = await this.#bounds();
    const from = placed(after, head, oldest, named);
    const first = Math.max(oldest, from.copy < everyCopy ? from.seq : from.seq + 1);
    // One row more: the first may be the event that the place is in, with no copy of it left.
    const rows = await this.#database.sql.all<{ seq: number; event_id: string; payload: string }>`
      select seq, event_id, payload from events
      where client_id = ${clientId} and seq >= ${first} and seq <= ${head}
      order by seq limit ${limit + 1}`;
    const deliveries: Delivery[] = [];
    for (const { seq, event_id, payload } of rows) {
      const copies = copiesOf(event_id, this.#duplicateRate);
      for (let copy = seq === from.seq ? from.copy + 1 : 1; copy <= copies; copy += 1) {
        if (deliveries.length < limit) deliveries.push({ cursor: { seq, copy }, payload });
      }
    }
    const last = deliveries.at(-1);
    return { deliveries, next: deliveries.length === limit && last ? last.cursor : { seq: head, copy: everyCopy } };
  }

  /** The number of the last event there ever was, and of the oldest that is kept: `head + 1` when none is. */
  async #bounds(): Promise<{ head: number; oldest: number }> {
    const row = await this.#database.sql.get<{ head: number; oldest: number | null }>`
      select h.seq as head,
        (select e.seq from events e where e.published_at > ${this.#keptSince()} order by e.seq limit 1) as oldest
      from event_head h where h.id = 1`;
    const head = row?.head ?? 0;
    return { head, oldest: row?.oldest ?? head + 1 };
  }

  /** The number of the last event there ever was. Within a transaction too. */
  async head(sql: Sql): Promise<number> {
    const row = await sql.get<{ seq: number }>`select seq from event_head where id = 1`;
    return row?.seq ?? 0;
  }

  #keptSince(): string {
    return instant(this.#clock.now() - retention);
  }
}

function placed(after: Place, head: number, oldest: number, named: PlaceName): Cursor {
  if (after === 'earliest') return { seq: oldest - 1, copy: everyCopy };
  if (after === 'latest') return { seq: head, copy: everyCopy };
  if (after.seq > head) {
    const detail =
      'is a place this topic has not reached: it comes from another server, or from before its data were removed.';
    throw invalid([
      { ...named, detail: `${detail} Begin with earliest, or read the claims list and go on from latest.` },
    ]);
  }
  if (after.seq + 1 < oldest) {
    const detail = `Events are kept for 7 days, and some that follow the cursor ${cursorText(after)} are gone. Read the claims anew with GET /claims, then go on from latest.`;
    throw new ProblemError('cursor-expired', detail);
  }
  return after;
}
