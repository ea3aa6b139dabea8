import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';

/*
 * A port speaks HTTP or HTTPS. With HTTPS a connection by TCP first becomes one by TLS, and then speaks HTTP/1.1 or HTTP/2,
 * as the two sides have agreed (ALPN).
 */

/** Calls `listener` with each connection that speaks HTTP/1.1, after Node.js has taken it. */
export function onHttp1Connection(server: Server, listener: (socket: Socket) => void): void {
  if (!(server instanceof TlsServer)) server.on('connection', listener);
  else server.on('secureConnection', (socket) => isHttp2(socket) || listener(socket));
}

/** Has connections that agreed on HTTP/2 taken by `listener`, and no longer by Node.js. To be called first. */
export function onHttp2Connection(server: TlsServer, listener: (socket: TLSSocket) => void): void {
  const [takeHttp1] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => (isHttp2(socket) ? listener(socket) : takeHttp1?.call(server, socket)));
}

/** What both sides can agree on, what is preferred first. */
export const protocols = ['h2', 'http/1.1'];

const isHttp2 = ({ alpnProtocol }: TLSSocket) => alpnProtocol === 'h2';
