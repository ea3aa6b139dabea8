import { setImmediate as nextTurn } from 'node:timers/promises';
import { BoundedCache } from '../bounded-cache.ts';
import { alias, integer, nullable, type RowOf, table, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { invalid } from '../http/requests/validation.ts';
import { type ClientClocks, everyClient } from '../time/client-clocks.ts';
import { instant } from '../time/clock.ts';
import { type Cursor, cursorText, lastCopy, type Position } from './cursor.ts';
import { copiesOf } from './duplicates.ts';
import { howToCatchUp, retention, retentionDays } from './retention.ts';
import type { EventPayload, Topic } from './topic.ts';

/*
 * The log of all topics. An event gets its number in the transaction of the change it reports, from a counter row that
 * stays locked until that transaction ends. So numbers have no gaps and are in the order of commits, and a reader that has
 * read up to a number has missed nothing before it. The row is the last lock of a transaction: it makes all other changes
 * before.
 *
 * Retention follows from the clock of the client: an event past its days is not read, whether or not housekeeping has
 * removed it. When it was published is in real time.
 */

export const events = table('events', {
  seq: integer,
  topic: text,
  eventId: text,
  clientId: text,
  orderingKey: text,
  payload: text,
  publishedAt: text,
  clientBytes: integer,
  /** The trace of the call that caused it. */
  trace: nullable(text),
});

const published = events.pick('eventId', 'orderingKey', 'payload', 'publishedAt');

/** An event as it is stored. */
export type Published = RowOf<typeof published>;

const eventHead = table('event_head', { seq: integer });

/** The signal channel for appended events. */
export const eventsAppended = 'events';

/** Bytes of a row besides its payload, as the migration that began to count them estimates them too. */
const eventBytes = 200;

/** How many numbers of events one look for the oldest covers: many looks are needed where a client's clock leaps. */
const lookSize = 5000;

/** Where the caller named a position, should it be refused. */
export type PositionSource = { parameter: 'after' } | { header: 'Last-Event-ID' };

/** What a reader gets of an event: an event that comes twice has two copies. */
export interface EventCopy {
  readonly cursor: Cursor;
  /** The payload as JSON text. */
  readonly payload: string;
}

export interface Batch {
  readonly events: readonly EventCopy[];
  /** Where to continue. */
  readonly next: Cursor;
  /** Whether there are as many as were asked for, so that there may be more. */
  readonly full: boolean;
}

type Oldest = BoundedCache<string, { readonly seq: number; readonly since: string }>;

export class EventLog {
  readonly #database: Database;
  readonly #clocks: ClientClocks;
  readonly #duplicateRate: number;
  /**
   * The oldest event that was kept when it was last looked for, by client: of those with a clock of their own, and of
   * nobody for all others. Events before it are as old for whoever looks from then on.
   */
  #oldest: Oldest = new BoundedCache(10_000);
  /** The reads that began in this turn of the event loop: readers at the same position share one. */
  readonly #reads = new Map<string, Promise<Batch>>();

  constructor(database: Database, clocks: ClientClocks, duplicateRate: number) {
    this.#database = database;
    this.#clocks = clocks;
    this.#duplicateRate = duplicateRate;
  }

  /** Adds events in the transaction that makes the changes they report; its last act. */
  async append<Payload extends EventPayload>(
    sql: Sql,
    topic: Topic<Payload>,
    events: readonly { clientId: string; event: Payload; trace?: string | null }[],
  ): Promise<void> {
    if (events.length === 0) return;
    const head = await takeNumbers(sql, { count: events.length });
    let seq = (head?.seq ?? 0) - events.length;
    for (const { clientId, event, trace = null } of events) {
      seq += 1;
      const payload = JSON.stringify(event);
      const { eventId } = event;
      const orderingKey = topic.key.of(event);
      const publishedAt = instant(this.#clocks.present(clientId));
      const bytes = payload.length + eventBytes;
      await insert(sql, { seq, topic: topic.name, eventId, clientId, orderingKey, payload, publishedAt, bytes, trace });
    }
  }

  /**
   * Bytes of the events of a client that are stored. Each event carries the running total of its client's events, so
   * that this is the last total less what came before the first event that is left; events go oldest first.
   */
  async storedBytes(sql: Sql, clientId: string): Promise<number> {
    const row = await sumBytes(sql, { clientId });
    return row?.bytes ?? 0;
  }

  /** Tells waiting readers of every node. To be called once the append is committed. */
  announce(): void {
    this.#database.signal(eventsAppended);
  }

  /**
   * What follows a position in a topic, of the events of one client; nothing yet where they are `held` back. `source` is
   * where the caller named it.
   *
   * @throws {ProblemError} `cursor-expired`, or `validation-error` for a cursor of another topic
   */
  read(
    topic: Topic,
    clientId: string,
    after: Position,
    limit: number,
    source: PositionSource = { parameter: 'after' },
    held = false,
  ): Promise<Batch> {
    const position = typeof after === 'string' ? after : cursorText(after);
    const key = `${topic.name} ${clientId} ${position} ${limit} ${Object.keys(source)} ${held}`;
    const shared = this.#reads.get(key);
    if (shared) return shared;
    const read = this.#read(topic, clientId, after, limit, source, held);
    if (this.#reads.size === 0) setImmediate(() => this.endSharing());
    this.#reads.set(key, read);
    return read;
  }

  /** The database was emptied. */
  forget(): void {
    // Who looks now knows the old one.
    this.#oldest = new BoundedCache(10_000);
    this.endSharing();
  }

  /** Reads from now on are not shared with earlier ones. */
  endSharing(): void {
    this.#reads.clear();
  }

  async #read(
    topic: Topic,
    clientId: string,
    after: Position,
    limit: number,
    source: PositionSource,
    held: boolean,
  ): Promise<Batch> {
    // First the head: all events up to it are committed, and seen by the second statement.
    const { head, oldest, since } = await this.bounds(clientId);
    const from = cursorAt(topic, after, head, oldest, source);
    if (held) return { events: [], next: from, full: false };
    const first = Math.max(oldest, from.copy < lastCopy ? from.seq : from.seq + 1);
    // One row more: the first may be the event that the position is in, with no copy of it left.
    // Only of a client that is ahead: if the system's clock was set back, what came then looks older than it is.
    const keptSince = this.#clocks.offset(clientId) > 0 ? since : '';
    const rows = await findPage(this.#database.sql, {
      clientId,
      topic: topic.name,
      first,
      head,
      since: keptSince,
      limit: limit + 1,
    });
    const events: EventCopy[] = [];
    for (const { seq, eventId, payload } of rows) {
      const copies = copiesOf(eventId, this.#duplicateRate);
      for (let copy = seq === from.seq ? from.copy + 1 : 1; copy <= copies; copy += 1) {
        if (events.length < limit) events.push({ cursor: { seq, copy }, payload });
      }
    }
    const last = events.at(-1);
    const full = events.length === limit;
    return { events, next: full && last ? last.cursor : { seq: head, copy: lastCopy }, full };
  }

  /**
   * The number of the last event there ever was, and of the oldest that is kept: `head + 1` when none is. By the clock of
   * a client, or in real time: what was published after `since` is kept. Within a transaction too.
   */
  async bounds(
    clientId: string | undefined,
    sql = this.#database.sql,
  ): Promise<{ head: number; oldest: number; since: string }> {
    const own = clientId !== undefined && this.#clocks.offset(clientId) > 0 ? clientId : everyClient;
    const since = instant(this.#clocks.since(clientId, retention));
    const known = this.#oldest;
    const before = known.get(own);
    for (let from = before && before.since <= since ? before.seq : latest(known, since); ; ) {
      const end = from + lookSize;
      const { head = 0, first = null, kept = null } = (await findBounds(sql, { since, from, end })) ?? {};
      if (kept !== null || end > head) {
        const oldest = kept ?? head + 1;
        known.set(own, { seq: oldest, since });
        return { head, oldest, since };
      }
      from = Math.max(end, first ?? end, latest(known, since));
      // A transaction awaits nothing else. Who has one has looked before it began.
      if (sql === this.#database.sql) await nextTurn();
    }
  }

  /** What was published of a client in a topic after the event with this number, oldest first, also past retention. */
  published(topic: Topic, clientId: string, after: number, limit: number): Promise<Published[]> {
    return findPublished(this.#database.sql, { topic: topic.name, clientId, after, limit });
  }

  /** The number of the last event there ever was. Within a transaction too. */
  async head(sql: Sql): Promise<number> {
    const row = await findHead(sql);
    return row?.seq ?? 0;
  }
}

/** The latest event, of those known, before which all are from before `since`; 0 where none is. */
function latest(known: Oldest, since: string): number {
  const old = known.values().filter((each) => each.since <= since);
  return old.reduce((most, { seq }) => Math.max(most, seq), 0);
}

function cursorAt(topic: Topic, after: Position, head: number, oldest: number, source: PositionSource): Cursor {
  if (after === 'earliest') return { seq: oldest - 1, copy: lastCopy };
  if (after === 'latest') return { seq: head, copy: lastCopy };
  if (after.seq > head) {
    const reason = `is ${cursorText(after)}, a cursor that this topic has not reached: it comes from another server, or from before the data of this one were removed.`;
    throw invalid([
      { ...source, detail: `${reason} Start with earliest, or ${topic.catchUp} and continue from latest.` },
    ]);
  }
  if (after.seq + 1 < oldest) {
    const gone = `Events are kept for ${retentionDays} days, and some events after the cursor ${cursorText(after)} were removed.`;
    throw new ProblemError('cursor-expired', `${gone} ${howToCatchUp(topic)}`);
  }
  return after;
}

const takeNumbers = statement.get`
  update event_head set seq = seq + ${'count'} where id = 1 returning ${eventHead}`;

// The events of one client are a range: with an equation PostgreSQL may walk through those of others, in the order of the
// log, until it meets one.

// With the running total of `storedBytes`.
const insert = statement.run`
  insert into events (seq, topic, event_id, client_id, ordering_key, payload, published_at, client_bytes, trace)
  values (${'seq'}, ${'topic'}, ${'eventId'}, ${'clientId'}, ${'orderingKey'}, ${'payload'}, ${'publishedAt'},
    coalesce((
      select client_bytes from events where client_id between ${'clientId'} and ${'clientId'}
      order by client_id desc, seq desc limit 1
    ), 0) + ${'bytes'}, ${'trace'})`;

const sumBytes = statement.get`
  select
    coalesce((
      select client_bytes from events where client_id between ${'clientId'} and ${'clientId'}
      order by client_id desc, seq desc limit 1
    ), 0)
    - coalesce((
      select client_bytes - length(payload) - 200 from events where client_id between ${'clientId'} and ${'clientId'}
      order by client_id, seq limit 1
    ), 0) as ${alias('bytes', integer)}`;

// Where time stands still, the oldest event of another client may be kept longer than those after it.
const findPage = statement.all`
  select ${events.pick('seq', 'eventId', 'payload')} from events
  where (client_id, topic, seq) >= (${'clientId'}, ${'topic'}, ${'first'})
    and (client_id, topic, seq) <= (${'clientId'}, ${'topic'}, ${'head'})
    and published_at > ${'since'}
  order by client_id, topic, seq limit ${'limit'}`;

const findPublished = statement.all`
  select ${published} from events
  where (client_id, topic, seq) > (${'clientId'}, ${'topic'}, ${'after'})
    and (client_id, topic, seq) <= (${'clientId'}, ${'topic'}, 9007199254740991)
  order by client_id, topic, seq limit ${'limit'}`;

const findBounds = statement.get`
  select h.seq as ${alias('head', integer)},
    (select e.seq from events e order by e.seq limit 1) as ${alias('first', nullable(integer))},
    (
      select e.seq from events e
      where e.seq >= ${'from'} and e.seq < ${'end'} and e.published_at > ${'since'} order by e.seq limit 1
    ) as ${alias('kept', nullable(integer))}
  from event_head h where h.id = 1`;

const findHead = statement.get`select ${eventHead} from event_head where id = 1`;
