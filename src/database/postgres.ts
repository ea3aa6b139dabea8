import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../settings/startup-error.ts';
import type { OutputColumn } from './columns.ts';
import {
  type Database,
  DatabaseBusy,
  DatabaseUnavailable,
  type Lease,
  type RepeatReason,
  type Role,
  type Sql,
  type Texts,
  type Value,
  type WriteOptions,
} from './database.ts';
import { withLockClauses } from './lock-order.ts';
import { describeStatements } from './postgres-describe.ts';
import { describe, meaning } from './postgres-errors.ts';
import { holdBack, pipelined } from './postgres-internals.ts';
import { PostgresRoles } from './postgres-roles.ts';
import { PostgresSignals } from './postgres-signals.ts';
import { getTypeParser } from './postgres-values.ts';
import type { Listener } from './signals.ts';
import { checkValues, refuseInsideWork, Transaction } from './transaction.ts';

/*
 * The engine for PostgreSQL: a pool, each statement prepared once a connection under a name of its own.
 *
 * A write holds one client:  begin → work → commit.  When it fails, the client is rolled back and returned; when the
 * line is broken, or nobody knows what state the client is in, it is destroyed. A deadlock or a serialization failure
 * runs the work again after a short pause; a few times, then the database is busy. When the answer to a commit is lost, nobody knows whether it took place:
 * that is DatabaseUnavailable as well.
 */

/** Not at all, or with these authorities and checks. */
export type Tls = false | { readonly ca?: string; readonly rejectUnauthorized: boolean };

export interface PostgresOptions {
  /** Told the number of writes of each committed transaction: 1. */
  onGroup?: (size: number) => void;
  /** Told of each transaction that is run again. */
  onRepeat?: (reason: RepeatReason) => void;
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
  const { connectionString, options: ofUrl } = withoutOptions(url);
  const settings: pg.ClientConfig = {
    connectionString,
    connectionTimeoutMillis,
    // When the network swallows the answer, the server's own limit never reaches us.
    query_timeout: 2 * statementTimeoutMillis,
    keepAlive: true,
    application_name: 'l-plate',
    ...(ofUrl && { options: ofUrl }),
    types: { getTypeParser },
    ...(tls !== undefined && { ssl: tls }),
  };
  const pool = new pg.Pool({ ...settings, ...pipelined, max });
  const taken = select(settingsTaken(statementTimeoutMillis));
  // Without these two listeners, a connection that the server ends would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    // Sent before all else. Where it gets no answer, what follows it gets none either.
    client.query(taken).catch(() => {});
  });
  try {
    const { rows } = await pool.query<Found>(`
      select current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby", current_schema() as schema`);
    const fault =
      (rows[0] && unfit(rows[0])) ??
      ((await sharesConnections(pool, settings)) ? `its connections are shared. ${directly}` : undefined);
    if (fault !== undefined) throw new Error(fault);
  } catch (error) {
    await pool.end();
    const why = describe(error);
    const told = /^unsupported startup parameter|pooling mode/.test(why) ? `${why}. ${directly}` : why;
    throw new StartupError(1, `The PostgreSQL database at ${place} can't be used: ${told}`);
  }
  return new Postgres(pool, settings, options);
}

/**
 * What a server, a database or a user may have set otherwise, and what statements and locks rely on. No parameters of
 * the start of a connection: a pooler refuses or drops them.
 */
const settingsTaken = (statementTimeoutMillis: number): Record<string, string> => ({
  // Reads are held to reading, as on the embedded engine; a write says so when it begins.
  default_transaction_read_only: 'on',
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
  statement_timeout: String(statementTimeoutMillis),
  idle_in_transaction_session_timeout: '10s',
});

/** One statement that takes settings for its connection. */
const select = (settings: Record<string, string>): string =>
  `select ${Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)}`;

/**
 * Whether a pooler hands the same connection to several, whose locks and signals get lost: then a client whose
 * connection is in use by another gets another one.
 */
async function sharesConnections(pool: pg.Pool, settings: pg.ClientConfig): Promise<boolean> {
  const process = async (client: pg.ClientBase) => (await client.query('select pg_backend_pid() as id')).rows[0].id;
  const one = await pool.connect();
  const other = new pg.Client(settings).on('error', () => {});
  try {
    const before = await process(one);
    await other.connect();
    await other.query('begin');
    await process(other);
    return (await process(one)) !== before;
  } finally {
    one.release();
    await other.end();
  }
}

/** What a database says of itself. */
interface Found {
  readonly encoding: string;
  readonly isStandby: boolean;
  readonly schema: string | null;
}

const directly =
  'L-Plate needs connections of its own: use the address of PostgreSQL itself, or of a pooler in session mode. There ?schema= is ALTER ROLE … SET search_path';

/** Why a database can't be used, with what to do; undefined if it can. */
function unfit({ encoding, isStandby, schema }: Found): string | undefined {
  if (encoding !== 'UTF8')
    return `its encoding is ${encoding}, which lacks letters that names have. Make one in UTF-8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`;
  if (isStandby) return 'it is a standby, which can only be read. Use the address of the primary';
  if (schema === null)
    return 'its user has no schema to create tables in. Make one, CREATE SCHEMA lplate, and add ?schema=lplate to the URL, or GRANT USAGE, CREATE on that which is there';
  return undefined;
}

/** A schema by the names that other drivers have for it. */
const otherNames = ['search_path', 'searchpath', 'currentschema', 'current_schema'];

/**
 * The URL, and what of it goes into the options of a connection: `pg` would take its `options` in place of ours, and it
 * drops a `schema`.
 */
function withoutOptions(text: string): { connectionString: string; options: string } {
  const url = new URL(text);
  const { searchParams } = url;
  const other = [...searchParams.keys()].find((name) => otherNames.includes(name.toLowerCase()));
  if (other) throw new StartupError(2, `DATABASE_URL: ${other} is not known. Use ?schema=NAME`);
  const schema = searchParams.get('schema');
  const options = searchParams.get('options');
  if (schema === null && options === null) return { connectionString: text, options: '' };
  searchParams.delete('schema');
  searchParams.delete('options');
  const path = schema && `-c search_path=${`"${schema.replaceAll('"', '""')}"`.replaceAll(/[\\\s]/g, '\\$&')}`;
  return { connectionString: url.href, options: [options, path].filter(Boolean).join(' ') };
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
  readonly writesAtOnce = 4;
  readonly sql: Sql;
  readonly #pool: pg.Pool;
  readonly #settings: pg.ClientConfig;
  readonly #signals: PostgresSignals;
  readonly #roles: PostgresRoles;
  readonly #options: Pick<PostgresOptions, 'onGroup' | 'onRepeat'>;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool, settings: pg.ClientConfig, options: PostgresOptions) {
    this.#pool = pool;
    this.#settings = settings;
    this.#options = options;
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
        throw this.#refusal(error);
      }
    });
  }

  async write<T>(work: (sql: Sql) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    refuseInsideWork('write');
    return this.#counted(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          const result = await this.#attempt(work, options);
          this.#options.onGroup?.(1);
          return result;
        } catch (error) {
          const why = meaning(error);
          if (why !== 'deadlock' && why !== 'serialization') throw error;
          if (attempt === attempts) throw busy(error);
          this.#options.onRepeat?.(why);
        }
        await pause(Math.random() * 20 * attempt);
      }
    });
  }

  async #attempt<T>(work: (sql: Sql) => Promise<T>, options: WriteOptions): Promise<T> {
    const client = await this.#pool.connect().catch((error) => {
      throw this.#refusal(error);
    });
    let usable = false;
    try {
      const outcome = await perform(client, work, options);
      if ('error' in outcome) {
        // When the line is broken there is nobody to tell.
        const isBroken = outcome.error instanceof DatabaseUnavailable && !(outcome.error instanceof DatabaseBusy);
        usable = !isBroken && (await rolledBack(client));
        throw outcome.error;
      }
      const { command } = await client.query('commit').catch((error) => {
        throw refusalFor(error);
      });
      if (command !== 'COMMIT') throw new Error(`The transaction ended in ${command}`);
      usable = true;
      return outcome.result;
    } finally {
      client.release(!usable);
    }
  }

  /** What an error means for the caller: that none of the connections got free is no fault of the server. */
  #refusal(error: unknown): unknown {
    const { totalCount, idleCount, options } = this.#pool;
    const isFull =
      totalCount - idleCount >= options.max && error instanceof Error && /timeout exceeded/.test(error.message);
    const why = meaning(error);
    return isFull || why === 'deadlock' || why === 'serialization' ? busy(error) : refusalFor(error);
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

  signal(channel: string, whose?: string): void {
    refuseInsideWork('signal');
    this.#signals.signal(channel, whose);
  }

  onSignal(channel: string, listener: Listener): () => void {
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
  return { error: refusalFor(transaction.failure.error) };
}

function rolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

/** An error of a statement as a caller is told of it. A mistake of ours stays, and so does what is to be run again. */
function refusalFor(error: unknown): unknown {
  const why = meaning(error);
  if (why === 'unavailable') return unavailable(error);
  return why === 'busy' ? busy(error) : error;
}

function busy(error: unknown): DatabaseBusy {
  return new DatabaseBusy('Others hold what is needed in the database', { cause: error });
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
  return withLockClauses(texts.reduce((before, part, index) => `${before}$${index}${part}`));
}
