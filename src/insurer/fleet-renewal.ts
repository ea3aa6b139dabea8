/*
 * The preconfigured client `preset-fleet` has 75 policies in force at any time, however long the program runs and
 * whatever the clock does. Each is for twelve months:
 *
 * - In its last month a policy is renewed: its twelve months begin anew, today. It stays the same policy, so nothing
 *   grows, and its vehicle is insured without a gap.
 * - A policy that begins in the future because it was made while the clock was ahead begins today.
 * - What expired all the same (the program was away for months, or the clock was set ahead) stays expired, and so does
 *   what was cancelled stay cancelled. New policies for the same vehicles take their place, or for others where a
 *   vehicle is insured by somebody else by now. Their numbers go on, so that pages stay dense.
 *
 * It is looked at when the program starts and once a day, so cancelling the policies again and again makes 75 new ones
 * a day at the most.
 */
import { randomInt } from 'node:crypto';
import { type Clock, day, instant } from '../clock.ts';
import { alias, integer } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { clients, setPolicyCount } from './clients.ts';
import { defaultCoverage, lastDay } from './coverage-option.ts';
import { insureVehicle } from './policies.ts';
import { newPolicy } from './policy.ts';
import { fleetId, fleetPolicy, fleetSize } from './presets.ts';

/** Milliseconds before its end from which on a policy is renewed. */
const early = 30 * 24 * 60 * 60 * 1000;

/** How often another vehicle is looked for, for each policy that is missing. Their numbers are random: more than enough. */
const tries = 3;

export class FleetRenewal {
  readonly name = 'the policies of the fleet';
  readonly #database: Database;
  readonly #clock: Clock;
  /** The day that was looked at last. */
  #today = '';

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** All of it in one transaction. Always false: nothing is left to do. */
  async step(): Promise<boolean> {
    const now = this.#clock.now();
    const today = day(now);
    if (today === this.#today) return false;
    await this.#database.write((sql) => renew(sql, now));
    this.#today = today;
    return false;
  }
}

async function renew(sql: Sql, now: number): Promise<void> {
  const today = day(now);
  // The row of the client comes first, as wherever policies are created.
  const fleet = await lock(sql, { id: fleetId });
  if (!fleet) return;
  await renewEnding(sql, {
    clientId: fleetId,
    coverageOption: defaultCoverage,
    today,
    endDate: lastDay(today, defaultCoverage),
    renewedBefore: day(now + early),
    now: instant(now),
  });
  const inForce = await countInForce(sql, { clientId: fleetId, today });
  await complete(sql, { number: fleet.policyCount, missing: fleetSize - (inForce?.count ?? 0), now });
}

async function complete(sql: Sql, fleet: { number: number; missing: number; now: number }): Promise<void> {
  let { number, missing } = fleet;
  const others = Array.from({ length: Math.max(0, missing) * tries }, () => randomInt(10_000_000, 100_000_000));
  const vehicles = [...Array.from({ length: fleetSize }, (_, at) => at + 1), ...others];
  for (const vehicle of vehicles) {
    if (missing <= 0) break;
    const policy = newPolicy(fleetPolicy(vehicle), fleet.now);
    if (!(await insureVehicle(sql, fleetId, number + 1, policy, fleet.now))) continue;
    number += 1;
    missing -= 1;
  }
  await setPolicyCount(sql, { id: fleetId, policyCount: number });
}

const lock = statement.get`
  update clients set policy_count = policy_count where id = ${'id'} returning ${clients.pick('policyCount')}`;

// Of vehicles with a number of the fleet's only: whoever calls as the fleet may insure others for any time.
const renewEnding = statement.run`
  update policies set start_date = ${'today'}, end_date = ${'endDate'}, updated_at = ${'now'}, version = version + 1
  where client_id = ${'clientId'} and status in ('active', 'updated') and coverage_option = ${'coverageOption'}
    and substr(reg_key, 1, 2) = 'FL' and end_date >= ${'today'}
    and (end_date < ${'renewedBefore'} or (start_date > ${'today'} and created_at > ${'now'}))`;

const countInForce = statement.get`
  select count(*) as ${alias('count', integer)} from policies
  where client_id = ${'clientId'} and status in ('active', 'updated')
    and start_date <= ${'today'} and end_date >= ${'today'}`;
