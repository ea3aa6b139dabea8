/*
 * The preconfigured client `preset-fleet` has 75 policies in force at any time, however long the program runs and
 * whatever the clock does. Each is for twelve months:
 *
 * - In its last month a policy is renewed: its twelve months begin anew, today. It stays the same policy, so nothing
 *   grows, and its vehicle is insured without a gap.
 * - A policy that begins in the future because it was made while the clock was ahead begins today.
 * - A policy that was cancelled (whoever has the secret of the client can do that) is in force again within a minute. It
 *   stays the same policy: `active`, changed now, with a new tag, and with the holder that it had.
 * - What expired all the same (the program was away for months, or the clock was set ahead) stays expired, and what was
 *   cancelled stays so where its vehicle is insured by somebody else by now. New policies take their place, for the
 *   same vehicles or for others. Their numbers go on, so that pages stay dense.
 *
 * What was cancelled is looked for once a minute, all else when the program starts and once a day: so there are 75 new
 * policies a day at the most, whoever cancels them again and again.
 */

import { clients, setPolicyCount } from '../clients/clients.ts';
import { alias, integer } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import type { Randomness } from '../randomness.ts';
import { type Clock, day, instant } from '../time/clock.ts';
import { day as dayMs } from '../time/units.ts';
import { defaultCoverage, lastDay } from './coverage-option.ts';
import { countPolicies, expireStale, insertPolicy, policies, storedInForce } from './policies.ts';
import { newPolicy } from './policy.ts';
import { fleetId, fleetPolicy, fleetSize } from './presets.ts';
import { vehicleKey } from './registration-number.ts';

/** Milliseconds before its end from which on a policy is renewed. */
const early = 30 * dayMs;

/** How often another vehicle is looked for, for each policy that is missing. Their numbers are random: more than enough. */
const tries = 3;

export class FleetRenewal {
  readonly name = 'the policies of the fleet';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #randomness: Randomness;
  /** The day that was looked at last. */
  #today = '';

  constructor(database: Database, clock: Clock, randomness: Randomness) {
    this.#database = database;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** The database was emptied. */
  forget(): void {
    this.#today = '';
  }

  /**
   * Vehicles are taken in one order, so what is in force again comes alone, and what takes the place of others in a transaction
   * that does nothing else. Always false: nothing is left to do.
   */
  async step(): Promise<boolean> {
    const now = this.#clock.now();
    const today = day(now);
    for (const { id } of await findCancelled(this.#database.sql, cancelledOf(today))) await this.#restore(id, now);
    if (today !== this.#today) await this.#renew(now);
    this.#today = today;
    return false;
  }

  async #restore(id: string, now: number): Promise<void> {
    await this.#database.write(async (sql) => {
      if (!(await lock(sql, { id: fleetId }))) return;
      const isCancelled = (await findCancelled(sql, cancelledOf(day(now)))).some((each) => each.id === id);
      if (isCancelled) await restore(sql, { id, now: instant(now) });
    });
  }

  async #renew(now: number): Promise<void> {
    const database = this.#database;
    const today = day(now);
    await database.write(async (sql) => {
      await lock(sql, { id: fleetId });
      await renewEnding(sql, {
        clientId: fleetId,
        coverageOption: defaultCoverage,
        today,
        endDate: lastDay(today, defaultCoverage),
        renewedBefore: day(now + early),
        now: instant(now),
      });
    });
    await expireStale(
      database,
      vehicles.map((vehicle) => fleetPolicy(vehicle).regNumber),
      now,
    );
    await database.write(async (sql) => {
      const fleet = await lock(sql, { id: fleetId });
      const inForce = await countInForce(sql, { clientId: fleetId, today });
      const missing = fleetSize - (inForce?.count ?? 0);
      if (fleet) await complete(sql, { number: fleet.policyCount, missing, now }, this.#randomness);
    });
  }
}

/** Gives the fleet those of the first start. False, and nothing is done, while it has policies. */
export async function beginFleet(sql: Sql, now: number, randomness: Randomness): Promise<boolean> {
  if ((await countPolicies(sql, fleetId)) > 0) return false;
  await complete(sql, { number: 0, missing: fleetSize, now }, randomness);
  return true;
}

/** Those of the first start. */
const vehicles = Array.from({ length: fleetSize }, (_, at) => at + 1);

/** The first and the last vehicle as the database compares them. */
const [first, last] = [1, fleetSize].map((vehicle) => vehicleKey(fleetPolicy(vehicle).regNumber)) as [string, string];

const cancelledOf = (today: string) => ({ clientId: fleetId, coverageOption: defaultCoverage, today, first, last });

async function complete(
  sql: Sql,
  fleet: { number: number; missing: number; now: number },
  randomness: Randomness,
): Promise<void> {
  let { number, missing } = fleet;
  const others = Array.from({ length: Math.max(0, missing) * tries }, () =>
    randomness.integer('plate', 10_000_000, 100_000_000),
  );
  for (const vehicle of [...vehicles, ...others]) {
    if (missing <= 0) break;
    const policy = newPolicy(fleetPolicy(vehicle), fleet.now, randomness);
    if (!(await insertPolicy(sql, fleetId, number + 1, policy))) continue;
    number += 1;
    missing -= 1;
  }
  await setPolicyCount(sql, { id: fleetId, policyCount: number });
}

const lock = statement.get`
  select ${clients.pick('policyCount')} from clients where id = ${'id'} ${lockRows}`;

// Of vehicles with a number of the fleet's only: whoever calls as the fleet may insure others for any time.
const renewEnding = statement.run`
  update policies set start_date = ${'today'}, end_date = ${'endDate'}, updated_at = ${'now'}, version = version + 1
  where client_id = ${'clientId'} and ${storedInForce} and coverage_option = ${'coverageOption'}
    and substr(reg_key, 1, 2) = 'FL' and end_date >= ${'today'}
    and (end_date < ${'renewedBefore'} or (start_date > ${'today'} and created_at > ${'now'}))`;

// Of each vehicle the policy that was made last, if none is in force.
const findCancelled = statement.all`
  select ${policies.pick('id').of('p')} from policies p
  where p.client_id = ${'clientId'} and p.status = 'cancelled' and p.coverage_option = ${'coverageOption'}
    and length(p.reg_key) = length(cast(${'last'} as text)) and p.reg_key >= ${'first'} and p.reg_key <= ${'last'}
    and p.end_date >= ${'today'}
    and not exists (select 1 from policies o where o.reg_key = p.reg_key and ${storedInForce})
    and not exists (
      select 1 from policies l where l.client_id = p.client_id and l.reg_key = p.reg_key and l.status = 'cancelled'
        and l.number > p.number
    )`;

const restore = statement.run`
  update policies set status = 'active', updated_at = ${'now'}, version = version + 1 where id = ${'id'}`;

const countInForce = statement.get`
  select count(*) as ${alias('count', integer)} from policies
  where client_id = ${'clientId'} and ${storedInForce}
    and start_date <= ${'today'} and end_date >= ${'today'}`;
