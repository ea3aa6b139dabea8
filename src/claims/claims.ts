import { alias, integer, nullable, type RowOf, table, text, textOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { part, statement } from '../database/statement.ts';
import type { Keep } from '../http/answers/stored-answers.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { type IdForm, idAdvice, shownId } from '../http/requests/id-advice.ts';
import type { Page } from '../http/requests/paging.ts';
import { hasHolder, holdPolicy } from '../insurer/index.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { instant } from '../time/clock.ts';
import { dueAfter } from '../time/due-times.ts';
import type { StoredBytes } from '../webhooks/index.ts';
import {
  type ClaimStatus,
  claimId,
  defaultOutcome,
  defaultPaceSeconds,
  isClaimId,
  type Outcome,
  yearOf,
} from './claim.ts';
import type { Claim, ClaimDraft } from './schemas.ts';

export const claims = table('claims', {
  id: text,
  clientId: text,
  policyId: text,
  number: integer,
  status: textOf<ClaimStatus>(),
  statusReason: nullable(text),
  outcome: textOf<Outcome>(),
  paceSeconds: integer,
  registeredAt: text,
  updatedAt: text,
  dueAt: nullable(text),
  /** The trace of the call that registered it: its events are of it. */
  trace: nullable(text),
});

/** What the interface shows. */
const shown = claims.pick('id', 'policyId', 'status', 'statusReason', 'registeredAt', 'updatedAt');

type Numbered = Pick<RowOf<typeof claims>, 'clientId' | 'number'>;

/** Claims in the order in which a transaction locks them. */
export function byNumber(one: Numbered, other: Numbered): number {
  if (one.clientId !== other.clientId) return one.clientId < other.clientId ? -1 : 1;
  return one.number - other.number;
}

/** How many claims a client has had. */
export const claimCounts = table('claim_counts', { clientId: text, claims: integer });
const claimNumbers = table('claim_numbers', { year: integer, last: integer });

/** A claim to register. `trace`: that of the call (`text/trace-context.ts`). */
export type NewClaim = ClaimDraft & { readonly trace?: string | null };

/** Which claims to list. */
export interface ClaimFilter {
  /** Those that changed since this instant, which is written as they are stored. */
  updatedSince?: string | undefined;
  status?: ClaimStatus | undefined;
  policyNumber?: string | undefined;
  holder?: string | undefined;
}

/**
 * The use cases of the claims interface. A client sees the claims on its own policies only; of these, where it calls for a
 * `holder`, those on the policies of that one.
 */
export class Claims {
  readonly #database: Database;
  readonly #clocks: ClientClocks;
  readonly #stored: StoredBytes;
  readonly #cap: number;

  /** `cap` is how many claims one client may own (`claimsPerClient`). */
  constructor(database: Database, clocks: ClientClocks, stored: StoredBytes, cap: number) {
    this.#database = database;
    this.#clocks = clocks;
    this.#stored = stored;
    this.#cap = cap;
  }

  /**
   * Resolves when the claim is durable. `keep` is called in its transaction. Registration is no change of status: no event reports it.
   *
   * @throws {ProblemError} `policy-not-found`, `quota-exceeded`, or `invalid-token` when the client is gone
   */
  async register(clientId: string, request: NewClaim, keep?: Keep<Claim>, holder?: string): Promise<Claim> {
    return this.#database.write(async (sql) => {
      const claim = await this.registerIn(sql, clientId, request, holder);
      await keep?.(sql, claim);
      return claim;
    });
  }

  /** The same within a transaction. */
  async registerIn(sql: Sql, clientId: string, request: NewClaim, holder?: string): Promise<Claim> {
    const offset = this.#clocks.offset(clientId);
    const now = this.#clocks.now(clientId) - offset;
    await holdPolicy(sql, clientId, request.policyNumber, holder);
    await this.#stored.check(sql, clientId);
    return registerClaim(sql, clientId, request, { now, offset }, this.#cap);
  }

  /** @throws {ProblemError} `claim-not-found` */
  async read(clientId: string, id: string, holder?: string): Promise<Claim> {
    return findClaim(this.#database.sql, { clientId, claimId: id, holder });
  }

  /** Undefined if none of the client's claims has this id. */
  async status(clientId: string, id: string): Promise<ClaimStatus | undefined> {
    return (await find(this.#database.sql, { clientId, id }))?.status;
  }

  /** Whether claims of the client have changed, the last of them at least so many milliseconds ago. */
  async changedLastBefore(clientId: string, milliseconds: number): Promise<boolean> {
    const { changedAt = null } = (await findLastChange(this.#database.sql, { clientId })) ?? {};
    return changedAt !== null && Date.parse(changedAt) <= this.#clocks.now(clientId) - milliseconds;
  }

  /**
   * The client's claims on one page, oldest first, and how many there are in all. With `updatedSince` in the order in which
   * they last changed.
   */
  async list(
    clientId: string,
    filter: ClaimFilter,
    { page, pageSize }: Page,
  ): Promise<{ items: Claim[]; total: number }> {
    // PostgreSQL takes no NUL in a text, and no policy has one.
    if (filter.policyNumber?.includes('\0')) return { items: [], total: 0 };
    const { status = null, policyNumber: policyId = null, holder = null, updatedSince: since } = filter;
    const { sql } = this.#database;
    const before = (page - 1) * pageSize;
    const wanted = { clientId, status, policyId, holder, before, pageSize };
    const isWhole = status === null && policyId === null && holder === null;
    const rows =
      since !== undefined
        ? await findChanged(sql, { ...wanted, since })
        : isWhole
          ? await findPage(sql, { clientId, before, upTo: before + pageSize })
          : await findFiltered(sql, wanted);
    return { items: rows.filter((row) => row.id !== null).map(asClaim), total: rows[0]?.total ?? 0 };
  }
}

/**
 * A claim of the client; where it calls for a `holder`, one on a policy of that one.
 *
 * @throws {ProblemError} `claim-not-found`
 */
export async function findClaim(
  sql: Sql,
  { clientId, claimId: id, holder }: { clientId: string; claimId: string; holder?: string | undefined },
): Promise<Claim> {
  const row = isClaimId(id) ? await find(sql, { clientId, id }) : undefined;
  if (row && (holder === undefined || (await hasHolder(sql, clientId, row.policyId, holder)))) return asClaim(row);
  const advice = isClaimId(id) ? '' : idAdvice(id, claimIds);
  const detail = `There is no claim ${shownId(id)} on your policies.${advice} GET /claims lists your claims.`;
  throw new ProblemError('claim-not-found', detail);
}

const claimIds: IdForm = {
  prefix: 'CLM-',
  others: [
    [/^pol-/, 'It is the id of a policy. GET /claims?policyNumber=… lists its claims.'],
    [
      /^(?:search|find|query|filter|all|list|count|status|me|open)$/i,
      'Filters stand in the query: ?status=CLOSED, ?policyNumber=pol-….',
    ],
    [/^clm-\d{4}-\d{6,}$/i, 'The id of a claim has capital letters: CLM-2026-000042.'],
    [/^CLM-/, 'The id of a claim looks like CLM-2026-000042.'],
    [/^[a-z]{2}-?\d{4}$/i, 'It looks like a registration number. The id of a claim looks like CLM-2026-000042.'],
  ],
};

function asClaim({ id, policyId, status, statusReason, registeredAt, updatedAt }: RowOf<typeof shown>): Claim {
  return { claimId: id, policyNumber: policyId, status, statusReason, registeredAt, updatedAt };
}

/**
 * Writes a claim on a policy that the transaction has locked. `now` is in real time, `offset` what its client's clock is
 * ahead.
 */
export async function registerClaim(
  sql: Sql,
  clientId: string,
  { policyNumber, outcome = defaultOutcome, paceSeconds = defaultPaceSeconds, trace = null }: NewClaim,
  { now, offset = 0 }: { now: number; offset?: number },
  cap: number,
): Promise<Claim> {
  const number = await nextNumber(sql, clientId, cap);
  const at = instant(now + offset);
  const row = {
    id: await nextClaimId(sql, now + offset),
    policyId: policyNumber,
    status: 'REGISTERED',
    statusReason: null,
    registeredAt: at,
    updatedAt: at,
  } as const;
  const dueAt = dueAfter(instant(now), paceSeconds * 1000);
  await insert(sql, { ...row, clientId, number, outcome, paceSeconds, dueAt, trace });
  return asClaim(row);
}

async function nextNumber(sql: Sql, clientId: string, cap: number): Promise<number> {
  const number = (await countClaim(sql, { clientId }))?.claims ?? 1;
  const oldest = await findOldest(sql, { clientId });
  const owned = number - (oldest?.first ?? number);
  if (owned < cap) return number;
  const detail = `This client owns ${cap} claims, which is the limit. Continue with a new demo client.`;
  throw new ProblemError('quota-exceeded', detail);
}

// The counter's row stays locked until the transaction ends, so it comes last.
async function nextClaimId(sql: Sql, now: number): Promise<string> {
  const counted = await nextOfYear(sql, { year: yearOf(now) });
  return claimId(now, counted?.last ?? 1);
}

/** Removes claims of a client that is removed or reset, at most `limit`. Returns how many. */
export async function removeClientClaims(sql: Sql, clientId: string, limit: number): Promise<number> {
  await lockOldest(sql, { clientId, limit });
  return removeSome(sql, { clientId, limit });
}

export async function countClientClaims(sql: Sql, clientId: string): Promise<number> {
  return (await count(sql, { clientId }))?.claims ?? 0;
}

const count = statement.get`
  select count(*) as ${alias('claims', integer)} from claims where client_id = ${'clientId'}`;

const find = statement.get`
  select ${shown} from claims where id = ${'id'} and client_id = ${'clientId'}`;

// The lists are one statement each, so that items and total are of one moment. Without a claim on the page, one row has
// the total.

// Numbers have no gaps, but those of the oldest claims may be gone: pages count from the first that is there.
const findPage = statement.all`
  select n.claims - f.first + 1 as ${alias('total', integer)}, ${shown.outer('c')}
  from claim_counts n
  join (select number as first from claims where client_id = ${'clientId'} order by number limit 1) f on 1 = 1
  left join claims c on c.client_id = n.client_id
    and c.number >= f.first + ${'before'} and c.number < f.first + ${'upTo'}
  where n.client_id = ${'clientId'}
  order by c.number`;

const isWanted = part`
  (cast(${'status'} as text) is null or status = ${'status'})
  and (cast(${'policyId'} as text) is null or policy_id = ${'policyId'})
  and (cast(${'holder'} as text) is null
    or exists (select 1 from policies where policies.id = claims.policy_id and holder = ${'holder'}))`;

const findFiltered = statement.all`
  with found as (select id, number from claims where client_id = ${'clientId'} and ${isWanted})
  select t.total as ${alias('total', integer)}, ${shown.outer('c')}
  from (select count(*) as total from found) t
  left join (select id, number from found order by number limit ${'pageSize'} offset ${'before'}) p on 1 = 1
  left join claims c on c.id = p.id
  order by p.number`;

const findChanged = statement.all`
  with found as (
    select id, updated_at from claims
    where client_id = ${'clientId'} and updated_at >= ${'since'} and ${isWanted}
  )
  select t.total as ${alias('total', integer)}, ${shown.outer('c')}
  from (select count(*) as total from found) t
  left join (select id, updated_at from found order by updated_at, id limit ${'pageSize'} offset ${'before'}) p on 1 = 1
  left join claims c on c.id = p.id
  order by p.updated_at, p.id`;

const findLastChange = statement.get`
  select max(updated_at) as ${alias('changedAt', nullable(text))} from claims
  where client_id = ${'clientId'} and status <> 'REGISTERED'`;

const findOldest = statement.get`
  select min(number) as ${alias('first', nullable(integer))} from claims where client_id = ${'clientId'}`;

const insert = statement.run`insert into claims ${claims.values}`;

const countClaim = statement.get`
  insert into claim_counts (client_id, claims) values (${'clientId'}, 1)
  on conflict (client_id) do update set claims = claim_counts.claims + 1
  returning ${claimCounts.pick('claims')}`;

const nextOfYear = statement.get`
  insert into claim_numbers (year, last) values (${'year'}, 1)
  on conflict (year) do update set last = claim_numbers.last + 1
  returning ${claimNumbers.pick('last')}`;

// The numbers have no gaps. By a bound, since without statistics PostgreSQL compares each number with each of a list. The
// desk may be about to move some.
const lockOldest = statement.all`
  select ${claims.pick('number')} from claims where client_id = ${'clientId'}
    and number < (select min(number) + ${'limit'} from claims where client_id = ${'clientId'})
  order by number ${lockRows}`;

const removeSome = statement.run`
  delete from claims where client_id = ${'clientId'}
    and number < (select min(number) + ${'limit'} from claims where client_id = ${'clientId'})`;
