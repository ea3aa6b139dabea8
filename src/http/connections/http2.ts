import { METHODS } from 'node:http';
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { ProblemError } from '../problems/problem.ts';
import type { ServerContext } from '../server-context.ts';
import { type BrokenRequests, type Fault, notAProxy, tooLarge, tooLate } from './broken-requests.ts';
import { type Connection, type Connections, requestOverhead } from './connections.ts';
import { Request, Response } from './http2-exchange.ts';
import { handleOf } from './node-internals.ts';
import { type Listener, maxUnanswered } from './pipelining.ts';

/*
 * The requests of a connection of HTTP/2.
 *
 * They are limited as those of HTTP/1.1 are, as far as the protocols allow: as many may be unanswered, the head may be as
 * large, and each must arrive within the same time. They are answered side by side, but none starts while much of the
 * answers before it was not taken. What a peer may do to the protocol itself, Node.js and nghttp2 limit (`options`): who
 * resets streams or sends broken frames again and again loses the connection.
 *
 * A peer may take bytes of one answer and leave another one lying. The connection then makes progress, so each answer
 * is looked at, too.
 */

/** Bytes of answers, given to the connection and not sent, from which on no further request of it starts. */
const maxUnsent = 2 ** 20;

/** The same limits as those of Node.js for HTTP/1.1. */
const maxHeadBytes = 16 * 1024;
const maxHeaders = 1000;

/** Milliseconds that a connection without requests may stay open: as one of HTTP/1.1. */
const idleTimeout = 72_000;

/** Milliseconds that the peer gets to close a connection after it was told to. */
const goodbyeTimeout = 1000;

/** How many times as long one answer may be left lying as all of a connection: who reads nothing loses the connection. */
const answerPatience = 2;

const options = {
  // Larger heads and more headers than are accepted, so that they get an answer.
  maxHeaderListPairs: maxHeaders + 10,
  settings: { maxConcurrentStreams: maxUnanswered, maxHeaderListSize: 4 * maxHeadBytes },
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // A page that is left cancels a handful.
  streamResetBurst: 200,
  streamResetRate: 20,
};

interface Http2Options {
  readonly connections: Connections;
  readonly handle: Listener;
  readonly broken: BrokenRequests;
  readonly context: ServerContext;
}

/** Speaks HTTP/2 on a connection. */
export function speakHttp2(socket: TLSSocket, http2: Http2Options): void {
  http2.connections.add(new Http2Connection(socket, http2));
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  stage: 'waiting' | 'running' | 'late';
  /** When it started. */
  since: number;
  /** Since when the peer has taken nothing of what waits for it, and what it had taken by then. */
  stalledSince: number;
  taken: number;
}

class Http2Connection implements Connection {
  readonly socket: TLSSocket;
  readonly #session: ServerHttp2Session;
  readonly #http2: Http2Options;
  readonly #exchanges = new Set<Exchange>();
  /** Since when there was none, and whether there was one at all. */
  #idleSince: number;
  #used = false;
  #closedAt: number | undefined;

  constructor(socket: TLSSocket, http2: Http2Options) {
    this.socket = socket;
    this.#http2 = http2;
    this.#idleSince = this.#now();
    this.#session = performServerHandshake(socket, options);
    // It ends the connection.
    this.#session.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code?.startsWith('ERR_HTTP2')) http2.connections.tell(socket, 'protocol');
    });
    this.#session.on('stream', (stream, headers, _flags, rawHeaders) => this.#take(stream, headers, rawHeaders));
  }

  unsentBytes(): number {
    let bytes = 0;
    for (const { response } of this.#exchanges) bytes += response.owedBytes;
    // What left the streams may be the same bytes.
    return Math.max(bytes, handleOf(this.socket)?.writeQueueSize ?? 0);
  }

  waitingBytes(): number {
    let bytes = this.unsentBytes();
    for (const { request } of this.#exchanges) bytes += requestOverhead + request.readableLength;
    return bytes;
  }

  isStreaming(): boolean {
    return [...this.#exchanges].some(({ response }) => response.isStream);
  }

  isIdle(): boolean {
    return this.#exchanges.size === 0;
  }

  forget(): void {
    for (const exchange of this.#exchanges) if (exchange.stage === 'waiting') this.#exchanges.delete(exchange);
  }

  look(now: number): void {
    const { requestTimeoutSeconds, sendTimeoutSeconds } = this.#http2.context.config;
    for (const exchange of this.#exchanges) {
      const { request, response, stage, since } = exchange;
      if (stage === 'waiting') continue;
      if (!request.arrived && now - since >= requestTimeoutSeconds * 1000) this.#endLate(exchange);
      if (response.owedBytes === 0 || response.isStream || response.takenBytes !== exchange.taken) {
        Object.assign(exchange, { stalledSince: now, taken: response.takenBytes });
      } else if (now - exchange.stalledSince >= answerPatience * sendTimeoutSeconds * 1000) this.#giveUp(exchange);
    }
    this.#startWaiting();
    if (this.#exchanges.size > 0) this.#idleSince = now;
    else if (now - this.#idleSince >= (this.#used ? idleTimeout : requestTimeoutSeconds * 1000)) this.closeIdle();
  }

  closeIdle(): void {
    if (this.#exchanges.size > 0) {
      // No further ones.
      this.#session.close();
      // What is answered already need not arrive any more.
      for (const { response } of this.#exchanges) {
        if (response.writableFinished) response.stream.close(constants.NGHTTP2_NO_ERROR);
      }
      return;
    }
    this.#closedAt ??= this.#now();
    if (this.#now() - this.#closedAt >= goodbyeTimeout) this.socket.destroy();
    else this.#session.close();
  }

  #now(): number {
    return this.#http2.context.clock.elapsed();
  }

  #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
    // Before the peer has heard of the limit it may open more.
    if (this.#exchanges.size >= maxUnanswered) {
      stream.on('error', () => {}).close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const fault = faultOf(headers, rawHeaders);
    const request = new Request(this.socket, stream, headers, rawHeaders);
    const now = this.#now();
    const response = new Response(stream);
    const exchange: Exchange = { request, response, stage: 'waiting', since: now, stalledSince: now, taken: 0 };
    this.#exchanges.add(exchange);
    this.#used = true;
    stream.once('close', () => {
      this.#exchanges.delete(exchange);
      this.#startWaiting();
    });
    if (fault) {
      exchange.stage = 'running';
      this.#http2.broken.answer(response, this.socket.remoteAddress, ...fault);
    } else if (this.#exchanges.size === 1) this.#start(exchange);
    else {
      this.#http2.connections.waits(requestOverhead);
      this.#startWaiting();
    }
  }

  /** Tells whether so much of the answers waits in the connection that no further one may be made. */
  #isFull(): boolean {
    let bytes = 0;
    for (const { response } of this.#exchanges) bytes += response.stream.writableLength;
    return Math.max(bytes, handleOf(this.socket)?.writeQueueSize ?? 0) > maxUnsent;
  }

  #startWaiting(): void {
    if (this.#isFull()) return;
    for (const exchange of this.#exchanges) {
      if (exchange.stage !== 'waiting') continue;
      exchange.stage = 'running';
      this.#http2.connections.startSoon(() => {
        // Those that started before it may have filled the connection.
        if (this.#isFull()) exchange.stage = 'waiting';
        else this.#start(exchange);
      });
    }
  }

  #start(exchange: Exchange): void {
    const { request, response } = exchange;
    if (response.destroyed) return;
    Object.assign(exchange, { stage: 'running', since: this.#now() });
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    this.#http2.handle(request as never, response as never);
  }

  /** A request that does not arrive to its end is answered if its body is waited for, and ends in any case. */
  #endLate(exchange: Exchange): void {
    const { request, response, stage } = exchange;
    const { stream } = response;
    if (response.writableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
    else if (stage === 'late' || !request.fail(new ProblemError(...tooLate))) {
      stream.close(constants.NGHTTP2_CANCEL);
    } else Object.assign(exchange, { stage: 'late', since: this.#now() });
  }

  #giveUp({ response }: Exchange): void {
    this.#http2.connections.tell(this.socket, 'stalled', 'stream');
    response.destroy();
  }
}

const unknownMethod: [Fault, string] = [
  'malformed-request',
  'The method is not a known one. Write methods in capital letters, such as GET or POST.',
];

/** Finds what HTTP/1.1 refuses before it becomes a request. */
function faultOf(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): [Fault, string] | undefined {
  const method = headers[':method'];
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2;
  if (bytes > maxHeadBytes || rawHeaders.length > 2 * maxHeaders) return tooLarge;
  if (method === 'CONNECT') return notAProxy;
  if (method === undefined || !METHODS.includes(method)) return unknownMethod;
  return undefined;
}
