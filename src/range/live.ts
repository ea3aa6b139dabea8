import type { Readable } from 'node:stream';
import type { ClientClocks } from '../client-clocks.ts';
import type { Clock } from '../clock.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { Reader } from '../events/reader.ts';
import type { Caller, Tokens } from '../http/bearer.ts';
import { eventStream } from '../http/event-stream.ts';
import { ProblemError } from '../http/problem.ts';
import { PeriodicJob } from '../periodic-job.ts';
import type { ExchangeFilter, ExchangeLog } from './exchange-log.ts';
import { exchangesKept } from './recorder.ts';

/*
 * The log of a client as server-sent events: the summary of each exchange when it is kept, its number as the id. A stream
 * is kept twice, when it begins and when it ends. Each reader has its own position and reads the log by itself when it
 * hears that something was kept, on any node, and at its sign of life. So a slow reader costs one chunk of memory.
 */

/** Exchanges in one chunk. */
const chunkSize = 100;

/** Milliseconds in which readers are not woken twice. */
const wakeEveryMs = 200;

export interface LiveOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly tokens: Tokens;
  readonly exchanges: ExchangeLog;
  /** Milliseconds between signs of life. */
  readonly heartbeat: number;
  /** How many of these streams a client, and all of them together, may have open. */
  readonly cap: number;
  readonly most: number;
}

export class LiveLog {
  readonly #options: LiveOptions;
  readonly #readers = new Set<Reader>();
  readonly #stopListening: () => void;
  // Many batches are written in a moment of load.
  readonly #waking = new PeriodicJob(
    async () => {
      for (const reader of this.#readers) reader.wake();
      await new Promise((resolve) => setTimeout(resolve, wakeEveryMs).unref());
    },
    () => {},
  );
  #closed = false;

  constructor(options: LiveOptions) {
    this.#options = options;
    // The token of a client with a clock of its own ends earlier by what the client skips.
    options.clocks.onMoved((clientId, by) => {
      for (const reader of this.#readers) {
        if (reader.clientId === clientId) reader.skip(by);
      }
    });
    this.#stopListening = options.database.onSignal(exchangesKept, () => {
      if (this.#readers.size > 0) void this.#waking.run();
    });
  }

  get count(): number {
    return this.#readers.size;
  }

  /**
   * What is kept of the caller after the exchange with the number `after`; from now on without one.
   *
   * @throws {ProblemError} `quota-exceeded`
   */
  async open(caller: Caller, filter: ExchangeFilter, after: number | undefined): Promise<Readable> {
    const { clock, clocks, exchanges } = this.#options;
    this.#check(caller.clientId);
    const left = Math.max(0, caller.expiresAt * 1000 - clocks.now(caller.clientId));
    const reader = new Reader(caller.clientId, clock, left);
    if (this.#closed) reader.stop();
    this.#readers.add(reader);
    try {
      const position = after ?? (await exchanges.head(caller.clientId));
      return eventStream(this.#chunks(reader, filter, position), {
        progress: { events: 0, end: undefined },
        lastsMs: left,
        closed: () => this.#remove(reader),
      });
    } catch (error) {
      this.#remove(reader);
      throw error;
    }
  }

  /** Ends all streams. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    for (const reader of this.#readers) reader.stop();
  }

  async *#chunks(reader: Reader, filter: ExchangeFilter, after: number): AsyncGenerator<string> {
    const { exchanges, heartbeat } = this.#options;
    // What was removed begins to count anew.
    let position = Math.min(after, await exchanges.head(reader.clientId));
    yield ': what is kept from now on follows\n';
    let idle = false;
    while (!reader.stopped) {
      reader.resetWakeUp();
      const read = await this.#read(reader, filter, position, idle);
      if (!read) return;
      if (read.length > 0) yield read.map(({ kept, summary }) => `id: ${kept}\ndata: ${summary}\n\n`).join('');
      else if (idle) yield ': still here\n';
      position = read.at(-1)?.kept ?? position;
      idle = read.length < chunkSize && (await reader.wait(heartbeat));
    }
  }

  /** Undefined if the stream must end: its token has expired, its client is gone, or the database is away. */
  async #read(reader: Reader, filter: ExchangeFilter, position: number, idle: boolean) {
    const { exchanges, tokens } = this.#options;
    try {
      if (reader.millisecondsLeft === 0) return undefined;
      if (idle && !(await tokens.exists(reader.clientId))) return undefined;
      return await exchanges.since(reader.clientId, position, filter, chunkSize);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return undefined;
      throw error;
    }
  }

  #check(clientId: string): void {
    const { cap, most } = this.#options;
    const own = [...this.#readers].filter((reader) => reader.clientId === clientId).length;
    if (own < cap && this.#readers.size < most) return;
    const whose = own >= cap ? `This client has ${own} open streams of its log` : `There are ${most} of these streams`;
    throw new ProblemError('quota-exceeded', `${whose}, which is the limit. Close one, or read the list.`);
  }

  #remove(reader: Reader): void {
    reader.stop();
    this.#readers.delete(reader);
  }
}
