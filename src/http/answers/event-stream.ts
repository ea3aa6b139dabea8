import { Readable } from 'node:stream';
import { callAfter } from '../../time/timer.ts';
import { keptAnswer, type StreamProgress } from '../exchanges.ts';

/** On events, which proxies are not to keep back. */
export const unbuffered = { 'X-Accel-Buffering': 'no' };

/** On a stream. A proxy that compresses may keep back what it has until that is enough. */
export const live = { ...unbuffered, 'Cache-Control': 'no-store, no-transform' };

/** Milliseconds after which a client that lost a stream should reconnect. */
const retry = 3000;

/** Milliseconds that an ended stream may take to send what it has. */
const closeTimeout = 5000;

export interface EventStreamOptions {
  /** Is told what is sent, and that the caller went, or did not read. */
  readonly progress: StreamProgress;
  /** Whether the beginning of what is sent is kept. */
  readonly keep: boolean;
  /** Milliseconds that it may last: until the token expires. */
  readonly lastsMs: number;
  /** Called when it is over, however it ended; from then on `chunks` must end by itself. */
  readonly closed: () => void;
}

/** A stream of server-sent events. The next chunk is asked for when the last one was sent. */
export function eventStream(
  chunks: AsyncGenerator<string>,
  { progress, keep, lastsMs, closed }: EventStreamOptions,
): Readable {
  // Not Readable.from, which when it is destroyed waits for the generator, and so for the next heartbeat.
  const stream = new Readable({
    objectMode: true,
    highWaterMark: 1,
    read() {
      chunks.next().then(
        ({ done, value }) => {
          // One that was destroyed must not look as if it had come to its end: its connection would stay open.
          if (this.destroyed) return;
          if (done) this.push(null);
          else send(value);
        },
        (error) => this.destroy(error),
      );
    },
    destroy: (error, done) => {
      cancelTimeout();
      progress.end ??= 'caller-gone';
      closed();
      done(error);
    },
  });
  const send = (text: string) => {
    note(progress, text, keep);
    stream.push(text);
  };
  send(`retry: ${retry}\n`);
  // A client that does not read can't receive the end of the stream.
  const cancelTimeout = callAfter(lastsMs + closeTimeout, () => {
    progress.end ??= 'not-read';
    stream.destroy();
  });
  return stream;
}

/** Has a stream that was told to end be over soon, whether its caller reads or not. */
export function endSoon(stream: Readable): void {
  callAfter(closeTimeout, () => stream.destroy());
}

function note(progress: StreamProgress, text: string, keep: boolean): void {
  progress.bytes += Buffer.byteLength(text);
  const room = keep ? keptAnswer - progress.beginning.length : 0;
  // What does not fit is copied: a part of a text keeps the whole of it in memory.
  if (room > 0) progress.beginning += text.length > room ? Buffer.from(text.slice(0, room)).toString() : text;
}
