import type { RowOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type FieldError, ProblemError } from '../http/problems/problem.ts';
import type { Randomness } from '../randomness.ts';
import { pointerTo } from '../text/json-pointer.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, day, instant } from '../time/clock.ts';
import {
  asFieldError,
  changePolicy,
  expireStale,
  findStale,
  inOrderOfVehicles,
  insertPolicy,
  isTaken,
  lockPolicy,
  policies,
  StaleInTheWay,
  takeNumbers,
} from './policies.ts';
import { type FleetDraft, fleetDraftFaults, fleetPolicy, type Policy } from './policy.ts';
import { isInForce } from './policy-status.ts';
import { practiceFleet, practiceNumber } from './practice-fleet.ts';

export interface GivenPoliciesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  /** How many policies one client may own (`policiesPerClient`). */
  readonly cap: number;
}

const held = policies.pick(
  ...(['id', 'regNumber', 'holder', 'coverageOption', 'status', 'endDate', 'updatedAt', 'version'] as const),
);

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

  /** What drafts of a fleet have wrong that their schema can't tell, by the client's clock. */
  faultsOf(clientId: string, draft: object): FieldError[] {
    return fleetDraftFaults(draft, day(this.#options.clocks.now(clientId))).map(asFieldError);
  }

  /**
   * Gives the client policies that it drafted, all or none. Resolves when they are durable.
   *
   * @throws {ProblemError} `duplicate-policy`, `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async addDrafted(clientId: string, drafts: readonly FleetDraft[]): Promise<Policy[]> {
    const { database, clock, clocks, randomness, cap } = this.#options;
    const now = clocks.now(clientId);
    const made = drafts.map((draft) => fleetPolicy(draft, now, randomness));
    const write = async (sql: Sql) => {
      const first = await takeNumbers(sql, clientId, made.length, cap);
      const [stale, taken]: [string[], number[]] = [[], []];
      for (const { policy, at } of inOrderOfVehicles(made.map((each, at) => ({ policy: each, at })))) {
        if (await insertPolicy(sql, clientId, first + at, policy)) continue;
        if (await findStale(sql, policy.regNumber, clock.now())) stale.push(policy.regNumber);
        else taken.push(at);
      }
      if (taken.length > 0) throw allDuplicates(taken);
      if (stale.length > 0) throw new StaleInTheWay(stale);
    };
    for (;;) {
      try {
        await database.write(write);
        return made;
      } catch (error) {
        if (!(error instanceof StaleInTheWay)) throw error;
        await expireStale(database, error.regNumbers, clock.now());
      }
    }
  }

  /**
   * Gives the client these policies within a transaction, for vehicles that nobody has insured.
   *
   * @throws {ProblemError} `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async give(sql: Sql, clientId: string, policies: readonly Omit<Policy, 'regNumber'>[]): Promise<Policy[]> {
    const { cap, randomness } = this.#options;
    const first = await takeNumbers(sql, clientId, policies.length, cap);
    const made: Policy[] = [];
    let left = policies.map((policy, at) => ({ policy, at }));
    for (let tries = 0; left.length > 0; tries += 1) {
      const digits = tries < shortTries ? 4 : 8;
      const drawn = left.map(({ policy, at }) => ({
        policy: { ...policy, regNumber: practiceNumber(digits, randomness) },
        at,
      }));
      left = [];
      for (const each of inOrderOfVehicles(drawn)) {
        if (await insertPolicy(sql, clientId, first + each.at, each.policy)) made[each.at] = each.policy;
        else left.push(each);
      }
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

  /** Its policies after the one with this number, oldest first, at most 3,000. */
  since(clientId: string, number: number): Promise<HeldPolicy[]> {
    return findSince(this.#options.database.sql, { clientId, number, limit: 3000 });
  }

  /** Changes the holder of a policy in force from one to another, as somebody else would. Returns whether it was so. */
  async changeHolder(sql: Sql, clientId: string, id: string, from: string, to: string): Promise<boolean> {
    const now = this.#options.clocks.now(clientId);
    const policy = await lockPolicy(sql, clientId, id, now);
    if (policy?.holder !== from || !isInForce(policy)) return false;
    await changePolicy(sql, policy, { holder: to, status: 'updated', updatedAt: instant(now) });
    return true;
  }

  /**
   * Changes policies in force as others would: every second one is cancelled, each other one gets a holder. The changes bear
   * an instant so many milliseconds before now, as those of a write that was held up.
   */
  async changeAll(
    sql: Sql,
    clientId: string,
    { ids, heldUp }: { readonly ids: readonly string[]; readonly heldUp: number },
  ): Promise<void> {
    const now = this.#options.clocks.now(clientId);
    const updatedAt = instant(now - heldUp);
    for (const [at, id] of ids.toSorted().entries()) {
      const policy = await lockPolicy(sql, clientId, id, now);
      if (!policy || !isInForce(policy)) continue;
      const change =
        at % 2 === 0 ? { status: 'updated' as const, holder: othersHolder } : { status: 'cancelled' as const };
      await changePolicy(sql, policy, { ...change, updatedAt });
    }
  }
}

/** Who holds a policy that others have changed. */
const othersHolder = 'Falcon Freight Ltd.';

/** `taken`: the places of the drafts whose vehicles are insured, or come twice. */
function allDuplicates(taken: readonly number[]): ProblemError {
  const detail =
    'Some of these vehicles have a policy in force already, or stand in the list twice, and only one is allowed: nothing was made. Use other registration numbers.';
  const errors = taken
    .toSorted((one, other) => one - other)
    .map((at) => ({ pointer: pointerTo('policies', at, 'regNumber'), detail: 'The vehicle is insured already.' }));
  return new ProblemError('duplicate-policy', detail, { errors });
}

const findSince = statement.all`
  select ${held} from policies
  where client_id = ${'clientId'} and number > ${'number'} order by number limit ${'limit'}`;
