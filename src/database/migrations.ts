import { readdirSync } from 'node:fs';
import { StartupError } from '../settings/startup-error.ts';
import { type Clock, instant } from '../time/clock.ts';
import { alias, integer } from './columns.ts';
import type { Database, Sql } from './database.ts';
import type { Migration } from './migration.ts';
import { statement } from './statement.ts';

const folder = new URL('./migrations/', import.meta.url);

/** The steps, in their order. Beside each that is compiled is its source map. */
export const migrations: readonly Migration[] = await Promise.all(
  readdirSync(folder)
    .filter((name) => /\.[jt]s$/.test(name))
    .sort()
    .map(load),
);

async function load(file: string, at: number): Promise<Migration> {
  const { migration } = (await import(new URL(file, folder).href)) as { migration?: Migration };
  if (migration?.number === at + 1 && Number.parseInt(file, 10) === at + 1) return migration;
  throw new Error(`${file} must export the migration with the number ${at + 1}`);
}

/**
 * Brings the schema up to date, all steps in one transaction. Several processes may start on one PostgreSQL database
 * at once: the first one works, the others wait for it. (A data directory belongs to one process anyway.)
 *
 * @throws {StartupError} when a newer program has been here
 */
export async function migrate(database: Database, clock: Clock, steps = migrations): Promise<void> {
  const work = async (sql: Sql) => {
    if (database.engine === 'postgres') {
      // Held until the transaction ends. The number is arbitrary; only that it is the same everywhere matters.
      await sql.run`select pg_advisory_xact_lock(7501947)`;
    }
    await sql.run`create table if not exists migrations (
      number integer primary key,
      name text not null,
      applied_at text not null
    )`;
    const applied = await sql.all<{
      number: number;
      name: string;
    }>`select number, name from migrations order by number`;
    const newest = applied.at(-1)?.number ?? 0;
    if (newest > steps.length) {
      throw new StartupError(
        1,
        `The database was upgraded by a newer L-Plate (migration ${newest}; this version knows ${steps.length}): use that version or a newer one`,
      );
    }
    for (const step of steps.slice(newest)) {
      await step.up(sql);
      await sql.run`insert into migrations (number, name, applied_at)
        values (${step.number}, ${step.name}, ${instant(clock.now())})`;
    }
  };
  await database.write(work, { unlimited: true });
}

/** One of those that were applied. */
export const findMigration = statement.get`select number as ${alias('number', integer)} from migrations limit 1`;
