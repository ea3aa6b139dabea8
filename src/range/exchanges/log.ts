import { type OwnedRows, writeWithEnd } from '../../clients/owned-rows.ts';
import type { HousekeepingTask } from '../../component.ts';
import { alias, integer, type RowOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { byId, freeRows, lockRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import type { Page } from '../../http/requests/paging.ts';
import { storable } from '../../text/storable.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { day } from '../../time/units.ts';
import type { ReadNew } from '../live-streams.ts';
import { nobody, trainerId } from './attribution.ts';
import { eraseInExchanges } from './erased-exchanges.ts';
import type { Composed } from './exchange.ts';
import { readHead } from './learners.ts';
import type { Exchange, Kind, Summary } from './schemas.ts';
import { type ByteChanges, removeStored, stored } from './stored-bytes.ts';
import { exchanges } from './tables.ts';

/** Exchanges of one client that are kept, here and while they wait to be written. */
export const maxPerClient = 300;

/** The same of those that carried no token of the client: they push out no others. */
export const maxWithoutToken = 100;

/** Milliseconds for which an exchange is kept. */
const keptFor = day;

/** Rows that one step of housekeeping removes. */
const stepSize = 500;

/** What may be kept of a client, by whether it came without its token. */
const shares = [
  [false, maxPerClient],
  [true, maxWithoutToken],
] as const;

/** Bytes of a row besides its texts, those of its indexes included. */
const rowOverhead = 300;

/** Exchanges in one chunk of a stream. */
const chunkSize = 100;

/** Whole exchanges that are read at once: each may have two bodies of 16 KiB. */
const wholeAtOnce = 20;

export interface ExchangeFilter {
  /** A status, or a class of them such as `4xx`. */
  readonly status?: string | undefined;
  /** What the path begins with. */
  readonly path?: string | undefined;
  readonly problem?: string | undefined;
  readonly kind?: Kind | undefined;
  readonly traceId?: string | undefined;
}

/** The exchanges that were written, by client. */
export class ExchangeLog implements HousekeepingTask {
  readonly name = 'old exchanges';
  readonly removes = true;
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Newest first. */
  async list(
    clientId: string,
    filter: ExchangeFilter,
    { page, pageSize }: Page,
  ): Promise<{ items: Summary[]; total: number }> {
    const rows = await findPage(this.#database.sql, {
      ...{ clientId, ...conditions(filter), pageSize },
      before: (page - 1) * pageSize,
    });
    const items = rows.flatMap(({ summary }) => (summary === null ? [] : [JSON.parse(summary) as Summary]));
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** Whole, oldest first, a few at a time, so that they take the same memory however many there are. */
  async *whole(clientId: string, filter: ExchangeFilter): AsyncGenerator<Exchange[]> {
    let after = { startedAt: '', number: 0, id: '' };
    // More may come meanwhile.
    for (let left = maxPerClient + maxWithoutToken; left > 0; ) {
      const limit = Math.min(left, wholeAtOnce);
      const rows = await findWhole(this.#database.sql, { clientId, ...conditions(filter), ...after, limit });
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map((row) => exchangeOf(row));
      after = { startedAt: last.startedAt, number: last.number, id: last.id };
      left -= rows.length;
    }
  }

  /** Those of a client that were kept after the one with this number `kept`, in that order, at most so many. */
  async since(clientId: string, kept: number, filter: ExchangeFilter, limit: number): Promise<KeptSummary[]> {
    const rows = await findSince(this.#database.sql, { clientId, after: kept, ...conditions(filter), limit });
    return rows.map((row) => ({ kept: row.kept, summary: row.summary }));
  }

  /** The number `kept` of the latest exchange of a client. */
  async head(clientId: string): Promise<number> {
    return (await readHead(this.#database.sql, clientId)).kept;
  }

  /**
   * One exchange of a client; of anybody without `clientId`.
   *
   * @throws {ProblemError} `exchange-not-found`
   */
  async read(id: string, clientId?: string): Promise<Exchange> {
    // As the `instance` of a problem has it, too.
    const bare = id.replace(/^urn:uuid:/i, '');
    const row = /^[\da-f-]{36}$/.test(bare) ? await find(this.#database.sql, { id: bare }) : undefined;
    if (row && (clientId === undefined || row.clientId === clientId)) return exchangeOf(row);
    const detail = `The log has no exchange with the id ${shown(id)}. The id is the X-Request-Id of an answer; the log keeps the last ${maxPerClient} of a client, for a day.`;
    throw new ProblemError('exchange-not-found', detail);
  }

  /** Removes the calls of the trainer and of nobody that name a client: they may show what it was called. */
  async removeMentions(clientId: string): Promise<void> {
    await this.#remove((sql) => removeMentions(sql, clientId, 2 * maxPerClient));
  }

  /** Removes the calls of the trainer and of nobody, which may name anybody. */
  async removeUnowned(): Promise<void> {
    await this.#remove((sql) => removeMentions(sql, '', 4 * maxPerClient));
  }

  async step(): Promise<boolean> {
    const before = instant(this.#clock.now() - keptFor);
    const limit = stepSize;
    return (await this.#remove((sql) => removeOld(sql, { before, limit }))) === limit;
  }

  /** Returns how many that were. */
  #remove(remove: (sql: Sql) => ReturnType<typeof removeSome>): Promise<number> {
    return writeWithEnd(this.#database, (sql, atEnd) => removeStored(remove(sql), atEnd));
  }
}

/** An exchange as it is told to who reads on. `summary` is JSON. */
export interface KeptSummary {
  readonly kept: number;
  readonly summary: string;
}

function conditions({ status, path = '', problem, kind, traceId }: ExchangeFilter) {
  const least = status === undefined ? 0 : Number(status.replaceAll('x', '0'));
  const most = status === undefined ? 999 : Number(status.replaceAll('x', '9'));
  return { least, most, path, problem: problem ?? null, kind: kind ?? null, traceId: traceId ?? null };
}

function exchangeOf({ summary, details }: Pick<RowOf<typeof read>, 'summary' | 'details'>): Exchange {
  return { ...JSON.parse(summary), ...JSON.parse(details) };
}

/** An id as a detail may repeat it: not if it may be something else. */
const shown = (id: string) => (/^[\da-f-]{1,36}$/i.test(id) ? id : 'that was sent, which is none');

/**
 * Writes exchanges of a client, and removes those that are too many. `kept`: the number of the last one of them; 0 for
 * those of nobody, which have none. `changes` is told of the bytes.
 */
export async function writeExchanges(
  sql: Sql,
  clientId: string,
  written: readonly Composed[],
  kept: number,
  changes: ByteChanges,
): Promise<void> {
  // In the order of their ids: of streams that have ended there are rows.
  const inOrder = [...written.entries()].sort(([, one], [, other]) => byId(one.summary, other.summary));
  for (const [at, { summary, details, path, number, address, withoutToken }] of inOrder) {
    const { id, startedAt, status, problem, kind, traceId = null } = summary;
    const order = { number, kept: kept === 0 ? 0 : kept - written.length + 1 + at };
    const texts = { summary: JSON.stringify(summary), details: JSON.stringify(details) };
    const size = rowOverhead + path.length + Buffer.byteLength(texts.summary) + Buffer.byteLength(texts.details);
    // It may have been written when it began.
    const before = summary.stream ? await findStored(sql, { id }) : undefined;
    changes.added(before?.address ?? address, size - (before?.size ?? 0));
    await insert(sql, {
      ...{ id, clientId, startedAt, status, path: storable(path), problem, kind },
      ...order,
      ...texts,
      ...{ address, size, withoutToken: withoutToken ? 1 : 0, traceId },
    });
  }
  for (const [withoutToken, most] of shares)
    if (written.some((each) => each.withoutToken === withoutToken))
      changes.removed(await trim(sql, { clientId, withoutToken: withoutToken ? 1 : 0, most }));
}

/**
 * Reads the log of a client on after the exchange with the number `after`; from now on without one. The summary of each
 * exchange is a message, its number the id. A stream is kept twice, when it begins and when it ends.
 */
export async function logReader(
  exchanges: ExchangeLog,
  clientId: string,
  filter: ExchangeFilter,
  after: number | undefined,
): Promise<ReadNew> {
  const head = await exchanges.head(clientId);
  // What was removed begins to count anew.
  let position = Math.min(after ?? head, head);
  return async () => {
    const read = await exchanges.since(clientId, position, filter, chunkSize);
    position = read.at(-1)?.kept ?? position;
    const text = read.map(({ kept, summary }) => `id: ${kept}\ndata: ${summary}\n\n`).join('');
    return { text, more: read.length === chunkSize };
  };
}

/** Exchanges of a client that were kept after the one with this number, whole, in that order, at most so many. */
export async function readKept(
  sql: Sql,
  clientId: string,
  after: number,
  limit: number,
): Promise<{ kept: number; exchange: Exchange }[]> {
  const rows = await findKept(sql, { clientId, after, limit });
  return rows.map((row) => ({ kept: row.kept, exchange: exchangeOf(row) }));
}

/** The exchanges of clients. With a client go the calls of the trainer and of nobody that name it. */
export const ownedExchanges: OwnedRows = {
  name: 'exchanges',
  remove(sql, clientId, limit, atEnd) {
    const own = removeSome(sql, { clientId, limit });
    const all = own.then(async (rows) => [...rows, ...(await removeMentions(sql, clientId, limit - rows.length))]);
    return removeStored(all, atEnd);
  },
  reset: (sql, clientId, limit, atEnd) => removeStored(removeSome(sql, { clientId, limit }), atEnd),
  erase: eraseInExchanges,
};

/** Removes calls of the trainer and of nobody that name a client, or anything, at most `limit`. */
function removeMentions(sql: Sql, clientId: string, limit: number): ReturnType<typeof removeNaming> {
  return removeNaming(sql, { part: `%${clientId}%`, trainer: trainerId, nobody, limit });
}

const read = exchanges.pick('clientId', 'summary', 'details');

const find = statement.get`select ${read} from exchanges where id = ${'id'}`;

// One statement, so that items and total are of one moment. Without an exchange on the page, one row has the total.
const findPage = statement.all`
  with found as (
    select id, started_at, number from exchanges
    where client_id = ${'clientId'} and status >= ${'least'} and status <= ${'most'}
      and substr(path, 1, length(cast(${'path'} as text))) = cast(${'path'} as text)
      and (cast(${'problem'} as text) is null or problem = ${'problem'})
      and (cast(${'kind'} as text) is null or kind = ${'kind'})
      and (cast(${'traceId'} as text) is null or trace_id = ${'traceId'})
  )
  select t.total as ${alias('total', integer)}, ${exchanges.pick('summary').outer('e')}
  from (select count(*) as total from found) t
  left join (
    select id from found order by started_at desc, number desc limit ${'pageSize'} offset ${'before'}
  ) p on 1 = 1
  left join exchanges e on e.id = p.id
  order by e.started_at desc, e.number desc`;

const findWhole = statement.all`
  select ${exchanges.pick('startedAt', 'number', 'id', 'summary', 'details')} from exchanges
  where client_id = ${'clientId'} and (started_at, number, id) > (${'startedAt'}, ${'number'}, ${'id'})
    and status >= ${'least'} and status <= ${'most'}
    and substr(path, 1, length(cast(${'path'} as text))) = cast(${'path'} as text)
    and (cast(${'problem'} as text) is null or problem = ${'problem'})
    and (cast(${'kind'} as text) is null or kind = ${'kind'})
    and (cast(${'traceId'} as text) is null or trace_id = ${'traceId'})
  order by started_at, number, id limit ${'limit'}`;

// A stream is written when it begins, and again when it ends.
const insert = statement.run`
  insert into exchanges ${exchanges.values}
  on conflict (id) do update set
    status = excluded.status, problem = excluded.problem, kept = excluded.kept, summary = excluded.summary, details = excluded.details,
    size = excluded.size`;

const findStored = statement.get`select ${stored} from exchanges where id = ${'id'}`;

const findSince = statement.all`
  select ${exchanges.pick('kept', 'summary')} from exchanges
  where client_id = ${'clientId'} and kept > ${'after'} and status >= ${'least'} and status <= ${'most'}
    and substr(path, 1, length(cast(${'path'} as text))) = cast(${'path'} as text)
    and (cast(${'problem'} as text) is null or problem = ${'problem'})
    and (cast(${'kind'} as text) is null or kind = ${'kind'})
    and (cast(${'traceId'} as text) is null or trace_id = ${'traceId'})
  order by kept limit ${'limit'}`;

const findKept = statement.all`
  select ${exchanges.pick('kept', 'summary', 'details')} from exchanges
  where client_id = ${'clientId'} and kept > ${'after'} order by kept limit ${'limit'}`;

// Those that others are about to remove are left to them.
const trim = statement.all`
  with surplus as materialized (
    select id from exchanges
    where client_id = ${'clientId'} and without_token = ${'withoutToken'} and (started_at, number) <= (
      select started_at, number from exchanges where client_id = ${'clientId'} and without_token = ${'withoutToken'}
      order by started_at desc, number desc limit 1 offset ${'most'}
    ) ${freeRows}
  )
  delete from exchanges where id in (select id from surplus) returning ${stored}`;

const removeOld = statement.all`
  with old as materialized (
    select id from exchanges where started_at < ${'before'} order by started_at limit ${'limit'} ${freeRows}
  )
  delete from exchanges where id in (select id from old) returning ${stored}`;

const removeNaming = statement.all`
  with naming as materialized (
    select id from exchanges
    where client_id in (${'trainer'}, ${'nobody'}) and (summary like ${'part'} or details like ${'part'})
    order by client_id, id limit ${'limit'} ${lockRows}
  )
  delete from exchanges where id in (select id from naming) returning ${stored}`;

// While its learner is locked nobody else changes them, but for those who take what is free.
const removeSome = statement.all`
  delete from exchanges where id in (select id from exchanges where client_id = ${'clientId'} limit ${'limit'})
  returning ${stored}`;

/** Whether the log has a call of a client from an address, with its token or secret. */
export async function usedAt(sql: Sql, clientId: string, address: string): Promise<boolean> {
  return (await findUse(sql, { clientId, address })) !== undefined;
}

const findUse = statement.get`
  select ${exchanges.pick('id')} from exchanges
  where client_id = ${'clientId'} and address = ${'address'} and without_token = 0 limit 1`;
