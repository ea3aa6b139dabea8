import { setImmediate as turn } from 'node:timers/promises';
import type { ActiveDrills } from '../active-drills.ts';
import { lockClient } from '../clients/clients.ts';
import type { OwnedRows } from '../clients/owned-rows.ts';
import type { HousekeepingTask, JobTurn } from '../component.ts';
import { alias, integer, nullable, type RowOf, table, text } from '../database/columns.ts';
import type { Database, Role, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type IdForm, idAdvice, shownId } from '../http/id-advice.ts';
import type { Keep } from '../http/kept-answers.ts';
import type { Page } from '../http/paging.ts';
import { ProblemError, unavailable } from '../http/problem.ts';
import type { TimesAhead } from '../jobs/times-ahead.ts';
import type { Randomness } from '../randomness.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import type { Policies } from './policies.ts';
import type { PolicyDraft } from './policy.ts';
import {
  groupSize,
  type ImportRow,
  isImportId,
  type KeptProblem,
  type PolicyImport,
  secondsLeft,
  statusOfImport,
} from './policy-import.ts';

/** The node with this role works imports off. */
export const importsRole: Role = { name: 'imports', lock: 5 };

/** The signal channel for imports that were accepted. */
export const importAccepted = 'policy-imports';

/** Imports of one client that are kept. */
const keptPerClient = 20;

/** Milliseconds of the client's clock for which an import is kept once it is completed. */
const keptFor = 7 * 24 * 3_600_000;

/** Bytes of the lines of all imports that are kept, and of those that came from one address. */
const maxBytes = { all: 256e6, address: 128e6 };

/** Milliseconds for which the bytes that were counted hold. */
const bytesHold = 10_000;

/** The longest pause before a group (the drill `slow-imports`), in milliseconds. */
const longestPause = 60_000;

const imports = table('policy_imports', {
  id: text,
  clientId: text,
  lines: text,
  bytes: integer,
  address: text,
  total: integer,
  done: integer,
  created: integer,
  refused: integer,
  createdAt: text,
  completedAt: nullable(text),
  dueAt: nullable(text),
  expiresAt: nullable(text),
});

const importRows = table('policy_import_rows', {
  importId: text,
  position: integer,
  clientId: text,
  line: integer,
  policyId: nullable(text),
  problem: nullable(text),
});

const shown = imports.pick('id', 'total', 'done', 'created', 'refused', 'createdAt', 'completedAt');

/** A line that was sent: what it asks for, or why it asks for nothing. */
export type ImportLine = { readonly line: number } & (
  | { readonly draft: PolicyDraft }
  | { readonly problem: KeptProblem }
);

export interface PolicyImportsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly drills: ActiveDrills;
  readonly policies: Policies;
  /** Counts rows that were worked off. */
  readonly worked: (outcome: 'created' | 'refused', rows: number) => void;
}

/** Whose import it is, and the address that it came from, as calls are counted by. */
export interface Sender {
  readonly clientId: string;
  readonly address: string;
}

/** The use cases of imports. A client sees its own only. */
export class PolicyImports {
  readonly #options: PolicyImportsOptions;
  #counted = { at: Number.NEGATIVE_INFINITY, bytes: new Map<string, number>() };

  constructor(options: PolicyImportsOptions) {
    this.#options = options;
  }

  /**
   * Accepts lines, at least one. Resolves when they are durable; the job does the rest. `keep` is called in the transaction.
   *
   * @throws {ProblemError} `quota-exceeded` when all imports that may be kept are open, `unavailable` when those of the
   *   address or of all take too many bytes and none of them is completed, or `invalid-token` when the client is gone
   */
  async accept(
    { clientId, address }: Sender,
    lines: readonly ImportLine[],
    keep?: Keep<PolicyImport>,
  ): Promise<PolicyImport> {
    const { database, clock, clocks, randomness } = this.#options;
    const json = JSON.stringify(lines);
    await this.#makeRoom(address, json.length);
    const now = clocks.now(clientId);
    const row = {
      id: `imp-${randomness.uuidV7('import', now)}`,
      ...{ total: lines.length, done: 0, created: 0, refused: 0 },
      ...{ createdAt: instant(now), completedAt: null },
    };
    const accepted = asImport(row);
    const dueAt = instant(clock.now() + this.#pause(clientId));
    await database.write(async (sql) => {
      await lockClient(sql, clientId);
      await keepToQuota(sql, clientId);
      await insert(sql, { ...row, clientId, address, lines: json, bytes: json.length, dueAt, expiresAt: null });
      await keep?.(sql, accepted);
    });
    database.signal(importAccepted);
    return accepted;
  }

  /** The client's imports on one page, oldest first, and how many there are. */
  async list(clientId: string, { page, pageSize }: Page): Promise<{ items: PolicyImport[]; total: number }> {
    const rows = await findAll(this.#options.database.sql, { clientId });
    return { items: rows.slice((page - 1) * pageSize, page * pageSize).map(asImport), total: rows.length };
  }

  /** @throws {ProblemError} `import-not-found` */
  async read(clientId: string, id: string): Promise<PolicyImport> {
    if (!isImportId(id)) return notFound(id);
    return asImport((await find(this.#options.database.sql, { clientId, id })) ?? notFound(id));
  }

  /**
   * The rows of an import on one page, in the order of their lines.
   *
   * @throws {ProblemError} `import-not-found`
   */
  async rows(clientId: string, id: string, { page, pageSize }: Page): Promise<{ items: ImportRow[]; total: number }> {
    if (!isImportId(id)) return notFound(id);
    const { sql } = this.#options.database;
    const { lines, done, total } = (await findLines(sql, { clientId, id })) ?? notFound(id);
    const before = (page - 1) * pageSize;
    const upTo = Math.min(before + pageSize, total);
    const worked = await findRows(sql, { importId: id, before, upTo: Math.min(upTo, done) });
    const waiting = done < total ? (JSON.parse(lines) as ImportLine[]).slice(Math.max(before, done), upTo) : [];
    return { items: [...worked.map(asRow), ...waiting.map(({ line }) => waitingRow(line))], total };
  }

  /** Seconds until an import is completed; undefined when it is. */
  async secondsLeft(clientId: string, { total, done, status }: PolicyImport): Promise<number | undefined> {
    if (status === 'completed') return undefined;
    const { database, clock } = this.#options;
    const others = (await countWaiting(database.sql, { now: instant(clock.now()) }))?.waiting ?? 0;
    return secondsLeft(total - done, others, this.#pause(clientId) / 1000);
  }

  /** Bytes of the lines of all imports. */
  async bytes(): Promise<number> {
    return total(await this.#bytes());
  }

  /** Bytes of the lines by address. */
  async #bytes(): Promise<Map<string, number>> {
    const at = this.#options.clock.elapsed();
    if (at - this.#counted.at >= bytesHold) {
      const rows = await sumBytes(this.#options.database.sql);
      this.#counted = { at, bytes: new Map(rows.map(({ address, kept }) => [address, kept])) };
    }
    return this.#counted.bytes;
  }

  /** Works off all groups that are due: the oldest of each import in turn, so that a long one holds up no other. */
  async round({ mayContinue }: Pick<JobTurn, 'mayContinue'>): Promise<void> {
    const { database, clock } = this.#options;
    while (mayContinue()) {
      const due = await findDue(database.sql, { now: instant(clock.now()) });
      if (!due) return;
      await this.#workGroup(due.clientId, due.id);
      await turn();
    }
  }

  /** Policies, what became of the rows and how far the import is, in one transaction. */
  async #workGroup(clientId: string, id: string): Promise<void> {
    const { database, clock, clocks, policies, worked } = this.#options;
    const counts = await database.write(async (sql) => {
      // In the order of those who move its clock or remove it.
      await lockClient(sql, clientId);
      const open = await lock(sql, { id, now: instant(clock.now()) });
      if (!open) return undefined;
      const group = (JSON.parse(open.lines) as ImportLine[]).slice(open.done, open.done + groupSize);
      const outcomes = await policies.createEach(
        sql,
        clientId,
        group.flatMap((each) => ('draft' in each ? [each.draft] : [])),
      );
      let [position, created] = [open.done, 0];
      for (const each of group) {
        position += 1;
        const outcome = 'problem' in each ? each.problem : (outcomes.shift() as (typeof outcomes)[number]);
        const isPolicy = 'id' in outcome;
        if (isPolicy) created += 1;
        const result = isPolicy
          ? { policyId: outcome.id, problem: null }
          : { policyId: null, problem: textOf(outcome) };
        await insertRow(sql, { importId: id, position, clientId, line: each.line, ...result });
      }
      const more = { id, done: position, created, refused: group.length - created };
      if (position < open.total) await advance(sql, { ...more, dueAt: instant(clock.now() + this.#pause(clientId)) });
      else {
        const expiresAt = instant(clock.now() + keptFor);
        await complete(sql, { ...more, completedAt: instant(clocks.now(clientId)), expiresAt });
      }
      return more;
    });
    if (!counts) return;
    worked('created', counts.created);
    worked('refused', counts.refused);
  }

  #pause(clientId: string): number {
    return (this.#options.drills.of(clientId, 'slow-imports')?.parameters.groupSeconds ?? 0) * 1000;
  }

  /** Where the address or all have too much, the oldest that is completed goes: of the address, or of that with most. */
  async #makeRoom(address: string, more: number): Promise<void> {
    for (;;) {
      const bytes = await this.#bytes();
      const own = bytes.get(address) ?? 0;
      const isFull = own + more > maxBytes.address;
      if (!isFull && total(bytes) + more <= maxBytes.all) {
        bytes.set(address, own + more);
        return;
      }
      const removed = await this.#removeCompleted(isFull ? [address] : heaviestFirst(bytes));
      if (!removed) {
        const whose = isFull ? 'from your address' : 'of all clients';
        const detail = `Too many imports ${whose} are not completed. Yours was refused and changed nothing. Try again after the number of seconds in Retry-After.`;
        throw unavailable(detail, 60);
      }
      bytes.set(removed.address, (bytes.get(removed.address) ?? 0) - removed.bytes);
    }
  }

  /** Removes the oldest completed import of the first of some addresses that has one. */
  async #removeCompleted(addresses: readonly string[]): Promise<{ address: string; bytes: number } | undefined> {
    const { database } = this.#options;
    for (const address of addresses) {
      const oldest = await findCompleted(database.sql, { address });
      if (!oldest) continue;
      await database.write((sql) => removeOne(sql, { id: oldest.id }));
      return { address, bytes: oldest.bytes };
    }
    return undefined;
  }
}

const total = (bytes: ReadonlyMap<string, number>) => bytes.values().reduce((sum, each) => sum + each, 0);

const heaviestFirst = (bytes: ReadonlyMap<string, number>) =>
  [...bytes].sort(([, one], [, other]) => other - one).map(([address]) => address);

/** The oldest that is completed goes for a new one. */
async function keepToQuota(sql: Sql, clientId: string): Promise<void> {
  const kept = await findAll(sql, { clientId });
  if (kept.length < keptPerClient) return;
  const oldest = kept.find(({ completedAt }) => completedAt !== null);
  if (oldest) await removeOne(sql, { id: oldest.id });
  else {
    const detail = `This client has ${keptPerClient} imports that are not completed, which is the limit. Wait until one is: GET /policy-imports lists them.`;
    throw new ProblemError('quota-exceeded', detail);
  }
}

function asImport(row: RowOf<typeof shown>): PolicyImport {
  const { id, total, done, created, refused, createdAt, completedAt } = row;
  return { id, status: statusOfImport(row), total, done, created, refused, createdAt, completedAt };
}

function asRow({ line, policyId, problem }: RowOf<typeof importRows>): ImportRow {
  if (problem === null) return { line, status: 'created', policyId };
  return { line, status: 'refused', policyId: null, problem: JSON.parse(problem) };
}

const waitingRow = (line: number): ImportRow => ({ line, status: 'waiting', policyId: null });

/** A refusal, as it is kept. */
export function keptProblem({ identifier, message, extras: { errors } }: ProblemError): KeptProblem {
  return { identifier, detail: message, ...(errors && { errors }) };
}

const textOf = (problem: ProblemError | KeptProblem) =>
  JSON.stringify(problem instanceof ProblemError ? keptProblem(problem) : problem);

function notFound(id: string): never {
  const advice = isImportId(id) ? '' : idAdvice(id, importIds);
  const detail = `You have no import with the id ${shownId(id)}.${advice} GET /policy-imports lists your imports.`;
  throw new ProblemError('import-not-found', detail);
}

const importIds: IdForm = {
  prefix: 'imp-',
  others: [
    [/^pol-/, 'It is the id of a policy. The id of an import begins with imp-.'],
    [/^(?:CLM|sub|demo|preset)-/, 'It is the id of something else. The id of an import begins with imp-.'],
  ],
};

/** The imports of clients, and what became of their rows, which go first. */
export const ownedImports: readonly OwnedRows[] = [
  {
    name: 'policy imports',
    stop: (sql, clientId) => stop(sql, { clientId }),
    remove: (sql, clientId, limit) => removeSome(sql, { clientId, limit }),
    count: async (sql, clientId) => (await findAll(sql, { clientId })).length,
    async move(sql, clientId, by) {
      for (const { id, dueAt, expiresAt } of await lockAll(sql, { clientId }))
        await setTimes(sql, { id, dueAt: earlier(dueAt, by), expiresAt: earlier(expiresAt, by) });
    },
  },
  { name: 'rows of policy imports', remove: (sql, clientId, limit) => removeRows(sql, { clientId, limit }) },
];

const earlier = (at: string | null, by: number) => at && instant(Date.parse(at) - by);

/** Removes imports that were completed a week ago, one at a time with its rows. */
export function importRemoval(database: Database, clock: Clock): HousekeepingTask {
  return {
    name: 'policy imports',
    removes: true,
    async step() {
      const old = await findOld(database.sql, { now: instant(clock.now()) });
      if (old) await database.write((sql) => removeOne(sql, { id: old.id }));
      return old !== undefined;
    },
  };
}

/** Groups that would not become due. */
export const importsAhead: TimesAhead<{ id: string }> = {
  when: 'at once',
  mayBeAhead: longestPause,
  find: (sql, bounds) => findAhead(sql, bounds),
  async set(database, rows, { ahead, now }) {
    await database.write(async (sql) => {
      for (const { id } of rows) await setDue(sql, { id, ahead, now });
    });
    return rows.length;
  },
};

const insert = statement.run`insert into policy_imports ${imports.values}`;

const insertRow = statement.run`insert into policy_import_rows ${importRows.values}`;

const find = statement.get`
  select ${shown} from policy_imports where client_id = ${'clientId'} and id = ${'id'}`;

const findAll = statement.all`
  select ${shown} from policy_imports where client_id = ${'clientId'} order by id`;

const findLines = statement.get`
  select ${imports.pick('lines', 'done', 'total')} from policy_imports where client_id = ${'clientId'} and id = ${'id'}`;

const findRows = statement.all`
  select ${importRows} from policy_import_rows
  where import_id = ${'importId'} and position > ${'before'} and position <= ${'upTo'} order by position`;

const findDue = statement.get`
  select ${imports.pick('id', 'clientId').of('i')}
  from policy_imports i join clients c on c.id = i.client_id
  where i.due_at <= ${'now'} and c.removed_at is null
  order by i.due_at, i.id limit 1`;

const lock = statement.get`
  update policy_imports set done = done where id = ${'id'} and due_at <= ${'now'}
  returning ${imports.pick('lines', 'done', 'total')}`;

const advance = statement.run`
  update policy_imports
  set done = ${'done'}, created = created + ${'created'}, refused = refused + ${'refused'}, due_at = ${'dueAt'}
  where id = ${'id'}`;

const complete = statement.run`
  update policy_imports
  set done = ${'done'}, created = created + ${'created'}, refused = refused + ${'refused'}, due_at = null,
    completed_at = ${'completedAt'}, expires_at = ${'expiresAt'}, lines = ''
  where id = ${'id'}`;

const countWaiting = statement.get`
  select cast(coalesce(sum(total - done), 0) as bigint) as ${alias('waiting', integer)} from policy_imports
  where due_at <= ${'now'}`;

const sumBytes = statement.all`
  select ${imports.pick('address')}, cast(sum(bytes) as bigint) as ${alias('kept', integer)}
  from policy_imports group by address`;

const findCompleted = statement.get`
  select ${imports.pick('id', 'bytes')} from policy_imports
  where address = ${'address'} and expires_at is not null order by expires_at limit 1`;

const stop = statement.run`
  update policy_imports set due_at = null where client_id = ${'clientId'} and due_at is not null`;

const removeOne = statement.run`delete from policy_imports where id = ${'id'}`;

const removeSome = statement.run`
  delete from policy_imports where id in (
    select id from policy_imports where client_id = ${'clientId'} order by id limit ${'limit'}
  )`;

const removeRows = statement.run`
  delete from policy_import_rows where (import_id, position) in (
    select import_id, position from policy_import_rows
    where client_id = ${'clientId'} order by import_id, position limit ${'limit'}
  )`;

const lockAll = statement.all`
  update policy_imports set done = done where client_id = ${'clientId'}
  returning ${imports.pick('id', 'dueAt', 'expiresAt')}`;

const setTimes = statement.run`
  update policy_imports set due_at = ${'dueAt'}, expires_at = ${'expiresAt'} where id = ${'id'}`;

const findOld = statement.get`
  select ${imports.pick('id')} from policy_imports where expires_at <= ${'now'} order by expires_at limit 1`;

const findAhead = statement.all`
  select ${imports.pick('id')} from policy_imports where due_at > ${'ahead'} order by due_at, id limit ${'batch'}`;

const setDue = statement.run`
  update policy_imports set due_at = ${'now'} where id = ${'id'} and due_at > ${'ahead'}`;
