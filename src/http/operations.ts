import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { findMigration } from '../database/migrations.ts';
import { statement } from '../database/statement.ts';
import { unavailable } from './problems/problem.ts';
import { noLimit } from './rate-limit.ts';
import type { ServerContext } from './server-context.ts';

/** Milliseconds for which it holds that the database took a write, or did not: not each caller causes one. */
const writeHolds = 1000;

export const operationPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

// Whoever watches it must not be locked out.
const config = { limit: noLimit };

/** For those who run it: is it alive, is it ready, what has it done. */
export function operations(
  server: FastifyInstance,
  { clock, database, metrics, rateLimits }: ServerContext & { database: Database },
): void {
  let write = { at: Number.NEGATIVE_INFINITY, refusal: Promise.resolve<Error | undefined>(undefined) };
  const tryWrite = () => {
    const at = clock.elapsed();
    if (at - write.at >= writeHolds) write = { at, refusal: refusalOf(database.write((sql) => rewrite(sql))) };
    return write.refusal;
  };
  server.get('/healthz', { config }, () => ({ status: 'ok' }));
  server.get('/readyz', { config }, async () => {
    const row = await findMigration(database.sql);
    const refusal = await tryWrite();
    if (refusal)
      throw unavailable(`The database answers, but takes no writes now${isFull(refusal) ? ': its disk is full' : ''}.`);
    const { shared } = rateLimits;
    // Without Redis a node is less strict, not less able.
    const limits = shared === undefined ? {} : { rateLimits: shared ? 'shared' : 'per node: Redis is not available' };
    if (row) return { status: 'ready', ...limits };
    throw unavailable('The database has no tables.');
  });
  server.get('/metrics', { config }, async (_request, reply) => {
    const text = await metrics.text().catch((error: Error) => {
      throw unavailable(error.message);
    });
    return reply.type(metrics.contentType).send(text);
  });
}

function refusalOf(work: Promise<unknown>): Promise<Error | undefined> {
  return work.then(
    () => undefined,
    (error: Error) => error,
  );
}

/** SQLite and PostgreSQL each say so by a code of their own. */
function isFull({ cause }: Error): boolean {
  const { errcode, code } = (cause ?? {}) as { errcode?: number; code?: string };
  return errcode === 13 || code === '53100';
}

/** Writes what is there already. */
const rewrite = statement.run`update migrations set number = number where number = 1`;
