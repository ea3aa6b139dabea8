import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CutReason } from './metrics.ts';
import { currentResponse, onTurn, stopParsing } from './node-internals.ts';
import type { ServerContext } from './server-context.ts';
import { bytesTaken, unacknowledgedBytes } from './tcp-progress.ts';

/*
 * What connections may make the program keep for them.
 *
 * Node.js hands over every request that one read of a socket holds, at once. Each answer would be made and kept until
 * those before it are sent. Here a connection has one request under way: the next one starts when the answer before
 * it has gone to the operating system, which is when Node.js gives the socket to the next response (its event
 * 'socket'). Requests that were sent ahead wait for that, in the order they came, and of all connections only a few
 * start in one turn of the event loop: many large answers made at once would fill the memory. When the connection is
 * gone, or takes no answer any more, they never start.
 *
 * A connection is cut
 * - when too many requests wait, or too many bytes of them (reason `unanswered`);
 * - when its peer takes nothing for a time although an answer waits for it (reason `stalled`);
 * - when too many bytes wait in the process (reason `buffer-limit`): first those whose peer has taken nothing for
 *   longest. Bytes are counted four times a second, which keeps it off the path of each answer, and when what was
 *   sent ahead since then may exceed the limit.
 *
 * An answer that is still being written is a stream, which reads on only when its last piece was taken. It has its
 * own end, so it does not count as stalled; its bytes count like others.
 */

/** Requests that may be unanswered on one connection, the one under way included. */
const maxUnanswered = 64;

/** Bytes that the waiting requests of one connection may have. */
const maxAheadBytes = 2 ** 20;

/** Bytes of memory that a waiting request takes besides its headers and body. */
const requestOverhead = 3000;

/** Waiting requests that start in one turn of the event loop. */
const startsPerTurn = 4;

/** Milliseconds between two counts of the bytes that wait. */
const countInterval = 250;

/** Milliseconds between two looks at the connections, for so many seconds that a stalled one gets. */
const lookInterval = (seconds: number) => Math.min(1000, seconds * 100);

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  readonly socket: Socket;
  /** What waits its turn, in the order it came; `bytes` without the body. */
  readonly waiting: { request: IncomingMessage; bytes: number }[];
  /** Since when its peer has taken nothing of what waits for it; undefined when nothing waits. */
  stalledSince: number | undefined;
  /** Bytes that the peer had taken at the last look. */
  taken: number | undefined;
}

/** Limits the connections of a server: takes the place of its request listener, and passes requests on to it. */
export function limitConnections(server: Server, context: ServerContext): void {
  new Connections(server, context);
}

class Connections {
  readonly #context: ServerContext;
  readonly #handle: Listener;
  readonly #open = new Map<Socket, Connection>();
  readonly #bufferLimit: number;
  /** Bytes that wait: those of the last count, and all that was sent ahead since. */
  #estimate = 0;
  #looking = false;
  /** Requests whose turn has come on their connection. */
  readonly #due: { request: IncomingMessage; response: ServerResponse }[] = [];

  constructor(server: Server, context: ServerContext) {
    const { config, metrics } = context;
    this.#context = context;
    this.#bufferLimit = config.bufferLimitMegabytes * 1e6;
    const [handle] = server.listeners('request') as Listener[];
    if (!handle) throw new Error('The server has no request listener yet');
    this.#handle = handle;
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      // Only the first unanswered request of a connection has the socket.
      if (response.socket) handle(request, response);
      else this.#wait(request, response);
    });
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { socket, waiting: [], stalledSince: undefined, taken: undefined });
      socket.once('close', () => this.#open.delete(socket));
    });
    const looking = setInterval(() => void this.#look(), lookInterval(config.sendTimeoutSeconds)).unref();
    const counting = setInterval(() => this.#makeRoom(), countInterval).unref();
    server.once('close', () => {
      clearInterval(looking);
      clearInterval(counting);
    });
    metrics.bufferedBytes(() => this.#count());
  }

  #wait(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    // The rest of a read during which the connection was cut.
    if (!connection) return;
    const { waiting } = connection;
    // The body of the one before has come by now.
    const bodyBefore = waiting.at(-1)?.request.readableLength ?? 0;
    const bytes = requestOverhead + headBytes(request);
    waiting.push({ request, bytes });
    if (waiting.length >= maxUnanswered || aheadBytes(connection) > maxAheadBytes) {
      this.#cut(connection, 'unanswered');
      return;
    }
    onTurn(response, () => {
      waiting.shift();
      if (this.#due.push({ request, response }) === 1) setImmediate(() => this.#start());
    });
    this.#estimate += bytes + bodyBefore;
    if (this.#estimate > this.#bufferLimit) this.#makeRoom();
  }

  #start(): void {
    for (const { request, response } of this.#due.splice(0, startsPerTurn)) {
      if (response.socket?.writable) this.#handle(request, response);
    }
    if (this.#due.length > 0) setImmediate(() => this.#start());
  }

  /** Bytes that wait in the process. */
  #count(): number {
    let bytes = 0;
    for (const connection of this.#open.values()) bytes += bufferedBytes(connection);
    return bytes;
  }

  /** Counts the bytes that wait, and cuts connections while they are too many. */
  #makeRoom(): void {
    let total = this.#count();
    if (total > this.#bufferLimit) {
      const candidates = [...this.#open.values()]
        .map((connection) => ({
          connection,
          since: connection.stalledSince ?? Infinity,
          bytes: bufferedBytes(connection),
        }))
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => a.since - b.since || b.bytes - a.bytes);
      for (const { connection, bytes } of candidates) {
        if (total <= this.#bufferLimit) break;
        this.#cut(connection, 'buffer-limit');
        total -= bytes;
      }
    }
    this.#estimate = total;
  }

  /** Cuts connections whose peers have taken nothing for too long. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const unsent = [...this.#open.values()].filter(({ socket }) => socket.writableLength > 0);
    const unacknowledged = unsent.length > 0 ? await unacknowledgedBytes() : new Map();
    this.#looking = false;
    const now = this.#context.clock.elapsed();
    for (const connection of this.#open.values()) {
      const { socket, taken, stalledSince } = connection;
      if (socket.writableLength === 0 || isStreaming(socket)) {
        connection.stalledSince = undefined;
        continue;
      }
      connection.taken = bytesTaken(socket, unacknowledged);
      if (stalledSince === undefined || connection.taken !== taken) connection.stalledSince = now;
      else if (now - stalledSince >= this.#context.config.sendTimeoutSeconds * 1000) this.#cut(connection, 'stalled');
    }
  }

  #cut({ socket, waiting }: Connection, reason: CutReason): void {
    this.#open.delete(socket);
    waiting.length = 0;
    // Else a request would be made of each that is left of this read.
    stopParsing(socket);
    this.#context.log.info({ address: socket.remoteAddress, reason }, 'connection cut');
    this.#context.metrics.connectionCut(reason);
    // By a reset the operating system drops what it still has for the peer. It can't be sent once the end was.
    if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }
}

function bufferedBytes(connection: Connection): number {
  return connection.socket.writableLength + aheadBytes(connection);
}

function aheadBytes({ waiting }: Connection): number {
  let bytes = 0;
  for (const each of waiting) bytes += each.bytes + each.request.readableLength;
  return bytes;
}

function headBytes({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Whether the answer under way is not written to its end. */
function isStreaming(socket: Socket): boolean {
  return currentResponse(socket)?.writableEnded === false;
}
