import { alias, integer, type RowOf } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { type Clock, instant } from '../time/clock.ts';
import { day, hour } from '../time/units.ts';
import { clients } from './clients.ts';

/*
 * Who is about to be removed, and when. While the service runs, that is known from the last use on. After a pause it may be
 * over already: so at a start, when the machine slept, and when time was moved by more than a day, those who would go
 * within a day are told of, and stay for a day from then on. Who starts again in that day does not begin it anew, else nobody
 * would go where it is started each morning; after a longer pause it begins anew, since what was said before it is forgotten.
 */

/** Milliseconds for which a client stays from the start on that finds it about to go. */
const noticeTime = day;

/** Milliseconds after which that is forgotten. */
const noticeHolds = 2 * day;

/** Milliseconds after a start in which no client is removed: who comes now has seen what it says. */
const graceAfterStart = hour;

/** Clients that one transaction changes at the most. */
const batch = 100;

/** What says when a client goes. */
export const use = clients.pick('lastUsedAt', 'noticedAt', 'preset');
export type Use = RowOf<typeof use>;

/** When a client is removed if it makes no call until then (ISO 8601), whether that is to be told of, and its last use. */
export interface Kept {
  readonly keptUntil: string;
  readonly isGoing: boolean;
  readonly lastUsedAt: string;
}

export interface GoingClients {
  readonly ids: readonly string[];
  /** How many there are. */
  readonly total: number;
  /** When the first of them goes, and since when one of them was not used (ISO 8601); null if there are none. */
  readonly keptUntil: string | null;
  readonly unusedSince: string | null;
}

export class Going {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #lifetime: number | undefined;
  #startedAt: number;
  #told = false;

  private constructor(database: Database, clock: Clock, lifetime: number | undefined) {
    this.#database = database;
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#startedAt = clock.now();
  }

  /** `lifetime`: milliseconds without use after which a demo client is removed; undefined: none is. */
  static async open(database: Database, clock: Clock, lifetime: number | undefined): Promise<Going> {
    const going = new Going(database, clock, lifetime);
    await going.tell();
    return going;
  }

  /** To be called after a pause of the program, or of its time: what holds from a start on holds from now on. */
  startAgain(): void {
    this.#startedAt = this.#clock.now();
    this.#told = false;
  }

  /** To be called when the time of the service was moved by so many milliseconds. */
  moved(by: number): void {
    if (by > noticeTime) this.startAgain();
  }

  /** Notes who would go within a day, once after each start. Until it has succeeded, nobody is removed. */
  async tell(): Promise<void> {
    if (this.#lifetime === undefined || this.#told) return;
    const now = this.#clock.now();
    const times = {
      at: instant(now),
      nearly: instant(now - this.#lifetime + noticeTime),
      forgotten: instant(now - noticeHolds),
    };
    while ((await this.#database.write((sql) => notice(sql, { ...times, limit: batch }))) === batch);
    this.#told = true;
  }

  /** For the statement that looks for those to remove; undefined while there are none. A notice of later is none. */
  get idle(): { readonly since: string; readonly told: string; readonly now: string } | undefined {
    const now = this.#clock.now();
    if (this.#lifetime === undefined || now - this.#startedAt < graceAfterStart) return undefined;
    return { since: instant(now - this.#lifetime), told: instant(now - noticeTime), now: instant(now) };
  }

  /** Null for a preconfigured client, and where none is removed. */
  kept({ lastUsedAt, noticedAt, preset }: Use): Kept | null {
    const lifetime = this.#lifetime;
    if (preset === 1 || lifetime === undefined) return null;
    const now = this.#clock.now();
    const idleAt = Date.parse(lastUsedAt) + lifetime;
    const isNoticed = noticedAt !== null && noticedAt >= lastUsedAt && noticedAt <= instant(now);
    const told = isNoticed ? Date.parse(noticedAt) + noticeTime : 0;
    const until = Math.max(idleAt, told, this.#startedAt + graceAfterStart);
    return { keptUntil: instant(until), isGoing: idleAt - now <= warned(lifetime), lastUsedAt };
  }

  /** The same of one client; null if there is none. */
  async of(clientId: string): Promise<Kept | null> {
    const row = await findUse(this.#database.sql, { id: clientId });
    return row ? this.kept(row) : null;
  }

  /** Those that are about to go, the longest unused first. */
  async first(limit: number): Promise<GoingClients> {
    const lifetime = this.#lifetime;
    if (lifetime === undefined) return none;
    const near = instant(this.#clock.now() - lifetime + warned(lifetime));
    const rows = await findGoing(this.#database.sql, { near, limit });
    if (rows[0] === undefined) return none;
    const total = (await countGoing(this.#database.sql, { near }))?.count ?? 0;
    const [keptUntil = null] = rows.flatMap((row) => this.kept(row)?.keptUntil ?? []).toSorted();
    return { ids: rows.map(({ id }) => id), total, keptUntil, unusedSince: rows[0].lastUsedAt };
  }
}

const none: GoingClients = { ids: [], total: 0, keptUntil: null, unusedSince: null };

/** Milliseconds before the end from which on it is told of. */
const warned = (lifetime: number) => Math.min(day, lifetime / 2);

const notice = statement.run`
  with next as materialized (
    select id from clients
    where preset = 0 and removed_at is null and last_used_at <= ${'nearly'}
      and (noticed_at is null or noticed_at < last_used_at or noticed_at <= ${'forgotten'} or noticed_at > ${'at'})
    order by id limit ${'limit'} ${lockRows}
  )
  update clients set noticed_at = ${'at'} where id in (select id from next)`;

const findUse = statement.get`select ${use} from clients where id = ${'id'} and removed_at is null`;

const findGoing = statement.all`
  select ${clients.pick('id')}, ${use} from clients
  where preset = 0 and removed_at is null and last_used_at <= ${'near'} order by last_used_at limit ${'limit'}`;

const countGoing = statement.get`
  select count(*) as ${alias('count', integer)} from clients
  where preset = 0 and removed_at is null and last_used_at <= ${'near'}`;
