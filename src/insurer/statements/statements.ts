import { setImmediate as turn } from 'node:timers/promises';
import type { ActiveDrills } from '../../active-drills.ts';
import { lockClient } from '../../clients/clients.ts';
import type { OwnedRows } from '../../clients/owned-rows.ts';
import type { HousekeepingTask, JobTurn } from '../../component.ts';
import { alias, integer, nullable, type RowOf, table, text, textOf } from '../../database/columns.ts';
import type { Database, Role, Sql } from '../../database/database.ts';
import { byId, freeRows, lockRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { FairTurns } from '../../fair-turns.ts';
import type { Keep } from '../../http/answers/stored-answers.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { type IdForm, idAdvice, shownId } from '../../http/requests/id-advice.ts';
import type { TimesAhead } from '../../jobs/times-ahead.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { earlier } from '../../time/due-times.ts';
import { day } from '../../time/units.ts';
import { countPolicies, policiesAfter } from '../policies.ts';
import { type Currency, money } from './money.ts';
import { commissionOn, type FindVehicle, premiumOf } from './premium.ts';
import {
  type Format,
  isStatementId,
  keptDays,
  keptPerClient,
  layouts,
  maxRows,
  type Statement,
  type StatementDraft,
  type Totals,
  touches,
} from './statement.ts';

/** The node with this role makes statements. */
export const statementsRole: Role = { name: 'statements', lock: 6 };

/** The signal channel for statements that were accepted. */
export const statementAccepted = 'statements';

const keptFor = keptDays * day;

/** Bytes of the files of all statements that are kept. */
const roomForAll = 256e6;

/** What `Retry-After` says at most, in seconds. */
const mostSeconds = 60;

/** The longest time before a statement is made (the drill `late-statement`), in milliseconds. */
const longestPause = 300_000;

/** Policies that are read at once, so that nobody waits long for it. */
const readAtOnce = 500;

/** Statements that are looked at for the next turn. */
const dueAtOnce = 500;

const statements = table('statements', {
  id: text,
  clientId: text,
  address: text,
  month: text,
  format: textOf<Format>(),
  currency: textOf<Currency>(),
  bytes: integer,
  count: nullable(integer),
  premiums: nullable(integer),
  commissions: nullable(integer),
  createdAt: text,
  completedAt: nullable(text),
  dueAt: nullable(text),
  expiresAt: nullable(text),
});

const files = table('statement_files', { statementId: text, content: text });

const shown = statements.omit('clientId', 'address', 'bytes', 'expiresAt');

export interface StatementsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly drills: ActiveDrills;
  readonly findVehicle: FindVehicle;
}

/** Whose statement it is, and the address that it was asked for from, as calls are counted by. */
export interface Asker {
  readonly clientId: string;
  readonly address: string;
}

/** What a file is made of: its trailer is made when it is read. */
interface StoredFile {
  readonly statement: Statement;
  readonly rows: string;
  readonly totals: Totals;
}

/** A statement, and the sums of the premiums in its file by coverage, as decimal text. */
export interface StatementSums extends Statement {
  readonly sums: ReadonlyMap<string, string>;
}

/** The use cases of statements. A client sees its own only. */
export class Statements {
  readonly #options: StatementsOptions;
  readonly #turns = new FairTurns();

  constructor(options: StatementsOptions) {
    this.#options = options;
  }

  /**
   * Accepts a statement of a month that has begun. Resolves when it is durable; the job does the rest. `keep` is called in
   * the transaction.
   *
   * @throws {ProblemError} `quota-exceeded` when all that may be kept are open, or the client has too many policies, or
   *   `invalid-token` when the client is gone
   */
  async accept(asker: Asker, draft: StatementDraft, keep?: Keep<Statement>): Promise<Statement> {
    const { database, clock, clocks, randomness, drills } = this.#options;
    const { clientId } = asker;
    const now = clocks.now(clientId);
    const { month, format, currency = 'EUR' } = draft;
    const late = drills.of(clientId, 'late-statement')?.parameters.seconds ?? 0;
    const row = {
      id: `stm-${randomness.uuidV7('statement', now)}`,
      ...{ month, format, currency, count: null, premiums: null, commissions: null },
      ...{ createdAt: instant(now), completedAt: null, dueAt: instant(clock.now() + late * 1000) },
    };
    const accepted = asStatement(row);
    await database.write(async (sql) => {
      await lockClient(sql, clientId);
      await keepToQuota(sql, clientId);
      await insert(sql, { ...row, ...asker, bytes: 0, expiresAt: null });
      await keep?.(sql, accepted);
    });
    database.signal(statementAccepted);
    return accepted;
  }

  /** @throws {ProblemError} `statement-not-found` */
  async read(clientId: string, id: string): Promise<Statement> {
    return asStatement(await this.#find(clientId, id));
  }

  /** Seconds until a statement is completed, if nothing else waits, at most a minute; undefined when it is. */
  async secondsLeft(clientId: string, id: string): Promise<number | undefined> {
    const { dueAt, completedAt } = await this.#find(clientId, id);
    if (completedAt !== null) return undefined;
    const left = Date.parse(dueAt ?? '') - this.#options.clock.now();
    return Math.min(mostSeconds, Math.max(0, Math.ceil(left / 1000) || 0) + 1);
  }

  /** @throws {ProblemError} `statement-not-found`, or `statement-not-ready` until it is completed */
  async file(clientId: string, id: string): Promise<StoredFile> {
    const row = await this.#find(clientId, id);
    const { count, premiums, commissions } = row;
    if (count === null || premiums === null || commissions === null) {
      const detail = `The statement ${id} is not completed. GET /statements/${id} tells in Retry-After when to ask again.`;
      throw new ProblemError('statement-not-ready', detail);
    }
    const { content } = (await findFile(this.#options.database.sql, { id })) ?? notFound(id);
    return { statement: asStatement(row), rows: content, totals: { count, premiums, commissions } };
  }

  /** What the rows of a completed statement add up to; undefined where the client has none with this id. */
  async sums(clientId: string, id: string): Promise<StatementSums | undefined> {
    const { database, clock } = this.#options;
    const row = isStatementId(id) ? await find(database.sql, { clientId, id, now: instant(clock.now()) }) : undefined;
    const file = row && (await findFile(database.sql, { id }));
    if (!file) return undefined;
    const layout = layouts[row.format];
    const units = new Map<string, number>();
    for (const line of file.content.slice(layout.header.length).split('\n').slice(0, -1)) {
      const [coverage, amount] = layout.premium(line);
      units.set(coverage, (units.get(coverage) ?? 0) + Number(amount.replace('.', '')));
    }
    const sums = [...units].map(([coverage, sum]) => [coverage, money(sum, row.currency).amount] as const);
    return { ...asStatement(row), sums: new Map(sums) };
  }

  /** Bytes of the files of all statements that are kept. */
  async bytes(): Promise<number> {
    return (await sumBytes(this.#options.database.sql))?.kept ?? 0;
  }

  /** Makes all statements that are due, one at each turn. */
  async round({ mayContinue }: Pick<JobTurn, 'mayContinue'>): Promise<void> {
    const { database, clock } = this.#options;
    while (mayContinue()) {
      const due = await findDue(database.sql, { now: instant(clock.now()), limit: dueAtOnce });
      const { value: next } = this.#turns.inTurn(due).next();
      if (!next) return;
      await this.#make(next);
      await turn();
    }
  }

  /** Its file is made of what is read page by page, and written at once: who stops in the middle begins again. */
  async #make({ id, address: _ofTurns, clientId, ...draft }: RowOf<typeof due>): Promise<void> {
    const { database, clock, clocks } = this.#options;
    const { content, totals } = await this.#compose(clientId, draft);
    await database.write(async (sql) => {
      // In the order of those who move its clock or remove it.
      await lockClient(sql, clientId);
      if (!(await lock(sql, { id, now: instant(clock.now()) }))) return;
      await makeRoom(sql, content.length);
      await complete(sql, {
        ...{ id, bytes: content.length, ...totals },
        ...{ completedAt: instant(clocks.now(clientId)), expiresAt: instant(clock.now() + keptFor) },
      });
      await insertFile(sql, { statementId: id, content });
    });
  }

  async #compose(
    clientId: string,
    { month, format, currency }: Required<StatementDraft>,
  ): Promise<{ content: string; totals: Totals }> {
    const { database, findVehicle } = this.#options;
    const layout = layouts[format];
    let [content, count, premiums, commissions] = [layout.header, 0, 0, 0];
    for (let after = 0; ; after += readAtOnce) {
      const policies = await policiesAfter(database.sql, { clientId, after, limit: readAtOnce });
      for (const policy of policies) {
        if (!touches(month, policy)) continue;
        const premium = premiumOf(policy, findVehicle(policy.regNumber), currency);
        const commission = commissionOn(premium);
        content += layout.row({ policy, premium, commission }, currency);
        count += 1;
        premiums += premium;
        commissions += commission;
      }
      if (policies.length < readAtOnce) return { content, totals: { count, premiums, commissions } };
      await turn();
    }
  }

  async #find(clientId: string, id: string): Promise<RowOf<typeof shown>> {
    if (!isStatementId(id)) return notFound(id);
    const { database, clock } = this.#options;
    // One whose week is over is gone for every caller, however soon it is removed.
    return (await find(database.sql, { clientId, id, now: instant(clock.now()) })) ?? notFound(id);
  }
}

/** The oldest completed one of the address with most goes, until there is room for so many bytes more. */
async function makeRoom(sql: Sql, bytes: number): Promise<void> {
  while (((await sumBytes(sql))?.kept ?? 0) + bytes > roomForAll) {
    const most = await findMost(sql);
    const oldest = most && (await findOldest(sql, most));
    // Others hold it. Two nodes at once may take a little more than there is.
    if (!oldest) return;
    await removeOne(sql, oldest);
  }
}

/** The oldest that is completed goes for a new one. */
async function keepToQuota(sql: Sql, clientId: string): Promise<void> {
  const policies = await countPolicies(sql, clientId);
  if (policies > maxRows) {
    const detail = `A statement has at most ${maxRows} rows, and this client has ${policies} policies. Make one with another client.`;
    throw new ProblemError('quota-exceeded', detail);
  }
  const kept = await findAll(sql, { clientId });
  if (kept.length < keptPerClient) return;
  const oldest = kept.find(({ completedAt }) => completedAt !== null);
  if (!oldest) {
    const detail = `This client has ${keptPerClient} statements that are not completed, which is the limit. Wait until one is.`;
    throw new ProblemError('quota-exceeded', detail);
  }
  await removeOne(sql, { id: oldest.id });
}

function asStatement(row: RowOf<typeof shown>): Statement {
  const { id, month, format, currency, count, premiums, commissions, createdAt, completedAt } = row;
  const status = completedAt === null ? ('accepted' as const) : ('completed' as const);
  return {
    ...{ id, status, month, format, currency },
    ...(count !== null && { count }),
    ...(premiums !== null && { premiums: money(premiums, currency) }),
    ...(commissions !== null && { commissions: money(commissions, currency) }),
    ...{ createdAt, completedAt },
  };
}

function notFound(id: string): never {
  const advice = isStatementId(id) ? '' : idAdvice(id, statementIds);
  const detail = `You have no statement with the id ${shownId(id)}.${advice} POST /statements makes one.`;
  throw new ProblemError('statement-not-found', detail);
}

const statementIds: IdForm = {
  prefix: 'stm-',
  others: [
    [/^\d{4}-\d\d$/, 'It is a month. Send it with POST /statements; the id of a statement begins with stm-.'],
    [/^pol-/, 'It is the id of a policy. The id of a statement begins with stm-.'],
    [/^(?:CLM|sub|imp|demo|preset)-/, 'It is the id of something else. The id of a statement begins with stm-.'],
  ],
};

/** The statements of clients, with their files. */
export const ownedStatements: OwnedRows = {
  name: 'statements',
  async stop(sql, clientId) {
    for (const { id, dueAt } of await lockAll(sql, { clientId })) if (dueAt !== null) await stop(sql, { id });
  },
  remove: (sql, clientId, limit) => removeSome(sql, { clientId, limit }),
  count: async (sql, clientId) => (await findAll(sql, { clientId })).length,
  async move(sql, clientId, by) {
    for (const { id, dueAt, expiresAt } of await lockAll(sql, { clientId }))
      await setTimes(sql, { id, dueAt: earlier(dueAt, by), expiresAt: earlier(expiresAt, by) });
  },
};

/** Removes statements that were completed a week ago, one at a time with its file. */
export function statementRemoval(database: Database, clock: Clock): HousekeepingTask {
  return {
    name: 'statements',
    removes: true,
    async step() {
      const old = await findOld(database.sql, { now: instant(clock.now()) });
      if (old) await database.write((sql) => removeOne(sql, { id: old.id }));
      return old !== undefined;
    },
  };
}

/** Statements that would not become due. */
export const statementsAhead: TimesAhead<{ id: string }> = {
  when: 'at once',
  mayBeAhead: longestPause,
  find: (sql, bounds) => findAhead(sql, bounds),
  async set(database, rows, { ahead, now }) {
    await database.write(async (sql) => {
      for (const { id } of rows.toSorted(byId)) await setDue(sql, { id, ahead, now });
    });
    return rows.length;
  },
};

const insert = statement.run`insert into statements ${statements.values}`;

const insertFile = statement.run`insert into statement_files ${files.values}`;

const find = statement.get`
  select ${shown} from statements
  where client_id = ${'clientId'} and id = ${'id'} and (expires_at is null or expires_at > ${'now'})`;

const findFile = statement.get`select ${files.pick('content')} from statement_files where statement_id = ${'id'}`;

const findAll = statement.all`
  select ${statements.pick('id', 'completedAt')} from statements where client_id = ${'clientId'} order by id`;

const due = statements.pick('id', 'address', 'clientId', 'month', 'format', 'currency');

const findDue = statement.all`
  select ${due.of('s')} from statements s join clients c on c.id = s.client_id
  where s.due_at <= ${'now'} and c.removed_at is null order by s.due_at, s.id limit ${'limit'}`;

const lock = statement.get`
  select ${statements.pick('id')} from statements where id = ${'id'} and due_at <= ${'now'} ${lockRows}`;

const complete = statement.run`
  update statements
  set bytes = ${'bytes'}, count = ${'count'}, premiums = ${'premiums'}, commissions = ${'commissions'}, due_at = null,
    completed_at = ${'completedAt'}, expires_at = ${'expiresAt'}
  where id = ${'id'}`;

const sumBytes = statement.get`
  select cast(coalesce(sum(bytes), 0) as bigint) as ${alias('kept', integer)} from statements`;

const findMost = statement.get`
  select ${statements.pick('address')} from statements where expires_at is not null
  group by address order by sum(bytes) desc limit 1`;

const findOldest = statement.get`
  select ${statements.pick('id')} from statements
  where address = ${'address'} and expires_at is not null order by expires_at limit 1 ${freeRows}`;

const stop = statement.run`update statements set due_at = null where id = ${'id'}`;

const removeOne = statement.run`delete from statements where id = ${'id'}`;

const removeSome = statement.run`
  delete from statements where id in (
    select id from statements where client_id = ${'clientId'} order by id limit ${'limit'}
  )`;

const lockAll = statement.all`
  select ${statements.pick('id', 'dueAt', 'expiresAt')} from statements
  where client_id = ${'clientId'} order by id ${lockRows}`;

const setTimes = statement.run`
  update statements set due_at = ${'dueAt'}, expires_at = ${'expiresAt'} where id = ${'id'}`;

const findOld = statement.get`
  select ${statements.pick('id')} from statements where expires_at <= ${'now'} order by expires_at limit 1`;

const findAhead = statement.all`
  select ${statements.pick('id')} from statements where due_at > ${'ahead'} order by due_at limit ${'batch'}`;

const setDue = statement.run`
  update statements set due_at = ${'now'} where id = ${'id'} and due_at > ${'ahead'}`;
