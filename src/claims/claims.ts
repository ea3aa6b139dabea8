import { type Clock, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import type { Page } from '../http/paging.ts';
import { excerpt, ProblemError } from '../http/problem.ts';
import type { PolicyRecords } from '../insurer/index.ts';
import type { StoredBytes } from '../webhooks/index.ts';
import {
  type Claim,
  type ClaimStatus,
  claimId,
  defaultPaceSeconds,
  dueAfter,
  isClaimId,
  type NewClaim,
  yearOf,
} from './claim.ts';

interface ClaimRow {
  id: string;
  policy_id: string;
  status: ClaimStatus;
  status_reason: string | null;
  registered_at: string;
  updated_at: string;
}

/** Which claims to list. */
export interface ClaimFilter {
  status?: ClaimStatus | undefined;
  policyNumber?: string | undefined;
}

/** The use cases of the claims interface. A client sees the claims on its own policies only. */
export class Claims {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #records: PolicyRecords;
  readonly #stored: StoredBytes;
  readonly #cap: number;

  /** `cap` is how many claims one client may own. */
  constructor(database: Database, clock: Clock, records: PolicyRecords, stored: StoredBytes, cap: number) {
    this.#database = database;
    this.#clock = clock;
    this.#records = records;
    this.#stored = stored;
    this.#cap = cap;
  }

  /**
   * Resolves when the claim is durable. Registration is no change of status: no event reports it.
   *
   * @throws {ProblemError} `policy-not-found`, `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async register(clientId: string, request: NewClaim): Promise<Claim> {
    const now = this.#clock.now();
    return this.#database.write(async (sql) => {
      await this.#records.lockPolicy(sql, clientId, request.policyNumber);
      await this.#stored.check(sql, clientId);
      return registerClaim(sql, clientId, request, now, this.#cap);
    });
  }

  /** @throws {ProblemError} `claim-not-found` */
  async read(clientId: string, id: string): Promise<Claim> {
    const row = isClaimId(id)
      ? await this.#database.sql.get<ClaimRow>`
          select id, policy_id, status, status_reason, registered_at, updated_at
          from claims where id = ${id} and client_id = ${clientId}`
      : undefined;
    if (row) return asClaim(row);
    const detail = `There is no claim ${excerpt(id)} on your policies. GET /claims lists your claims.`;
    throw new ProblemError('claim-not-found', detail);
  }

  /** The client's claims on one page, oldest first, and how many there are in all. */
  async list(clientId: string, filter: ClaimFilter, page: Page): Promise<{ items: Claim[]; total: number }> {
    // PostgreSQL takes no NUL in a text, and no policy has one.
    if (filter.policyNumber?.includes('\0')) return { items: [], total: 0 };
    const filtered = filter.status !== undefined || filter.policyNumber !== undefined;
    const rows = filtered ? await this.#listSome(clientId, filter, page) : await this.#listAll(clientId, page);
    return { items: rows.filter((row) => row.id !== null).map(asClaim), total: rows[0]?.total ?? 0 };
  }

  // One statement, so that items and total are of one moment. Without a claim on the page, one row has the total.
  // Numbers have no gaps, but those of the oldest claims may be gone: pages count from the first that is there.
  #listAll(clientId: string, { page, pageSize }: Page): Promise<ListRow[]> {
    const before = (page - 1) * pageSize;
    return this.#database.sql.all<ListRow>`
      select n.claims - f.first + 1 as total, c.id, c.policy_id, c.status, c.status_reason, c.registered_at, c.updated_at
      from claim_counts n
      join (select coalesce(min(number), 0) as first from claims where client_id = ${clientId}) f on f.first > 0
      left join claims c on c.client_id = n.client_id
        and c.number >= f.first + ${before} and c.number < f.first + ${before + pageSize}
      where n.client_id = ${clientId}
      order by c.number`;
  }

  #listSome(clientId: string, filter: ClaimFilter, { page, pageSize }: Page): Promise<ListRow[]> {
    const before = (page - 1) * pageSize;
    const status = filter.status ?? null;
    const policyNumber = filter.policyNumber ?? null;
    return this.#database.sql.all<ListRow>`
      with found as (
        select number, id, policy_id, status, status_reason, registered_at, updated_at from claims
        where client_id = ${clientId}
          and (cast(${status} as text) is null or status = ${status})
          and (cast(${policyNumber} as text) is null or policy_id = ${policyNumber})
      )
      select t.total, c.id, c.policy_id, c.status, c.status_reason, c.registered_at, c.updated_at
      from (select count(*) as total from found) t
      left join (
        select number, id, policy_id, status, status_reason, registered_at, updated_at from found
        order by number limit ${pageSize} offset ${before}
      ) c on 1 = 1
      order by c.number`;
  }
}

type ListRow = { total: number } & ClaimRow;

function asClaim(row: ClaimRow): Claim {
  return {
    claimId: row.id,
    policyNumber: row.policy_id,
    status: row.status,
    statusReason: row.status_reason,
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
  };
}

/** Writes a claim on a policy that the transaction has locked. */
export async function registerClaim(
  sql: Sql,
  clientId: string,
  { policyNumber, outcome = 'APPROVED', paceSeconds = defaultPaceSeconds }: NewClaim,
  now: number,
  cap: number,
): Promise<Claim> {
  const number = await nextNumber(sql, clientId, cap);
  const at = instant(now);
  const claim: Claim = {
    claimId: await nextClaimId(sql, now),
    policyNumber,
    status: 'REGISTERED',
    statusReason: null,
    registeredAt: at,
    updatedAt: at,
  };
  await sql.run`
    insert into claims (id, client_id, policy_id, number, status, outcome, pace_seconds, registered_at, updated_at,
      due_at)
    values (${claim.claimId}, ${clientId}, ${policyNumber}, ${number}, ${claim.status}, ${outcome}, ${paceSeconds},
      ${at}, ${at}, ${dueAfter(at, paceSeconds)})`;
  return claim;
}

async function nextNumber(sql: Sql, clientId: string, cap: number): Promise<number> {
  const counted = await sql.get<{ claims: number }>`
    insert into claim_counts (client_id, claims) values (${clientId}, 1)
    on conflict (client_id) do update set claims = claim_counts.claims + 1
    returning claims`;
  const number = counted?.claims ?? 1;
  const oldest = await sql.get<{ first: number | null }>`
    select min(number) as first from claims where client_id = ${clientId}`;
  const owned = number - (oldest?.first ?? number);
  if (owned < cap) return number;
  const detail = `This client owns ${cap} claims, which is the limit. Continue with a new demo client.`;
  throw new ProblemError('quota-exceeded', detail);
}

// The counter's row stays locked until the transaction ends, so it comes last.
async function nextClaimId(sql: Sql, now: number): Promise<string> {
  const year = yearOf(now);
  const counted = await sql.get<{ last: number }>`
    insert into claim_numbers (year, last) values (${year}, 1)
    on conflict (year) do update set last = claim_numbers.last + 1
    returning last`;
  return claimId(now, counted?.last ?? 1);
}

/** Removes claims of a client that is being removed, at most `limit`. Returns how many. */
export function removeClientClaims(sql: Sql, clientId: string, limit: number): Promise<number> {
  return sql.run`
    delete from claims where client_id = ${clientId} and number in (
      select number from claims where client_id = ${clientId} order by number limit ${limit}
    )`;
}
