import { setImmediate as turn } from 'node:timers/promises';
import type { ActiveDrills } from '../active-drills.ts';
import { lockClient } from '../clients/clients.ts';
import type { OwnedRows } from '../clients/owned-rows.ts';
import type { HousekeepingTask, JobTurn } from '../component.ts';
import { alias, type Fragment, integer, nullable, type RowOf, table, text } from '../database/columns.ts';
import type { Database, Role, Sql } from '../database/database.ts';
import { byId, freeRows, lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { FairTurns } from '../fair-turns.ts';
import type { Keep } from '../http/answers/stored-answers.ts';
import { ProblemError, unavailable } from '../http/problems/problem.ts';
import { type IdForm, idAdvice, shownId } from '../http/requests/id-advice.ts';
import type { Page } from '../http/requests/paging.ts';
import type { TimesAhead } from '../jobs/times-ahead.ts';
import type { Randomness } from '../randomness.ts';
import { erased, type NameFinder } from '../text/name-finder.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { dueAfter, earlier } from '../time/due-times.ts';
import { day } from '../time/units.ts';
import { expireStale, type Policies, StaleInTheWay } from './policies.ts';
import type { PolicyDraft } from './policy.ts';
import {
  groupSize,
  groupsOf,
  type ImportRow,
  isImportId,
  type KeptRefusal,
  keptDays,
  keptPerClient,
  maxLines,
  mostSeconds,
  type PolicyImport,
  type RowStatus,
  secondsLeft,
  statusOfImport,
} from './policy-import.ts';

/** The node with this role works imports off. */
export const importsRole: Role = { name: 'imports', lock: 5 };

/** The signal channel for imports that were accepted. */
export const importAccepted = 'policy-imports';

const keptFor = keptDays * day;

/** Bytes that were sent, of all imports that are kept; and `reserved` more, for addresses that have no more than `address`. */
const roomFor = { all: 256e6, reserved: 32e6, address: 1e6 };

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
  | { readonly refusal: KeptRefusal }
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

/** What was sent: the bytes of its lines, and when it was read, by the client's clock. */
interface Sent {
  readonly lines: readonly ImportLine[];
  readonly bytes: number;
  readonly now: number;
}

/** The use cases of imports. A client sees its own only. */
export class PolicyImports {
  readonly #options: PolicyImportsOptions;
  readonly #turns = new FairTurns();

  constructor(options: PolicyImportsOptions) {
    this.#options = options;
  }

  /**
   * Accepts lines, at least one. Resolves when they are durable; the job does the rest. `keep` is called in the transaction.
   *
   * @throws {ProblemError} `quota-exceeded` when all imports that may be kept are open, `unavailable` when there is no room
   *   for its bytes, or `invalid-token` when the client is gone
   */
  async accept(sender: Sender, { lines, bytes, now }: Sent, keep?: Keep<PolicyImport>): Promise<PolicyImport> {
    const { database, clock, randomness } = this.#options;
    const { clientId } = sender;
    const row = {
      id: `imp-${randomness.uuidV7('import', now)}`,
      ...{ total: lines.length, done: 0, created: 0, refused: 0 },
      ...{ createdAt: instant(now), completedAt: null },
    };
    const accepted = asImport(row);
    const dueAt = instant(clock.now() + this.#pause(clientId));
    const others = { lines: JSON.stringify(lines), bytes, dueAt, expiresAt: null };
    await database.write(async (sql) => {
      await lockClient(sql, clientId);
      await keepToQuota(sql, clientId);
      await makeRoom(sql, { ...sender, bytes });
      await insert(sql, { ...row, ...sender, ...others });
      await keep?.(sql, accepted);
    });
    database.signal(importAccepted);
    return accepted;
  }

  /** Those whose week is over are gone for every caller, however soon they are removed. */
  get #now(): string {
    return instant(this.#options.clock.now());
  }

  /** The client's imports on one page, oldest first, and how many there are. */
  async list(clientId: string, { page, pageSize }: Page): Promise<{ items: PolicyImport[]; total: number }> {
    const rows = await findAll(this.#options.database.sql, { clientId, now: this.#now });
    return { items: rows.slice((page - 1) * pageSize, page * pageSize).map(asImport), total: rows.length };
  }

  /** @throws {ProblemError} `import-not-found` */
  async read(clientId: string, id: string): Promise<PolicyImport> {
    if (!isImportId(id)) return notFound(id);
    return asImport((await find(this.#options.database.sql, { clientId, id, now: this.#now })) ?? notFound(id));
  }

  /**
   * The rows of an import on one page, in the order of their lines, or those of one status.
   *
   * @throws {ProblemError} `import-not-found`
   */
  async rows(clientId: string, id: string, { page, pageSize }: Page, status?: RowStatus): Promise<ImportRows> {
    if (!isImportId(id)) return notFound(id);
    const { sql } = this.#options.database;
    const job = (await findLines(sql, { clientId, id, now: this.#now })) ?? notFound(id);
    const { lines, done, createdAt } = job;
    const before = (page - 1) * pageSize;
    if (status === 'created' || status === 'refused') {
      const worked = await findRows(sql, { importId: id, before: 0, upTo: done });
      const found = worked.filter(({ problem }) => (problem === null) === (status === 'created'));
      return { items: found.slice(before, before + pageSize).map(asRow), total: found.length, createdAt };
    }
    // Those that wait come after all others.
    const [first, total] = status === 'waiting' ? [done + before, job.total - done] : [before, job.total];
    const upTo = Math.min(first + pageSize, job.total);
    const worked = first < done ? await findRows(sql, { importId: id, before: first, upTo: Math.min(upTo, done) }) : [];
    const waiting = done < job.total ? (JSON.parse(lines) as ImportLine[]).slice(Math.max(first, done), upTo) : [];
    return { items: [...worked.map(asRow), ...waiting.map(({ line }) => waitingRow(line))], total, createdAt };
  }

  /** Seconds until an import is completed, as turns go, at most a minute; undefined when it is. */
  async secondsLeft(clientId: string, { id, total, done, status }: PolicyImport): Promise<number | undefined> {
    if (status === 'completed') return undefined;
    const { sql } = this.#options.database;
    const now = instant(this.#options.clock.now());
    const address = (await findAddress(sql, { id }))?.address ?? '';
    const due = await findDue(sql, { now });
    const isOwn = (each: { address: string }) => each.address === address;
    const own = (await findDueOf(sql, { clientId, address, now })).filter((each) => each.id !== id);
    const beside = due.filter((each) => isOwn(each) && each.clientId !== clientId);
    const others = Map.groupBy(
      due.filter((each) => !isOwn(each)),
      (each) => each.address,
    );
    const levels = [
      own.map((each) => groupsOf(each.total - each.done)),
      beside.map(({ groups }) => groups),
      [...others.values()].map((clients) => clients.reduce((sum, { groups }) => sum + groups, 0)),
    ];
    return secondsLeft(groupsOf(total - done), levels, this.#pause(clientId) / 1000);
  }

  /** Bytes of the lines of all imports that are kept. */
  async bytes(): Promise<number> {
    return (await sumBytes(this.#options.database.sql, { address: '' }))?.kept ?? 0;
  }

  /** Works off all groups that are due: one at each turn, of the import of its client that was due first. */
  async round({ mayContinue }: Pick<JobTurn, 'mayContinue'>): Promise<void> {
    const { database, clock } = this.#options;
    while (mayContinue()) {
      const now = instant(clock.now());
      const { value: next } = this.#turns.inTurn(await findDue(database.sql, { now })).next();
      if (!next) return;
      const [first] = await findDueOf(database.sql, { ...next, now });
      if (first) await this.#workGroup(next.clientId, first.id);
      await turn();
    }
  }

  async #workGroup(clientId: string, id: string): Promise<void> {
    const { database, clock, worked } = this.#options;
    try {
      const counts = await this.#writeGroup(clientId, id);
      worked('created', counts?.created ?? 0);
      worked('refused', counts?.refused ?? 0);
    } catch (error) {
      if (!(error instanceof StaleInTheWay)) throw error;
      // The import is still due.
      await expireStale(database, error.regNumbers, clock.now());
    }
  }

  /** Policies, what became of the rows and how far the import is, in one transaction. Undefined if nothing was due. */
  #writeGroup(clientId: string, id: string): Promise<{ created: number; refused: number } | undefined> {
    const { database, clock, clocks, policies } = this.#options;
    return database.write(async (sql) => {
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
        const outcome = 'draft' in each ? outcomes.shift() : each.refusal;
        // It is tried with the next group.
        if (!outcome) break;
        position += 1;
        const isPolicy = 'id' in outcome;
        if (isPolicy) created += 1;
        const result = isPolicy
          ? { policyId: outcome.id, problem: null }
          : { policyId: null, problem: JSON.stringify(refusalIn(outcome, each)) };
        await insertRow(sql, { importId: id, position, clientId, line: each.line, ...result });
      }
      const more = { id, done: position, created, refused: position - open.done - created };
      const pause = this.#pause(clientId);
      // Without a pause those of a client take turns, too.
      const dueAt = pause === 0 ? instant(clock.now()) : dueAfter(open.dueAt ?? '', pause);
      if (position < open.total) await advance(sql, { ...more, dueAt });
      else {
        const expiresAt = instant(clock.now() + keptFor);
        await complete(sql, { ...more, completedAt: instant(clocks.now(clientId)), expiresAt });
      }
      return more;
    });
  }

  #pause(clientId: string): number {
    return (this.#options.drills.of(clientId, 'slow-imports')?.parameters.groupSeconds ?? 0) * 1000;
  }
}

/** Rows of an import, how many there are, and when it came, by the client's clock. */
interface ImportRows {
  readonly items: ImportRow[];
  readonly total: number;
  readonly createdAt: string;
}

/**
 * Makes room for one that comes, or refuses it: an address may have as much as is left for the others, so that there always
 * is something left. What is completed goes, of whoever has more: the oldest of who has most. Who has nothing open takes what
 * is left. Two nodes at once may take a little more than there is.
 */
async function makeRoom(sql: Sql, { clientId, address, bytes }: Sender & { bytes: number }): Promise<void> {
  for (;;) {
    const sums = await sumBytes(sql, { address });
    const left = roomFor.all - (sums?.kept ?? 0);
    const own = (sums?.ofAddress ?? 0) + bytes;
    if (own <= left) return;
    const shares = await findShares(sql);
    const ofAddresses = new Map<string, number>();
    for (const each of shares) ofAddresses.set(each.address, (ofAddresses.get(each.address) ?? 0) + each.kept);
    const ofClient = shares.filter((each) => each.clientId === clientId);
    const ownOfClient = ofClient.reduce((sum, { kept }) => sum + kept, bytes);
    const weight = (each: { address: string }) => ofAddresses.get(each.address) ?? 0;
    const [heaviest] = shares
      .filter((each) => each.completed > 0 && (each.address === address ? each.kept > ownOfClient : weight(each) > own))
      .concat(ofClient.filter(({ completed }) => completed > 0))
      .sort((one, other) => weight(other) - weight(one) || other.kept - one.kept);
    const oldest = heaviest && (await findCompleted(sql, heaviest));
    const isFirst = ofClient.every(({ kept, completed }) => kept === completed);
    if (oldest) await removeOne(sql, { id: oldest.id });
    else if (own <= roomFor.address ? bytes <= left + roomFor.reserved : isFirst && bytes <= left) return;
    else throw noRoom(own > roomFor.all / 2 ? 'from your address' : 'of all clients');
  }
}

function noRoom(whose: string): ProblemError {
  const detail = `Too many imports ${whose} are not completed. Yours was refused and changed nothing. Try again after the number of seconds in Retry-After.`;
  return unavailable(detail, mostSeconds);
}

/** The oldest that is completed goes for a new one. */
async function keepToQuota(sql: Sql, clientId: string): Promise<void> {
  const kept = await findAll(sql, { clientId, now: longAgo });
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
  return { line, status: 'refused', policyId: null, refusal: JSON.parse(problem) };
}

const waitingRow = (line: number): ImportRow => ({ line, status: 'waiting', policyId: null });

/** A refusal, as it is kept. */
export function keptRefusal({ identifier, message, extras: { errors } }: ProblemError): KeptRefusal {
  return errors ? { identifier: 'validation-error', errors } : { identifier, detail: message };
}

function refusalIn(outcome: ProblemError | KeptRefusal, line: ImportLine): KeptRefusal {
  if (!(outcome instanceof ProblemError)) return outcome;
  const { identifier } = outcome;
  if (identifier !== 'duplicate-policy' || !('draft' in line)) return keptRefusal(outcome);
  return { identifier, regNumber: line.draft.regNumber };
}

function erasedLine(line: ImportLine, name: NameFinder): ImportLine {
  if ('refusal' in line) return { ...line, refusal: erasedRefusal(line.refusal, name) };
  return line.draft.holder === name.name ? { ...line, draft: { ...line.draft, holder: erased } } : line;
}

/** A line can't be told about once a part of it is missing. */
function erasedRefusal(refusal: KeptRefusal, name: NameFinder): KeptRefusal {
  if ('errors' in refusal) {
    const errors = refusal.errors.map((each) => ({ ...each, detail: name.erase(each.detail) }));
    return { ...refusal, errors };
  }
  if ('detail' in refusal) return { ...refusal, detail: name.erase(refusal.detail) };
  if ('regNumber' in refusal || name.erase(refusal.sent) === refusal.sent) return refusal;
  const detail = 'The line was refused. What was wrong with it is no longer known: it had a name that you had erased.';
  return { identifier: 'validation-error', detail };
}

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
    async stop(sql, clientId) {
      for (const { id, dueAt } of await lockAll(sql, { clientId })) if (dueAt !== null) await stop(sql, { id });
    },
    remove: (sql, clientId, limit) => removeSome(sql, { clientId, limit }),
    count: async (sql, clientId) => (await findAll(sql, { clientId, now: longAgo })).length,
    async move(sql, clientId, by) {
      for (const { id, dueAt, expiresAt } of await lockAll(sql, { clientId }))
        await setTimes(sql, { id, dueAt: earlier(dueAt, by), expiresAt: earlier(expiresAt, by) });
    },
    async erase(sql, { clientId, name }, after) {
      const next = await lockNext(sql, { clientId, after });
      if (!next) return { changed: 0 };
      const { id: importId } = next;
      const lines =
        next.lines && JSON.stringify((JSON.parse(next.lines) as ImportLine[]).map((each) => erasedLine(each, name)));
      let changed = lines === next.lines ? 0 : await setLines(sql, { id: importId, lines });
      for (const { position, problem } of await findRows(sql, { importId, before: 0, upTo: maxLines })) {
        const told = problem && JSON.stringify(erasedRefusal(JSON.parse(problem), name));
        if (told !== problem) changed += await setProblem(sql, { importId, position, problem: told });
      }
      return { changed, after: importId };
    },
  },
  { name: 'rows of policy imports', remove: (sql, clientId, limit) => removeRows(sql, { clientId, limit }) },
];

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
      for (const { id } of rows.toSorted(byId)) await setDue(sql, { id, ahead, now });
    });
    return rows.length;
  },
};

const insert = statement.run`insert into policy_imports ${imports.values}`;

const insertRow = statement.run`insert into policy_import_rows ${importRows.values}`;

/** Before every end: all that there are. */
const longAgo = '';

const find = statement.get`
  select ${shown} from policy_imports
  where client_id = ${'clientId'} and id = ${'id'} and (expires_at is null or expires_at > ${'now'})`;

const findAll = statement.all`
  select ${shown} from policy_imports
  where client_id = ${'clientId'} and (expires_at is null or expires_at > ${'now'}) order by id`;

const findLines = statement.get`
  select ${imports.pick('lines', 'done', 'total', 'createdAt')} from policy_imports
  where client_id = ${'clientId'} and id = ${'id'} and (expires_at is null or expires_at > ${'now'})`;

const findRows = statement.all`
  select ${importRows} from policy_import_rows
  where import_id = ${'importId'} and position > ${'before'} and position <= ${'upTo'} order by position`;

/** The same as `groupsOf` the rows that are left. */
const groupsLeft: Fragment = {
  texts: [`(i.total - i.done + ${groupSize - 1}) / ${groupSize}`],
  parameters: [],
  output: [],
};

const findDue = statement.all`
  select ${imports.pick('address', 'clientId').of('i')},
    cast(sum(${groupsLeft}) as bigint) as ${alias('groups', integer)}
  from policy_imports i join clients c on c.id = i.client_id
  where i.due_at <= ${'now'} and c.removed_at is null
  group by i.address, i.client_id order by min(i.due_at)`;

const findDueOf = statement.all`
  select ${imports.pick('id', 'total', 'done')} from policy_imports
  where client_id = ${'clientId'} and address = ${'address'} and due_at <= ${'now'} order by due_at, id`;

const findAddress = statement.get`select ${imports.pick('address')} from policy_imports where id = ${'id'}`;

const lock = statement.get`
  select ${imports.pick('lines', 'done', 'total', 'dueAt')} from policy_imports
  where id = ${'id'} and due_at <= ${'now'} ${lockRows}`;

const advance = statement.run`
  update policy_imports
  set done = ${'done'}, created = created + ${'created'}, refused = refused + ${'refused'}, due_at = ${'dueAt'}
  where id = ${'id'}`;

const complete = statement.run`
  update policy_imports
  set done = ${'done'}, created = created + ${'created'}, refused = refused + ${'refused'}, due_at = null,
    completed_at = ${'completedAt'}, expires_at = ${'expiresAt'}, lines = ''
  where id = ${'id'}`;

const sumBytes = statement.get`
  select cast(coalesce(sum(bytes), 0) as bigint) as ${alias('kept', integer)},
    cast(coalesce(sum(case when address = ${'address'} then bytes else 0 end), 0) as bigint) as ${alias('ofAddress', integer)}
  from policy_imports`;

const findShares = statement.all`
  select ${imports.pick('address', 'clientId')}, cast(sum(bytes) as bigint) as ${alias('kept', integer)},
    cast(sum(case when expires_at is null then 0 else bytes end) as bigint) as ${alias('completed', integer)}
  from policy_imports group by address, client_id`;

const findCompleted = statement.get`
  select ${imports.pick('id')} from policy_imports
  where address = ${'address'} and client_id = ${'clientId'} and expires_at is not null
  order by expires_at limit 1 ${freeRows}`;

const stop = statement.run`update policy_imports set due_at = null where id = ${'id'}`;

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
  select ${imports.pick('id', 'dueAt', 'expiresAt')} from policy_imports
  where client_id = ${'clientId'} order by id ${lockRows}`;

const setTimes = statement.run`
  update policy_imports set due_at = ${'dueAt'}, expires_at = ${'expiresAt'} where id = ${'id'}`;

const lockNext = statement.get`
  select ${imports.pick('id', 'lines')} from policy_imports
  where client_id = ${'clientId'} and id > ${'after'} order by id limit 1 ${lockRows}`;

const setLines = statement.run`update policy_imports set lines = ${'lines'} where id = ${'id'}`;

const setProblem = statement.run`
  update policy_import_rows set problem = ${'problem'}
  where import_id = ${'importId'} and position = ${'position'}`;

const findOld = statement.get`
  select ${imports.pick('id')} from policy_imports where expires_at <= ${'now'} order by expires_at limit 1`;

const findAhead = statement.all`
  select ${imports.pick('id')} from policy_imports where due_at > ${'ahead'} order by due_at limit ${'batch'}`;

const setDue = statement.run`
  update policy_imports set due_at = ${'now'} where id = ${'id'} and due_at > ${'ahead'}`;
