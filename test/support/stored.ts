import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { administer } from './engines.ts';
import type { LPlate } from './lplate.ts';

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

/** Runs statements past a running program. */
export async function alter({ config }: LPlate, ...statements: string[]): Promise<void> {
  if (config.databaseUrl) return void (await administer(statements, config.databaseUrl));
  const database = new DatabaseSync(join(config.dataDir, 'l-plate.db'), { timeout: 10_000 });
  for (const statement of statements) database.exec(statement);
  database.close();
  // What the program has read in this turn it reads again as it was.
  await nextTurn();
}

/** How many rows a table has of which the condition holds. */
export async function countStored(lplate: LPlate, table: string, condition = 'true'): Promise<number> {
  const [row] = await stored<{ count: number | string }>(
    lplate,
    `select count(*) as count from ${table} where ${condition}`,
  );
  return Number(row?.count);
}
