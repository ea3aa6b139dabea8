import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type ActiveDrills, type DrillName, everybody } from '../active-drills.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { FairPool, type Full } from '../fair-pool.ts';
import { endSoon, eventStream } from '../http/answers/event-stream.ts';
import type { StreamProgress } from '../http/exchanges.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { addressKey } from '../http/requests/address.ts';
import type { Caller } from '../http/requests/bearer.ts';
import { invalid } from '../http/requests/validation.ts';
import { shownValue } from '../text/shown-value.ts';
import { cursorText, type Position, parseCursor } from './cursor.ts';
import type { Batch, EventCopy, PositionSource } from './event-log.ts';
import type { Feed } from './feed.ts';
import type { Topic } from './topic.ts';
import type { TopicReader } from './topic-reader.ts';

/*
 * A topic as server-sent events: one event after the other, the cursor as its id.
 *
 * The stream reads the next chunk when the last one was sent, so a slow client costs one chunk of memory. An idle stream
 * sends a heartbeat from time to time: a comment line. If the cursor has moved, it is an id without data instead: a
 * client that reconnects after a long time without events of its own then has a recent cursor and not one that expired.
 * A stream that has no events to begin with says why, in a comment.
 * A blank line comes only behind an id, because some clients take each one for an event.
 */

/** Streams of all clients together. */
const maxStreams = 5000;

/** Events in one chunk. */
const batchSize = 100;

export interface StreamsOptions {
  /** Milliseconds between heartbeats (`eventsHeartbeatSeconds`). */
  readonly heartbeat: number;
  /** How many streams one client may have open (`streamsPerClient`). */
  readonly cap: number;
  /** With so many open streams, the next one does not keep the beginning of what it sends. */
  readonly maxKept: number;
  readonly drills: ActiveDrills;
}

/** What a stream begins with. */
export interface StreamStart {
  readonly after: Position;
  /** Where the caller is. */
  readonly ip: string;
  /** Where the caller named the position. */
  readonly source: PositionSource;
  /** Notes a drill that hits the stream. */
  readonly note: (name: DrillName) => void;
  /** Says why there are no events after a position. One line. */
  readonly whyEmpty: (after: Position) => Promise<string>;
}

export class Streams {
  readonly #feed: Feed;
  readonly #options: StreamsOptions;
  readonly pool: FairPool;
  /** The text of each batch: the streams that share a batch share it too, and what they keep of it. */
  readonly #texts = new WeakMap<Batch['events'], string>();
  readonly #running = new Map<Readable, { readonly reader: TopicReader; readonly progress: StreamProgress }>();

  constructor(feed: Feed, options: StreamsOptions) {
    this.#feed = feed;
    this.#options = options;
    this.pool = new FairPool({ all: maxStreams, client: options.cap });
    options.drills.onChange((clientId) => {
      for (const [stream, { reader, progress }] of this.#running) {
        if (clientId !== everybody && clientId !== reader.clientId) continue;
        this.#cutSoon(stream, reader, progress);
        const revocation = options.drills.of(reader.clientId, 'revoke-tokens');
        if (revocation && revocation.startedAt > reader.openedAt) cut(stream, reader, progress, 'revoke-tokens');
      }
    });
  }

  /** How many streams are open. */
  get count(): number {
    return this.pool.taken;
  }

  /** Characters that are kept of what the open streams sent. */
  get kept(): number {
    let kept = 0;
    for (const { progress } of this.#running.values()) kept += progress.beginning.length;
    return kept;
  }

  /**
   * A stream of what follows a position, until the token expires, the client goes or the program stops. `progress` is
   * told what becomes of it.
   *
   * @throws {ProblemError} `quota-exceeded`, or as `EventLog.read`
   */
  async open(
    topic: Topic,
    caller: Caller,
    { after, ip, source, note, whyEmpty }: StreamStart,
    progress: StreamProgress,
  ): Promise<Readable> {
    let opened: Readable | undefined;
    const end = () => {
      progress.end ??= 'no-place';
      reader.stop();
      if (opened) endSoon(opened);
    };
    const place = this.pool.take({ address: addressKey(ip), client: caller.clientId }, { end });
    if (typeof place === 'string') throw this.#tooMany(place);
    const reader = this.#feed.add(topic, caller, note);
    try {
      const first = await this.#feed.read(reader, after, batchSize, source);
      const why = first.events.length === 0 ? await whyEmpty(after) : undefined;
      const stream = eventStream(this.#chunks(reader, { ...first, why }, after, progress), {
        progress,
        keep: this.#running.size < this.#options.maxKept,
        lastsMs: reader.millisecondsLeft,
        closed: () => {
          this.#running.delete(stream);
          // Stops the reader, which ends the generator's wait and with it the generator.
          this.#feed.remove(reader);
          place.leave();
        },
      });
      opened = stream;
      this.#running.set(stream, { reader, progress });
      this.#cutSoon(stream, reader, progress);
      return stream;
    } catch (error) {
      this.#feed.remove(reader);
      place.leave();
      throw error;
    }
  }

  /** Cuts the stream when its time is over, if the drill is on now and still is then. */
  #cutSoon(stream: Readable, reader: TopicReader, progress: StreamProgress): void {
    const { drills } = this.#options;
    const drill = drills.of(reader.clientId, 'cut-streams');
    if (!drill) return;
    const end = () => {
      if (drills.of(reader.clientId, 'cut-streams')?.id === drill.id) cut(stream, reader, progress, 'cut-streams');
    };
    setTimeout(end, drill.parameters.seconds * 1000).unref();
  }

  async *#chunks(
    reader: TopicReader,
    first: Batch & { why: string | undefined },
    after: Position,
    progress: StreamProgress,
  ): AsyncGenerator<string> {
    let { events, next, full } = first;
    if (first.why !== undefined) yield `: ${first.why}\n`;
    // The id that the client knows; empty where it knows none.
    let lastId = typeof after === 'string' ? '' : cursorText(after);
    while (!reader.stopped) {
      if (events.length > 0) yield this.#textOf(events);
      progress.events += events.length;
      const last = events.at(-1);
      if (last) lastId = cursorText(last.cursor);
      const idle = !full && (await reader.wait(this.#options.heartbeat));
      const batch = await this.#readNext(reader, next, idle, progress);
      if (!batch) return;
      ({ events, next, full } = batch);
      if (!idle || events.length > 0) continue;
      yield lastId === cursorText(next) ? ': still here\n' : `id: ${cursorText(next)}\n\n`;
      lastId = cursorText(next);
    }
    progress.end ??= reader.millisecondsLeft === 0 ? 'token-expired' : 'stopped';
  }

  #textOf(events: Batch['events']): string {
    const known = this.#texts.get(events);
    if (known !== undefined) return known;
    const text = events.map(message).join('');
    this.#texts.set(events, text);
    return text;
  }

  /**
   * Undefined if the stream must end: the caller may not read any more, was too slow for retention, or the database is
   * not available. After an idle time it checks that the client still exists.
   */
  async #readNext(
    reader: TopicReader,
    after: Position,
    idle: boolean,
    progress: StreamProgress,
  ): Promise<Batch | undefined> {
    try {
      if (reader.millisecondsLeft > 0) {
        if (!idle || (await this.#feed.mayRead(reader))) return await this.#feed.read(reader, after, batchSize);
      }
      progress.end ??= reader.millisecondsLeft === 0 ? 'token-expired' : 'client-removed';
    } catch (error) {
      if (error instanceof ProblemError) progress.end ??= 'cursor-expired';
      else if (error instanceof DatabaseUnavailable) progress.end ??= 'unavailable';
      else throw error;
    }
    return undefined;
  }

  #tooMany(full: Full): ProblemError {
    const whose =
      full === 'client' ? `This client has ${this.#options.cap} open streams` : 'Your address has its share of streams';
    return new ProblemError('quota-exceeded', `${whose}, which is the limit. Close one, or share it.`);
  }
}

function cut(stream: Readable, reader: TopicReader, progress: StreamProgress, drill: DrillName): void {
  if (stream.destroyed) return;
  reader.note(drill);
  progress.end ??= 'drill';
  stream.destroy();
}

function message({ cursor, payload }: EventCopy): string {
  return `id: ${cursorText(cursor)}\ndata: ${payload}\n\n`;
}

/**
 * The position after the last event that a client received, which it sends when it connects again.
 *
 * @throws {ProblemError} `validation-error`
 */
export function lastEventId(headers: IncomingHttpHeaders): Position | undefined {
  const text = headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  const cursor = parseCursor(String(text));
  if (cursor) return cursor;
  const detail = `must be the id of an event that this topic sent, not ${shownValue(text)}. Leave the header out to start with the first event.`;
  throw invalid([{ header: 'Last-Event-ID', detail }]);
}
