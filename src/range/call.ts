import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../http/exchanges.ts';

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
  readonly answerHeaders: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly answer: string | Buffer | undefined;
  readonly problem: string | undefined;
  /** When the token that came with it expires, in seconds since 1970. */
  readonly tokenExpiresAt: number | undefined;
}

/** Bytes of memory that a call takes besides its texts. */
const overhead = 2000;

let calls = 0;

export function callOf(request: FastifyRequest, reply: FastifyReply, outcome: Outcome, now: number): Call {
  calls += 1;
  return {
    id: request.id,
    number: calls,
    at: now - outcome.ms,
    outcome,
    method: request.method,
    url: request.originalUrl,
    route: request.route,
    httpVersion: request.raw.httpVersion,
    headers: request.raw.rawHeaders,
    body: request.sentBody,
    answerHeaders: reply.getHeaders(),
    answer: request.answer,
    problem: request.problem,
    tokenExpiresAt: request.caller?.expiresAt,
  };
}

/** Bytes of memory that a call takes. */
export function sizeOf({ url, headers, body, answer }: Call): number {
  let bytes = overhead + url.length + (body?.length ?? 0) + (answer?.length ?? 0);
  for (const text of headers) bytes += text.length;
  return bytes;
}
