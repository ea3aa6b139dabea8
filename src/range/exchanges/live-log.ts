import type { ReadNew } from '../live-streams.ts';
import type { ExchangeFilter, ExchangeLog } from './log.ts';

/** Exchanges in one chunk. */
const chunkSize = 100;

/**
 * Reads the log of a client on after the exchange with the number `after`; from now on without one. The summary of each
 * exchange is a message, its number the id. A stream is kept twice, when it begins and when it ends.
 */
export async function logReader(
  exchanges: ExchangeLog,
  clientId: string,
  filter: ExchangeFilter,
  after: number | undefined,
): Promise<ReadNew> {
  const head = await exchanges.head(clientId);
  // What was removed begins to count anew.
  let position = Math.min(after ?? head, head);
  return async () => {
    const read = await exchanges.since(clientId, position, filter, chunkSize);
    position = read.at(-1)?.kept ?? position;
    const text = read.map(({ kept, summary }) => `id: ${kept}\ndata: ${summary}\n\n`).join('');
    return { text, more: read.length === chunkSize };
  };
}
