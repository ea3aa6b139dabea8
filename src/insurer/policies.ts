import { type Clock, day, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import { clientGone } from '../http/bearer.ts';
import type { Page } from '../http/paging.ts';
import { excerpt, ProblemError } from '../http/problem.ts';
import { lockClient } from './clients.ts';
import type { CoverageCode } from './coverage-option.ts';
import {
  immutable,
  isPolicyId,
  type NewPolicy,
  newPolicy,
  type Policy,
  type PolicyStatus,
  statusOn,
  vehicleKey,
} from './policy.ts';

// Statements name these columns rather than *: PostgreSQL refuses a prepared * once a newer program adds a column.
interface PolicyRow {
  id: string;
  status: PolicyStatus;
  reg_number: string;
  holder: string | null;
  coverage_option: CoverageCode;
  start_date: string;
  end_date: string;
  created_at: string;
  updated_at: string;
}

/**
 * The use cases of endpoints 4 to 8 and 10. A client sees its own policies only; another's are not found (Endpoints,
 * rule 3).
 */
export class Policies {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cap: number;

  /** `cap` is how many policies one client may own (`policiesPerClient`). */
  constructor(database: Database, clock: Clock, cap: number) {
    this.#database = database;
    this.#clock = clock;
    this.#cap = cap;
  }

  /**
   * Resolves when the policy is durable.
   *
   * @throws {ProblemError} `duplicate-policy`, `quota-exceeded`, `validation-error`, or `invalid-token` when the
   *   client is gone
   */
  async create(clientId: string, request: NewPolicy): Promise<Policy> {
    const now = this.#clock.now();
    const policy = newPolicy(request, now);
    await this.#database.write(async (sql) => {
      const number = await this.#nextNumber(sql, clientId);
      if (await insureVehicle(sql, clientId, number, policy)) return;
      const detail = `A policy for the vehicle ${policy.regNumber} is in force already; the register allows one. Use another registration number.`;
      throw new ProblemError('duplicate-policy', detail);
    });
    return policy;
  }

  // The counter numbers a client's policies without gaps, so that a page is a seek and the total is known. Its row
  // is locked until the transaction ends, and rolls back with it.
  async #nextNumber(sql: Sql, clientId: string): Promise<number> {
    const owner = await sql.get<{ policy_count: number }>`
      update clients set policy_count = policy_count + 1 where id = ${clientId} and removed_at is null
      returning policy_count`;
    if (!owner) throw clientGone();
    if (owner.policy_count > this.#cap) {
      const detail = `A client may own ${this.#cap} policies, and this one does. Go on with a new demo client.`;
      throw new ProblemError('quota-exceeded', detail);
    }
    return owner.policy_count;
  }

  /** The client's policies on one page, oldest first, and how many it owns in all. */
  async list(clientId: string, { page, pageSize }: Page): Promise<{ items: Policy[]; total: number }> {
    const before = (page - 1) * pageSize;
    // One statement, so that items and total are of one moment. Without a policy on the page, one row has the total.
    const rows = await this.#database.sql.all<{ total: number } & (PolicyRow | { id: null })>`
      select c.policy_count as total, p.id, p.status, p.reg_number, p.holder, p.coverage_option, p.start_date,
        p.end_date, p.created_at, p.updated_at
      from clients c
      left join policies p on p.client_id = c.id and p.number > ${before} and p.number <= ${before + pageSize}
      where c.id = ${clientId} and c.removed_at is null
      order by p.number`;
    const today = day(this.#clock.now());
    const items = rows.filter((row) => row.id !== null).map((row) => asPolicy(row, today));
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** @throws {ProblemError} `policy-not-found` */
  async read(clientId: string, id: string): Promise<Policy> {
    if (!isPolicyId(id)) return notFound(id);
    return asPolicy((await findPolicy(this.#database.sql, clientId, id)) ?? notFound(id), day(this.#clock.now()));
  }

  /** @throws {ProblemError} `policy-not-found`, or `policy-immutable` when cancelled or expired */
  async update(clientId: string, id: string, holder: string): Promise<Policy> {
    if (!isPolicyId(id)) return notFound(id);
    const now = this.#clock.now();
    const row = await this.#database.write(async (sql) => {
      const updated = await sql.get<PolicyRow>`
        update policies set holder = ${holder}, status = 'updated', updated_at = ${instant(now)}
        where id = ${id} and client_id = ${clientId} and status in ('active', 'updated') and end_date >= ${day(now)}
        returning id, status, reg_number, holder, coverage_option, start_date, end_date, created_at, updated_at`;
      if (updated) return updated;
      throw immutable(asPolicy((await findPolicy(sql, clientId, id)) ?? notFound(id), day(now)));
    });
    return asPolicy(row, day(now));
  }

  /**
   * Cancelling again changes nothing, not even the time of the last change.
   *
   * @throws {ProblemError} `policy-not-found`, or `policy-immutable` when expired
   */
  async cancel(clientId: string, id: string): Promise<Policy> {
    if (!isPolicyId(id)) return notFound(id);
    const now = this.#clock.now();
    const row = await this.#database.write(async (sql) => {
      const cancelled = await sql.get<PolicyRow>`
        update policies set status = 'cancelled', updated_at = ${instant(now)}
        where id = ${id} and client_id = ${clientId} and status in ('active', 'updated') and end_date >= ${day(now)}
        returning id, status, reg_number, holder, coverage_option, start_date, end_date, created_at, updated_at`;
      const found = cancelled ?? (await findPolicy(sql, clientId, id)) ?? notFound(id);
      if (found.status !== 'cancelled') throw immutable(asPolicy(found, day(now)));
      return found;
    });
    return asPolicy(row, day(now));
  }

  /** As `PolicyRecords.lockPolicy`. */
  async lock(sql: Sql, clientId: string, id: string): Promise<void> {
    await lockClient(sql, clientId);
    if (!isPolicyId(id) || !(await findPolicy(sql, clientId, id))) notFound(id);
  }

  /** As `PolicyRecords.policyNumbered`. */
  async numbered(sql: Sql, clientId: string, number: number): Promise<string | undefined> {
    const owner = await sql.get<{ policy_count: number }>`select policy_count from clients where id = ${clientId}`;
    if (!owner?.policy_count) return undefined;
    const place = ((number - 1) % owner.policy_count) + 1;
    const policy = await sql.get<{ id: string }>`
      select id from policies where client_id = ${clientId} and number = ${place}`;
    return policy?.id;
  }

  /** Whether a policy in force, of whichever client, covers the vehicle today. */
  async insured(regNumber: string): Promise<boolean> {
    const today = day(this.#clock.now());
    const row = await this.#database.sql.get<{ id: string }>`
      select p.id from policies p join clients c on c.id = p.client_id and c.removed_at is null
      where p.reg_key = ${vehicleKey(regNumber)} and p.status in ('active', 'updated')
        and p.start_date <= ${today} and p.end_date >= ${today}`;
    return row !== undefined;
  }
}

function asPolicy(row: PolicyRow, today: string): Policy {
  return {
    id: row.id,
    status: statusOn(today, row.status, row.end_date),
    regNumber: row.reg_number,
    holder: row.holder,
    coverageOption: row.coverage_option,
    startDate: row.start_date,
    endDate: row.end_date,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** As `insertPolicy`, whatever has expired meanwhile. The policy begins on the day it was created, or later. */
export async function insureVehicle(sql: Sql, clientId: string, number: number, policy: Policy): Promise<boolean> {
  if (await insertPolicy(sql, clientId, number, policy)) return true;
  // The policy in the way may have passed its last day of cover without anybody having written that down, or belong to
  // a client that is being removed.
  const today = policy.createdAt.slice(0, 10);
  const expired = await sql.run`
    update policies set status = 'expired'
    where reg_key = ${vehicleKey(policy.regNumber)} and status in ('active', 'updated') and (
      end_date < ${today} or client_id in (select id from clients where removed_at is not null)
    )`;
  return expired > 0 && insertPolicy(sql, clientId, number, policy);
}

/** Whether it was inserted: false when another policy in force stands in the way. The rule is an index. */
export async function insertPolicy(sql: Sql, clientId: string, number: number, policy: Policy): Promise<boolean> {
  const inserted = await sql.run`
    insert into policies (id, client_id, number, reg_number, reg_key, holder, coverage_option, status, start_date,
      end_date, created_at, updated_at)
    values (${policy.id}, ${clientId}, ${number}, ${policy.regNumber}, ${vehicleKey(policy.regNumber)},
      ${policy.holder}, ${policy.coverageOption}, ${policy.status}, ${policy.startDate}, ${policy.endDate},
      ${policy.createdAt}, ${policy.updatedAt})
    on conflict (reg_key) where status in ('active', 'updated') do nothing`;
  return inserted > 0;
}

function findPolicy(sql: Sql, clientId: string, id: string): Promise<PolicyRow | undefined> {
  return sql.get<PolicyRow>`
    select id, status, reg_number, holder, coverage_option, start_date, end_date, created_at, updated_at
    from policies where id = ${id} and client_id = ${clientId}`;
}

function notFound(id: string): never {
  throw new ProblemError(
    'policy-not-found',
    `You own no policy with the id ${excerpt(id)}. GET /policies lists those you own.`,
  );
}
