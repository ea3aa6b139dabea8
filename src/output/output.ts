import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * Standard output, standard error, and the file of a log. One that can't be written costs lines, never an answer: no write
 * stops the event loop, and what waits to be written is bounded.
 *
 * Lines are collected in a buffer. When there is enough of them, or a second has passed, they are written: one write is
 * under way at a time. A write that fails leaves the output blocked, and is tried again:
 *
 *   idle → writing → idle
 *          writing → blocked → writing
 *
 * A full pipe is tried again after 10 ms, then less and less often; everything else, such as a full disk, once a second.
 * Until then lines wait, so that a short failure loses none. When the buffer is full, new lines are dropped and counted,
 * until all that waited is written. Then one line tells how many are missing, and lines are taken again. When the reader
 * of a pipe has gone, what waits is dropped at once; the line that tells it is what is tried until there is a new reader.
 */

export interface OutputOptions {
  /** The line that reports, in their place, how many lines were dropped. */
  readonly lossLine?: (dropped: number) => string;
  /** Called when the output can't be written any more, with the reason; at most once a minute. */
  readonly onFailure?: (reason: string) => void;
}

/** Characters that may wait: some 3,500 log lines, which bridges a pause of the reader and takes little memory. */
const bufferLimit = 1 << 20;

/** Characters that are worth a write. */
const writeSize = 4096;

/** Milliseconds that fewer than that wait. */
const interval = 1000;

/** Milliseconds until a full pipe is tried again: at first, and at most. */
const retryDelay = { first: 10, max: 1000 };

/** Milliseconds between two calls of `onFailure`. */
const reportInterval = 60_000;

/** Characters of one write. Linux writes up to 4096 bytes into a pipe whole or not at all: workers share one. */
export const chunk = { pipe: 4096, other: 65_536 };

/** The reader of a pipe, or the other side of a socket, has gone. */
const closedErrors = new Set(['EPIPE', 'ECONNRESET']);

interface Chunk {
  /** What is not yet written. */
  bytes: Buffer;
  /** Characters it takes in the buffer. */
  readonly length: number;
  /** Of a line that tells a loss: how many lines it tells. */
  readonly reports: number;
}

export class Output {
  readonly #to: 1 | 2 | Target;
  readonly #options: OutputOptions;
  /** What a text that is printed becomes, where more than it is on a terminal. */
  #frame = (text: string): string => text;
  /** Opened at the first write. */
  #target: Target | undefined;
  /** Whole lines each. */
  #chunks: string[] = [];
  #current: Chunk | undefined;
  #waiting = 0;
  #dropped = 0;
  /** Of the dropped lines, those that are not told. While there are any, lines are dropped. */
  #unreported = 0;
  #writing = false;
  #blocked = false;
  #failure: NodeJS.ErrnoException | undefined;
  #retryDelay = retryDelay.first;
  #scheduled = false;
  /** Whether all that waits is to be written, even if it is not enough. */
  #flushAll = false;
  #reportedLately = false;

  constructor(to: 1 | 2 | Target, options: OutputOptions = {}) {
    this.#to = to;
    this.#options = options;
  }

  /** Characters that wait to be written. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Lines that were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Why the last write failed, if it did. */
  get failure(): NodeJS.ErrnoException | undefined {
    return this.#failure;
  }

  /** Takes a line, which is written within a second. */
  write(line: string): void {
    if (this.#unreported > 0 || this.#waiting + line.length > bufferLimit) {
      this.#dropped += 1;
      this.#unreported += 1;
      if (!this.#failure) this.#reportFailure('its reader is too slow');
      return;
    }
    this.#target ??= this.#open();
    const last = this.#chunks.length - 1;
    if (last >= 0 && (this.#chunks[last] as string).length + line.length <= this.#target.chunk)
      this.#chunks[last] += line;
    else this.#chunks.push(line);
    this.#waiting += line.length;
    if (this.#waiting < writeSize || this.#scheduled || this.#writing || this.#blocked) return;
    // The lines of one turn of the event loop are written together.
    this.#scheduled = true;
    setImmediate(this.#start);
  }

  /** From now on each text that is printed goes through `frame`. */
  frameWith(frame: (text: string) => string): void {
    this.#frame = frame;
  }

  /** Writes a text at once, if that is possible. */
  print(text: string): void {
    this.write(this.#frame(text));
    this.#flushAll = true;
    if (!this.#writing && !this.#blocked) this.#next();
  }

  /** Resolves when all that waits is written, when that fails, or after some milliseconds. */
  async flush(milliseconds: number): Promise<void> {
    const step = 10;
    let tried = false;
    for (let waited = 0; waited <= milliseconds; waited += step) {
      if (!this.#writing) {
        if ((tried && this.#failure) || (!this.#current && this.#waiting === 0 && this.#unreported === 0)) return;
        tried = true;
        this.#flushAll = true;
        this.#next();
      }
      await pause(step);
    }
  }

  #open(): Target {
    setInterval(() => {
      this.#flushAll = true;
      if (!this.#writing) this.#next();
    }, interval).unref();
    process.once('exit', () => this.#writeLast());
    return typeof this.#to === 'number' ? openTarget(this.#to) : this.#to;
  }

  readonly #start = (): void => {
    this.#scheduled = false;
    if (!this.#writing && !this.#blocked) this.#next();
  };

  /** Writes what comes next, if there is anything. */
  #next(): void {
    this.#target ??= this.#open();
    this.#current ??= this.#take();
    if (!this.#current) {
      this.#flushAll = false;
      return;
    }
    const { bytes } = this.#current;
    this.#writing = true;
    let count = 0;
    try {
      const fd = this.#target.open(bytes.length);
      if (this.#target.blocks) {
        write(fd, bytes, this.#written);
        return;
      }
      count = writeSync(fd, bytes);
    } catch (error) {
      this.#written(error as NodeJS.ErrnoException, 0);
      return;
    }
    this.#written(null, count);
  }

  #take(): Chunk | undefined {
    const text = this.#chunks.shift();
    if (text !== undefined) return { bytes: Buffer.from(text), length: text.length, reports: 0 };
    const reports = this.#unreported;
    if (reports === 0) return undefined;
    // From here on lines are taken again, behind this one.
    this.#unreported = 0;
    const { lossLine = (dropped) => `${dropped} lines were dropped\n` } = this.#options;
    return { bytes: Buffer.from(lossLine(reports)), length: 0, reports };
  }

  readonly #written = (error: NodeJS.ErrnoException | null, count: number): void => {
    this.#writing = false;
    if (error) {
      this.#failed(error);
      return;
    }
    this.#blocked = false;
    this.#failure = undefined;
    this.#retryDelay = retryDelay.first;
    const current = this.#current as Chunk;
    current.bytes = current.bytes.subarray(count);
    if (current.bytes.length === 0) {
      this.#waiting -= current.length;
      this.#current = undefined;
    }
    if (this.#current || this.#flushAll || this.#unreported > 0 || this.#waiting >= writeSize) this.#next();
  };

  #failed(error: NodeJS.ErrnoException): void {
    this.#blocked = true;
    if (error.code === 'EAGAIN') {
      setTimeout(() => this.#writing || this.#next(), this.#retryDelay).unref();
      this.#retryDelay = Math.min(2 * this.#retryDelay, retryDelay.max);
      return;
    }
    this.#failure = error;
    if (closedErrors.has(error.code ?? '')) this.#discard();
    this.#reportFailure(error.message.replace(/, \w+$/, ''));
  }

  /** Drops all that waits. */
  #discard(): void {
    const { bytes, reports } = this.#current as Chunk;
    const lines = [...(reports > 0 ? [] : [bytes.toString()]), ...this.#chunks].join('').split('\n').length - 1;
    this.#dropped += lines;
    this.#unreported += lines + reports;
    this.#chunks = [];
    this.#current = undefined;
    this.#waiting = 0;
  }

  #reportFailure(reason: string): void {
    if (this.#reportedLately || !this.#options.onFailure) return;
    this.#reportedLately = true;
    setTimeout(() => (this.#reportedLately = false), reportInterval).unref();
    this.#options.onFailure(reason);
  }

  /** At the end of the process: what can be written without waiting. */
  #writeLast(): void {
    const target = this.#target as Target;
    // What is under way is written by another thread.
    const rest = this.#writing || !this.#current ? [] : [this.#current.bytes];
    try {
      for (const bytes of [...rest, ...this.#chunks.map((text) => Buffer.from(text))]) {
        if (writeSync(target.open(bytes.length), bytes) < bytes.length) return;
      }
    } catch {
      // There is nobody left to tell.
    }
  }
}

/** Where an output leads to. */
export interface Target {
  /**
   * The open file, for the next so many bytes.
   *
   * @throws {Error} of the file system
   */
  open(bytes: number): number;
  /** Whether a write may take its time. Then another thread does it. */
  readonly blocks: boolean;
  readonly chunk: number;
}

/**
 * Whether a write waits for a slow reader is a property of the open file, which other processes share: a pipe or
 * terminal is therefore opened once more, for this process alone. Where that can't be done (a socket, a pipe of
 * another user, other systems than Linux) Node.js opens it as it does for every program. A file never waits for a
 * reader, and opened once more it would be written from its start.
 */
function openTarget(fd: 1 | 2): Target {
  const shared = { open: () => fd, blocks: true, chunk: chunk.other };
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return shared;
    if (process.platform === 'linux' && (stat.isFIFO() || stat.isCharacterDevice())) {
      const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
      const own = openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
      return { open: () => own, blocks: false, chunk: chunk.pipe };
    }
  } catch {
    // Without rights to the file, or without a reader at the other end of a pipe.
  }
  const stream = fd === 1 ? process.stdout : process.stderr;
  stream.on('error', () => {});
  return shared;
}
