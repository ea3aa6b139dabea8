// What an app on a person's own machine has besides its OAuth client: a port at which the browser comes back.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request on its way: where the person is sent, and what takes what the browser comes back with. */
export interface Attempt<Tokens> {
  readonly url: string;
  accept(callback: URL): Promise<Tokens>;
}

/**
 * Sends a person out, by a line with the address, until something comes back that is accepted. Returns what came of it, with the
 * reasons of what was not.
 */
export async function letIn<Tokens>(
  begin: (redirectUri: string) => Promise<Attempt<Tokens>>,
): Promise<{ tokens: Tokens; refusals: string[] }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const refusals: string[] = [];
  try {
    while (true) {
      const { url, accept } = await begin(redirectUri);
      const back = comesBack(server, redirectUri);
      console.log(url);
      const { callback, answer } = await back;
      try {
        const tokens = await accept(callback);
        await answer('You are in.');
        return { tokens, refusals };
      } catch (error) {
        const { message, cause } = error as Error;
        refusals.push(cause instanceof Error ? `${message}: ${cause.message}` : message);
        await answer('This is not what you were sent for.');
      }
    }
  } finally {
    server.close();
    // A browser keeps some that it may need.
    server.closeAllConnections();
  }
}

async function comesBack(
  server: Server,
  redirectUri: string,
): Promise<{ callback: URL; answer: (text: string) => Promise<void> }> {
  while (true) {
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const callback = new URL(request.url ?? '', redirectUri);
    const answer = (text: string) => new Promise<void>((resolve) => response.end(text, resolve));
    if (callback.pathname === '/callback') return { callback, answer };
    // A browser asks for more than it was sent for.
    response.writeHead(404).end();
  }
}
