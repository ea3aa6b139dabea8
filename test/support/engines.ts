import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/database/database.ts';
import { type DatabaseLocation, type InMemory, type OpenOptions, openDatabase } from '../../src/database/open.ts';

export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /**
   * An empty database of its own, removed when the tests of this engine are over. Several may open it, or processes.
   * With `migrated` it may have its tables already, which saves the time to make them.
   */
  location(options?: { migrated?: boolean }): Promise<DatabaseLocation>;
}

/** One whose database only the process has that opens it. */
export interface Opened {
  readonly name: Engine['name'];
  location(): Promise<DatabaseLocation | InMemory>;
}

const server = process.env.TEST_POSTGRES_URL;

/** The name of a database that has the tables, to be copied. */
const template = process.env.TEST_POSTGRES_TEMPLATE;

/** Why the tests on PostgreSQL are left out, or false. */
export const postgresMissing = server
  ? false
  : 'NO POSTGRESQL: its tests are skipped. "npm test" brings a server; or set TEST_POSTGRES_URL';

/**
 * What part of the tests on engines runs. `brief`: all of `npm test`; `rest`: what that leaves out, by
 * `npm run test:long`; else everything: files that are named, and what the long tests run in full.
 */
const part = process.env.TEST_ENGINES;

/** Runs the tests that `body` defines on both engines. They close what they open before they end. */
export function forEachEngine(body: (engine: Engine) => void): void {
  onSqlite(body);
  onPostgres(body);
}

/**
 * The same, for rules that lie above the database: `npm test` runs them on SQLite, and `npm run test:long` on PostgreSQL.
 */
export function forEachEngineInFull(body: (engine: Engine) => void): void {
  if (part !== 'rest') onSqlite(body);
  if (part !== 'brief') definePostgres(body);
}

const databaseName = 'l-plate.db';

/** An embedded database that has the tables, made once in a process: making them takes a fifth of a start. */
let migratedFile: Promise<Buffer> | undefined;

async function makeMigratedFile(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
  try {
    await (await openDatabase({ directory })).close();
    return await readFile(join(directory, databaseName));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** For what only the embedded engine has. */
export function onSqlite(body: (engine: Engine) => void): void {
  if (part === 'rest') return;
  describe('on SQLite', () => {
    const directories: string[] = [];
    body({
      name: 'sqlite',
      async location({ migrated = false } = {}) {
        const directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
        directories.push(directory);
        if (migrated) {
          migratedFile ??= makeMigratedFile();
          await writeFile(join(directory, databaseName), await migratedFile, { mode: 0o600 });
        }
        return { directory };
      },
    });
    after(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))));
  });
}

/** For the embedded engine with nothing on disk. */
export function onMemory(body: (engine: Opened) => void): void {
  if (part === 'rest') return;
  describe('in memory', () => body({ name: 'sqlite', location: async () => 'memory' }));
}

/** For what only PostgreSQL has. */
export function onPostgres(body: (engine: Engine) => void): void {
  if (part !== 'rest') definePostgres(body);
}

function definePostgres(body: (engine: Engine) => void): void {
  if (postgresMissing) console.error(postgresMissing);
  describe('on PostgreSQL', { skip: postgresMissing }, () => {
    const names: string[] = [];
    body({
      name: 'postgres',
      async location({ migrated = false } = {}) {
        const name = `test_${randomBytes(8).toString('hex')}`;
        const origin = migrated && template ? `template ${template}` : '';
        await administer(`create database ${name} ${origin} strategy file_copy`);
        names.push(name);
        const url = new URL(server ?? '');
        url.pathname = `/${name}`;
        return { url: url.href };
      },
    });
    after(async () => {
      await administer(names.map((name) => `drop database ${name} with (force)`));
    });
  });
}

/** An empty database, opened for one test. */
export async function openEmpty(t: TestContext, engine: Opened, options?: OpenOptions): Promise<Database> {
  const database = await openDatabase(await engine.location(), options);
  t.after(() => database.close());
  return database;
}

/**
 * One statement or several, one after the other, on a connection of their own, to the given database or the one that
 * creates the others. Returns the rows of all.
 */
export async function administer<Row extends pg.QueryResultRow>(
  statements: string | readonly string[],
  url = server,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const rows: Row[] = [];
    for (const statement of [statements].flat()) rows.push(...(await client.query<Row>(statement)).rows);
    return rows;
  } finally {
    await client.end();
  }
}
