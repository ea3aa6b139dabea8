import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { administer } from '../support/engines.ts';
import type { LPlate } from '../support/lplate.ts';

/** What a running program has in its database, read past it. */
export async function stored<Row extends Record<string, unknown>>(
  { config }: LPlate,
  statement: string,
): Promise<Row[]> {
  if (config.databaseUrl) return administer<Row>(statement, config.databaseUrl);
  const database = new DatabaseSync(join(config.dataDir, 'l-plate.db'), { readOnly: true, timeout: 10_000 });
  try {
    return database.prepare(statement).all() as Row[];
  } finally {
    database.close();
  }
}

/** How many rows a table has of which the condition holds. */
export async function countStored(lplate: LPlate, table: string, condition = 'true'): Promise<number> {
  const [row] = await stored<{ count: number | string }>(
    lplate,
    `select count(*) as count from ${table} where ${condition}`,
  );
  return Number(row?.count);
}
