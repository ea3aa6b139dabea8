import { clients } from '../../../clients/clients.ts';
import type { ErasedRows, Erasing } from '../../../clients/owned-rows.ts';
import { integer, integerOf, nullable, type RowOf, table, text, textOf } from '../../../database/columns.ts';
import type { Sql } from '../../../database/database.ts';
import { statement } from '../../../database/statement.ts';

/*
 * The runs of capstones.
 *
 *   on → completed   reported, without a fault
 *      → reported    reported, with faults
 *      → over        not reported in time
 *      → ended       by DELETE, or by another start
 *
 * What a client achieved is kept apart: it stays when the client is reset, and when old runs go.
 */

export const outcomes = ['completed', 'reported', 'over', 'ended'] as const;
export type Outcome = (typeof outcomes)[number];

export const runStates = ['on', ...outcomes] as const;

/** `level-two.ts` tells what the second one is. */
export const levels = [1, 2] as const;
export type Level = (typeof levels)[number];

/** Runs of one capstone that are kept of a client. */
export const keptRuns = 10;

const runs = table('capstone_runs', {
  clientId: text,
  capstoneId: text,
  /** Counts the runs of a client and capstone, from 1. */
  number: integer,
  level: integerOf<Level>(),
  startedAt: text,
  endsAt: text,
  /** When the next step of the schedule is due, or the run is over; null when it has ended. */
  dueAt: nullable(text),
  /** How many steps of the schedule were done. */
  steps: integer,
  /** JSON: what the learner is told, and a `Plan`. */
  given: text,
  plan: text,
  endedAt: nullable(text),
  outcome: nullable(textOf<Outcome>()),
  score: nullable(integer),
  /** JSON: a list of `Fault`. */
  faults: text,
});

export type Run = RowOf<typeof runs>;

const records = table('capstone_records', {
  clientId: text,
  capstoneId: text,
  /** How many were started. */
  runs: integer,
  bestScore: nullable(integer),
  completedAt: nullable(text),
  levelTwoBestScore: nullable(integer),
  levelTwoCompletedAt: nullable(text),
});

export type CapstoneRecord = RowOf<typeof records>;

/** Removes runs of a client that is removed or reset, at most `limit`. Returns how many. */
export function removeRuns(sql: Sql, clientId: string, limit: number): Promise<number> {
  return removeSome(sql, { clientId, limit });
}

/** Removes what a client that is being removed has achieved. Returns how many rows that were. */
export function removeRecords(sql: Sql, clientId: string): Promise<number> {
  return removeRecordsOf(sql, { clientId });
}

/** Takes a name out of the faults of runs. What a run is about is made up. */
export async function eraseInRuns(sql: Sql, { clientId, name }: Erasing): Promise<ErasedRows> {
  let changed = 0;
  for (const { faults: before, ...run } of await findFaults(sql, { clientId })) {
    const all: { subject: string; detail: string }[] = JSON.parse(before);
    const faults = JSON.stringify(
      all.map((each) => ({ ...each, subject: name.erase(each.subject), detail: name.erase(each.detail) })),
    );
    if (faults !== before) changed += await setFaults(sql, { clientId, ...run, faults });
  }
  return { changed };
}

export const insertRun = statement.run`insert into capstone_runs ${runs.values}`;

export const findRun = statement.get`
  select ${runs} from capstone_runs
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} and number = ${'number'}`;

/** The one that is on. */
export const findOn = statement.get`
  select ${runs} from capstone_runs where client_id = ${'clientId'} and ended_at is null`;

/** Newest first. */
export const findRuns = statement.all`
  select ${runs} from capstone_runs
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} order by number desc`;

/** Those with something to do, and where their clients are; not those of clients that are being removed. */
export const findDue = statement.all`
  select ${runs.pick('clientId', 'capstoneId', 'number').of('r')}, ${clients.pick('address').of('c')}
  from capstone_runs r join clients c on c.id = r.client_id
  where r.due_at <= ${'now'} and c.removed_at is null order by r.due_at`;

/** Nobody else changes it until the transaction ends. Undefined if it has ended. */
export const lockOn = statement.get`
  update capstone_runs set steps = steps
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} and number = ${'number'} and ended_at is null
  returning ${runs}`;

export const noteStep = statement.run`
  update capstone_runs set steps = ${'steps'}, due_at = ${'dueAt'}, plan = ${'plan'}
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} and number = ${'number'}`;

export const endRun = statement.run`
  update capstone_runs set ended_at = ${'endedAt'}, due_at = null, outcome = ${'outcome'}, score = ${'score'},
    faults = ${'faults'}
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} and number = ${'number'} and ended_at is null`;

export const trimRuns = statement.run`
  delete from capstone_runs
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} and number <= ${'upTo'} and ended_at is not null`;

export const countRun = statement.get`
  insert into capstone_records ${records.values}
  on conflict (client_id, capstone_id) do update set runs = capstone_records.runs + 1
  returning ${records.pick('runs')}`;

export const noteScore = statement.run`
  update capstone_records set
    best_score = case when best_score > ${'score'} then best_score else ${'score'} end,
    completed_at = coalesce(completed_at, ${'completedAt'})
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'}`;

export const noteScoreOfLevelTwo = statement.run`
  update capstone_records set
    level_two_best_score = case when level_two_best_score > ${'score'} then level_two_best_score else ${'score'} end,
    level_two_completed_at = coalesce(level_two_completed_at, ${'completedAt'})
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'}`;

export const findRecords = statement.all`
  select ${records} from capstone_records where client_id = ${'clientId'}`;

const removeSome = statement.run`
  delete from capstone_runs where client_id = ${'clientId'} and (capstone_id, number) in (
    select capstone_id, number from capstone_runs where client_id = ${'clientId'} limit ${'limit'}
  )`;

const removeRecordsOf = statement.run`delete from capstone_records where client_id = ${'clientId'}`;

const findFaults = statement.all`
  select ${runs.pick('capstoneId', 'number', 'faults')} from capstone_runs
  where client_id = ${'clientId'} and faults <> '[]' order by capstone_id, number`;

const setFaults = statement.run`
  update capstone_runs set faults = ${'faults'}
  where client_id = ${'clientId'} and capstone_id = ${'capstoneId'} and number = ${'number'}`;
