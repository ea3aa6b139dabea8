import type { Client } from 'pg';

/*
 * All that this program uses of `pg` although `pg` does not document it. `test/database/postgres-internals.test.ts`
 * names the version it was seen with, and fails when an upgrade takes a part of it away.
 */

/** The part of a client, of a pool or not, that has its socket; it is another one once TLS has begun. */
type Connected = Pick<Client, 'connection'>;

/** A statement may be sent before the one before it is answered (which the types of pg don't know yet). */
export const pipelined = { pipeline: true };

/** Keeps what the client sends from now on; the function that is returned sends it, together. */
export function holdBack(client: Connected): () => void {
  const { stream } = client.connection;
  stream.cork();
  return () => stream.uncork();
}

/** Closes the connection at once, whatever is under way, without a word to the server. */
export function disconnect(client: Connected): void {
  client.connection.stream.destroy();
}

/** Closes the connection as soon as all that was sent has left, the word to the server included. */
export function disconnectOnceSent(client: Connected): void {
  const { stream } = client.connection;
  stream.once('finish', () => stream.destroy());
}
