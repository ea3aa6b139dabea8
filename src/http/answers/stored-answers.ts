import type { FastifyReply, FastifyRequest } from 'fastify';
import { table, text } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { freeRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { erased, type NameFinder } from '../../text/name-finder.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { day } from '../../time/units.ts';
import { ProblemError } from '../problems/problem.ts';
import { callerOf } from '../requests/bearer.ts';
import { fingerprintOf, keptForm, keyOf } from '../requests/idempotency-key.ts';

/*
 * Requests with an `Idempotency-Key`: whoever got no answer sends the request again, and it is carried out once.
 *
 *   new → running → kept, for a day → new
 *             └───→ new, when it was refused
 *
 * The answer is kept in the transaction that makes what it tells of: there are both or neither. Only successes are kept:
 * a refusal has changed nothing, so the request may be tried again under its key. That a key is running is known to the
 * node that runs it. On another node an equal request is carried out too, and meets what the first one did: the rows that
 * it locked or wrote, at last the primary key. Then all that it did is undone, and it returns the answer that was kept
 * meanwhile.
 *
 * A key is kept as its hash, since a caller may have sent a secret as one. What was kept before that was so has the key itself.
 *
 * How much one client can have kept is bounded by what it can own: each answer is of something that it created.
 */

const keptAnswers = table('kept_answers', {
  clientId: text,
  endpoint: text,
  idempotencyKey: text,
  fingerprint: text,
  answer: text,
  keptAt: text,
});

const keptFor = day;

/** How many rows one step removes at the most. */
const batch = 500;

/** Keeps an answer in the transaction that makes what it tells of. */
export type Keep<Answer> = (sql: Sql, answer: Answer) => Promise<void>;

/** One request under its key. */
interface Keyed {
  readonly clientId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
}

/** The answers of one endpoint. */
export class StoredAnswers<Answer extends object> {
  readonly #database: Database;
  readonly #clocks: ClientClocks;
  readonly #endpoint: string;
  readonly #members: readonly string[];
  /** Clients and keys of what runs now on this node. */
  readonly #running = new Set<string>();

  /** `endpoint` is its name in the database, which stays; `draft` the schema of its body. */
  constructor(database: Database, clocks: ClientClocks, endpoint: string, draft: { properties: object }) {
    this.#database = database;
    this.#clocks = clocks;
    this.#endpoint = endpoint;
    this.#members = Object.keys(draft.properties);
  }

  /**
   * The answer to a request: that of `work`, or the one that is kept under its key. Without a key it is `work` alone.
   *
   * @throws {ProblemError} `validation-error` for a wrong key, `request-in-progress`, `idempotency-key-reused`
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (keep?: Keep<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    const idempotencyKey = keyOf(request);
    if (idempotencyKey === undefined) return work();
    const { clientId, person } = callerOf(request);
    const ofBody = fingerprintOf(request.body as object, this.#members);
    // Another person is shown nothing of this one.
    const fingerprint = person ? `${ofBody} ${person.personId}` : ofBody;
    return this.#once({ clientId, idempotencyKey, fingerprint }, request, reply, work);
  }

  async #once(
    keyed: Keyed,
    request: FastifyRequest,
    reply: FastifyReply,
    work: (keep: Keep<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    const kept = await this.#find(keyed, reply);
    if (kept) return kept;
    const name = `${keyed.clientId} ${keyed.idempotencyKey}`;
    if (this.#running.has(name)) throw inProgress();
    this.#running.add(name);
    try {
      await request.beforeWork?.();
      return await work((sql, answer) => this.#keep(sql, keyed, answer));
    } catch (error) {
      // Perhaps only because an equal request was carried out meanwhile.
      const meanwhile = error instanceof ProblemError ? await this.#find(keyed, reply) : undefined;
      if (meanwhile) return meanwhile;
      throw error;
    } finally {
      this.#running.delete(name);
    }
  }

  async #find({ fingerprint, ...keyed }: Keyed, reply: FastifyReply): Promise<Answer | undefined> {
    const row = await find(this.#database.sql, {
      ...keyed,
      kept: keptForm(keyed.idempotencyKey),
      endpoint: this.#endpoint,
      since: this.#since(keyed.clientId),
    });
    if (!row) return undefined;
    if (row.fingerprint !== fingerprint) throw reused();
    reply.header('idempotency-replayed', 'true');
    return JSON.parse(row.answer);
  }

  async #keep(sql: Sql, keyed: Keyed, answer: Answer): Promise<void> {
    const keptAt = instant(this.#clocks.present(keyed.clientId));
    const idempotencyKey = keptForm(keyed.idempotencyKey);
    const row = { ...keyed, idempotencyKey, endpoint: this.#endpoint, answer: JSON.stringify(answer), keptAt };
    if ((await keep(sql, { ...row, since: this.#since(keyed.clientId) })) === 0) throw inProgress();
  }

  #since(clientId: string): string {
    return instant(this.#clocks.since(clientId, keptFor));
  }
}

function inProgress(): ProblemError {
  const detail =
    'A request with this Idempotency-Key is running. Wait for the seconds in Retry-After, then send the same request again.';
  return new ProblemError('request-in-progress', detail, { headers: { 'Retry-After': '1' } });
}

function reused(): ProblemError {
  const detail =
    'You used this Idempotency-Key within the last 24 hours, with another body. Make a new key for each new request, and send the same key only with the same body.';
  return new ProblemError('idempotency-key-reused', detail);
}

/** Removes answers that are a day old. */
export class StoredAnswerRemoval {
  readonly name = 'kept answers';
  readonly removes = true;
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Does a bounded part of the work. Returns whether there may be more of it. */
  async step(): Promise<boolean> {
    const since = instant(this.#clock.now() - keptFor);
    if (!(await findOld(this.#database.sql, { since }))) return false;
    return (await this.#database.write((sql) => removeOld(sql, { since, batch }))) === batch;
  }
}

/** Removes answers of a client that is being removed, at most `limit`. Returns how many. */
export function removeKeptAnswers(sql: Sql, clientId: string, limit: number): Promise<number> {
  return removeSome(sql, { clientId, limit });
}

/**
 * Takes the name of a holder out of some answers of a client. Returns how many had it, and behind which one the next step
 * goes on; none when it was the last.
 */
export async function eraseKeptAnswers(
  sql: Sql,
  { clientId, name }: { clientId: string; name: NameFinder },
  place: string,
): Promise<{ changed: number; after?: string }> {
  const [endpoint = '', idempotencyKey = ''] = place.split('\n');
  const rows = await findSome(sql, { clientId, endpoint, idempotencyKey, batch });
  let changed = 0;
  for (const { answer: kept, ...row } of rows) {
    const before = JSON.parse(kept) as { holder?: unknown; name?: unknown };
    const answer = JSON.stringify({
      ...before,
      ...(before.holder === name.name && { holder: erased }),
      // That of a file.
      ...(typeof before.name === 'string' && { name: name.erase(before.name) }),
    });
    if (answer !== kept) changed += await change(sql, { ...row, clientId, answer });
  }
  const last = rows.length === batch ? rows.at(-1) : undefined;
  return { changed, ...(last && { after: `${last.endpoint}\n${last.idempotencyKey}` }) };
}

const find = statement.get`
  select ${keptAnswers.pick('fingerprint', 'answer')} from kept_answers
  where client_id = ${'clientId'} and endpoint = ${'endpoint'}
    and idempotency_key in (${'kept'}, ${'idempotencyKey'}) and kept_at > ${'since'}`;

// One that is no longer kept may still be there.
const keep = statement.run`
  insert into kept_answers ${keptAnswers.values}
  on conflict (client_id, endpoint, idempotency_key) do update set
    fingerprint = excluded.fingerprint, answer = excluded.answer, kept_at = excluded.kept_at
  where kept_answers.kept_at <= ${'since'}`;

const findSome = statement.all`
  select ${keptAnswers.pick('endpoint', 'idempotencyKey', 'answer')} from kept_answers
  where client_id = ${'clientId'} and (endpoint, idempotency_key) > (${'endpoint'}, ${'idempotencyKey'})
  order by endpoint, idempotency_key limit ${'batch'}`;

const change = statement.run`
  update kept_answers set answer = ${'answer'}
  where client_id = ${'clientId'} and endpoint = ${'endpoint'} and idempotency_key = ${'idempotencyKey'}`;

const findOld = statement.get`
  select ${keptAnswers.pick('keptAt')} from kept_answers
  where kept_at <= ${'since'} order by kept_at limit 1`;

const removeOld = statement.run`
  with old as materialized (
    select client_id, endpoint, idempotency_key from kept_answers
    where kept_at <= ${'since'} order by kept_at limit ${'batch'} ${freeRows}
  )
  delete from kept_answers where (client_id, endpoint, idempotency_key) in (
    select client_id, endpoint, idempotency_key from old
  )`;

const removeSome = statement.run`
  delete from kept_answers where (client_id, endpoint, idempotency_key) in (
    select client_id, endpoint, idempotency_key from kept_answers
    where client_id = ${'clientId'} order by endpoint, idempotency_key limit ${'limit'}
  )`;
