import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The one to try where a port is taken. */
export const nextPort = (port: number) => String(port < 65535 ? port + 1 : port - 1);

/** A free port, which nobody else gets until it is released. */
export interface FreePort extends AsyncDisposable {
  readonly port: number;
  /** Releases it, right before the server listens on it. A second call does nothing. */
  release(): Promise<void>;
}

/**
 * Reserves a free port of an address, so that its number is known before the server listens there.
 *
 * @throws {Error} with a `code`, as listening does
 */
export async function reserveFreePort(host: string): Promise<FreePort> {
  // Exclusive: a worker would share the socket with the others, and with what listens later.
  const server = createServer((socket) => socket.destroy()).listen({ port: 0, host, exclusive: true });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const release = async () => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  return { port, release, [Symbol.asyncDispose]: release };
}
