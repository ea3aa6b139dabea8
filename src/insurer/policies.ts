import { clients, lockClient, setPolicyCount } from '../clients/clients.ts';
import type { OwnedRows } from '../clients/owned-rows.ts';
import { alias, type Fragment, integer, nullable, table, text, textOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { part, statement } from '../database/statement.ts';
import type { Keep } from '../http/answers/stored-answers.ts';
import { type FieldError, ProblemError } from '../http/problems/problem.ts';
import { clientGone } from '../http/requests/bearer.ts';
import { type IdForm, idAdvice, shownId } from '../http/requests/id-advice.ts';
import type { Page } from '../http/requests/paging.ts';
import { type Conditions, requireConditions } from '../http/requests/preconditions.ts';
import { invalid } from '../http/requests/validation.ts';
import { magicPlate } from '../magic-plates.ts';
import type { Randomness } from '../randomness.ts';
import type { Config } from '../settings/config.ts';
import { erased } from '../text/name-finder.ts';
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
  policyTag,
  statusOn,
} from './policy.ts';
import { type PolicyStatus, statusesInForce } from './policy-status.ts';
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

/** What a list is asked for: policies with this status today, for this vehicle, of this holder, or changed since an instant. */
export interface PolicyFilter {
  readonly updatedSince?: string | undefined;
  readonly status?: PolicyStatus | undefined;
  readonly regNumber?: string | undefined;
  readonly holder?: string | undefined;
}

/** A policy, and how many versions of it there have been. */
export interface StoredPolicy extends Policy {
  readonly version: number;
}

/**
 * The use cases of endpoints 4 to 8 and 10. A client sees its own policies only; another's are not found (Endpoints,
 * rule 3). So it is with those of other holders where it calls for one: `holder`.
 */
export class Policies {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #clocks: ClientClocks;
  readonly #randomness: Randomness;
  readonly #cap: number;
  readonly #magicPlates: boolean;

  /** `policiesPerClient` is how many policies one client may own. */
  constructor(
    database: Database,
    clock: Clock,
    clocks: ClientClocks,
    randomness: Randomness,
    { policiesPerClient, magicPlates }: Pick<Config, 'policiesPerClient' | 'magicPlates'>,
  ) {
    this.#magicPlates = magicPlates === 'on';
    this.#database = database;
    this.#clock = clock;
    this.#clocks = clocks;
    this.#randomness = randomness;
    this.#cap = policiesPerClient;
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
      // A magic plate is refused on no other ground: it can be insured again and again.
      if (this.#magicPlates && magicPlate(policy.regNumber) !== undefined)
        await insertPolicy(sql, clientId, number, policy, `${vehicleKey(policy.regNumber)} ${policy.id}`);
      else if (!(await insureVehicle(sql, clientId, number, policy, this.#clock.now()))) throw duplicate(policy);
      await keep?.(sql, policy);
    });
    return policy;
  }

  /**
   * Creates policies within a transaction, each for itself. Tells of each, in their order, what it is or why it could not be
   * created: as `create` does. Where the client has little room left, of the first of them only, at least of one.
   *
   * @throws {ProblemError} `invalid-token` when the client is gone
   * @throws {StaleInTheWay} when that is to be written down before
   */
  async createEach(sql: Sql, clientId: string, requests: readonly PolicyDraft[]): Promise<(Policy | ProblemError)[]> {
    await lockClient(sql, clientId);
    const owned = await countPolicies(sql, clientId);
    const outcomes = this.#draft(clientId, requests, owned);
    const drafted = outcomes.flatMap((each) => (each instanceof ProblemError ? [] : [each]));
    const numbered = drafted.map((policy, at) => ({ policy, number: owned + 1 + at }));
    const created = new Set<Policy | ProblemError>();
    const stale: string[] = [];
    for (const { policy, number } of inOrderOfVehicles(numbered)) {
      if (await insertPolicy(sql, clientId, number, policy)) created.add(policy);
      else if (await findStale(sql, policy.regNumber, this.#clock.now())) stale.push(policy.regNumber);
    }
    if (stale.length > 0) throw new StaleInTheWay(stale);
    // In the order of the requests, and without gaps.
    let last = owned;
    for (const { policy, number } of numbered.filter((each) => created.has(each.policy))) {
      last += 1;
      if (number !== last) await renumber(sql, { id: policy.id, number: last });
    }
    await setPolicyCount(sql, { id: clientId, policyCount: last });
    return outcomes.map((each) => (each instanceof ProblemError || created.has(each) ? each : duplicate(each)));
  }

  /** Policies that requests ask for, or what is wrong with them: of as many as a client that owns so many has room for. */
  #draft(clientId: string, requests: readonly PolicyDraft[], owned: number): (Policy | ProblemError)[] {
    const now = this.#clocks.now(clientId);
    const room = Math.max(0, this.#cap - owned);
    const outcomes: (Policy | ProblemError)[] = [];
    let drafted = 0;
    for (const request of requests) {
      const [fault] = draftFaults(request, day(now));
      if (fault) outcomes.push(invalid([asFieldError(fault)]));
      else if (room === 0) outcomes.push(capReached(this.#cap));
      else if (drafted === room) break;
      else {
        outcomes.push(newPolicy(request, now, this.#randomness));
        drafted += 1;
      }
    }
    return outcomes;
  }

  /**
   * What a body for `create` has wrong at a time of its client, that its schema can't tell. A start out of range is told here only with something else:
   * alone it may be a repeat, whose first answer is kept.
   */
  faultsOfDraft(now: number, sent: object, others: () => readonly FieldError[]): FieldError[] {
    const faults = draftFaults(sent, day(now));
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
    holder?: string,
  ): Promise<FieldError[]> {
    const faults = holderFaults(sent).map(asFieldError);
    if (!isPolicyId(id) || (faults.length === 0 && others().length === 0)) return faults;
    const row = ofHolder(await find(this.#database.sql, { clientId, id }), holder);
    if (!row) return faults;
    const policy = asPolicy(row, day(this.#clocks.now(clientId)));
    return [...faults, ...changesOfFixed(sent, policy).map(asFieldError)];
  }

  /**
   * The client's policies on one page, oldest first, and how many there are in all. With `updatedSince`, an instant as they
   * are stored, in the order in which they last changed.
   */
  async list(
    clientId: string,
    filter: PolicyFilter,
    { page, pageSize }: Page,
  ): Promise<{ items: Policy[]; total: number }> {
    const { status = null, regNumber, holder = null, updatedSince: since } = filter;
    const { sql } = this.#database;
    const before = (page - 1) * pageSize;
    const today = day(this.#clocks.now(clientId));
    const regKey = regNumber === undefined ? null : vehicleKey(regNumber);
    const wanted = { clientId, status, regKey, holder, today, before, pageSize };
    const isWhole = status === null && regKey === null && holder === null;
    const rows =
      since !== undefined
        ? await findChanged(sql, { ...wanted, since })
        : isWhole
          ? await findPage(sql, { clientId, before, upTo: before + pageSize })
          : await findFiltered(sql, wanted);
    const items = rows.filter((row) => row.id !== null).map((row) => asPolicy(row, today));
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** @throws {ProblemError} `policy-not-found` */
  async read(clientId: string, id: string, holder?: string): Promise<StoredPolicy> {
    if (!isPolicyId(id)) return notFound(id);
    const row = ofHolder(await find(this.#database.sql, { clientId, id }), holder) ?? notFound(id);
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
  async update(
    clientId: string,
    id: string,
    request: PolicyChange,
    conditions: Conditions,
    person?: string,
  ): Promise<StoredPolicy> {
    const { holder } = request;
    if (!isPolicyId(id)) return notFound(id);
    const now = this.#clocks.now(clientId);
    return this.#database.write(async (sql) => {
      const policy = ofHolder(await lockPolicy(sql, clientId, id, now), person) ?? notFound(id);
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
  async cancel(clientId: string, id: string, conditions: Conditions, holder?: string): Promise<StoredPolicy> {
    if (!isPolicyId(id)) return notFound(id);
    const now = this.#clocks.now(clientId);
    return this.#database.write(async (sql) => {
      const policy = ofHolder(await lockPolicy(sql, clientId, id, now), holder) ?? notFound(id);
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
 * Makes sure that the client is there and owns the policy, for this holder if one is given. Neither can be removed until the transaction ends.
 *
 * @throws {ProblemError} `policy-not-found`, or `invalid-token` when the client is gone
 */
export async function holdPolicy(sql: Sql, clientId: string, id: string, holder?: string): Promise<void> {
  await lockClient(sql, clientId);
  if (!isPolicyId(id) || !ofHolder(await find(sql, { clientId, id }), holder)) notFound(id);
}

/** A policy that a client may see that calls for a holder, if it does. */
function ofHolder<Row extends Pick<Policy, 'holder'>>(row: Row | undefined, holder: string | undefined) {
  return holder === undefined || row?.holder === holder ? row : undefined;
}

/** Whether a policy of the client has this holder. */
export async function hasHolder(sql: Sql, clientId: string, id: string, holder: string): Promise<boolean> {
  return (await find(sql, { clientId, id }))?.holder === holder;
}

/** The ids of policies of a holder, oldest first. */
export async function policiesOfHolder(sql: Sql, clientId: string, holder: string): Promise<string[]> {
  return (await findOfHolder(sql, { clientId, holder })).map(({ id }) => id);
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

/** Policies of a client with numbers after one, oldest first. */
export const policiesAfter = (
  sql: Sql,
  page: { readonly clientId: string; readonly after: number; readonly limit: number },
): Promise<Policy[]> => findAfter(sql, page);

/** How many policies a client has had since it was there or last reset: the number of the latest. */
export async function countPolicies(sql: Sql, clientId: string): Promise<number> {
  return (await countOf(sql, { clientId }))?.policyCount ?? 0;
}

/** Policies that one step of an erasure looks at. */
const erasedAtOnce = 500;

/** The policies of clients. `restore` writes those that a client owns from the first start on. */
export function ownedPolicies(restore: Required<OwnedRows>['restore'], clocks: ClientClocks): OwnedRows {
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
    async erase(sql, { clientId, name }, after) {
      const from = Number(after);
      const upTo = from + erasedAtOnce;
      const found = await lockOfHolder(sql, { clientId, holder: name.name, from, upTo });
      const updatedAt = instant(clocks.now(clientId));
      for (const policy of found) await changePolicy(sql, policy, { holder: erased, updatedAt });
      const isLast = upTo >= (await countPolicies(sql, clientId));
      return { changed: found.length, ...(!isLast && { after: String(upTo) }) };
    },
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

export const asFieldError = ({ member, detail }: MemberFault): FieldError => ({ pointer: `/${member}`, detail });

function checkFixed(request: PolicyChange, policy: Policy): void {
  const changes = changesOfFixed(request, policy);
  if (changes.length > 0) throw invalid(changes.map(asFieldError));
}

function asPolicy<Row extends Policy>(row: Row, today: string): Row {
  const status = statusOn(today, row.status, row.endDate);
  return status === row.status ? row : { ...row, status };
}

/** As `insertPolicy`, whatever has expired by `now`, in real time. For a transaction that insures one vehicle. */
async function insureVehicle(
  sql: Sql,
  clientId: string,
  number: number,
  policy: Policy,
  now: number,
): Promise<boolean> {
  if (await insertPolicy(sql, clientId, number, policy)) return true;
  const stale = await findStale(sql, policy.regNumber, now);
  if (!stale) return false;
  await expire(sql, stale);
  return insertPolicy(sql, clientId, number, policy);
}

/**
 * A policy that only seems to be in force: it may have passed its last day of cover without anybody having written that
 * down, or belong to a client that is being removed. Which day it is, the clock of its own client says.
 */
export async function findStale(sql: Sql, regNumber: string, now: number): Promise<{ id: string } | undefined> {
  const found = await findInForce(sql, { regKey: vehicleKey(regNumber) });
  return found && (found.removedAt !== null || found.endDate < day(now + found.clockOffset)) ? found : undefined;
}

/** A transaction that insures several vehicles meets what only seems to be in force; to change it there could be a deadlock. */
export class StaleInTheWay extends Error {
  readonly regNumbers: readonly string[];

  constructor(regNumbers: readonly string[]) {
    super('Policies that have ended stand in the way');
    this.regNumbers = regNumbers;
  }
}

/** Writes down what has ended by `now`, in real time, of the policies of these vehicles: each in a transaction of its own. */
export async function expireStale(database: Database, regNumbers: readonly string[], now: number): Promise<void> {
  for (const regNumber of regNumbers) {
    const stale = await findStale(database.sql, regNumber, now);
    if (stale) await database.write((sql) => expire(sql, stale));
  }
}

/** As transactions that insure several vehicles take them, so that none waits for another in a circle (lock-order.ts). */
export function inOrderOfVehicles<Each extends { readonly policy: Pick<Policy, 'regNumber'> }>(
  all: readonly Each[],
): Each[] {
  const keyOf = ({ policy }: Each) => vehicleKey(policy.regNumber);
  return all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
}

/** Inserts a policy, and tells whether it could: not when another policy in force stands in the way. The rule is an index. */
export async function insertPolicy(
  sql: Sql,
  clientId: string,
  number: number,
  policy: Policy,
  regKey = vehicleKey(policy.regNumber),
): Promise<boolean> {
  const inserted = await insert(sql, { ...policy, clientId, number, regKey, version: 1 });
  return inserted > 0;
}

export function duplicate({ regNumber }: Pick<Policy, 'regNumber'>): ProblemError {
  const detail = `The vehicle ${regNumber} already has a policy in force, and only one is allowed. Use another registration number.`;
  return new ProblemError('duplicate-policy', detail);
}

/** Whose the policy is makes no difference to the text: advice is given for ids that no policy can have. */
/** What is wrong with the form of a policy's id, as a sentence with a space before it; empty where nothing is known. */
export function policyIdAdvice(id: string): string {
  return isPolicyId(id) ? '' : idAdvice(id, policyIds);
}

function notFound(id: string): never {
  const advice = policyIdAdvice(id);
  const detail = `You have no policy with the id ${shownId(id)}.${advice} GET /policies lists your policies.`;
  throw new ProblemError('policy-not-found', detail);
}

const policyIds: IdForm = {
  prefix: 'pol-',
  others: [
    [/^[a-z]{2}-?\d{4}$/i, 'It looks like a registration number. The id of a policy begins with pol-.'],
    [/^(?:imports?|bulk|batch|upload|csv)$/i, 'Imports are at /policy-imports.'],
    [
      /^(?:search|find|query|filter|all|list|count|status|me|active)$/i,
      'Filters stand in the query: ?status=active, ?regNumber=AB-1234.',
    ],
    [/^CLM-\d/i, 'It is the id of a claim, whose policyNumber is the id of its policy.'],
    [/^(?:sub|demo|preset)-/, 'It is the id of something else. The id of a policy begins with pol-.'],
  ],
};

const find = statement.get`
  select ${shown} from policies where id = ${'id'} and client_id = ${'clientId'}`;

const lock = statement.get`
  select ${shown} from policies where id = ${'id'} and client_id = ${'clientId'} ${lockRows}`;

// By number, so that an index is read. Who locks several policies of a client has its row.
const lockOfHolder = statement.all`
  select ${shown} from policies
  where client_id = ${'clientId'} and number > ${'from'} and number <= ${'upTo'} and holder = ${'holder'}
  order by number ${lockRows}`;

const renumber = statement.run`update policies set number = ${'number'} where id = ${'id'}`;

const findAnybodys = statement.get`select ${policies.pick('id')} from policies where id = ${'id'}`;

// Those that came last go first, so that the numbers left have no gaps. By a bound, since without statistics PostgreSQL
// compares each number with each of a list.
const removeLast = statement.run`
  delete from policies where client_id = ${'clientId'}
    and number > (select max(number) - ${'limit'} from policies where client_id = ${'clientId'})`;

const findNumbered = statement.get`
  select ${policies.pick('id')} from policies where client_id = ${'clientId'} and number = ${'number'}`;

const findAfter = statement.all`
  select ${listed} from policies where client_id = ${'clientId'} and number > ${'after'} order by number limit ${'limit'}`;

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

// The keys of magic plates go on with a space. What a policy is today is told as `statusOn` does.
const isWanted = part`
  (cast(${'status'} as text) is null
    or case when ${storedInForce} and end_date < ${'today'} then 'expired' else status end = ${'status'})
  and (cast(${'holder'} as text) is null or holder = ${'holder'})
  and (cast(${'regKey'} as text) is null or reg_key = ${'regKey'}
    or substr(reg_key, 1, length(cast(${'regKey'} as text)) + 1) = cast(${'regKey'} as text) || ' ')`;

// As many as one client may own are looked at.
const findFiltered = statement.all`
  with found as (select id, number from policies where client_id = ${'clientId'} and ${isWanted})
  select t.total as ${alias('total', integer)}, ${listed.outer('p')}
  from (select count(*) as total from found) t
  left join (select id, number from found order by number limit ${'pageSize'} offset ${'before'}) n on 1 = 1
  left join policies p on p.id = n.id
  order by n.number`;

// Those that changed since are looked at.
const findChanged = statement.all`
  with found as (
    select id, updated_at from policies
    where client_id = ${'clientId'} and updated_at >= ${'since'} and ${isWanted}
  )
  select t.total as ${alias('total', integer)}, ${listed.outer('p')}
  from (select count(*) as total from found) t
  left join (select id, updated_at from found order by updated_at, id limit ${'pageSize'} offset ${'before'}) n on 1 = 1
  left join policies p on p.id = n.id
  order by n.updated_at, n.id`;

// As many as one client may own are looked at.
const findOfHolder = statement.all`
  select ${policies.pick('id')} from policies where client_id = ${'clientId'} and holder = ${'holder'} order by number`;

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
