import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/*
 * A request may ask to go on in another protocol (`Upgrade: h2c`, which clients of Java ask by themselves, or
 * `websocket`). There is none here, so it is answered as if it had not asked (RFC 9110, section 7.8).
 *
 * The parser of Node.js stops at the end of such a request, whether or not the server takes the upgrade. Where it
 * doesn't, Node.js forgets the rest of the bytes of that read, with the requests in them. It also keeps silent about
 * what is wrong with the next request. So from the first such request of a connection on, the parser is given again
 * what it left over, and what it leaves over then is broken. There is no documented way to do that.
 */

/** What Node.js has for a connection, though it does not document it. */
interface Parser {
  /** The request that arrives, or arrived last. `upgrade`: what follows it is no HTTP, as after CONNECT. */
  readonly incoming: (IncomingMessage & { readonly upgrade?: boolean }) | null;
  readonly constructor: { readonly kOnExecute: number };
  /** A copy of the bytes of the read that was parsed last. */
  getCurrentBuffer(): Buffer;
  /** How many of the bytes were parsed, or what is wrong with them. */
  execute(bytes: Buffer): number | Error;
  /** By `kOnExecute`: called after each read, with the same. */
  [event: number]: (parsed: number | Error) => void;
}

interface Connection {
  /** The request at whose end the parser stops, or has stopped. */
  stopsAt: IncomingMessage | undefined;
}

const connections = new WeakMap<Socket, Connection>();

/** For `shouldUpgradeCallback`: takes no upgrade, and sees to the requests behind it. */
export function declineUpgrade(request: IncomingMessage): false {
  const { socket } = request;
  const { parser } = socket as Socket & { parser?: Parser | null };
  const known = connections.get(socket);
  if (known) known.stopsAt = request;
  else if (parser) readOn(socket, parser, request);
  return false;
}

function readOn(socket: Socket, parser: Parser, request: IncomingMessage): void {
  const connection: Connection = { stopsAt: request };
  connections.set(socket, connection);
  const { kOnExecute } = parser.constructor;
  const done = parser[kOnExecute] as Parser[number];
  /** Goes on behind the request that the parser stopped at, until all is parsed or something is wrong. */
  const goOn = (parsed: number | Error, bytes: Buffer): number | Error => {
    while (typeof parsed === 'number' && parsed !== bytes.length && !socket.destroyed && !parser.incoming?.upgrade) {
      // An error that it kept silent about; where it says to have stopped may then be anywhere.
      if (!connection.stopsAt?.complete || parsed < 0 || parsed > bytes.length) return brokenRequest();
      connection.stopsAt = undefined;
      bytes = bytes.subarray(parsed);
      parsed = parser.execute(bytes);
    }
    return parsed;
  };
  parser[kOnExecute] = (parsed) => done(goOn(parsed, parser.getCurrentBuffer()));
}

function brokenRequest(): Error {
  return Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_REQUEST' });
}
