import type { RowOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Randomness } from '../randomness.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { changePolicy, insureVehicle, isTaken, lockPolicy, policies, takeNumbers } from './policies.ts';
import { type Policy, statusesInForce } from './policy.ts';
import { practiceFleet, practiceNumber } from './practice-fleet.ts';

export interface GivenPoliciesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  /** How many policies one client may own (`policiesPerClient`). */
  readonly cap: number;
}

const held = policies.pick('id', 'regNumber', 'holder', 'coverageOption', 'status', 'version');

/** A policy as it is stored, with how many versions of it there have been. */
export type HeldPolicy = RowOf<typeof held>;

/** Tries of a vehicle with a number of four digits. So many fail only where there are many fleets. */
const shortTries = 10;

/** Policies that a client is given without a request for each: a fleet to practise with, and those of capstones. */
export class GivenPolicies {
  readonly #options: GivenPoliciesOptions;

  constructor(options: GivenPoliciesOptions) {
    this.#options = options;
  }

  /**
   * Gives the client 75 policies more, all or none, for vehicles that nobody has insured. Resolves when they are durable.
   *
   * @throws {ProblemError} `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async addFleet(clientId: string): Promise<Policy[]> {
    const { database, clocks, randomness } = this.#options;
    const fleet = practiceFleet(clocks.now(clientId), randomness);
    return database.write((sql) => this.give(sql, clientId, fleet));
  }

  /**
   * Gives the client these policies within a transaction, for vehicles that nobody has insured.
   *
   * @throws {ProblemError} `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async give(sql: Sql, clientId: string, policies: readonly Omit<Policy, 'regNumber'>[]): Promise<Policy[]> {
    const { clock, cap, randomness } = this.#options;
    const first = await takeNumbers(sql, clientId, policies.length, cap);
    const made: Policy[] = [];
    for (const policy of policies) {
      made.push(await insure(sql, clientId, first + made.length, policy, { now: clock.now(), randomness }));
    }
    return made;
  }

  /** Registration numbers of vehicles that nobody has insured, each of another one. The vehicle registry knows them all. */
  async freeNumbers(sql: Sql, count: number): Promise<string[]> {
    const free = new Set<string>();
    while (free.size < count) {
      const regNumber = practiceNumber(4, this.#options.randomness);
      if (!(await isTaken(sql, regNumber))) free.add(regNumber);
    }
    return [...free];
  }

  /** Its policies after the one with this number, oldest first, at most 1,000. */
  since(clientId: string, number: number): Promise<HeldPolicy[]> {
    return findSince(this.#options.database.sql, { clientId, number, limit: 1000 });
  }

  /** Changes the holder of a policy in force from one to another, as somebody else would. Returns whether it was so. */
  async changeHolder(sql: Sql, clientId: string, id: string, from: string, to: string): Promise<boolean> {
    const now = this.#options.clocks.now(clientId);
    const policy = await lockPolicy(sql, clientId, id, now);
    if (policy?.holder !== from || !statusesInForce.includes(policy.status)) return false;
    await changePolicy(sql, policy, { holder: to, status: 'updated', updatedAt: instant(now) });
    return true;
  }
}

async function insure(
  sql: Sql,
  clientId: string,
  number: number,
  policy: Omit<Policy, 'regNumber'>,
  { now, randomness }: { now: number; randomness: Randomness },
): Promise<Policy> {
  for (let tries = 0; ; tries += 1) {
    const insured = { ...policy, regNumber: practiceNumber(tries < shortTries ? 4 : 8, randomness) };
    if (await insureVehicle(sql, clientId, number, insured, now)) return insured;
  }
}

const findSince = statement.all`
  select ${held} from policies
  where client_id = ${'clientId'} and number > ${'number'} order by number limit ${'limit'}`;
