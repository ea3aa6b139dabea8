import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onHttp1Connection } from './tls-connections.ts';

/*
 * All that this program uses of Node.js although Node.js does not document it. `test/http/connections/node-internals.test.ts` names
 * the version it was seen with, and fails when an upgrade takes a part of it away.
 */

interface Internals {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: (Parser & { onIncoming: () => number }) | null;
  readonly _handle?: Handle | null;
  readonly _parent?: Socket | null;
}

/** What of a response Node.js has made ready to send. */
interface Head {
  readonly _header?: string | null;
}

/** What reads the requests of a connection. */
export interface Parser {
  /** The request that arrives, or arrived last. `upgrade`: what follows it is no HTTP, as after CONNECT. */
  readonly incoming: (IncomingMessage & { readonly upgrade?: boolean }) | null;
  /** Parses bytes; returns how many of them were parsed, or what is wrong with them. */
  execute(bytes: Buffer): number | Error;
}

interface ParserInternals extends Parser {
  readonly constructor: { readonly kOnExecute: number };
  /** A copy of the bytes of the read that was parsed last. */
  getCurrentBuffer(): Buffer;
  /** By `kOnExecute`: called after each read, with what `execute` returned. */
  [event: number]: (parsed: number | Error) => void;
}

/** A connection as libuv has it. */
export interface Handle {
  readonly fd: number;
  /** Bytes that were given to it so far. */
  readonly bytesWritten: number;
  /** Those of them that the operating system has not taken yet. */
  readonly writeQueueSize: number;
}

/** The response that is to be written next, or is being written. */
export function currentResponse(socket: Socket): ServerResponse | undefined {
  return (socket as Internals)._httpMessage ?? undefined;
}

/** The head of a response as it was sent: its first line and its headers, each with CR LF. Empty before it was. */
export function sentHead(response: ServerResponse): string {
  return (response as Head)._header ?? '';
}

/**
 * Calls `begin` when the answers before this one have gone to the operating system: Node.js gives the socket to one
 * response after the other, and tells it by the event `socket`. Until then the response has none.
 */
export function onTurn(response: ServerResponse, begin: () => void): void {
  response.once('socket', begin);
}

/** The parser of a connection; none once the connection is closed. */
export function parserOf(socket: Socket): Parser | undefined {
  return (socket as Internals).parser ?? undefined;
}

/** Makes no further requests of the bytes that were read, or will be. */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Internals;
  // It is called with each request, and its answer tells llhttp how to go on. 2 is what llhttp stops at.
  if (parser) parser.onIncoming = () => 2;
}

/**
 * After each read of a connection `change` is given how many of its bytes were parsed, or what is wrong with them, and
 * the bytes. Node.js goes by what it returns.
 */
export function afterRead(parser: Parser, change: (parsed: number | Error, bytes: Buffer) => number | Error): void {
  const internals = parser as ParserInternals;
  const { kOnExecute } = internals.constructor;
  const done = internals[kOnExecute] as ParserInternals[number];
  internals[kOnExecute] = (parsed) => done(change(parsed, internals.getCurrentBuffer()));
}

/** The handle of a connection; none once it is closed. Of a connection by TLS, that of TCP below it. */
export function handleOf(socket: Socket): Handle | undefined {
  return (tcpSocket(socket) as unknown as Internals)._handle ?? undefined;
}

/** The connection by TCP that a connection by TLS is made on; any other is one itself. */
export function tcpSocket(socket: Socket): Socket {
  return (socket as unknown as Internals)._parent ?? socket;
}

/**
 * At CONNECT Node.js takes its listeners off the socket, those too that tell earlier requests of the connection that
 * their caller is gone. The function that is returned puts these back.
 */
export function keepCloseListeners(server: Server): (socket: Socket) => void {
  const kept = new WeakMap<Socket, ((failed: boolean) => void)[]>();
  onHttp1Connection(server, (socket) => {
    kept.set(socket, socket.listeners('close') as ((failed: boolean) => void)[]);
  });
  return (socket) => {
    for (const tell of kept.get(socket) ?? []) {
      if (!socket.listeners('close').includes(tell)) socket.once('close', tell);
    }
  };
}
