import assert from 'node:assert/strict';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';

export function add(database: Database, id: string, size: number): Promise<number> {
  return database.write(
    (sql) => sql.run`insert into signing_keys (id, jwk, created_at) values (${id}, ${'x'.repeat(size)}, ${'now'})`,
  );
}

export async function ids(database: Database): Promise<string> {
  const rows = await database.sql.all<{ id: string }>`select id from signing_keys order by id`;
  return rows.map(({ id }) => id).join(' ');
}

/** A group of which one write has no room: none of it is written. */
export function refuseGroup(database: Database): Promise<void> {
  return refuse([add(database, 'b', 10), add(database, 'c', 300_000), add(database, 'd', 10)]);
}

export async function refuse(writes: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) {
    assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseUnavailable, String(result.status));
  }
}
