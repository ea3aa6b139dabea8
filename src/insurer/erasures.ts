import { setImmediate as turn } from 'node:timers/promises';
import { holdClient, lockClient } from '../clients/clients.ts';
import type { ErasableNames } from '../clients/index.ts';
import { type OwnedRows, writeWithEnd } from '../clients/owned-rows.ts';
import type { HousekeepingTask, JobTurn } from '../component.ts';
import { alias, integer, nullable, type RowOf, table, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { FairTurns } from '../fair-turns.ts';
import type { Keep } from '../http/answers/stored-answers.ts';
import { ProblemError } from '../http/problems/problem.ts';
import { type IdForm, idAdvice, shownId } from '../http/requests/id-advice.ts';
import type { TimesAhead } from '../jobs/times-ahead.ts';
import type { Randomness } from '../randomness.ts';
import { NameFinder } from '../text/name-finder.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { dueAfter } from '../time/due-times.ts';
import { day, second } from '../time/units.ts';
import { type Erasure, isErasureId, statusOfErasure, type Touched, withTouched } from './erasure.ts';
import { keptDays, keptPerClient } from './policy-import.ts';
import type { Sender } from './policy-imports.ts';

/*
 * Erasures are worked off in steps of one short transaction each, which note how far they came: a crash in the middle changes
 * nothing. When all was looked at, the name goes from the record of the erasure too, then what was overwritten goes from the
 * log of the database, and only then is the erasure completed.
 */

/** The signal channel for erasures that were accepted. */
export const erasureAsked = 'erasures';

/** Milliseconds within which another node writes the calls that it has answered. */
const othersWriteWithin = 2 * second;

const erasures = table('erasures', {
  id: text,
  clientId: text,
  address: text,
  /** Null when it was taken out of everything else. */
  holder: nullable(text),
  /** How far it is, as `eraseRows` has it. */
  place: text,
  /** JSON: as the interface shows them. */
  touched: text,
  kept: text,
  createdAt: text,
  completedAt: nullable(text),
  dueAt: nullable(text),
  expiresAt: nullable(text),
});

const shown = erasures.pick('id', 'touched', 'kept', 'createdAt', 'completedAt');

export interface ErasuresOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly names: ErasableNames;
  /** Counts rows that a name was taken out of. */
  readonly erased: (rows: number) => void;
}

/** The use cases of erasures. A client sees its own only. */
export class Erasures {
  readonly #options: ErasuresOptions;
  readonly #turns = new FairTurns();

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  /**
   * Accepts a name. Resolves when it is durable; the job does the rest. `keep` is called in the transaction.
   *
   * @throws {ProblemError} `quota-exceeded` when all erasures that may be kept are open, or `invalid-token` when the client
   *   is gone
   */
  async accept({ clientId, address }: Sender, holder: string, keep?: Keep<Erasure>): Promise<Erasure> {
    const { database, clock, clocks, randomness } = this.#options;
    const now = clocks.now(clientId);
    const row = {
      ...{ id: `era-${randomness.uuidV7('erasure', now)}`, clientId, address, holder, place: '' },
      ...{ touched: '[]', kept: '[]', createdAt: instant(now), completedAt: null, expiresAt: null },
      dueAt: instant(clock.now() + (database.engine === 'postgres' ? othersWriteWithin : 0)),
    };
    const accepted = asErasure(row);
    await database.write(async (sql) => {
      await lockClient(sql, clientId);
      await keepToQuota(sql, clientId);
      await insert(sql, row);
      await keep?.(sql, accepted);
    });
    database.signal(erasureAsked);
    return accepted;
  }

  /** @throws {ProblemError} `erasure-not-found` */
  async read(clientId: string, id: string): Promise<Erasure> {
    if (!isErasureId(id)) return notFound(id);
    const now = instant(this.#options.clock.now());
    return asErasure((await find(this.#options.database.sql, { clientId, id, now })) ?? notFound(id));
  }

  /** How many are not completed. */
  async open(): Promise<number> {
    return (await countOpen(this.#options.database.sql))?.open ?? 0;
  }

  /** Works off all that is due: a step at each turn. */
  async round({ mayContinue }: Pick<JobTurn, 'mayContinue'>): Promise<void> {
    const { database, clock } = this.#options;
    while (mayContinue()) {
      const due = await findDue(database.sql, { now: instant(clock.now()) });
      const { value: next } = this.#turns.inTurn(due).next();
      if (!next) return;
      await this.#step(next);
      await turn();
    }
  }

  async #step({ id, clientId, address, place, isErased }: Due): Promise<void> {
    const { database, clock, clocks, names, erased } = this.#options;
    if (isErased === 1) {
      await database.erase();
      const expiresAt = instant(clock.now() + keptDays * day);
      await this.#write(clientId, (sql) =>
        complete(sql, { id, completedAt: instant(clocks.now(clientId)), expiresAt }),
      );
      return;
    }
    if (place === '') await names.settle(clientId);
    const changed = await writeWithEnd(database, async (sql, atEnd) => {
      // In the order of those who move its clock or remove it.
      const open = (await holdClient(sql, clientId)) ? await lock(sql, { id }) : undefined;
      if (!open || open.holder === null) return 0;
      const erasing = { clientId, address, name: new NameFinder(open.holder) };
      const done = await names.erase(sql, erasing, open.place, atEnd);
      const touched = JSON.stringify(withTouched(JSON.parse(open.touched), done.what, done.changed));
      if (done.next !== undefined) await advance(sql, { id, place: done.next, touched });
      else await forget(sql, { id, touched, kept: JSON.stringify(await names.kept(sql, erasing)) });
      return done.changed;
    });
    erased(changed);
  }

  /** Changes an erasure of a client that is there. */
  async #write(clientId: string, work: (sql: Sql) => Promise<unknown>): Promise<void> {
    await this.#options.database.write(async (sql) => {
      if (await holdClient(sql, clientId)) await work(sql);
    });
  }
}

type Due = Awaited<ReturnType<typeof findDue>>[number];

/** The oldest that is completed goes for a new one. */
async function keepToQuota(sql: Sql, clientId: string): Promise<void> {
  const kept = await findAll(sql, { clientId });
  if (kept.length < keptPerClient) return;
  const oldest = kept.find(({ completedAt }) => completedAt !== null);
  if (oldest) await removeOne(sql, { id: oldest.id });
  else {
    const detail = `This client has ${keptPerClient} erasures that are not completed, which is the limit. Wait until one is: GET /erasures/{erasureId} shows it.`;
    throw new ProblemError('quota-exceeded', detail);
  }
}

function asErasure(row: RowOf<typeof shown>): Erasure {
  const { id, createdAt, completedAt } = row;
  const touched: Touched[] = JSON.parse(row.touched);
  const status = statusOfErasure({ completedAt, touched });
  return { id, status, touched, kept: JSON.parse(row.kept), createdAt, completedAt };
}

function notFound(id: string): never {
  const advice = isErasureId(id) ? '' : idAdvice(id, erasureIds);
  const detail = `You have no erasure with the id ${shownId(id)}.${advice} The answer of POST /erasures has its id.`;
  throw new ProblemError('erasure-not-found', detail);
}

const erasureIds: IdForm = {
  prefix: 'era-',
  others: [
    [/^pol-/, 'It is the id of a policy. The id of an erasure begins with era-.'],
    [/^(?:imp|CLM|sub|demo|preset)-/, 'It is the id of something else. The id of an erasure begins with era-.'],
  ],
};

/** The erasures of clients. */
export const ownedErasures: OwnedRows = {
  name: 'erasures',
  remove: (sql, clientId, limit) => removeSome(sql, { clientId, limit }),
  async move(sql, clientId, by) {
    for (const { id, expiresAt } of await findAll(sql, { clientId }))
      await setEnd(sql, { id, expiresAt: expiresAt && dueAfter(expiresAt, -by) });
  },
};

/** Removes erasures that were completed a week ago. */
export function erasureRemoval(database: Database, clock: Clock): HousekeepingTask {
  return {
    name: 'erasures',
    removes: true,
    async step() {
      const old = await findOld(database.sql, { now: instant(clock.now()) });
      if (old) await database.write((sql) => removeOne(sql, { id: old.id }));
      return old !== undefined;
    },
  };
}

/** Erasures that would not become due. */
export const erasuresAhead: TimesAhead<{ id: string }> = {
  when: 'at once',
  mayBeAhead: othersWriteWithin,
  find: (sql, bounds) => findAhead(sql, bounds),
  async set(database, rows, { ahead, now }) {
    // One at a time, each alone in its transaction (lock-order.ts).
    for (const { id } of rows) await database.write((sql) => setDue(sql, { id, ahead, now }));
    return rows.length;
  },
};

const insert = statement.run`insert into erasures ${erasures.values}`;

const find = statement.get`
  select ${shown} from erasures
  where client_id = ${'clientId'} and id = ${'id'} and (expires_at is null or expires_at > ${'now'})`;

const findAll = statement.all`
  select ${erasures.pick('id', 'completedAt', 'expiresAt')} from erasures where client_id = ${'clientId'} order by id`;

const findDue = statement.all`
  select ${erasures.pick('id', 'clientId', 'address', 'place').of('e')},
    case when e.holder is null then 1 else 0 end as ${alias('isErased', integer)}
  from erasures e join clients c on c.id = e.client_id
  where e.due_at <= ${'now'} and c.removed_at is null order by e.due_at, e.id`;

const lock = statement.get`
  select ${erasures.pick('holder', 'place', 'touched')} from erasures where id = ${'id'} ${lockRows}`;

const advance = statement.run`
  update erasures set place = ${'place'}, touched = ${'touched'} where id = ${'id'}`;

const forget = statement.run`
  update erasures set holder = null, place = '', touched = ${'touched'}, kept = ${'kept'} where id = ${'id'}`;

const complete = statement.run`
  update erasures set completed_at = ${'completedAt'}, expires_at = ${'expiresAt'}, due_at = null where id = ${'id'}`;

const countOpen = statement.get`
  select count(*) as ${alias('open', integer)} from erasures where due_at is not null`;

const removeOne = statement.run`delete from erasures where id = ${'id'}`;

const removeSome = statement.run`
  delete from erasures where id in (
    select id from erasures where client_id = ${'clientId'} order by id limit ${'limit'}
  )`;

const setEnd = statement.run`update erasures set expires_at = ${'expiresAt'} where id = ${'id'}`;

const findOld = statement.get`
  select ${erasures.pick('id')} from erasures where expires_at <= ${'now'} order by expires_at limit 1`;

const findAhead = statement.all`
  select ${erasures.pick('id')} from erasures where due_at > ${'ahead'} order by due_at limit ${'batch'}`;

const setDue = statement.run`
  update erasures set due_at = ${'now'} where id = ${'id'} and due_at > ${'ahead'}`;
