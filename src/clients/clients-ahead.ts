import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Clock } from '../time/clock.ts';
import { ForADay, impossible } from '../time/clock-steps.ts';
import { usedUntil } from './client.ts';
import { clients } from './clients.ts';

/** How many clients change in one transaction at the most. */
const batch = 500;

/**
 * Dates the last use of demo clients that were used while the clock was ahead (clock-steps.ts) to now, when it has been
 * back for a day: else they would not go idle until the clock has come there again.
 */
export class ClientsAhead {
  readonly name = 'clients used ahead of the clock';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #found: ForADay;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#found = new ForADay(clock);
  }

  /** Does a bounded part of the work. Returns whether there may be more of it. */
  async step(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(Date.parse(usedUntil(now)));
    const found = await find(this.#database.sql, { ahead });
    if (!this.#found.lasts(found !== undefined)) return false;
    const changed = await this.#database.write((sql) => date(sql, { ahead, lastUsedAt: usedUntil(now), batch }));
    return changed === batch;
  }
}

const find = statement.get`
  select ${clients.pick('id')} from clients where preset = 0 and last_used_at >= ${'ahead'}
  order by last_used_at limit 1`;

const date = statement.run`
  update clients set last_used_at = ${'lastUsedAt'}
  where id in (
    select id from clients where preset = 0 and last_used_at >= ${'ahead'} order by last_used_at limit ${'batch'}
  )`;
