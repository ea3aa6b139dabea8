import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../http/exchanges.ts';
import { sentHead } from '../http/node-internals.ts';

/** Bytes of a body that are kept. */
export const keptBody = 16 * 1024;

/** Bytes behind them that are looked at, so that a secret across the limit is seen whole. */
export const margin = 4096;

const lookedAt = keptBody + margin;

/** A call as it is kept until it is written: what the server has of it, unchanged and with its secrets. */
export interface Call {
  readonly id: string;
  /** Counts the calls of this process. */
  readonly number: number;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly method: string;
  readonly url: string;
  readonly route: string;
  readonly httpVersion: string;
  /** Names and values in turn, as they were sent. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /**
   * The answer as it was sent, head and the beginning of the body. Bytes outside of the heap, since the strings that
   * the server has are trees of many parts, which the garbage collector would have to move.
   */
  readonly answer: Buffer;
  readonly problem: string | undefined;
  /** When the token that came with it expires, in seconds since 1970, in real time. */
  readonly tokenExpiresAt: number | undefined;
  /** Bytes of memory that it takes. */
  readonly size: number;
}

/** Bytes of memory that a call takes besides its URL, headers and bodies. */
const overhead = 2000;

let calls = 0;

export function callOf(request: FastifyRequest, reply: FastifyReply, outcome: Outcome, at: number): Call {
  calls += 1;
  const { originalUrl: url, sentBody: body, caller, server } = request;
  const { rawHeaders: headers } = request.raw;
  const answer = packed(outcome.end === 'open' ? headToBe(reply) : sentHead(reply.raw), request.answer);
  return {
    id: request.id,
    number: calls,
    at,
    outcome,
    method: request.method,
    url,
    route: request.route,
    httpVersion: request.raw.httpVersion,
    headers,
    body,
    answer,
    problem: request.problem,
    tokenExpiresAt: caller && caller.expiresAt - server.clocks.offset(caller.clientId) / 1000,
    size: sizeOf(url, headers, body, answer),
  };
}

function sizeOf(url: string, headers: readonly string[], body: Buffer | undefined, answer: Buffer): number {
  let bytes = overhead + url.length + (body?.length ?? 0) + answer.length;
  for (const text of headers) bytes += text.length;
  return bytes;
}

function packed(head: string, body: string | Buffer = ''): Buffer {
  if (typeof body === 'string') return Buffer.from(head + (body.length > lookedAt ? body.slice(0, lookedAt) : body));
  return Buffer.concat([Buffer.from(head), body.subarray(0, lookedAt)]);
}

/** Of a stream that begins: what will be sent first. */
function headToBe(reply: FastifyReply): string {
  const lines = Object.entries(reply.getHeaders()).map(([name, value]) => `${name}: ${value}`);
  return `\r\n${lines.join('\r\n')}${headEnd}`;
}

const headEnd = '\r\n\r\n';

/** The first line and the headers of the answer, and what is there of its body. */
export function unpacked({ answer }: Call): { head: string; body: Buffer } {
  const end = answer.indexOf(headEnd);
  if (end < 0) return { head: '', body: answer.subarray(0, 0) };
  return { head: answer.toString('utf8', 0, end), body: answer.subarray(end + headEnd.length) };
}

/** A header of the answer. */
export function answerHeader(call: Call, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: ([^\\r]*)`, 'i').exec(unpacked(call).head)?.[1];
}
