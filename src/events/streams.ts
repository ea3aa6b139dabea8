import { Readable } from 'node:stream';
import { DatabaseUnavailable } from '../database/database.ts';
import type { Caller } from '../http/bearer.ts';
import { ProblemError } from '../http/problem.ts';
import { callAfter } from '../timer.ts';
import { cursorText, type Position } from './cursor.ts';
import type { Batch, EventCopy, PositionSource } from './event-log.ts';
import type { Feed } from './feed.ts';
import type { Topic } from './topic.ts';
import type { TopicReader } from './topic-reader.ts';

/*
 * A topic as server-sent events: one event after the other, the cursor as its id.
 *
 * The stream reads on when its last piece has been taken, so a slow reader costs one piece of memory. On a quiet
 * stream a sign of life comes from time to time. It carries an id as well, without data: a client that comes back
 * after a long time in which nothing happened to its own claims then has a fresh cursor and not one that expired.
 */

/** Events in one piece. */
const piece = 100;

/** Milliseconds after which a client that lost a stream is to come back. */
const retry = 3000;

/** Milliseconds that a stream which is over may take to send what it has. */
const lastWords = 5000;

export interface StreamsOptions {
  /** Milliseconds between signs of life (`eventsHeartbeatSeconds`). */
  readonly heartbeat: number;
  /** How many streams one client may have open (`streamsPerClient`). */
  readonly cap: number;
}

export class Streams {
  readonly #feed: Feed;
  readonly #options: StreamsOptions;
  readonly #open = new Map<string, number>();

  constructor(feed: Feed, options: StreamsOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  /** How many streams are open. */
  get count(): number {
    let count = 0;
    for (const each of this.#open.values()) count += each;
    return count;
  }

  /**
   * A stream of what follows a position, until the token expires, the client goes or the program stops.
   *
   * @throws {ProblemError} `quota-exceeded`, or as `EventLog.read`
   */
  async open(topic: Topic, caller: Caller, after: Position, source: PositionSource): Promise<Readable> {
    this.#count(caller.clientId, 1);
    const reader = this.#feed.add(topic, caller);
    try {
      const first = await this.#feed.read(reader, after, piece, source);
      return this.#start(reader, first);
    } catch (error) {
      this.#close(reader);
      throw error;
    }
  }

  #start(reader: TopicReader, first: Batch): Readable {
    const pieces = this.#pieces(reader, first);
    // Not Readable.from, which when it is destroyed waits for the generator, and so for the next sign of life.
    const stream = new Readable({
      objectMode: true,
      highWaterMark: 1,
      read() {
        pieces.next().then(
          ({ done, value }) => this.push(done ? null : value),
          (error) => this.destroy(error),
        );
      },
      destroy: (error, done) => {
        giveUp();
        // Stops the reader, which ends the generator's wait and with it the generator.
        this.#close(reader);
        done(error);
      },
    });
    // A client that does not take what it is sent can't be told goodbye.
    const giveUp = callAfter(reader.millisecondsLeft + lastWords, () => stream.destroy());
    return stream;
  }

  async *#pieces(reader: TopicReader, first: Batch): AsyncGenerator<string> {
    yield `retry: ${retry}\n\n`;
    let { events, next } = first;
    while (!reader.stopped) {
      if (events.length > 0) yield events.map(message).join('');
      const quiet = events.length < piece && (await reader.wait(this.#options.heartbeat));
      const batch = await this.#readOn(reader, next, quiet);
      if (!batch) return;
      ({ events, next } = batch);
      if (quiet && events.length === 0) yield `: still here\nid: ${cursorText(next)}\n\n`;
    }
  }

  /**
   * Undefined when the stream has to end: the caller may read no more, was too slow for retention, or the database is
   * away. After a quiet time the client is looked for.
   */
  async #readOn(reader: TopicReader, after: Position, quiet: boolean): Promise<Batch | undefined> {
    try {
      if (reader.millisecondsLeft === 0) return undefined;
      if (quiet && !(await this.#feed.mayRead(reader))) return undefined;
      return await this.#feed.read(reader, after, piece);
    } catch (error) {
      if (error instanceof ProblemError || error instanceof DatabaseUnavailable) return undefined;
      throw error;
    }
  }

  #count(clientId: string, change: 1 | -1): void {
    const open = (this.#open.get(clientId) ?? 0) + change;
    if (open > this.#options.cap) {
      const detail = `A client may have ${this.#options.cap} streams open, and this one has. Close one, or share it.`;
      throw new ProblemError('quota-exceeded', detail);
    }
    if (open > 0) this.#open.set(clientId, open);
    else this.#open.delete(clientId);
  }

  #close(reader: TopicReader): void {
    this.#feed.remove(reader);
    this.#count(reader.clientId, -1);
  }
}

function message({ cursor, payload }: EventCopy): string {
  return `id: ${cursorText(cursor)}\ndata: ${payload}\n\n`;
}
