import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { findMigration } from '../database/migrations.ts';
import { unavailable } from './problem.ts';
import type { ServerContext } from './server-context.ts';

export const operationPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** For those who run it: is it alive, is it ready, what has it done. */
export function operations(
  server: FastifyInstance,
  { database, metrics, rateLimits }: ServerContext & { database: Database },
): void {
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async () => {
    const row = await findMigration(database.sql);
    const { shared } = rateLimits;
    // Without Redis a node is less strict, not less able.
    const limits = shared === undefined ? {} : { rateLimits: shared ? 'shared' : 'per node: Redis is not available' };
    if (row) return { status: 'ready', ...limits };
    throw unavailable('The database has no tables.');
  });
  server.get('/metrics', async (_request, reply) => {
    const text = await metrics.text().catch((error: Error) => {
      throw unavailable(error.message);
    });
    return reply.type(metrics.contentType).send(text);
  });
}
