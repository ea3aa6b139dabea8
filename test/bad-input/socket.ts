import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../support/lplate.ts';
import { asAnswer } from './wire.ts';

/** What came back over one connection. */
export interface Heard {
  /** Answers in the order they came, those of 1xx left out. */
  answers: Answer[];
  /** Status codes, those of 1xx included. */
  statuses: number[];
  /** Who ended it: the server in good order, the server by a reset, or nobody before the patience ended. */
  end: 'closed' | 'reset' | 'open';
  /** Milliseconds from the connection to its end. */
  took: number;
}

export interface Speech {
  /** Milliseconds before each piece. */
  pause?: number;
  /** After the last piece: nothing more will come (FIN), or everything is thrown away (RST). */
  finish?: 'half-close' | 'reset';
  /** Milliseconds to listen when the server does not close. */
  patience?: number;
}

/** Sends the pieces as they are, one write each, and listens until the server closes. */
export async function say(port: number, pieces: (string | Uint8Array)[], speech: Speech = {}): Promise<Heard> {
  const { pause: gap = 0, finish, patience = 10_000 } = speech;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const heard: Uint8Array[] = [];
  let end: Heard['end'] = 'open';
  const over = new Promise<void>((resolve) => {
    socket.on('data', (piece: Buffer) => heard.push(piece));
    socket.on('end', () => {
      end = 'closed';
      resolve();
    });
    socket.on('error', () => {
      end = 'reset';
      resolve();
    });
    socket.on('close', () => resolve());
  });
  await once(socket, 'connect');
  const start = performance.now();
  await deliver(socket, pieces, gap);
  if (finish === 'half-close') socket.end();
  if (finish === 'reset') socket.resetAndDestroy();
  const waiting = new AbortController();
  await Promise.race([over, pause(patience, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
  const took = performance.now() - start;
  socket.destroy();
  return { ...answersIn(Buffer.concat(heard)), end, took };
}

async function deliver(socket: Socket, pieces: (string | Uint8Array)[], gap: number): Promise<void> {
  for (const piece of pieces) {
    if (gap > 0) await pause(gap);
    if (!socket.writable) return;
    // latin1, so that tests can write any byte as one character.
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  }
}

/** Reads a row of answers, each with a Content-Length. Throws when there is anything else in between. */
function answersIn(bytes: Buffer): { answers: Answer[]; statuses: number[] } {
  const answers: Answer[] = [];
  const statuses: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const [line = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [A-Z]/.exec(line)?.[1]);
    if (headEnd < 0 || !status) throw new Error(`no answer: ${bytes.toString('latin1', at).slice(0, 200)}`);
    const headers = lines.flatMap((each) => [
      each.slice(0, each.indexOf(':')),
      each.slice(each.indexOf(':') + 1).trim(),
    ]);
    const length = Number(lines.find((each) => /^content-length:/i.test(each))?.slice('content-length:'.length) ?? 0);
    at = headEnd + 4 + length;
    if (at > bytes.length) throw new Error('an answer is cut off');
    statuses.push(status);
    if (status >= 200) answers.push(asAnswer(status, headers, bytes.subarray(at - length, at)));
  }
  return { answers, statuses };
}
