import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../settings/config.ts';
import { ProblemError, problemBody } from '../problems/problem.ts';
import { sharedProblems } from '../problems/problems.ts';
import { oneLoopback } from '../requests/address.ts';
import type { ServerContext } from '../server-context.ts';
import type { Response } from './http2-exchange.ts';
import { currentResponse, keepCloseListeners, parserOf, tcpSocket } from './node-internals.ts';

export type Fault = 'malformed-request' | 'request-timeout' | 'headers-too-large';

/** Milliseconds that a client which is being cut off gets to read its answer. */
const readTimeout = 1000;

/** How requests are answered that no handler sees. */
export interface BrokenRequests {
  /** By HTTP/2. */
  answer(response: Response, address: string | undefined, identifier: Fault, detail: string): void;
}

/**
 * Answers what never becomes a request: bytes that are no HTTP, headers without end, senders that are too slow.
 * There is no path to go by, so these answers carry no rate limit.
 */
export function answerBrokenRequests(server: Server, { config, log, randomness }: ServerContext): BrokenRequests {
  const compose = (address: string | undefined, identifier: Fault, detail: string) => {
    const id = randomness.uuid('request');
    const entry = sharedProblems[identifier];
    const body = JSON.stringify(problemBody(new ProblemError(identifier, detail), entry, config.publicUrl, id));
    log.info({ requestId: id, route: '(none)', status: entry.status, problem: identifier, address });
    const headers = {
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      'X-Request-Id': id,
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    };
    return { status: entry.status, headers, body };
  };
  const refuse = (socket: Socket, identifier: Fault, detail: string): void => {
    const { status, headers, body } = compose(socket.remoteAddress, identifier, detail);
    const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
    hangUp(socket, [`HTTP/1.1 ${status} ${reasons[status]}`, ...lines, '', body].join('\r\n'));
  };

  const broken = new WeakSet<Socket>();
  // Fastify answers these too, but not with a problem.
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    if (error.code === 'ERR_SSL_HTTP_REQUEST') {
      // Below TLS. Afterwards it is closed.
      const below = tcpSocket(socket);
      const called = calledOrigin(below, config);
      refuse(below, 'malformed-request', `This port speaks HTTPS only. Call ${called} instead.`);
      return;
    }
    const found = fault(error);
    if (!found) {
      // Most often a client that does not trust the certificate.
      if (error.code?.startsWith('ERR_SSL_'))
        log.info({ address: socket.remoteAddress, reason: error.code }, 'TLS failed');
      socket.destroy();
      return;
    }
    // Anything that follows on this connection is an error, too.
    if (broken.has(socket)) return;
    broken.add(socket);
    // An answer that is ready leaves at the end of this turn of the event loop, before this.
    setImmediate(inTurn, socket, () => (answered(socket) ? hangUp(socket) : refuse(socket, ...found)));
  });
  const restoreCloseListeners = keepCloseListeners(server);
  server.on('connect', ({ socket }: IncomingMessage) => {
    // A stream may be under way that was asked for before.
    restoreCloseListeners(socket);
    // Node.js has taken its own listeners off, and an error that nobody listens to would end the process.
    socket.on('error', () => socket.destroy()).resume();
    inTurn(socket, () => refuse(socket, ...notAProxy));
  });
  // An Expect that is not understood may be passed over (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return {
    answer(response, ...refusal) {
      const { status, headers, body } = compose(...refusal);
      response.writeHead(status, headers).end(body);
    },
  };
}

/** Where a caller reached a port of HTTPS: the `Host` of a call by plain HTTP can't be read there. */
function calledOrigin({ localAddress = '', localPort }: Socket, { publicUrl, publicUrlGiven }: Config): string {
  const address = oneLoopback(localAddress.replace(/^::ffff:/, ''));
  if (publicUrlGiven || address === '127.0.0.1') return publicUrl;
  return `https://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** The refusals that HTTP/1.1 and HTTP/2 have in common. */
export const tooLarge: [Fault, string] = [
  'headers-too-large',
  'The request line and headers are larger than 16384 bytes, or there are more than 1000 headers. Send less.',
];
export const tooLate: [Fault, string] = [
  'request-timeout',
  'The request did not arrive completely in time. Send it without pauses, with the right Content-Length.',
];
export const notAProxy: [Fault, string] = ['malformed-request', 'CONNECT is for proxies. This server is not a proxy.'];

/** Says what is wrong with the request, or nothing when it is the connection that broke. */
function fault({ code = '' }: NodeJS.ErrnoException): [Fault, string] | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return tooLarge;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooLate;
  if (!code.startsWith('HPE_')) return undefined;
  if (code === 'HPE_INVALID_METHOD') {
    const detail =
      'This is not a valid HTTP request: it does not begin with a known method. Write methods in capital letters, such as GET or POST. If another request came before it on the connection, check the Content-Length of that one.';
    return ['malformed-request', detail];
  }
  return ['malformed-request', 'This is not a valid HTTP request. Use an HTTP client to send it.'];
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Requests that arrived whole before the broken one get their answers first: a client matches them by order. */
function inTurn(socket: Socket, act: () => void): void {
  const due = currentResponse(socket);
  // The answer that comes next may be ready as well: it leaves at the end of this turn of the event loop.
  if (due?.req.complete) due.once('close', () => setImmediate(inTurn, socket, act));
  else if (socket.writable) act();
}

/** Whether the request that broke off in its body has its answer, or a part of it. It must not get a second one. */
function answered(socket: Socket): boolean {
  const due = currentResponse(socket);
  return due ? due.headersSent : parserOf(socket)?.incoming?.complete === false;
}

/**
 * Closes, but goes on reading for a moment: closing with bytes unread makes the system send a reset, at which the
 * client throws away the answer that it has not read yet.
 */
function hangUp(socket: Socket, last = ''): void {
  socket.end(last);
  const cut = setTimeout(() => socket.destroy(), readTimeout).unref();
  socket.once('close', () => clearTimeout(cut));
}
