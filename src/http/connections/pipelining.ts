import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type Connections, requestOverhead } from './connections.ts';
import { currentResponse, onTurn, stopParsing } from './node-internals.ts';
import { onHttp1Connection } from './tls-connections.ts';

/*
 * The requests of a connection of HTTP/1.1.
 *
 * Node.js hands over every request that one read of a socket holds, at once. Each answer would be made and kept until
 * those before it are sent. Here a connection has one request under way: the next one starts when the answer before
 * it has gone to the operating system, which is when Node.js gives the socket to the next response (its event
 * 'socket'). Requests that were sent ahead wait for that, in the order they came, and of all connections only a few
 * start in one turn of the event loop: many large answers made at once would fill the memory. When the connection is
 * gone, or takes no answer any more, they never start.
 */

/** Requests that may be unanswered on one connection, the one under way included. */
export const maxUnanswered = 64;

/** Bytes that the waiting requests of one connection may have. */
const maxAheadBytes = 2 ** 20;

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes the place of the server's request listener, which it returns, and passes requests on to it one at a time. */
export function oneAtATime(server: Server, connections: Connections): Listener {
  const open = new Map<Socket, PipelinedConnection>();
  const [handle] = server.listeners('request') as Listener[];
  if (!handle) throw new Error('The server has no request listener yet');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    // Only the first unanswered request of a connection has the socket. Without a connection it is the rest of a read
    // during which that was cut.
    if (response.socket) handle(request, response);
    else open.get(request.socket)?.wait(request, response);
  });
  onHttp1Connection(server, (socket) => {
    const connection = new PipelinedConnection(socket, connections, handle, () => open.delete(socket));
    open.set(socket, connection);
    connections.add(connection);
    socket.once('close', () => open.delete(socket));
  });
  return handle;
}

class PipelinedConnection implements Connection {
  readonly socket: Socket;
  readonly #connections: Connections;
  readonly #handle: Listener;
  readonly #forgotten: () => void;
  /** What waits its turn, in the order it came; `bytes` without the body. */
  readonly #waiting: { request: IncomingMessage; bytes: number }[] = [];

  constructor(socket: Socket, connections: Connections, handle: Listener, forgotten: () => void) {
    this.socket = socket;
    this.#connections = connections;
    this.#handle = handle;
    this.#forgotten = forgotten;
  }

  wait(request: IncomingMessage, response: ServerResponse): void {
    // The body of the one before has come by now.
    const bodyBefore = this.#waiting.at(-1)?.request.readableLength ?? 0;
    const bytes = requestOverhead + headBytes(request);
    this.#waiting.push({ request, bytes });
    if (this.#waiting.length >= maxUnanswered || this.#aheadBytes() > maxAheadBytes) {
      this.#connections.cut(this, 'unanswered');
      return;
    }
    onTurn(response, () => {
      this.#waiting.shift();
      this.#connections.startSoon(() => response.socket?.writable && this.#handle(request, response));
    });
    this.#connections.waits(bytes + bodyBefore);
  }

  unsentBytes(): number {
    return this.socket.writableLength;
  }

  waitingBytes(): number {
    return this.unsentBytes() + this.#aheadBytes();
  }

  isStreaming(): boolean {
    return currentResponse(this.socket)?.writableEnded === false;
  }

  isIdle(): boolean {
    return this.#waiting.length === 0 && currentResponse(this.socket) === undefined;
  }

  forget(): void {
    this.#forgotten();
    this.#waiting.length = 0;
    // Else a request would be made of each that is left of this read.
    stopParsing(this.socket);
  }

  #aheadBytes(): number {
    let bytes = 0;
    for (const each of this.#waiting) bytes += each.bytes + each.request.readableLength;
    return bytes;
  }
}

function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
