import { type ActiveDrills, type DrillName, everybody } from '../active-drills.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Caller, clientGone, type Tokens } from '../http/requests/bearer.ts';
import { type ClientClocks, everyClient } from '../time/client-clocks.ts';
import type { Clock } from '../time/clock.ts';
import { PeriodicJob } from '../time/periodic-job.ts';
import type { Position } from './cursor.ts';
import { type Batch, type EventCopy, type EventLog, events, eventsAppended, type PositionSource } from './event-log.ts';
import { newerPayload } from './newer.ts';
import type { Topic } from './topic.ts';
import { TopicReader } from './topic-reader.ts';

/*
 * How events reach those who read a topic over HTTP, by batches or by a stream (streams.ts).
 *
 * Each reader has its own cursor and reads the log by itself, a batch at a time. When there is nothing to read, it
 * waits for a wake-up. The feed gets a signal when events were appended (on any node), looks up whose they are, and wakes
 * the readers of those clients. A lost wake-up delays a stream's event until its next heartbeat, when it reads the log
 * anyway.
 */

/** How many appended events one query looks up. */
const lookedUpAtOnce = 1000;

export interface FeedContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly tokens: Tokens;
  readonly drills: ActiveDrills;
}

export class Feed {
  readonly #log: EventLog;
  readonly #context: FeedContext;
  readonly #readers = new Map<string, Set<TopicReader>>();
  // If the database is not available, readers read at their next heartbeat, and the next signal catches up.
  readonly #wakeUp = new PeriodicJob(
    () => this.#wakeReaders(),
    () => {},
  );
  /** The clients that were looked up in this turn of the event loop. */
  readonly #existsQueries = new Map<string, Promise<boolean>>();
  readonly #stopListening: () => void;
  /** The last event that readers were woken for. */
  #seen: number;
  #closed = false;

  private constructor(log: EventLog, context: FeedContext, seen: number) {
    this.#log = log;
    this.#context = context;
    this.#seen = seen;
    context.clocks.onMoved((clientId, by) => this.#skip(clientId, by));
    this.#stopListening = context.database.onSignal(eventsAppended, () => void this.#wakeUp.run());
    // What was held back may come now.
    context.drills.onChange((clientId) => this.#wakeReadersOf(clientId));
  }

  static async open(log: EventLog, context: FeedContext): Promise<Feed> {
    return new Feed(log, context, await log.head(context.database.sql));
  }

  /**
   * A new reader, until it leaves by `remove`. It is stopped when the caller's token expires or the program stops. `note`
   * is told of the drills that hit it.
   */
  add(topic: Topic, { clientId, expiresAt }: Caller, note: (name: DrillName) => void): TopicReader {
    const { clock, clocks } = this.#context;
    const milliseconds = Math.max(0, expiresAt * 1000 - clocks.now(clientId));
    const reader = new TopicReader({ topic, clientId, note, clock, milliseconds });
    if (this.#closed) reader.stop();
    const key = readersKey(topic.name, clientId);
    const others = this.#readers.get(key);
    if (others) others.add(reader);
    else this.#readers.set(key, new Set([reader]));
    return reader;
  }

  remove(reader: TopicReader): void {
    reader.stop();
    const key = readersKey(reader.topic.name, reader.clientId);
    const others = this.#readers.get(key);
    others?.delete(reader);
    if (others?.size === 0) this.#readers.delete(key);
  }

  /** @throws {ProblemError} as `EventLog.read` */
  read(reader: TopicReader, after: Position, limit: number, source?: PositionSource): Promise<Batch> {
    reader.resetWakeUp();
    const { topic, clientId } = reader;
    if (this.#context.drills.has(clientId)) return this.#readDrilled(reader, after, limit, source);
    return this.#log.read(topic, clientId, after, limit, source);
  }

  async #readDrilled(
    { topic, clientId, note }: TopicReader,
    after: Position,
    limit: number,
    source?: PositionSource,
  ): Promise<Batch> {
    const { drills } = this.#context;
    const held = drills.of(clientId, 'stop-events') !== undefined;
    if (held) note('stop-events');
    const times = Math.min(drills.of(clientId, 'duplicate-events')?.parameters.times ?? 1, limit);
    const batch = await this.#log.read(topic, clientId, after, Math.floor(limit / times), source, held);
    if (batch.events.length === 0) return batch;
    let { events } = batch;
    if (drills.of(clientId, 'newer-events')) {
      note('newer-events');
      events = events.map(({ cursor, payload }) => ({ cursor, payload: newerPayload(payload) }));
    }
    if (times === 1) return { ...batch, events };
    note('duplicate-events');
    // An event that comes twice anyway has copies enough.
    return { ...batch, events: events.flatMap((event) => Array<EventCopy>(times).fill(event)) };
  }

  /**
   * Whether a position can be read from, and no more.
   *
   * @throws {ProblemError} as `EventLog.read`
   */
  async check(topic: Topic, caller: Caller, after: Position, source: PositionSource): Promise<void> {
    await this.#log.read(topic, caller.clientId, after, 1, source);
  }

  /**
   * Events that follow a position. Where there is none it waits, until there is one, the reader is stopped, the
   * caller's token has expired or the milliseconds are over.
   *
   * @throws {ProblemError} as `EventLog.read`, or `invalid-token` when the client was removed meanwhile
   */
  async batch(reader: TopicReader, after: Position, limit: number, waitMs: number): Promise<Batch> {
    let batch = await this.read(reader, after, limit);
    if (waitMs > 0) reader.stopAfter(waitMs);
    while (waitMs > 0 && batch.events.length === 0 && !reader.stopped) {
      await reader.wait(waitMs);
      if (!(await this.#context.tokens.exists(reader.clientId))) throw clientGone();
      if (reader.millisecondsLeft === 0) return batch;
      batch = await this.read(reader, batch.next, limit);
    }
    return batch;
  }

  /** Whether a reader may still read: its token has not expired, its client is there. */
  async mayRead(reader: TopicReader): Promise<boolean> {
    return reader.millisecondsLeft > 0 && (await this.#exists(reader.clientId));
  }

  /** Streams that got the same event send their heartbeats together: those of one client share the query. */
  #exists(clientId: string): Promise<boolean> {
    const shared = this.#existsQueries.get(clientId);
    if (shared) return shared;
    const asked = this.#context.tokens.exists(clientId);
    if (this.#existsQueries.size === 0) setImmediate(() => this.#existsQueries.clear());
    this.#existsQueries.set(clientId, asked);
    return asked;
  }

  /** The database was emptied: stops every reader. */
  forget(): void {
    this.#log.forget();
    this.#seen = 0;
    this.#stopReaders();
  }

  /** Stops every reader, and those to come. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopListening();
    this.#stopReaders();
    await this.#wakeUp.stop();
  }

  #stopReaders(): void {
    for (const readers of this.#readers.values()) for (const reader of readers) reader.stop();
  }

  #wakeReadersOf(clientId: string): void {
    for (const readers of this.#readers.values()) {
      for (const reader of readers) if (clientId === everybody || reader.clientId === clientId) reader.wake();
    }
  }

  /** The token of a client with a clock of its own ends earlier by what the client skips. */
  #skip(clientId: string, by: number): void {
    for (const readers of this.#readers.values()) {
      for (const reader of readers) if (clientId === everyClient || reader.clientId === clientId) reader.skip(by);
    }
  }

  async #wakeReaders(): Promise<void> {
    const appended = await findAppended(this.#context.database.sql, { seen: this.#seen, limit: lookedUpAtOnce });
    // A reader that is woken must not join a read that began before the new events.
    this.#log.endSharing();
    for (const key of new Set(appended.map(({ topic, clientId }) => readersKey(topic, clientId)))) {
      for (const reader of this.#readers.get(key) ?? []) reader.wake();
    }
    this.#seen = appended.at(-1)?.seq ?? this.#seen;
    if (appended.length === lookedUpAtOnce) await this.#wakeReaders();
  }
}

function readersKey(topic: string, clientId: string): string {
  return `${topic} ${clientId}`;
}

const findAppended = statement.all`
  select ${events.pick('seq', 'topic', 'clientId')} from events
  where seq > ${'seen'} order by seq limit ${'limit'}`;
