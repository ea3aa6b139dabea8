import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterRead, type Parser, parserOf } from './node-internals.ts';

/*
 * A request may ask to go on in another protocol (`Upgrade: h2c`, which clients of Java ask by themselves, or
 * `websocket`). There is none here, so it is answered as if it had not asked (RFC 9110, section 7.8).
 *
 * The parser of Node.js stops at the end of such a request, whether or not the server takes the upgrade. Where it
 * doesn't, Node.js forgets the rest of the bytes of that read, with the requests in them. It also keeps silent about
 * what is wrong with the next request. So from the first such request of a connection on, the parser is given again
 * what it left over, and what it leaves over then is broken.
 */

interface Connection {
  /** The request at whose end the parser stops, or has stopped. */
  stopsAt: IncomingMessage | undefined;
}

const connections = new WeakMap<Socket, Connection>();

/** For `shouldUpgradeCallback`: takes no upgrade, and sees to the requests behind it. */
export function declineUpgrade(request: IncomingMessage): false {
  const { socket } = request;
  const parser = parserOf(socket);
  const known = connections.get(socket);
  if (known) known.stopsAt = request;
  else if (parser) readOn(socket, parser, request);
  return false;
}

function readOn(socket: Socket, parser: Parser, request: IncomingMessage): void {
  const connection: Connection = { stopsAt: request };
  connections.set(socket, connection);
  // Goes on behind the request that the parser stopped at, until all is parsed or something is wrong.
  afterRead(parser, (parsed, bytes) => {
    while (typeof parsed === 'number' && parsed !== bytes.length && !socket.destroyed && !parser.incoming?.upgrade) {
      // An error that it kept silent about; where it says to have stopped may then be anywhere.
      if (!connection.stopsAt?.complete || parsed < 0 || parsed > bytes.length) return brokenRequest();
      connection.stopsAt = undefined;
      bytes = bytes.subarray(parsed);
      parsed = parser.execute(bytes);
    }
    return parsed;
  });
}

function brokenRequest(): Error {
  return Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_REQUEST' });
}
