import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../settings/startup-error.ts';
import type { OutputColumn } from './columns.ts';
import {
  type Database,
  DatabaseUnavailable,
  type Lease,
  type Role,
  type Sql,
  type Texts,
  type Value,
  type WriteOptions,
} from './database.ts';
import { describeStatements } from './postgres-describe.ts';
import { describe, meaning } from './postgres-errors.ts';
import { holdBack, pipelined } from './postgres-internals.ts';
import { PostgresRoles } from './postgres-roles.ts';
import { PostgresSignals } from './postgres-signals.ts';
import { getTypeParser } from './postgres-values.ts';
import { checkValues, refuseInsideWork, Transaction } from './transaction.ts';

/*
 * The engine for PostgreSQL: a pool, each statement prepared once a connection under a name of its own.
 *
 * A write holds one client:  begin → work → commit.  When it fails, the client is rolled back and returned; when the
 * line is broken, or nobody knows what state the client is in, it is destroyed. A deadlock or a serialization failure
 * runs the work again after a short pause. When the answer to a commit is lost, nobody knows whether it took place:
 * that is DatabaseUnavailable as well.
 */

/** Not at all, or with these authorities and checks. */
export type Tls = false | { readonly ca?: string; readonly rejectUnauthorized: boolean };

export interface PostgresOptions {
  /** Told the number of writes of each committed transaction: 1. */
  onGroup?: (size: number) => void;
  /** Connections at most. */
  max?: number;
  /** How long a request waits for a connection. */
  connectionTimeoutMillis?: number;
  /** How long one statement may take, waiting for locks included. */
  statementTimeoutMillis?: number;
  /** How the connections are encrypted; default: as the URL says. */
  tls?: Tls | undefined;
}

const attempts = 5;

/** Milliseconds; a longer timer would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/** @throws {StartupError} when the URL is none, or the server can't be reached or refuses; never tells the password */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { max = 10, connectionTimeoutMillis = 5_000, statementTimeoutMillis = 10_000, tls } = options;
  const place = placeOf(url);
  const settings: pg.ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis,
    statement_timeout: statementTimeoutMillis,
    // When the network swallows the answer, the server's own limit never reaches us.
    query_timeout: 2 * statementTimeoutMillis,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    application_name: 'l-plate',
    // Reads are held to reading, as on the embedded engine; a write says so when it begins.
    options: '-c default_transaction_read_only=on',
    types: { getTypeParser },
    ...(tls !== undefined && { ssl: tls }),
  };
  const pool = new pg.Pool({ ...settings, ...pipelined, max });
  // Without these two listeners, a connection that the server ends would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw new StartupError(1, `The PostgreSQL database at ${place} can't be used: ${describe(error)}`);
  }
  return new Postgres(pool, settings, options.onGroup);
}

/** The host and database of the URL, fit to be shown. A password with unescaped characters may end up in any part. */
function placeOf(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol) || /@/.test(parsed.pathname + parsed.search + parsed.hash)) {
    throw new StartupError(
      1,
      'The database URL is not valid. Its form is postgres://user:password@host:5432/database, with special characters percent-encoded',
    );
  }
  return (parsed.searchParams.get('host') ?? parsed.host) + parsed.pathname;
}

class Postgres implements Database {
  readonly engine = 'postgres';
  readonly sql: Sql;
  readonly #pool: pg.Pool;
  readonly #settings: pg.ClientConfig;
  readonly #signals: PostgresSignals;
  readonly #roles: PostgresRoles;
  readonly #onGroup: ((size: number) => void) | undefined;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool, settings: pg.ClientConfig, onGroup: ((size: number) => void) | undefined) {
    this.#pool = pool;
    this.#settings = settings;
    this.#onGroup = onGroup;
    this.sql = {
      get: async <Row>(texts: Texts, ...values: Value[]) =>
        (await this.#read(texts, values)).rows[0] as Row | undefined,
      all: async <Row>(texts: Texts, ...values: Value[]) => (await this.#read(texts, values)).rows as Row[],
      run: async (texts, ...values) => (await this.#read(texts, values)).rowCount ?? 0,
    };
    this.#signals = new PostgresSignals(settings, this.sql);
    this.#roles = new PostgresRoles(settings);
  }

  async #read(texts: Texts, values: Value[]): Promise<pg.QueryResult> {
    refuseInsideWork('read');
    checkValues(values);
    return this.#counted(async () => {
      try {
        return await this.#pool.query(query(texts, values));
      } catch (error) {
        throw meaning(error) === 'mistake' ? error : unavailable(error);
      }
    });
  }

  async write<T>(work: (sql: Sql) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    refuseInsideWork('write');
    return this.#counted(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const result = await this.#attempt(work, options);
          this.#onGroup?.(1);
          return result;
        } catch (error) {
          if (meaning(error) !== 'try again at once') throw error;
          if (attempt === attempts) throw unavailable(error);
        }
        await pause(Math.random() * 20 * attempt);
      }
    });
  }

  async #attempt<T>(work: (sql: Sql) => Promise<T>, options: WriteOptions): Promise<T> {
    const client = await this.#pool.connect().catch((error) => {
      throw unavailable(error);
    });
    let usable = false;
    try {
      const outcome = await perform(client, work, options);
      if ('error' in outcome) {
        // When the line is broken there is nobody to tell.
        usable = !(outcome.error instanceof DatabaseUnavailable) && (await rolledBack(client));
        throw outcome.error;
      }
      const { command } = await client.query('commit').catch((error) => {
        throw meaning(error) === 'unavailable' ? unavailable(error) : error;
      });
      if (command !== 'COMMIT') throw new Error(`The transaction ended in ${command}`);
      usable = true;
      return outcome.result;
    } finally {
      client.release(!usable);
    }
  }

  async #counted<T>(action: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new DatabaseUnavailable('The database is closed');
    this.#underWay++;
    try {
      return await action();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  signal(channel: string): void {
    refuseInsideWork('signal');
    this.#signals.signal(channel);
  }

  onSignal(channel: string, listener: () => void): () => void {
    return this.#signals.onSignal(channel, listener);
  }

  role(role: Role): Promise<Lease> {
    return this.#roles.role(role);
  }

  leave(): Promise<void> {
    return this.#roles.close();
  }

  async erase(): Promise<void> {}

  describe(statements: readonly Texts[]): Promise<(OutputColumn[] | Error)[]> {
    return describeStatements(this.#settings, statements.map(numbered));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#signals.close(), this.#roles.close()]);
    // A pool that ends leaves those who wait for a client without one.
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#pool.end();
  }
}

/**
 * Begins a transaction and runs the work in it. Its statements run one after the other, even if not awaited. The first
 * leaves together with `begin`, which saves a round trip; where that is refused it can change nothing, since a
 * connection outside of a write only reads.
 */
async function perform<T>(
  client: pg.PoolClient,
  work: (sql: Sql) => Promise<T>,
  { unlimited }: WriteOptions,
): Promise<{ result: T } | { error: unknown }> {
  const send = holdBack(client);
  // The server has no reason of ours to refuse this.
  const begun = client.query('begin isolation level read committed read write').catch((error) => {
    throw unavailable(error);
  });
  // Looked at from the beginning: a refusal that comes before anybody waits for it must not end the process.
  const refusal = begun.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  // The limit of the server, and that of pg on the answer.
  const lifted = unlimited && client.query('set local statement_timeout = 0');
  const limit = unlimited && { query_timeout: longestTimeout };
  let last: Promise<unknown> | undefined;
  const transaction = new Transaction((method, texts, values) => {
    const execute = async () => {
      if (transaction.failure) throw transaction.failure.error;
      const [{ rows, rowCount }] = await Promise.all([
        client.query({ ...query(texts, values), ...limit }),
        begun,
        lifted,
      ]);
      return method === 'run' ? (rowCount ?? 0) : method === 'get' ? rows[0] : rows;
    };
    const result = last === undefined ? execute() : last.then(execute);
    last = result.catch(() => {});
    return result;
  });
  const performed = transaction.perform(work).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  send();
  const outcome = await performed;
  transaction.end();
  await last;
  const refused = await refusal;
  if (refused) return refused;
  if (!transaction.failure) return outcome;
  const { error } = transaction.failure;
  return { error: meaning(error) === 'unavailable' ? unavailable(error) : error };
}

function rolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

function unavailable(error: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable('The database can not be reached or can not work now', { cause: error });
}

const prepared = new WeakMap<Texts, { name: string; text: string }>();

function query(texts: Texts, values: Value[]): pg.QueryConfig {
  let statement = prepared.get(texts);
  if (!statement) {
    const text = numbered(texts);
    statement = { name: createHash('sha256').update(text).digest('base64url'), text };
    prepared.set(texts, statement);
  }
  return { name: statement.name, text: statement.text, values };
}

function numbered(texts: Texts): string {
  return texts.reduce((before, part, index) => `${before}$${index}${part}`);
}
