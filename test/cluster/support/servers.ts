import { after } from 'node:test';

/** Starts a server for all tests of a file, after which it stops. */
export async function shareServer<Server extends { stop(): Promise<void> }>(
  start: () => Promise<Server | undefined>,
): Promise<Server> {
  const server = await start();
  if (!server) throw new Error('the server is missing');
  after(() => server.stop());
  return server;
}
