import { StartupError } from '../settings/startup-error.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Database } from './database.ts';
import { migrate } from './migrations.ts';
import type { PostgresOptions } from './postgres.ts';
import { openMemory, openSqlite, type SqliteOptions } from './sqlite.ts';
import { checkStatements } from './statement.ts';

/** A data directory for the embedded engine, or the URL of a PostgreSQL database. */
export type DatabaseLocation = { directory: string } | { url: string };

/** For the embedded engine with nothing kept on disk. */
export type InMemory = 'memory';

/** What concerns one engine alone is passed over by the other. */
export interface OpenOptions extends PostgresOptions, SqliteOptions {
  /** For the times in the table of migrations. */
  clock?: Clock;
}

/**
 * Opens the database, brings its schema up to date, and makes sure that every statement of the program fits it.
 *
 * @throws {StartupError} when it can't be used: one line for the user
 */
export async function openDatabase(where: DatabaseLocation | InMemory, options: OpenOptions = {}): Promise<Database> {
  const { clock = systemClock, ...engineOptions } = options;
  const database = await open(where, engineOptions);
  try {
    await migrate(database, clock);
    await checkStatements(database);
    return database;
  } catch (error) {
    await database.close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(1, `The database can't be upgraded: ${told(error)}`);
  }
}

async function open(where: DatabaseLocation | InMemory, options: PostgresOptions & SqliteOptions): Promise<Database> {
  if (where === 'memory') return openMemory(options);
  if ('directory' in where) return openSqlite(where.directory, options);
  // Loaded only where it is wanted.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(where.url, options);
}

/** The error and what caused it, on one line. */
function told(error: unknown): string {
  const { message, cause } = error as Error;
  const all = cause instanceof Error ? `${message} (${cause.message})` : message;
  const [, schema] = /permission denied for schema ([^\s)]+)/.exec(all) ?? [];
  if (!schema) return all;
  const grant = `GRANT CREATE ON SCHEMA ${schema} TO its user`;
  return `${all}. Let it create tables there (${grant}), or make it the owner of the database`;
}
