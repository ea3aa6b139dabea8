import { lockClient } from '../clients/clients.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { retention } from '../events/retention.ts';
import { fleetId, policyNumbered } from '../insurer/index.ts';
import { type Clock, instant } from '../time/clock.ts';
import { claimCounts, claims, registerClaim } from './claims.ts';

/** How many claims the fleet has at the first start. */
const seeded = 12;

/** Seconds between two moves of a claim of the fleet. */
const paceSeconds = 60;

/** Milliseconds between two claims. Each moves three times, so there is about one change a minute. */
const interval = 3 * paceSeconds * 1000;

/** Milliseconds after which a closed claim is removed: long after its events, unless the program was not running. */
const kept = 2 * retention;

/** How many claims are removed in one transaction, at most. */
const batch = 500;

/** The claims of the preconfigured client `preset-fleet`, which keep the topic alive. */
export class FleetClaims {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Registers a claim when the last one is some minutes old. The first time these are several that lie in the past,
   * so that the desk moves them at once and the topic has something to read.
   */
  async registerDueClaim(): Promise<void> {
    if ((await this.#dueCount(this.#database.sql)) === 0) return;
    await this.#database.write(async (sql) => {
      // With the row lock this node is alone; another node may have registered one since.
      await lockClient(sql, fleetId);
      const now = this.#clock.now();
      for (let left = await this.#dueCount(sql); left > 0; left -= 1)
        await this.#register(sql, now - (left - 1) * interval);
    });
  }

  /** How many claims to register now. */
  async #dueCount(sql: Sql): Promise<number> {
    const last = await findLatest(sql, { clientId: fleetId });
    if (!last) return seeded;
    // In either direction: the clock may have been set back since.
    return Math.abs(this.#clock.now() - Date.parse(last.registeredAt)) >= interval ? 1 : 0;
  }

  async #register(sql: Sql, at: number): Promise<void> {
    const count = await findCount(sql, { clientId: fleetId });
    const number = (count?.claims ?? 0) + 1;
    const policyNumber = await policyNumbered(sql, fleetId, number);
    if (policyNumber === undefined) return;
    const outcome = number % 3 === 0 ? 'REJECTED' : 'APPROVED';
    // The cap is for those who call.
    await registerClaim(sql, fleetId, { policyNumber, outcome, paceSeconds }, { now: at }, Number.POSITIVE_INFINITY);
  }

  /**
   * Removes closed claims that nobody can need any more, oldest first, so that the numbers left have no gaps. Returns
   * whether there may be more of them.
   */
  async removeOld(): Promise<boolean> {
    const since = instant(this.#clock.now() - kept);
    const oldest = await findOldest(this.#database.sql, { clientId: fleetId, batch });
    const end = oldest.findIndex(({ status, updatedAt }) => status !== 'CLOSED' || updatedAt > since);
    const last = (end < 0 ? oldest : oldest.slice(0, end)).at(-1)?.number;
    if (last === undefined) return false;
    await this.#database.write(async (sql) => {
      await lockClient(sql, fleetId);
      await removeUpTo(sql, { clientId: fleetId, last });
    });
    return end < 0;
  }
}

const findLatest = statement.get`
  select ${claims.pick('registeredAt')} from claims where client_id = ${'clientId'} order by number desc limit 1`;

const findCount = statement.get`
  select ${claimCounts.pick('claims')} from claim_counts where client_id = ${'clientId'}`;

const findOldest = statement.all`
  select ${claims.pick('number', 'status', 'updatedAt')} from claims
  where client_id = ${'clientId'} order by number limit ${'batch'}`;

const removeUpTo = statement.run`delete from claims where client_id = ${'clientId'} and number <= ${'last'}`;
