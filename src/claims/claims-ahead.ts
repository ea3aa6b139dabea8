import type { HousekeepingTask } from '../component.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { fleetId } from '../insurer/index.ts';
import { type Clock, instant } from '../time/clock.ts';
import { ForADay, impossible } from '../time/clock-steps.ts';
import { maxPaceSeconds } from './claim.ts';
import { claims } from './claims.ts';

/** How many rows change in one transaction, at most. */
const batch = 500;

/**
 * Dates to now what was written while the clock was ahead (clock-steps.ts): at once moves of claims, which would not
 * become due; after a day closed claims of the fleet, which would not grow old and keep later ones from being removed.
 */
export class ClaimsAhead implements HousekeepingTask {
  readonly name = 'claims ahead of the clock';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #found: ForADay;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#found = new ForADay(clock);
  }

  async step(): Promise<boolean> {
    const more = [await this.#moves(), await this.#fleetClaims()];
    return more.includes(true);
  }

  async #moves(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now, maxPaceSeconds * 1000);
    const rows = await findMoves(this.#database.sql, { ahead, batch });
    if (rows.length === 0) return false;
    await this.#database.write(async (sql) => {
      for (const { id } of rows) await dateMove(sql, { id, ahead, now: instant(now) });
    });
    return rows.length === batch;
  }

  async #fleetClaims(): Promise<boolean> {
    const now = this.#clock.now();
    const ahead = impossible(now);
    const oldest = await findOldest(this.#database.sql, { clientId: fleetId });
    const found = oldest?.status === 'CLOSED' && oldest.updatedAt > ahead;
    if (!this.#found.lasts(found)) return false;
    const closed = { clientId: fleetId, ahead, now: instant(now), batch };
    return (await this.#database.write((sql) => dateClosed(sql, closed))) === batch;
  }
}

const findMoves = statement.all`
  select ${claims.pick('id')} from claims where due_at > ${'ahead'} order by due_at limit ${'batch'}`;

const dateMove = statement.run`
  update claims set due_at = ${'now'} where id = ${'id'} and due_at > ${'ahead'}`;

const findOldest = statement.get`
  select ${claims.pick('status', 'updatedAt')} from claims where client_id = ${'clientId'} order by number limit 1`;

const dateClosed = statement.run`
  update claims set registered_at = ${'now'}, updated_at = ${'now'}
  where client_id = ${'clientId'} and status = 'CLOSED' and updated_at > ${'ahead'} and number in (
    select number from claims where client_id = ${'clientId'} order by number limit ${'batch'}
  )`;
