import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type TlsOptions, Server as TlsServer } from 'node:tls';
import type { Tls } from '../../tls/tls.ts';
import type { ServerContext } from '../server-context.ts';
import { answerBrokenRequests } from './broken-requests.ts';
import type { Connections } from './connections.ts';
import { speakHttp2 } from './http2.ts';
import { oneAtATime } from './pipelining.ts';
import { onHttp2Connection, protocols } from './tls-connections.ts';

/** For a server that speaks HTTPS. A handshake may take as long as a request. */
export function secureOptions({ options }: Tls, handshakeTimeout: number): TlsOptions {
  return { ...options, ALPNProtocols: protocols, handshakeTimeout };
}

/** Has the server speak its protocols, within the limits of connections. */
export function speak(server: Server, connections: Connections, context: ServerContext): void {
  const { tls } = context;
  const secure = server instanceof TlsServer ? server : undefined;
  // Before anybody else listens to connections.
  if (secure) onHttp2Connection(secure, (socket) => speakHttp2(socket, http2));
  const handle = oneAtATime(server, connections);
  const broken = answerBrokenRequests(server, context);
  const http2 = { connections, handle, broken, context };
  if (!secure) return;
  tls?.onChange((options) => secure.setSecureContext(options));
  secure.on('connection', (socket: Socket) => connections.shakesHands(socket));
}
