import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { Reader } from '../events/reader.ts';
import { FairPool, type Place } from '../fair-pool.ts';
import { endSoon, eventStream } from '../http/answers/event-stream.ts';
import { StreamProgress } from '../http/exchanges.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { addressKey } from '../http/requests/address.ts';
import type { Caller, Tokens } from '../http/requests/bearer.ts';
import { type ClientClocks, everyClient } from '../time/client-clocks.ts';
import type { Clock } from '../time/clock.ts';
import { PeriodicJob } from '../time/periodic-job.ts';

/*
 * What a client watches as server-sent events: its log, its lessons, or the calls for its relay. Each reader has its own
 * position and reads by itself when it hears that something changed, on any node, and at its sign of life. So a slow
 * reader costs one chunk of memory. Where the news say of which client they are, its readers alone are woken, at once.
 */

/** Milliseconds in which all readers are not woken twice. */
const wakeEveryMs = 200;

/** Readers that one turn of the event loop wakes: calls get theirs in between. */
const wokenAtOnce = 5;

/** Streams of one kind, of all clients together. */
const maxStreams = 1000;

export interface LiveOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly tokens: Tokens;
  /** The channel on which it hears of changes. */
  readonly channel: string;
  /** The name of the thing that is watched, for those who have too many streams of it: `its log`. */
  readonly what: string;
  /** Milliseconds between signs of life. */
  readonly heartbeat: number;
  /** How many of these streams a client may have open. */
  readonly cap: number;
}

/** Reads what is new, as messages of a stream; `more` if there may be more right behind it. Undefined ends the stream. */
export type ReadNew = () => Promise<{ readonly text: string; readonly more: boolean } | undefined>;

export class LiveStreams {
  readonly #options: LiveOptions;
  readonly #readers = new Set<Reader>();
  readonly pool: FairPool;
  readonly #stopListening: () => void;
  // Many batches are written in a moment of load.
  readonly #waking = new PeriodicJob(
    async () => {
      let woken = 0;
      for (const reader of this.#readers) {
        reader.wake();
        woken += 1;
        if (woken % wokenAtOnce === 0) await nextTurn();
      }
      await new Promise((resolve) => setTimeout(resolve, wakeEveryMs).unref());
    },
    () => {},
  );
  #closed = false;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.pool = new FairPool({ all: maxStreams, client: options.cap });
    // The token of a client with a clock of its own ends earlier by what the client skips.
    options.clocks.onMoved((clientId, by) => {
      for (const reader of this.#readers) {
        if (clientId === everyClient || reader.clientId === clientId) reader.skip(by);
      }
    });
    this.#stopListening = options.database.onSignal(options.channel, (whose) => {
      if (whose === undefined && this.#readers.size > 0) void this.#waking.run();
      for (const reader of this.#readers) if (reader.clientId === whose) reader.wake();
    });
  }

  get count(): number {
    return this.#readers.size;
  }

  /**
   * A stream of what `read` finds. It begins with the comment `greeting`. `ended` is called once it is over.
   *
   * @throws {ProblemError} `quota-exceeded`
   */
  open(caller: Caller, ip: string, greeting: string, read: ReadNew, ended: () => void = () => {}): Readable {
    const { clock, clocks } = this.#options;
    const place = this.#take(caller.clientId, ip, () => {
      reader.stop();
      endSoon(stream);
    });
    const left = Math.max(0, caller.expiresAt * 1000 - clocks.now(caller.clientId));
    const reader = new Reader(caller.clientId, clock, left);
    if (this.#closed) reader.stop();
    this.#readers.add(reader);
    const stream = eventStream(this.#chunks(reader, greeting, read), {
      progress: new StreamProgress(),
      keep: false,
      lastsMs: left,
      closed: () => {
        place.leave();
        this.#remove(reader);
        ended();
      },
    });
    return stream;
  }

  /** Ends all streams, and those to come. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.endAll();
  }

  /** Ends those that are open. */
  endAll(): void {
    for (const reader of this.#readers) reader.stop();
  }

  async *#chunks(reader: Reader, greeting: string, read: ReadNew): AsyncGenerator<string> {
    yield `: ${greeting}\n`;
    let idle = false;
    while (!reader.stopped) {
      reader.resetWakeUp();
      const found = await this.#read(reader, read, idle);
      if (!found) return;
      if (found.text !== '') yield found.text;
      else if (idle) yield ': still here\n';
      idle = !found.more && (await reader.wait(this.#options.heartbeat));
    }
  }

  /** Undefined if the stream must end: its token has expired, its client is gone, or the database is away. */
  async #read(reader: Reader, read: ReadNew, idle: boolean) {
    const { tokens } = this.#options;
    try {
      if (reader.millisecondsLeft === 0) return undefined;
      if (idle && !(await tokens.exists(reader.clientId))) return undefined;
      return await read();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return undefined;
      throw error;
    }
  }

  #take(client: string, ip: string, end: () => void): Place {
    const { cap, what } = this.#options;
    const place = this.pool.take({ address: addressKey(ip), client }, { end });
    if (typeof place === 'object') return place;
    const whose =
      place === 'client'
        ? `This client has ${cap} open streams of ${what}`
        : 'Your address has its share of these streams';
    throw new ProblemError('quota-exceeded', `${whose}, which is the limit. Close one, or read the list.`);
  }

  #remove(reader: Reader): void {
    reader.stop();
    this.#readers.delete(reader);
  }
}

/** Shows how many streams of logs and lessons are open, as `count` tells it whenever it is asked for. */
export function showLiveStreams(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'lplate_range_streams',
    help: 'Open streams of the logs and lessons of clients',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}
