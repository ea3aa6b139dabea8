import type { FastifyReply, FastifyRequest } from 'fastify';

/** What became of a request. */
export interface Outcome {
  readonly status: number;
  /** Milliseconds from its first byte to the end of the answer; to its beginning where that is a stream which goes on. */
  readonly ms: number;
  readonly end: 'answered' | 'cut' | 'open';
}

export const streamEnds = [
  'caller-gone',
  'token-expired',
  'client-removed',
  'not-read',
  'cursor-expired',
  'unavailable',
  'stopped',
  'drill',
  'no-place',
] as const;

/**
 * What becomes of an answer that is a stream of events: its sender tells it. `not-read`: its token has expired and it
 * could not be sent to its end; `cursor-expired`: it was so slow that events were removed which it had not read;
 * `stopped`: the service was; `drill`: a drill cut it; `no-place`: its place was for somebody with fewer streams.
 */
export class StreamProgress {
  events = 0;
  end: (typeof streamEnds)[number] | undefined;
  /** Bytes of all that was sent. */
  bytes = 0;
  /** The first `keptAnswer` characters that were sent; empty if they are not kept. */
  beginning = '';
}

/**
 * Is called for each request when its answer has gone or was cut, and also when an answer that is a stream begins. The
 * next request waits until it returns, so it takes what it needs and does its work later.
 */
export type ExchangeObserver = (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => void;

/** Characters of an answer that are kept for the observer: 16 KiB are shown, and a secret across that limit is seen whole. */
export const keptAnswer = 20 * 1024;

/** In the place of the pattern of a route, where none answers. */
export const noRoute = '(none)';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Serves a description or a page. What a page shows or fetches is no exchange of an interface. */
    document?: true;
    /** The body has what is not to be kept: nobody who observes gets it. */
    hidesBody?: true;
  }
  interface FastifyRequest {
    /** The bytes of the body, as far as it was read: not where the request was refused before. */
    sentBody: Buffer | undefined;
    /** The beginning of the body of the answer, unless it is a stream: `stream` has that. Kept where somebody observes. */
    answer: string | Buffer | undefined;
    /** Of a request for a token whose client has had a new secret: which one was used. */
    secretUsed: 'new' | 'before' | undefined;
    /** Whether the call ended what came of a token. */
    hasRevoked: boolean;
    /** Whether a description or a page answers. */
    forReading: boolean;
    /** How far an answer is that is a stream of events. */
    stream: StreamProgress | undefined;
  }
}
