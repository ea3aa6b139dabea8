import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { asAnswer } from '../support/http1.ts';
import type { Answer, LPlate } from '../support/lplate.ts';
import { assertSound, identifierOf } from './wire.ts';

export const base = '/insurer/v1';
export const host = 'Host: localhost\r\n';
export const close = 'Connection: close\r\n';
export const chunked = 'Transfer-Encoding: chunked\r\n';
export const length = (bytes: number) => `Content-Length: ${bytes}\r\n`;
export const get = (more = '') => `GET ${base}/coverage-options HTTP/1.1\r\n${host}${more}\r\n`;
export const newClient = `POST ${base}/demo-clients HTTP/1.1\r\n${host}${length(0)}\r\n`;

/** The head of a request that creates a policy; `framing` says how its body comes. */
export const postHead = (token: string, framing: string) =>
  `POST ${base}/policies HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n`;

/** One write each. */
export type Pieces = (string | Uint8Array)[] | string | Uint8Array;

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

/** Sends the pieces as they are, listens until the server closes, and checks that all that came is in order. */
export async function hearFrom(lplate: LPlate, pieces: Pieces, speech?: Speech): Promise<Heard> {
  const heard = await say(lplate.config.port, [pieces].flat(), speech);
  const said = [pieces].flat().join('');
  // Of a request that can't be read nobody knows the Host.
  const origins = [lplate.config.publicUrl, ...said.matchAll(/Host: (\S+)/g).map(([, name]) => `http://${name}`)];
  for (const answer of heard.answers) assertSound(answer, origins);
  return heard;
}

/** Each speech must get the problem as its last answer, after so many others, and see the connection closed. */
export async function assertRefused(
  lplate: LPlate,
  speeches: Record<string, Pieces>,
  identifier: string,
  before: number,
): Promise<void> {
  for (const [name, pieces] of Object.entries(speeches)) {
    const { answers, end } = await hearFrom(lplate, pieces);
    const last = answers.at(-1);
    assert.deepEqual([answers.length, last && identifierOf(last), end], [before + 1, identifier, 'closed'], name);
    assert.equal(last?.headers.get('connection'), 'close');
  }
}

async function say(port: number, pieces: (string | Uint8Array)[], speech: Speech = {}): Promise<Heard> {
  const { pause: gap = 0, finish, patience = 10_000 } = speech;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const heard: Uint8Array[] = [];
  let end: Heard['end'] = 'open';
  const over = new Promise<void>((resolve) => {
    socket.on('data', (piece: Buffer) => heard.push(piece));
    socket.on('end', () => {
      end = 'closed';
      // What is still being sent must not be met by a reset.
      if (socket.writableNeedDrain) socket.once('drain', resolve);
      else resolve();
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
