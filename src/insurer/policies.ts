import { clients, lockClient, setPolicyCount } from '../clients/clients.ts';
import type { OwnedRows } from '../clients/owned-rows.ts';
import { alias, type Fragment, integer, nullable, table, text, textOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { clientGone } from '../http/bearer.ts';
import { type IdForm, idAdvice, shownId } from '../http/id-advice.ts';
import type { Keep } from '../http/kept-answers.ts';
import type { Page } from '../http/paging.ts';
import { type Conditions, requireConditions } from '../http/preconditions.ts';
import { type FieldError, ProblemError } from '../http/problem.ts';
import { invalid } from '../http/validation.ts';
import type { Randomness } from '../randomness.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, day, instant } from '../time/clock.ts';
import type { CoverageCode } from './coverage-option.ts';
import {
  changesOfFixed,
  checkChangeable,
  draftFaults,
  holderFaults,
  isPolicyId,
  type MemberFault,
  newPolicy,
  type Policy,
  type PolicyChange,
  type PolicyDraft,
  type PolicyStatus,
  policyTag,
  statusesInForce,
  statusOn,
} from './policy.ts';
import { vehicleKey } from './registration-number.ts';

export const policies = table('policies', {
  id: text,
  clientId: text,
  number: integer,
  regNumber: text,
  regKey: text,
  holder: nullable(text),
  coverageOption: textOf<CoverageCode>(),
  status: textOf<PolicyStatus>(),
  startDate: text,
  endDate: text,
  createdAt: text,
  updatedAt: text,
  version: integer,
});

/** What the interface shows, in its body and its tag. */
const shown = policies.omit('clientId', 'number', 'regKey');

/** In a statement: the status that is stored is one of those in force. The index of one policy in force says the same. */
export const storedInForce: Fragment = {
  texts: [`status in (${statusesInForce.map((status) => `'${status}'`).join(', ')})`],
  parameters: [],
  output: [],
};

// A list has no tags, and a page may have 500 of them.
const listed = shown.omit('version');

/** What a list is asked for: policies with this status today, or for this vehicle. */
export interface PolicyFilter {
  readonly status?: PolicyStatus | undefined;
  readonly regNumber?: string | undefined;
}

/** A policy, and how many versions of it there have been. */
export interface StoredPolicy extends Policy {
  readonly version: number;
}

/**
 * The use cases of endpoints 4 to 8 and 10. A client sees its own policies only; another's are not found (Endpoints,
 * rule 3).
 */
export class Policies {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #clocks: ClientClocks;
  readonly #randomness: Randomness;
  readonly #cap: number;

  /** `cap` is how many policies one client may own (`policiesPerClient`). */
  constructor(database: Database, clock: Clock, clocks: ClientClocks, randomness: Randomness, cap: number) {
    this.#database = database;
    this.#clock = clock;
    this.#clocks = clocks;
    this.#randomness = randomness;
    this.#cap = cap;
  }

  /**
   * Resolves when the policy is durable. `keep` is called in its transaction.
   *
   * @throws {ProblemError} `duplicate-policy`, `quota-exceeded`, `validation-error`, or `invalid-token` when the
   *   client is gone
   */
  async create(clientId: string, request: PolicyDraft, keep?: Keep<StoredPolicy>): Promise<StoredPolicy> {
    const policy = { ...newPolicy(request, this.#clocks.now(clientId), this.#randomness), version: 1 };
    await this.#database.write(async (sql) => {
      const number = await takeNumbers(sql, clientId, 1, this.#cap);
      if (!(await insureVehicle(sql, clientId, number, policy, this.#clock.now()))) throw duplicate(policy);
      await keep?.(sql, policy);
    });
    return policy;
  }

  /**
   * Creates policies within a transaction, each for itself. Tells of each, in their order, what it is or why it could not be
   * created: as `create` does.
   *
   * @throws {ProblemError} `invalid-token` when the client is gone
   */
  async createEach(sql: Sql, clientId: string, requests: readonly PolicyDraft[]): Promise<(Policy | ProblemError)[]> {
    await lockClient(sql, clientId);
    let owned = await countPolicies(sql, clientId);
    const outcomes: (Policy | ProblemError)[] = [];
    for (const request of requests) {
      const outcome = await this.#createNumbered(sql, clientId, owned + 1, request);
      if (!(outcome instanceof ProblemError)) owned += 1;
      outcomes.push(outcome);
    }
    await setPolicyCount(sql, { id: clientId, policyCount: owned });
    return outcomes;
  }

  async #createNumbered(
    sql: Sql,
    clientId: string,
    number: number,
    request: PolicyDraft,
  ): Promise<Policy | ProblemError> {
    const now = this.#clocks.now(clientId);
    const [fault] = draftFaults(request, day(now));
    if (fault) return invalid([asFieldError(fault)]);
    if (number > this.#cap) return capReached(this.#cap);
    const policy = newPolicy(request, now, this.#randomness);
    return (await insureVehicle(sql, clientId, number, policy, this.#clock.now())) ? policy : duplicate(policy);
  }

  /**
   * What a body for `create` has wrong that its schema can't tell. A start out of range is told here only with something else:
   * alone it may be a repeat, whose first answer is kept.
   */
  faultsOfDraft(clientId: string, sent: object, others: () => readonly FieldError[]): FieldError[] {
    const faults = draftFaults(sent, day(this.#clocks.now(clientId)));
    const isWrong = holderFaults(sent).length > 0 || (faults.length > 0 && others().length > 0);
    return isWrong ? faults.map(asFieldError) : [];
  }

  /**
   * The same for `update`. What can't be set is told here only if there are `others`, of a policy that the client has: else it
   * comes later, after 404 and 409.
   */
  async faultsOfChange(
    clientId: string,
    id: string,
    sent: object,
    others: () => readonly FieldError[],
  ): Promise<FieldError[]> {
    const faults = holderFaults(sent).map(asFieldError);
    if (!isPolicyId(id) || (faults.length === 0 && others().length === 0)) return faults;
    const row = await find(this.#database.sql, { clientId, id });
    if (!row) return faults;
    const policy = asPolicy(row, day(this.#clocks.now(clientId)));
    return [...faults, ...changesOfFixed(sent, policy).map(asFieldError)];
  }

  /** The client's policies on one page, oldest first, and how many there are in all. */
  async list(
    clientId: string,
    filter: PolicyFilter,
    { page, pageSize }: Page,
  ): Promise<{ items: Policy[]; total: number }> {
    const { status = null, regNumber } = filter;
    const { sql } = this.#database;
    const before = (page - 1) * pageSize;
    const today = day(this.#clocks.now(clientId));
    const regKey = regNumber === undefined ? null : vehicleKey(regNumber);
    const rows =
      status === null && regKey === null
        ? await findPage(sql, { clientId, before, upTo: before + pageSize })
        : await findFiltered(sql, { clientId, status, regKey, today, before, pageSize });
    const items = rows.filter((row) => row.id !== null).map((row) => asPolicy(row, today));
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** @throws {ProblemError} `policy-not-found` */
  async read(clientId: string, id: string): Promise<StoredPolicy> {
    if (!isPolicyId(id)) return notFound(id);
    const row = (await find(this.#database.sql, { clientId, id })) ?? notFound(id);
    return asPolicy(row, day(this.#clocks.now(clientId)));
  }

  /**
   * `request` may have the other members of the policy too, as they are. What differs is told after a policy that was not
   * found or can't be changed: nobody learns by it what another's policy has. So are `conditions`
   * (RFC 9110, section 13.2.1: what is refused anyhow is refused for that).
   *
   * @throws {ProblemError} `policy-not-found`, `policy-immutable` when cancelled or expired, `precondition-failed`, or
   *   `validation-error`
   */
  async update(clientId: string, id: string, request: PolicyChange, conditions: Conditions): Promise<StoredPolicy> {
    const { holder } = request;
    if (!isPolicyId(id)) return notFound(id);
    const now = this.#clocks.now(clientId);
    return this.#database.write(async (sql) => {
      const policy = (await lockPolicy(sql, clientId, id, now)) ?? notFound(id);
      checkChangeable(policy);
      requireConditions(conditions, policyTag(policy));
      checkFixed(request, policy);
      return changePolicy(sql, policy, { holder, status: 'updated', updatedAt: instant(now) });
    });
  }

  /**
   * Cancelling again changes nothing, not even the time of the last change. `conditions` as for `update`.
   *
   * @throws {ProblemError} `policy-not-found`, `policy-immutable` when expired, or `precondition-failed`
   */
  async cancel(clientId: string, id: string, conditions: Conditions): Promise<StoredPolicy> {
    if (!isPolicyId(id)) return notFound(id);
    const now = this.#clocks.now(clientId);
    return this.#database.write(async (sql) => {
      const policy = (await lockPolicy(sql, clientId, id, now)) ?? notFound(id);
      const again = policy.status === 'cancelled';
      if (!again) checkChangeable(policy);
      requireConditions(conditions, policyTag(policy));
      return again ? policy : changePolicy(sql, policy, { status: 'cancelled', updatedAt: instant(now) });
    });
  }

  /** Tells whether a policy in force, of whichever client, covers the vehicle today: on the day that its client has. */
  async insured(regNumber: string): Promise<boolean> {
    const found = await findInForce(this.#database.sql, { regKey: vehicleKey(regNumber) });
    if (!found || found.removedAt !== null) return false;
    const today = day(this.#clock.now() + found.clockOffset);
    return found.startDate <= today && today <= found.endDate;
  }
}

/** Tells whether a policy in force, of whichever client, stands in the way of another one for the vehicle. */
export async function isTaken(sql: Sql, regNumber: string): Promise<boolean> {
  return (await findInForce(sql, { regKey: vehicleKey(regNumber) })) !== undefined;
}

/**
 * Takes numbers for so many more policies of a client, and returns the first. The counter numbers them without gaps, so
 * that a page is a seek and the total is known. Its row is locked until the transaction ends, and rolls back with it.
 *
 * @throws {ProblemError} `quota-exceeded`, or `invalid-token` when the client is gone
 */
export async function takeNumbers(sql: Sql, clientId: string, more: number, cap: number): Promise<number> {
  const owner = await countMore(sql, { clientId, more });
  if (!owner) throw clientGone();
  const owned = owner.policyCount - more;
  if (owner.policyCount <= cap) return owned + 1;
  if (more === 1) throw capReached(cap);
  const detail = `This client owns ${owned} policies, and the limit is ${cap}: there is no room for ${more} more. POST /range/v1/me/reset removes all that it owns; or continue with a new demo client.`;
  throw new ProblemError('quota-exceeded', detail);
}

function capReached(cap: number): ProblemError {
  const detail = `This client owns ${cap} policies, which is the limit. Continue with a new demo client.`;
  return new ProblemError('quota-exceeded', detail);
}

/**
 * Makes sure that the client is there and owns the policy. Neither can be removed until the transaction ends.
 *
 * @throws {ProblemError} `policy-not-found`, or `invalid-token` when the client is gone
 */
export async function holdPolicy(sql: Sql, clientId: string, id: string): Promise<void> {
  await lockClient(sql, clientId);
  if (!isPolicyId(id) || !(await find(sql, { clientId, id }))) notFound(id);
}

/** The id of a policy of the client, by its number from 1; numbers past its last policy start over. */
export async function policyNumbered(sql: Sql, clientId: string, number: number): Promise<string | undefined> {
  const count = await countPolicies(sql, clientId);
  if (count === 0) return undefined;
  const policy = await findNumbered(sql, { clientId, number: ((number - 1) % count) + 1 });
  return policy?.id;
}

/** Those of some texts that are ids of policies, whoever owns them. */
export async function existingPolicies(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const id of new Set(ids)) if (isPolicyId(id) && (await findAnybodys(sql, { id }))) found.add(id);
  return found;
}

/** How many policies a client has had since it was there or last reset: the number of the latest. */
export async function countPolicies(sql: Sql, clientId: string): Promise<number> {
  return (await countOf(sql, { clientId }))?.policyCount ?? 0;
}

/** The policies of clients. `restore` writes those that a client owns from the first start on. */
export function ownedPolicies(restore: Required<OwnedRows>['restore']): OwnedRows {
  return {
    name: 'policies',
    remove: (sql, clientId, limit) => removeLast(sql, { clientId, limit }),
    async reset(sql, clientId, limit) {
      const removed = await removeLast(sql, { clientId, limit });
      if (removed > 0)
        await setPolicyCount(sql, { id: clientId, policyCount: (await countPolicies(sql, clientId)) - removed });
      return removed;
    },
    restore,
    count: countPolicies,
  };
}

/** Nobody else changes the policy until the transaction ends. */
export async function lockPolicy(
  sql: Sql,
  clientId: string,
  id: string,
  now: number,
): Promise<StoredPolicy | undefined> {
  const row = await lock(sql, { clientId, id });
  return row && asPolicy(row, day(now));
}

/** Changes a locked policy, which the rules allow. Returns what it is then. */
export async function changePolicy(
  sql: Sql,
  policy: StoredPolicy,
  changes: Partial<StoredPolicy>,
): Promise<StoredPolicy> {
  const changed = { ...policy, ...changes, version: policy.version + 1 };
  await update(sql, changed);
  return changed;
}

const asFieldError = ({ member, detail }: MemberFault): FieldError => ({ pointer: `/${member}`, detail });

function checkFixed(request: PolicyChange, policy: Policy): void {
  const changes = changesOfFixed(request, policy);
  if (changes.length > 0) throw invalid(changes.map(asFieldError));
}

function asPolicy<Row extends Policy>(row: Row, today: string): Row {
  const status = statusOn(today, row.status, row.endDate);
  return status === row.status ? row : { ...row, status };
}

/** As `insertPolicy`, whatever has expired by `now`, in real time. */
export async function insureVehicle(
  sql: Sql,
  clientId: string,
  number: number,
  policy: Policy,
  now: number,
): Promise<boolean> {
  if (await insertPolicy(sql, clientId, number, policy)) return true;
  // The policy in the way may have passed its last day of cover without anybody having written that down, or belong to
  // a client that is being removed. Which day it is, the clock of its own client says.
  const found = await findInForce(sql, { regKey: vehicleKey(policy.regNumber) });
  if (found?.removedAt === null && found.endDate >= day(now + found.clockOffset)) return false;
  if (found) await expire(sql, { id: found.id });
  return insertPolicy(sql, clientId, number, policy);
}

/** Inserts a policy, and tells whether it could: not when another policy in force stands in the way. The rule is an index. */
export async function insertPolicy(sql: Sql, clientId: string, number: number, policy: Policy): Promise<boolean> {
  const { regNumber } = policy;
  const inserted = await insert(sql, { ...policy, clientId, number, regKey: vehicleKey(regNumber), version: 1 });
  return inserted > 0;
}

function duplicate({ regNumber }: Policy): ProblemError {
  const detail = `The vehicle ${regNumber} already has a policy in force, and only one is allowed. Use another registration number.`;
  return new ProblemError('duplicate-policy', detail);
}

/** Whose the policy is makes no difference to the text: advice is given for ids that no policy can have. */
function notFound(id: string): never {
  const advice = isPolicyId(id) ? '' : idAdvice(id, policyIds);
  const detail = `You have no policy with the id ${shownId(id)}.${advice} GET /policies lists your policies.`;
  throw new ProblemError('policy-not-found', detail);
}

const policyIds: IdForm = {
  prefix: 'pol-',
  others: [
    [/^[a-z]{2}-?\d{4}$/i, 'It looks like a registration number. The id of a policy begins with pol-.'],
    [/^CLM-\d/i, 'It is the id of a claim, whose policyNumber is the id of its policy.'],
    [/^(?:sub|demo|preset)-/, 'It is the id of something else. The id of a policy begins with pol-.'],
  ],
};

const find = statement.get`
  select ${shown} from policies where id = ${'id'} and client_id = ${'clientId'}`;

const lock = statement.get`
  update policies set version = version where id = ${'id'} and client_id = ${'clientId'} returning ${shown}`;

const findAnybodys = statement.get`select ${policies.pick('id')} from policies where id = ${'id'}`;

// Those that came last go first, so that the numbers left have no gaps. By a bound, since without statistics PostgreSQL
// compares each number with each of a list.
const removeLast = statement.run`
  delete from policies where client_id = ${'clientId'}
    and number > (select max(number) - ${'limit'} from policies where client_id = ${'clientId'})`;

const findNumbered = statement.get`
  select ${policies.pick('id')} from policies where client_id = ${'clientId'} and number = ${'number'}`;

const findInForce = statement.get`
  select ${policies.pick('id', 'startDate', 'endDate').of('p')}, ${clients.pick('removedAt', 'clockOffset').of('c')}
  from policies p join clients c on c.id = p.client_id
  where p.reg_key = ${'regKey'} and ${storedInForce}`;

// One statement, so that items and total are of one moment. Without a policy on the page, one row has the total.
const findPage = statement.all`
  select c.policy_count as ${alias('total', integer)}, ${listed.outer('p')}
  from clients c
  left join policies p on p.client_id = c.id and p.number > ${'before'} and p.number <= ${'upTo'}
  where c.id = ${'clientId'} and c.removed_at is null
  order by p.number`;

// As many as one client may own are looked at. What a policy is today is told as `statusOn` does.
const findFiltered = statement.all`
  with found as (
    select id, number from policies
    where client_id = ${'clientId'}
      and (cast(${'status'} as text) is null
        or case when ${storedInForce} and end_date < ${'today'} then 'expired' else status end = ${'status'})
      and (cast(${'regKey'} as text) is null or reg_key = ${'regKey'})
  )
  select t.total as ${alias('total', integer)}, ${listed.outer('p')}
  from (select count(*) as total from found) t
  left join (select id, number from found order by number limit ${'pageSize'} offset ${'before'}) n on 1 = 1
  left join policies p on p.id = n.id
  order by n.number`;

const insert = statement.run`
  insert into policies ${policies.values}
  on conflict (reg_key) where ${storedInForce} do nothing`;

const update = statement.run`
  update policies
  set holder = ${'holder'}, status = ${'status'}, updated_at = ${'updatedAt'}, version = ${'version'}
  where id = ${'id'}`;

const expire = statement.run`
  update policies set status = 'expired' where id = ${'id'} and ${storedInForce}`;

const countMore = statement.get`
  update clients set policy_count = policy_count + ${'more'} where id = ${'clientId'} and removed_at is null
  returning ${clients.pick('policyCount')}`;

const countOf = statement.get`
  select ${clients.pick('policyCount')} from clients where id = ${'clientId'} and removed_at is null`;
