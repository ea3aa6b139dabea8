import { clients } from '../clients/clients.ts';
import type { RowOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { clientGone } from '../http/bearer.ts';
import { ProblemError } from '../http/problem.ts';
import type { Randomness } from '../randomness.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { insureVehicle, policies } from './policies.ts';
import type { Policy } from './policy.ts';
import { practiceFleet, practiceNumber } from './practice-fleet.ts';

export interface GivenPoliciesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  /** How many policies one client may own (`policiesPerClient`). */
  readonly cap: number;
}

const held = policies.pick('id', 'holder', 'coverageOption', 'status', 'version');

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
    const owner = await countMore(sql, { clientId, more: policies.length });
    if (!owner) throw clientGone();
    const before = owner.policyCount - policies.length;
    if (owner.policyCount > cap) throw noRoom(before, cap, policies.length);
    const made: Policy[] = [];
    for (const policy of policies) {
      made.push(await insure(sql, clientId, before + made.length + 1, policy, { now: clock.now(), randomness }));
    }
    return made;
  }

  /** Its policies after the one with this number, oldest first, at most 1,000. */
  since(clientId: string, number: number): Promise<HeldPolicy[]> {
    return findSince(this.#options.database.sql, { clientId, number, limit: 1000 });
  }

  /** Changes the holder of a policy in force from one to another, as somebody else would. Returns whether it was so. */
  async changeHolder(sql: Sql, clientId: string, id: string, from: string, to: string): Promise<boolean> {
    const updatedAt = instant(this.#options.clocks.now(clientId));
    return (await changeHolder(sql, { clientId, id, from, to, updatedAt })) > 0;
  }
}

function noRoom(owned: number, cap: number, more: number): ProblemError {
  const detail = `This client owns ${owned} policies, and the limit is ${cap}: there is no room for ${more} more. POST /range/v1/me/reset removes all that it owns; or continue with a new demo client.`;
  return new ProblemError('quota-exceeded', detail);
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

const countMore = statement.get`
  update clients set policy_count = policy_count + ${'more'} where id = ${'clientId'} and removed_at is null
  returning ${clients.pick('policyCount')}`;

const findSince = statement.all`
  select ${held} from policies
  where client_id = ${'clientId'} and number > ${'number'} order by number limit ${'limit'}`;

const changeHolder = statement.run`
  update policies set holder = ${'to'}, status = 'updated', updated_at = ${'updatedAt'}, version = version + 1
  where id = ${'id'} and client_id = ${'clientId'} and holder = ${'from'} and status in ('active', 'updated')`;
