import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** `taken`: another program has the port there. */
export type SecondLoopback = Server | 'taken' | undefined;

/**
 * Takes the connections to a port of ::1 for a server that listens on 127.0.0.1: `localhost` means both, and which one
 * a client tries is its own choice. Undefined on a machine that has no ::1.
 */
export async function openSecondLoopback(server: HttpServer, port: number): Promise<SecondLoopback> {
  // As Node.js makes its own servers.
  const options = { allowHalfOpen: !(server instanceof TlsServer), noDelay: true };
  const second = createServer(options, (socket) => server.emit('connection', socket));
  try {
    await once(second.listen({ port, host: '::1' }), 'listening');
    return second;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'taken' : undefined;
  }
}
