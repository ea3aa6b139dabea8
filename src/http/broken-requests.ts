import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { ProblemError, type ProblemIdentifier, problemBody } from './problem.ts';

/**
 * Answers what never becomes a request: bytes that are no HTTP, headers without end, senders that are too slow.
 * There is no path to go by, so these answers carry no rate limit.
 */
export function answerBrokenRequests(server: Server, publicUrl: string, log: Logger): void {
  const answer = (socket: Socket, identifier: ProblemIdentifier, detail: string): void => {
    if (!socket.writable || socket.destroyed) return void socket.destroy();
    const id = randomUUID();
    const problem = new ProblemError(identifier, detail);
    const body = JSON.stringify(problemBody(problem, publicUrl, id));
    log.info({
      requestId: id,
      route: '(none)',
      status: problem.status,
      problem: identifier,
      address: socket.remoteAddress,
    });
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${reasons[problem.status]}`,
        'Content-Type: application/problem+json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${id}`,
        'Access-Control-Allow-Origin: *',
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
      // What the peer still sends is not waited for.
      () => socket.destroy(),
    );
  };
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Once an answer has begun on this connection, a second one would end up in its middle.
    if (error.code === 'ECONNRESET' || answering(socket)) return void socket.destroy();
    if (error.code === 'HPE_HEADER_OVERFLOW') {
      return answer(
        socket,
        'headers-too-large',
        'The request line and headers have more than 16384 bytes, the most that is taken.',
      );
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      return answer(
        socket,
        'request-timeout',
        'The request did not arrive whole in time. Send it at once, with the Content-Length that the body has.',
      );
    }
    answer(socket, 'malformed-request', 'These bytes are no HTTP request. Let an HTTP client build it.');
  });
  server.on('connect', (_request: IncomingMessage, socket) => {
    answer(socket as Socket, 'malformed-request', 'CONNECT is for proxies; this is none.');
  });
  // An Expect that is not understood may be passed over (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** The problem for a URL that the router can't read. */
export function malformedUrl(error: Error): ProblemError {
  const badEscape = (error as { code?: string }).code === 'FST_ERR_BAD_URL';
  const detail = badEscape
    ? 'The URL has a percent sign that two hexadecimal digits do not follow, or bytes that are no UTF-8. A literal % is written %25.'
    : 'The URL can’t be read.';
  return new ProblemError('malformed-request', detail);
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function answering(socket: Socket): boolean {
  const { _httpMessage: message } = socket as { _httpMessage?: { headersSent: boolean } };
  return message?.headersSent === true;
}
