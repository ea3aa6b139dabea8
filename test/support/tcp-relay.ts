import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Stands between a client and a server, so that a test can break what is between them. */
export interface TcpRelay {
  /** Where it listens. */
  readonly port: number;
  /** Resolves at the next connection of a client. */
  connected(): Promise<unknown>;
  /** Hands on what is said: on new connections, too. */
  pass(): void;
  /** Ends all connections, and each new one. */
  refuse(): void;
  /** Keeps all connections, and hands nothing on any more: nor that one side has ended. */
  swallow(): void;
}

export interface TcpRelayOptions {
  /** The address that it listens on; default: 127.0.0.1. */
  readonly host?: string;
  /** Sees what the server said, once it is handed on to the client. */
  readonly heard?: (data: Buffer, client: Socket) => void;
}

/** Ends with the test. */
export async function startTcpRelay(
  t: TestContext,
  target: { host: string; port: number },
  { host = '127.0.0.1', heard }: TcpRelayOptions = {},
): Promise<TcpRelay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass';
  // Half open, so that who is not heard is not told goodbye either.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => {});
    if (mode === 'refuse') return void client.destroy();
    const onward = connect({ ...target, allowHalfOpen: true }).on('error', () => {});
    const pair = [client, onward] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [onward, client] as const]) {
      from.on('data', (data: Buffer) => {
        if (mode === 'swallow') return;
        to.write(data, () => to === client && heard?.(data, client));
      });
      from.on('end', () => mode === 'swallow' || to.end());
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
  }).listen(0, host);
  await once(server, 'listening');
  const end = (): void => {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    server.close();
    end();
  });
  return {
    port: (server.address() as AddressInfo).port,
    connected: () => once(server, 'connection'),
    pass: () => {
      mode = 'pass';
    },
    refuse: () => {
      mode = 'refuse';
      end();
    },
    swallow: () => {
      mode = 'swallow';
    },
  };
}
