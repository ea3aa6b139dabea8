import { LRUCache } from 'lru-cache';
import { type Clock, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import { clientGone } from '../http/bearer.ts';
import { ProblemError } from '../http/problem.ts';
import { newCredentials, secretFits, secretHash, usedUntil } from './client.ts';
import { allScopes, type Scope } from './scope.ts';

export interface Client {
  id: string;
  granted: Scope[];
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

export interface ClientsOptions {
  /** How many demo clients there may be (`demoClientsTotal`); 0: no limit. */
  readonly most: number;
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
  readonly #known = new LRUCache<string, Known>({ max: 10_000 });
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
   * A new demo client, granted every scope. The secret can't be had again.
   *
   * @throws {ProblemError} `unavailable` when there are as many as there may be
   */
  async create(): Promise<{ clientId: string; secret: string }> {
    // Nobody waits for it: a count that is a minute old will do.
    void this.#recount().catch(() => {});
    const { most, refused } = this.#options;
    if (most > 0 && this.#count >= most) {
      refused();
      throw tooMany(most);
    }
    const now = this.#clock.now();
    const { clientId, secret } = newCredentials();
    this.#count += 1;
    try {
      await this.#database.write(
        (sql) => sql.run`
        insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at)
        values (${clientId}, ${secretHash(secret)}, ${allScopes.join(' ')}, 0, ${instant(now)}, ${usedUntil(now)})`,
      );
    } catch (error) {
      this.#count -= 1;
      throw error;
    }
    return { clientId, secret };
  }

  /** How many demo clients there are. On several nodes it may be a minute late. */
  async count(): Promise<number> {
    // While the database is away, what was known last.
    await this.#recount().catch(() => {});
    return this.#count;
  }

  /** Counts anew when the last count is too old. */
  #recount(): Promise<void> {
    if (this.#clock.elapsed() - this.#countedAt < countHolds) return this.#counting ?? Promise.resolve();
    this.#countedAt = this.#clock.elapsed();
    const before = this.#count;
    this.#counting = this.#database.sql.get<{ count: number }>`
      select count(*) as count from clients where preset = 0`
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
    const id = /^[a-z0-9-]{1,64}$/.test(clientId) ? clientId : '';
    const row = await this.#database.sql.get<{ secret_hash: string; scopes: string }>`
      select secret_hash, scopes from clients where id = ${id} and removed_at is null`;
    if (!secretFits(secret, row?.secret_hash)) return undefined;
    return { id, granted: row?.scopes.split(' ') as Scope[] };
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

  /** Without counting a use. */
  async exists(clientId: string): Promise<boolean> {
    const found = await this.#database.sql.get`
      select 1 as found from clients where id = ${clientId} and removed_at is null`;
    return found !== undefined;
  }

  /** The same; true without asking when it was seen a moment ago. */
  existed(clientId: string): true | Promise<boolean> {
    const known = this.#known.get(clientId);
    if (known && this.#clock.elapsed() - known.askedAt < trust) return true;
    return this.#look(clientId);
  }

  async #look(clientId: string): Promise<boolean> {
    const askedAt = this.#clock.elapsed();
    const row = await this.#database.sql.get<{ last_used_at: string }>`
      select last_used_at from clients where id = ${clientId} and removed_at is null`;
    if (row) this.#known.set(clientId, { usedUntil: Date.parse(row.last_used_at), askedAt });
    return row !== undefined;
  }

  async #ask(clientId: string, until: string): Promise<boolean> {
    const askedAt = this.#clock.elapsed();
    const row = await this.#database.sql.get<{ last_used_at: string }>`
      select last_used_at from clients where id = ${clientId} and removed_at is null`;
    const exists = row !== undefined && (row.last_used_at >= until || (await this.#touch(clientId, until)));
    if (exists) this.#known.set(clientId, { usedUntil: Date.parse(until), askedAt });
    return exists;
  }

  async #touch(clientId: string, until: string): Promise<boolean> {
    const touched = await this.#database.write(
      (sql) => sql.run`update clients set last_used_at = ${until} where id = ${clientId} and removed_at is null`,
    );
    return touched > 0;
  }

  /** Asks the database again when the client is used next. */
  forget(clientId: string): void {
    this.#known.delete(clientId);
  }

  /** One demo client was removed for good. */
  removed(): void {
    this.#count -= 1;
  }
}

function tooMany(most: number): ProblemError {
  const detail = `There are ${most} demo clients, as many as this server keeps. Those that go a day without use are removed every minute: try again then, or use a client that you have.`;
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '60' } });
}

/** As `Tokens.lockClient`. */
export async function lockClient(sql: Sql, id: string): Promise<void> {
  // Removal begins with this row, so to change it, if only to what it is, keeps removal away.
  const locked = await sql.run`update clients set policy_count = policy_count where id = ${id} and removed_at is null`;
  if (locked === 0) throw clientGone();
}

/** As `PolicyRecords.beingRemoved`. */
export async function clientsBeingRemoved(sql: Sql): Promise<Set<string>> {
  const rows = await sql.all<{ id: string }>`select id from clients where removed_at is not null`;
  return new Set(rows.map(({ id }) => id));
}

/** Makes sure that a preconfigured client exists and has this secret. Returns how many policies it owns. */
export async function keepPreset(sql: Sql, client: Client, secret: string, now: number): Promise<number> {
  const row = await sql.get<{ policy_count: number }>`
    insert into clients (id, secret_hash, scopes, preset, created_at, last_used_at)
    values (${client.id}, ${secretHash(secret)}, ${client.granted.join(' ')}, 1, ${instant(now)}, ${usedUntil(now)})
    on conflict (id) do update set secret_hash = excluded.secret_hash
    returning policy_count`;
  return row?.policy_count ?? 0;
}
