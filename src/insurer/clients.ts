import { LRUCache } from 'lru-cache';
import { type Clock, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import { clientGone } from '../http/bearer.ts';
import { ProblemError } from '../http/problem.ts';
import { idleLifetime, newCredentials, secretFits, secretHash, usedUntil } from './client.ts';
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

/** How many idle clients one round of housekeeping removes at the most. */
const batch = 100;

export interface ClientsOptions {
  /** How many demo clients there may be; 0: no limit. */
  readonly most: number;
  /** Called when one is not created for that. */
  readonly refused: () => void;
}

/** The use cases of demo and preconfigured clients: creating, recognising, using, removing. */
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
      select secret_hash, scopes from clients where id = ${id}`;
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
    return (await this.#database.sql.get`select 1 as found from clients where id = ${clientId}`) !== undefined;
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
      select last_used_at from clients where id = ${clientId}`;
    if (row) this.#known.set(clientId, { usedUntil: Date.parse(row.last_used_at), askedAt });
    return row !== undefined;
  }

  async #ask(clientId: string, until: string): Promise<boolean> {
    const askedAt = this.#clock.elapsed();
    const row = await this.#database.sql.get<{ last_used_at: string }>`
      select last_used_at from clients where id = ${clientId}`;
    const exists = row !== undefined && (row.last_used_at >= until || (await this.#touch(clientId, until)));
    if (exists) this.#known.set(clientId, { usedUntil: Date.parse(until), askedAt });
    return exists;
  }

  async #touch(clientId: string, until: string): Promise<boolean> {
    const touched = await this.#database.write(
      (sql) => sql.run`update clients set last_used_at = ${until} where id = ${clientId}`,
    );
    return touched > 0;
  }

  /** Removes demo clients that went a day without use, with all that is theirs. Returns how many. */
  async removeIdle(): Promise<number> {
    const since = instant(this.#clock.now() - idleLifetime);
    let removed = 0;
    for (;;) {
      const idle = await this.#database.sql.all<{ id: string }>`
        select id from clients where preset = 0 and last_used_at <= ${since} limit ${batch}`;
      for (const { id } of idle) if (await this.#remove(id, since)) removed += 1;
      if (idle.length < batch) return removed;
    }
  }

  // Idleness is checked again in the transaction that removes: the client may have been used since it was listed.
  async #remove(id: string, since: string): Promise<boolean> {
    const removed = await this.#database.write(
      (sql) => sql.run`delete from clients where id = ${id} and preset = 0 and last_used_at <= ${since}`,
    );
    this.#known.delete(id);
    this.#count -= removed;
    return removed > 0;
  }
}

function tooMany(most: number): ProblemError {
  const detail = `There are ${most} demo clients, as many as this server keeps. Those that go a day without use are removed every minute: try again then, or use a client that you have.`;
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '60' } });
}

/** As `InsurerRecords.holdClient`. */
export async function holdClient(sql: Sql, id: string): Promise<void> {
  // Removal begins with this row, so to change it, if only to what it is, keeps removal away.
  const held = await sql.run`update clients set policy_count = policy_count where id = ${id}`;
  if (held === 0) throw clientGone();
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
