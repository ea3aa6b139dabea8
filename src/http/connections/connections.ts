import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ByWeight } from '../../by-weight.ts';
import { FairPool } from '../../fair-pool.ts';
import type { CutReason } from '../metrics.ts';
import { addressKey } from '../requests/address.ts';
import type { ServerContext } from '../server-context.ts';
import { tcpSocket } from './node-internals.ts';
import { bytesTaken, unacknowledgedBytes } from './tcp-progress.ts';

/*
 * What connections may make the program keep for them: those of HTTP/1.1 (`pipelining.ts`) and of HTTP/2 (`http2.ts`).
 *
 * A connection is cut
 * - when too many requests wait, or too many bytes of them (reason `unanswered`);
 * - when its peer takes nothing for a time although an answer waits for it (reason `stalled`);
 * - when too many bytes wait in the process (reason `buffer-limit`): first those of the address with most of them,
 *   and of these the ones whose peer has taken nothing for longest. Bytes are counted four times a second, which keeps it off the path of each answer, and when what was
 *   sent ahead since then may exceed the limit;
 * - when there are too many of its address and nothing is under way on it (reason `no-place`).
 *
 * An answer that is still being written is a stream, which reads on only when its last piece was taken. It has its
 * own end, so it does not count as stalled; its bytes count like others.
 */

/** Bytes of memory that a waiting request takes besides its headers and body. */
export const requestOverhead = 3000;

/** Waiting requests that start in one turn of the event loop. */
const startsPerTurn = 4;

/** Milliseconds between two counts of the bytes that wait. */
const countInterval = 250;

/** Milliseconds between two looks at the connections, for so many seconds that a stalled one gets. */
const lookInterval = (seconds: number) => Math.min(1000, seconds * 100);

/** A connection as its limits see it. */
export interface Connection {
  /** By TLS, where the port speaks HTTPS. */
  readonly socket: Socket;
  /** Bytes that wait in the process for its peer, and of its requests that wait for their turn. */
  waitingBytes(): number;
  /** Bytes of answers that were not sent. */
  unsentBytes(): number;
  /** Whether an answer under way is not written to its end. */
  isStreaming(): boolean;
  /** Whether no request is under way, or waits. */
  isIdle(): boolean;
  /** Forgets the requests that wait: the connection is being cut. */
  forget(): void;
  /** Looks for what the protocol itself limits in time. */
  look?(now: number): void;
  /** Ends it if nothing is under way, since the program stops. */
  closeIdle?(): void;
}

/** What the limits know of a connection. */
interface Progress {
  /** Since when its peer has taken nothing of what waits for it; undefined when nothing waits. */
  stalledSince: number | undefined;
  /** Bytes that the peer had taken at the last look. */
  taken: number | undefined;
}

export class Connections {
  readonly #context: ServerContext;
  readonly #open = new Map<Connection, Progress>();
  readonly #bufferLimit: number;
  /** Bytes that wait: those of the last count, and all that was sent ahead since. */
  #estimate = 0;
  #looking = false;
  /** Connections by TCP whose handshake for TLS is under way. */
  readonly #handshakes = new Set<Socket>();
  /** Those by TCP. Behind a proxy all are of its address. */
  readonly #pool: FairPool;
  readonly #ofSocket = new WeakMap<Socket, Connection>();
  /** This starts requests whose turn has come on their connection. */
  readonly #due: (() => void)[] = [];

  constructor(server: Server, context: ServerContext) {
    const { config, metrics } = context;
    this.#context = context;
    this.#bufferLimit = config.bufferLimitMegabytes * 1e6;
    const all = config.connectionsTotal;
    this.#pool = new FairPool({ all, ...(config.trustProxy !== false && { address: all }) });
    metrics.pool('connections', this.#pool);
    server.on('connection', (socket: Socket) => this.#takePlace(socket));
    const looking = setInterval(() => void this.#look(), lookInterval(config.sendTimeoutSeconds)).unref();
    const counting = setInterval(() => this.#makeRoom(), countInterval).unref();
    server.once('close', () => {
      clearInterval(looking);
      clearInterval(counting);
    });
    metrics.bufferedBytes(() => this.#count());
  }

  /** Limits a connection, until it is closed or cut. */
  add(connection: Connection): void {
    const tcp = tcpSocket(connection.socket);
    this.#handshakes.delete(tcp);
    this.#ofSocket.set(tcp, connection);
    this.#open.set(connection, { stalledSince: undefined, taken: undefined });
    connection.socket.once('close', () => this.#open.delete(connection));
  }

  /** Has a connection by TCP end with the program, if it is not one by TLS by then. */
  shakesHands(socket: Socket): void {
    this.#handshakes.add(socket);
    socket.once('close', () => this.#handshakes.delete(socket));
  }

  /** Starts a request soon: of all connections only a few start in one turn. */
  startSoon(start: () => void): void {
    if (this.#due.push(start) === 1) setImmediate(() => this.#start());
  }

  /** Counts bytes that a request which waits has added. */
  waits(bytes: number): void {
    this.#estimate += bytes;
    if (this.#estimate > this.#bufferLimit) this.#makeRoom();
  }

  cut(connection: Connection, reason: CutReason): void {
    const { socket } = connection;
    this.#open.delete(connection);
    connection.forget();
    this.tell(socket, reason);
    // By a reset the operating system drops what it still has for the peer. It can't be sent once the end was.
    if (socket.writableEnded) socket.destroy();
    else tcpSocket(socket).resetAndDestroy();
  }

  /** Tells of a connection, or an answer, that was cut. */
  tell({ remoteAddress }: Socket, reason: CutReason, what = 'connection'): void {
    this.#context.log.info({ address: remoteAddress, reason }, `${what} cut`);
    this.#context.metrics.connectionCut(reason);
  }

  /** While the program stops: ends those with nothing under way. Node.js does it with those of HTTP/1.1. */
  closeIdle(): void {
    for (const socket of this.#handshakes) socket.destroy();
    for (const connection of this.#open.keys()) connection.closeIdle?.();
  }

  closeAll(): void {
    for (const { socket } of this.#open.keys()) socket.destroy();
  }

  /** Cuts one that finds no place, and one that loses it: of those with nothing under way the longest open. */
  #takePlace(socket: Socket): void {
    const end = () => {
      socket.destroy();
      this.#context.metrics.connectionCut('no-place');
    };
    const isBusy = () => this.#ofSocket.get(socket)?.isIdle() === false;
    const place = this.#pool.take({ address: addressKey(socket.remoteAddress) }, { end, isBusy });
    if (typeof place === 'string') end();
    else socket.once('close', () => place.leave());
  }

  #start(): void {
    for (const start of this.#due.splice(0, startsPerTurn)) start();
    if (this.#due.length > 0) setImmediate(() => this.#start());
  }

  /** Bytes that wait in the process. */
  #count(): number {
    let bytes = 0;
    for (const connection of this.#open.keys()) bytes += connection.waitingBytes();
    return bytes;
  }

  /** Counts the bytes that wait, and cuts connections while they are too many. */
  #makeRoom(): void {
    const total = this.#count();
    this.#estimate = total > this.#bufferLimit ? this.#cutHeaviest(total) : total;
  }

  /** Cuts connections of the address with most bytes that wait, until those of all are few enough. Returns how many are left. */
  #cutHeaviest(total: number): number {
    const waiting = [...this.#open]
      .map(([connection, { stalledSince }]) => ({
        connection,
        since: stalledSince ?? Infinity,
        bytes: connection.waitingBytes(),
      }))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => a.since - b.since || b.bytes - a.bytes);
    const addresses = new ByWeight<{ candidates: typeof waiting; weight: number }>(requestOverhead);
    for (const candidates of Map.groupBy(waiting, ({ connection }) =>
      addressKey(connection.socket.remoteAddress),
    ).values())
      addresses.add({ candidates, weight: candidates.reduce((sum, { bytes }) => sum + bytes, 0) });
    let left = total;
    while (left > this.#bufferLimit) {
      const heaviest = addresses.heaviest();
      const next = heaviest?.candidates.shift();
      if (!heaviest || !next) break;
      this.cut(next.connection, 'buffer-limit');
      addresses.change(heaviest, -next.bytes);
      left -= next.bytes;
    }
    return left;
  }

  /** Cuts connections whose peers have taken nothing for too long. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const unsent = [...this.#open.keys()].some((connection) => connection.unsentBytes() > 0);
    const unacknowledged = unsent ? await unacknowledgedBytes() : new Map();
    this.#looking = false;
    const now = this.#context.clock.elapsed();
    for (const [connection, progress] of this.#open) {
      connection.look?.(now);
      if (connection.unsentBytes() === 0 || connection.isStreaming()) {
        progress.stalledSince = undefined;
        continue;
      }
      const before = progress.taken;
      progress.taken = bytesTaken(connection.socket, unacknowledged);
      if (progress.stalledSince === undefined || progress.taken !== before) progress.stalledSince = now;
      else if (now - progress.stalledSince >= this.#context.config.sendTimeoutSeconds * 1000)
        this.cut(connection, 'stalled');
    }
  }
}
