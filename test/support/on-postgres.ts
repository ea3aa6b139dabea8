import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openPostgres, type PostgresOptions } from '../../src/database/postgres.ts';
import type { Engine } from './engines.ts';
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts';

/** The address of an empty database on the PostgreSQL of the tests. */
export async function place(engine: Engine): Promise<string> {
  const location = await engine.location();
  assert.ok('url' in location);
  return location.url;
}

/** Opens a database, which closes with the test. */
export async function open(t: TestContext, url: string, options?: PostgresOptions): Promise<Database> {
  const database = await openPostgres(url, options);
  t.after(() => database.close());
  return database;
}

/** A relay to a database, and the address of the same database through it. */
export async function throughTcpRelay(t: TestContext, url: string): Promise<{ relay: TcpRelay; url: string }> {
  const through = new URL(url);
  const relay = await startTcpRelay(t, { host: through.hostname, port: Number(through.port) });
  through.port = String(relay.port);
  return { relay, url: through.href };
}
