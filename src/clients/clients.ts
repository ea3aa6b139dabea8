import type { Logger } from 'pino';
import { BoundedCache } from '../bounded-cache.ts';
import { alias, integer, nullable, table, text } from '../database/columns.ts';
import { type Database, DatabaseUnavailable, type Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { type ProblemError, unavailable } from '../http/problems/problem.ts';
import { clientGone, isClientId } from '../http/requests/bearer.ts';
import type { Randomness } from '../randomness.ts';
import { type Clock, instant } from '../time/clock.ts';
import {
  fittingSecret,
  newCredentials,
  newSecret,
  previousHolds,
  secretHash,
  type UsedSecret,
  usedUntil,
} from './client.ts';
import { allScopes, type Scope } from './scope.ts';

export const clients = table('clients', {
  id: text,
  secretHash: text,
  /** Of the secret before, which holds until `previousUntil` by the clock of the client. */
  previousSecretHash: nullable(text),
  previousUntil: nullable(text),
  /** By the clock of the client: until when a token is valid that was signed with the second key (tokens.ts). */
  secondKeyUntil: nullable(text),
  scopes: text,
  /** 1 for a preconfigured client. */
  preset: integer,
  createdAt: text,
  /** Where it was created, as calls are counted by: what is done for it takes turns by address. */
  address: text,
  lastUsedAt: text,
  policyCount: integer,
  removedAt: nullable(text),
  /** When it was told that it is about to be removed (going.ts). */
  noticedAt: nullable(text),
  /** Milliseconds by which its clock is ahead (client-clocks.ts). */
  clockOffset: integer,
  /** JSON: a list of [when, by how much]. */
  clockMoves: text,
  /** The number of the last move. */
  clockNumber: nullable(integer),
  /** The number of the last move of all clocks that it took part in (class-moves.ts). */
  classMove: integer,
});

export interface Client {
  id: string;
  granted: Scope[];
  /** Absent unless it has had a new secret. */
  secretUsed?: UsedSecret;
}

interface Known {
  /** The last use as it is kept, in milliseconds since 1970. */
  usedUntil: number;
  /** When the database was last asked, on the clock's elapsed scale. */
  askedAt: number;
}

/** Milliseconds for which a client is taken to exist without asking. Another node may remove it in the meantime. */
const trust = 1000;

/** Milliseconds for which a count of the clients holds. Until then other nodes' clients are not counted. */
const countHolds = 60_000;

/** What removed a client. */
export type Removal = 'time without use' | 'a call' | 'the trainer' | 'a reset of everything';

export interface ClientsOptions {
  readonly log: Logger;
  readonly randomness: Randomness;
  /** How many demo clients there may be (`demoClientsTotal`); 0: no limit. */
  readonly max: number;
  /** Called when one is not created for that. */
  readonly refused: () => void;
}

/**
 * The use cases of demo and preconfigured clients: creating, recognising, using. A client whose removal has begun is
 * not there any more (client-removal.ts).
 */
export class Clients {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #options: ClientsOptions;
  readonly #known = new BoundedCache<string, Known>(10_000);
  /** Of those that this process removed last, why. */
  readonly #removed = new BoundedCache<string, Removal>(10_000);
  /**
   * How many demo clients there are: counted once a minute at the most, since that takes time where there are many, and
   * in between corrected by those that this process creates and removes.
   */
  #count = 0;
  /** When they were last counted, on the clock's elapsed scale. */
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(database: Database, clock: Clock, options: ClientsOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  static async open(database: Database, clock: Clock, options: ClientsOptions): Promise<Clients> {
    const clients = new Clients(database, clock, options);
    await clients.#recount();
    return clients;
  }

  /**
   * A new demo client, granted every scope, of an address as calls are counted by. The secret can't be had again.
   *
   * @throws {ProblemError} `unavailable` when there are as many as there may be
   */
  async create(address: string): Promise<{ clientId: string; secret: string }> {
    // Nobody waits for it: a count that is a minute old will do.
    void this.#recount().catch(() => {});
    const { max, refused } = this.#options;
    if (max > 0 && this.#count >= max) {
      refused();
      throw tooMany(max);
    }
    this.#count += 1;
    try {
      return await this.#create(address);
    } catch (error) {
      this.#count -= 1;
      throw error;
    }
  }

  async #create(address: string): Promise<{ clientId: string; secret: string }> {
    const { clientId, secret } = newCredentials(this.#options.randomness);
    const row = newRow({ id: clientId, granted: allScopes }, secret, this.#clock.now());
    const made = await this.#database.write((sql) => insert(sql, { ...row, preset: 0, address }));
    // Where ids follow from a seed, one may be there that was drawn before a reset of everything.
    return made > 0 ? { clientId, secret } : this.#create(address);
  }

  /** How many demo clients there are. On several nodes it may be a minute late. */
  async count(): Promise<number> {
    // While the database is away, what was known last.
    await this.#recount().catch(() => {});
    return this.#count;
  }

  /** Counts anew when the last count is too old. */
  #recount(): Promise<void> {
    // Two at a time would each take what the other one adds for new clients.
    if (this.#counting) return this.#counting;
    if (this.#clock.elapsed() - this.#countedAt < countHolds) return Promise.resolve();
    this.#countedAt = this.#clock.elapsed();
    const before = this.#count;
    this.#counting = countDemoClients(this.#database.sql)
      .then((row) => {
        // Those created meanwhile may be in it or not: better one too many for a minute than one too few.
        this.#count = (row?.count ?? 0) + Math.max(0, this.#count - before);
      })
      .finally(() => (this.#counting = undefined));
    return this.#counting;
  }

  /** The client of these credentials, or undefined; it takes the same time whichever of the two is wrong. */
  async recognise(clientId: string, secret: string): Promise<Client | undefined> {
    // An id of another form is not looked for, since not every text can be a value. The query is made all the same.
    const id = isClientId(clientId) ? clientId : '';
    const row = await find(this.#database.sql, { id });
    const now = instant(this.#clock.now() + (row?.clockOffset ?? 0));
    const previous = now < (row?.previousUntil ?? '') ? row?.previousSecretHash : undefined;
    const used = fittingSecret(secret, [row?.secretHash, previous ?? undefined]);
    if (!row) this.#tellRemoved(id);
    if (!row || used === undefined) return undefined;
    const granted = row.scopes.split(' ') as Scope[];
    return row.previousUntil === null ? { id, granted } : { id, granted, secretUsed: used };
  }

  /** The answer is that of any wrong credentials. Whoever runs the service is told what became of this client. */
  #tellRemoved(clientId: string): void {
    const removedBy = this.#removed.get(clientId);
    if (removedBy) this.#options.log.info({ clientId, removedBy }, 'no token: the client was removed');
  }

  /**
   * A new secret of a client. The one before holds beside it for a while; one that was before that has ended.
   *
   * @throws {ProblemError} `invalid-token` when the client is gone
   */
  async renewSecret(clientId: string): Promise<{ secret: string; previousValidUntil: string }> {
    const secret = newSecret(this.#options.randomness);
    return this.#database.write(async (sql) => {
      const row = await lockClock(sql, { id: clientId });
      if (!row) throw clientGone();
      const previousUntil = instant(this.#clock.now() + row.clockOffset + previousHolds);
      await renew(sql, { id: clientId, secretHash: secretHash(secret), previousUntil });
      return { secret, previousValidUntil: previousUntil };
    });
  }

  /** When the client last got a new secret, in milliseconds since 1970 by its clock; undefined if there is none before it. */
  async secretRenewedAt(clientId: string): Promise<number | undefined> {
    const until = (await find(this.#database.sql, { id: clientId }))?.previousUntil;
    return until ? Date.parse(until) - previousHolds : undefined;
  }

  /**
   * Counts a use of the client, which puts off its removal. False when the client was removed. No promise when the
   * client was seen a moment ago.
   */
  use(clientId: string): true | Promise<boolean> {
    const known = this.#known.get(clientId);
    const now = this.#clock.now();
    if (known && known.usedUntil >= now && this.#clock.elapsed() - known.askedAt < trust) return true;
    return this.#ask(clientId, usedUntil(now));
  }

  /** The scopes that a client was granted; undefined if it is not there. */
  async grantedTo(clientId: string): Promise<Scope[] | undefined> {
    const row = isClientId(clientId) ? await find(this.#database.sql, { id: clientId }) : undefined;
    return row?.scopes.split(' ') as Scope[] | undefined;
  }

  /** Without counting a use. */
  async exists(clientId: string): Promise<boolean> {
    return isThere(this.#database.sql, clientId);
  }

  /** The same; true without asking when it was seen a moment ago. */
  existed(clientId: string): true | Promise<boolean> {
    const known = this.#known.get(clientId);
    if (known && this.#clock.elapsed() - known.askedAt < trust) return true;
    return this.#look(clientId);
  }

  async #look(clientId: string): Promise<boolean> {
    const askedAt = this.#clock.elapsed();
    const row = await findUse(this.#database.sql, { id: clientId });
    if (row) this.#known.set(clientId, { usedUntil: Date.parse(row.lastUsedAt), askedAt });
    return row !== undefined;
  }

  async #ask(clientId: string, until: string): Promise<boolean> {
    const askedAt = this.#clock.elapsed();
    const row = await findUse(this.#database.sql, { id: clientId });
    const exists = row !== undefined && (row.lastUsedAt >= until || (await this.#touch(clientId, until)));
    if (exists) this.#known.set(clientId, { usedUntil: Date.parse(until), askedAt });
    return exists;
  }

  /** False when the client was removed. */
  async #touch(clientId: string, until: string): Promise<boolean> {
    try {
      return (await this.#database.write((sql) => touch(sql, { id: clientId, lastUsedAt: until }))) > 0;
    } catch (error) {
      // With a full disk the client can still read. A call after a second of trust tries to count the use again.
      if (error instanceof DatabaseUnavailable) return true;
      throw error;
    }
  }

  /** Asks the database again when the client is used next. */
  forget(clientId: string): void {
    this.#known.delete(clientId);
  }

  /** A demo client is gone for every caller; `why` where that is known here and now. */
  marked(clientId: string, why: Removal | undefined): void {
    this.forget(clientId);
    if (why) this.#removed.set(clientId, why);
  }

  /** The database was emptied. */
  forgetAll(): void {
    for (const id of this.#known.keys()) this.#removed.set(id, 'a reset of everything');
    this.#known.clear();
    this.#count = 0;
  }

  /** One demo client was removed for good. */
  removed(): void {
    this.#count -= 1;
  }
}

function tooMany(max: number): ProblemError {
  const detail = `This server has ${max} demo clients, which is its limit. Clients that nobody uses are removed in time: try again in a minute, or use a client that you already have.`;
  return unavailable(detail, 60);
}

/** Tells whether the client is there, and its removal has not begun. */
export async function isThere(sql: Sql, id: string): Promise<boolean> {
  return (await findUse(sql, { id })) !== undefined;
}

/** Tells whether the client is there. Then it can't be removed until the transaction ends. */
export async function holdClient(sql: Sql, id: string): Promise<boolean> {
  // Removal begins with this row.
  return (await lock(sql, { id })) !== undefined;
}

/** As `Tokens.lockClient`. */
export async function lockClient(sql: Sql, id: string, gone = clientGone): Promise<void> {
  if (!(await holdClient(sql, id))) throw gone();
}

/** The clients whose removal has begun: they are gone, only some of their rows are still there. */
export async function clientsBeingRemoved(sql: Sql): Promise<Set<string>> {
  return new Set((await findBeingRemoved(sql)).map(({ id }) => id));
}

/** Makes sure that a preconfigured client exists and has this secret. Returns how many policies it owns. */
export async function keepPreset(sql: Sql, client: Client, secret: string, now: number): Promise<number> {
  const row = await insertPreset(sql, { ...newRow(client, secret, now), preset: 1, address: '' });
  return row?.policyCount ?? 0;
}

function newRow({ id, granted }: Client, secret: string, now: number) {
  return {
    id,
    secretHash: secretHash(secret),
    scopes: granted.join(' '),
    createdAt: instant(now),
    lastUsedAt: usedUntil(now),
  };
}

const inserted = clients.pick('id', 'secretHash', 'scopes', 'preset', 'createdAt', 'lastUsedAt', 'address');

const insert = statement.run`insert into clients ${inserted.values} on conflict (id) do nothing`;

const insertPreset = statement.get`
  insert into clients ${inserted.values}
  on conflict (id) do update set secret_hash = excluded.secret_hash
  returning ${clients.pick('policyCount')}`;

const countDemoClients = statement.get`
  select count(*) as ${alias('count', integer)} from clients where preset = 0`;

const find = statement.get`
  select ${clients.pick('secretHash', 'previousSecretHash', 'previousUntil', 'clockOffset', 'scopes')} from clients
  where id = ${'id'} and removed_at is null`;

const findUse = statement.get`
  select ${clients.pick('lastUsedAt')} from clients where id = ${'id'} and removed_at is null`;

const findBeingRemoved = statement.all`
  select ${clients.pick('id')} from clients where removed_at is not null`;

const touch = statement.run`
  update clients set last_used_at = ${'lastUsedAt'} where id = ${'id'} and removed_at is null`;

const lock = statement.get`
  select ${clients.pick('id')} from clients where id = ${'id'} and removed_at is null ${lockRows}`;

const lockClock = statement.get`
  select ${clients.pick('clockOffset')} from clients where id = ${'id'} and removed_at is null ${lockRows}`;

const renew = statement.run`
  update clients set previous_secret_hash = secret_hash, previous_until = ${'previousUntil'},
    secret_hash = ${'secretHash'}
  where id = ${'id'}`;

/** Gives a client another secret: those before end. */
export const setSecret = statement.run`
  update clients set secret_hash = ${'secretHash'}, previous_secret_hash = null, previous_until = null
  where id = ${'id'}`;

/** Sets how many policies a client has had. */
export const setPolicyCount = statement.run`
  update clients set policy_count = ${'policyCount'} where id = ${'id'}`;
