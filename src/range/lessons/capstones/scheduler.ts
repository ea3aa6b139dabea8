import type { DrillName } from '../../../active-drills.ts';
import { holdClient } from '../../../clients/clients.ts';
import type { ClockMoves } from '../../../clients/clock-moves.ts';
import type { Consents } from '../../../clients/consents.ts';
import type { Job } from '../../../component.ts';
import type { Database, Role, Sql } from '../../../database/database.ts';
import { FairTurns } from '../../../fair-turns.ts';
import type { GivenPolicies } from '../../../insurer/index.ts';
import type { ClientClocks } from '../../../time/client-clocks.ts';
import { type Clock, instant } from '../../../time/clock.ts';
import { minute } from '../../../time/units.ts';
import type { Drills } from '../../drills/drills.ts';
import type { Capstone, Plan, ScheduledStep } from './capstone.ts';
import {
  endRun,
  findDue,
  findRun,
  type Level,
  lockOn,
  noteScore,
  noteScoreOfLevelTwo,
  noteStep,
  type Outcome,
  type Run,
} from './runs.ts';

/*
 * Does what the schedules of runs bring, and ends runs whose time is over. What is due is in the database, so it is done
 * after a restart, or by another node. A step and the note that it was done are one transaction. Only a clock is moved
 * before, to a certain time: a second move goes no further.
 */

/** The role of the node that does the steps of runs. */
export const capstonesRole: Role = { name: 'capstones', lock: 4 };

/** Steps after which what drills are on is told. */
const batch = 50;

/** Milliseconds between two rounds. */
const everyMs = 250;

export interface SchedulerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly drills: Drills;
  readonly givenPolicies: GivenPolicies;
  readonly clockMoves: ClockMoves;
  readonly consents: Consents;
  readonly find: (capstoneId: string, level?: Level) => Capstone | undefined;
  /** Counts a run that has ended. */
  readonly ended: (capstoneId: string, outcome: Outcome) => void;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #turns = new FairTurns();

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  get job(): Job {
    return { name: 'the runs of capstones', role: capstonesRole, everyMs, run: () => this.round() };
  }

  /** Does all that is due. */
  async round(): Promise<void> {
    let steps = 0;
    for (let run = await this.#due(); run; run = await this.#due()) {
      await this.#next(run);
      steps += 1;
      if (steps % batch === 0) await this.#options.drills.changed();
    }
    if (steps % batch !== 0) await this.#options.drills.changed();
  }

  /** The run whose turn it is, of those with a step that is due. */
  async #due(): Promise<Run | undefined> {
    const { database, clock } = this.#options;
    const { value: next } = this.#turns.inTurn(await findDue(database.sql, { now: instant(clock.now()) })).next();
    return next && findRun(database.sql, next);
  }

  /** Does what is due at the start of a run, in its transaction. Clocks are not moved. */
  async begin(sql: Sql, run: Run): Promise<void> {
    let current = run;
    for (const step of this.#scheduleOf(run)) if (step.at === 0) current = await this.#do(sql, current, step);
  }

  /** Ends a run, within a transaction that has locked the client. Returns whether it was on. */
  async end(
    sql: Sql,
    run: Run,
    outcome: Outcome,
    score: number | null = null,
    faults: object[] = [],
  ): Promise<boolean> {
    const { clock, drills, consents } = this.#options;
    const endedAt = instant(clock.now());
    if ((await endRun(sql, { ...run, endedAt, outcome, score, faults: JSON.stringify(faults) })) === 0) return false;
    if (score !== null) {
      const note = run.level === 1 ? noteScore : noteScoreOfLevelTwo;
      await note(sql, { ...run, score, completedAt: outcome === 'completed' ? endedAt : null });
    }
    await drills.endOfCapstone(sql, run.clientId);
    await consents.removeOfRun(sql, run.clientId);
    return true;
  }

  #scheduleOf({ capstoneId, level }: Run): readonly ScheduledStep[] {
    return this.#options.find(capstoneId, level)?.schedule ?? [];
  }

  async #next(run: Run): Promise<void> {
    const { database, clock, ended } = this.#options;
    const isOver = clock.now() >= Date.parse(run.endsAt);
    const step = isOver ? undefined : this.#scheduleOf(run)[run.steps];
    if (step && 'clockMinutes' in step) await this.#moveClock(run, step.clockMinutes);
    const hasEnded = await database.write(async (sql) => {
      // It is being removed: what it had to do is not found again.
      if (!(await holdClient(sql, run.clientId))) return false;
      const current = await lockOn(sql, run);
      // It was ended meanwhile, or another node did the step.
      if (!current || current.steps !== run.steps) return false;
      if (!step) return this.end(sql, current, 'over', 0, [noReport]);
      await this.#do(sql, current, step);
      return false;
    });
    if (hasEnded) ended(run.capstoneId, 'over');
  }

  async #moveClock({ clientId, plan }: Run, minutes: number): Promise<void> {
    const goal = (JSON.parse(plan) as Plan).clockAtStart + minutes * minute;
    // A clock that is as far ahead as it can be stays, and the claims with it.
    await this.#options.clockMoves.advance(clientId, (now) => Math.max(0, goal - now));
  }

  /** Does a step, and notes it. Returns the run after it. */
  async #do(sql: Sql, run: Run, step: ScheduledStep): Promise<Run> {
    const plan = await this.#planAfter(sql, run, step);
    if ('drill' in step) await this.#start(sql, run, step);
    const steps = run.steps + 1;
    const next = this.#scheduleOf(run)[steps];
    const dueAt = next ? timeOf(run, next.at) : run.endsAt;
    const after = { ...run, steps, plan, dueAt };
    await noteStep(sql, after);
    return after;
  }

  async #start(
    sql: Sql,
    run: Run,
    { at, seconds, drill: name, parameters }: { at: number; seconds: number; drill: DrillName; parameters: object },
  ): Promise<void> {
    const endsAt = Date.parse(run.startedAt) + (at + seconds) * 1000;
    await this.#options.drills.startIn(sql, run.clientId, { name, parameters, startedBy: 'capstone', endsAt });
  }

  /** Does what a colleague, others, a person or a thief do in a step. Returns the plan after it. */
  async #planAfter(sql: Sql, run: Run, step: ScheduledStep): Promise<string> {
    const { consents } = this.#options;
    if ('colleague' in step) return this.#change(sql, run, step.colleague);
    const plan = JSON.parse(run.plan) as Plan;
    const changes = 'changes' in step ? plan.changes?.[step.changes] : undefined;
    if (changes) await this.#options.givenPolicies.changeAll(sql, run.clientId, changes);
    const idOf = (userName: string) => plan.people?.[userName] ?? '';
    if ('withdraws' in step) await consents.withdrawOf(sql, run.clientId, idOf(step.withdraws));
    if (!('robbed' in step)) return run.plan;
    const stolen = await consents.steal(sql, run.clientId, idOf(step.robbed));
    return JSON.stringify({ ...plan, stolen });
  }

  async #change(sql: Sql, { clientId, plan: text }: Run, place: number): Promise<string> {
    const plan = JSON.parse(text) as Plan;
    const id = plan.colleague?.ids[place];
    if (!plan.colleague || id === undefined) return text;
    const { from, to } = plan.colleague;
    const isChanged = await this.#options.givenPolicies.changeHolder(sql, clientId, id, from, to);
    return isChanged ? JSON.stringify({ ...plan, changed: [...(plan.changed ?? []), id] }) : text;
  }
}

/** The instant of a second of a run. */
export function timeOf({ startedAt }: Pick<Run, 'startedAt'>, second: number): string {
  return instant(Date.parse(startedAt) + second * 1000);
}

const noReport = {
  kind: 'no-report',
  subject: 'report',
  detail: 'The time was over before a report came.',
  exchanges: [],
};
