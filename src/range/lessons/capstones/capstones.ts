import type { ClaimStatus, GivenClaims } from '../../../claims/index.ts';
import type { Clients } from '../../../clients/clients.ts';
import type { Sql } from '../../../database/database.ts';
import { ProblemError } from '../../../http/problems/problem.ts';
import type { Tokens } from '../../../http/requests/bearer.ts';
import { shownId } from '../../../http/requests/id-advice.ts';
import { countPolicies, type People, type Statements } from '../../../insurer/index.ts';
import type { Randomness } from '../../../randomness.ts';
import type { SecretFinder } from '../../../text/secret-finder.ts';
import { day, instant } from '../../../time/clock.ts';
import type { Recorder } from '../../exchanges/recorder.ts';
import type { Histories } from '../histories.ts';
import type { Capstone, Evidence, Plan, Prepared } from './capstone.ts';
import { atLevel } from './level-two.ts';
import { isOn, runViewOf, standingOf, tooEarly } from './run-view.ts';
import {
  countRun,
  findOn,
  findRecords,
  findRun,
  findRuns,
  insertRun,
  keptRuns,
  type Level,
  type Run,
  trimRuns,
} from './runs.ts';
import type { Scheduler, SchedulerOptions } from './scheduler.ts';
import type { CapstoneRunView, MyCapstoneView } from './schemas.ts';
import { countFaults, scoreOf, worstFirst } from './score.ts';

export interface CapstonesOptions extends SchedulerOptions {
  readonly capstones: readonly Capstone[];
  readonly scheduler: Scheduler;
  readonly randomness: Randomness;
  readonly claims: GivenClaims;
  readonly people: People;
  readonly statements: Statements;
  readonly histories: Histories;
  readonly recorder: Recorder;
  readonly tokens: Tokens;
  readonly clients: Clients;
  readonly secretFinder: SecretFinder;
}

/** Faults that are kept of a run at the most. */
const maxFaults = 100;

/** The use cases of capstones: clients start runs, look at them, and report. */
export class Capstones {
  readonly #options: CapstonesOptions;

  constructor(options: CapstonesOptions) {
    this.#options = options;
  }

  get all(): readonly Capstone[] {
    return this.#options.capstones;
  }

  named(id: string): Capstone | undefined {
    return this.#options.find(id);
  }

  /** @throws {ProblemError} `capstone-not-found` */
  find(id: string): Capstone {
    const capstone = this.named(id);
    if (capstone) return capstone;
    const detail = `There is no capstone ${shownId(id)}. GET /range/v1/capstones lists those there are.`;
    throw new ProblemError('capstone-not-found', detail);
  }

  /** All capstones, with what the client has done of them. */
  async ofClient(clientId: string): Promise<MyCapstoneView[]> {
    const { database } = this.#options;
    const records = new Map((await findRecords(database.sql, { clientId })).map((row) => [row.capstoneId, row]));
    const run = await this.#on(clientId);
    return this.all.map((capstone) =>
      standingOf(
        capstone,
        records.get(capstone.id),
        run?.capstoneId === capstone.id ? this.#view(run, capstone) : null,
      ),
    );
  }

  /** Those that the client has completed, with the highest level. */
  async completed(clientId: string): Promise<{ id: string; title: string; level: Level; completedAt: string }[]> {
    return (await this.ofClient(clientId)).flatMap(({ id, title, ...one }) => {
      const level = one.levelTwo.completedAt === null ? 1 : 2;
      const completedAt = one.levelTwo.completedAt ?? one.completedAt;
      return completedAt === null ? [] : [{ id, title, level, completedAt }];
    });
  }

  /** @throws {ProblemError} `capstone-not-found` */
  async one(clientId: string, capstoneId: string): Promise<MyCapstoneView> {
    const { id } = this.find(capstoneId);
    return (await this.ofClient(clientId)).find((each) => each.id === id) as MyCapstoneView;
  }

  /**
   * The runs that are kept, newest first.
   *
   * @throws {ProblemError} `capstone-not-found`
   */
  async runs(clientId: string, capstoneId: string): Promise<CapstoneRunView[]> {
    const capstone = this.find(capstoneId);
    const rows = await findRuns(this.#options.database.sql, { clientId, capstoneId: capstone.id });
    return rows.map((run) => this.#view(run, capstone));
  }

  /** @throws {ProblemError} `capstone-not-found`, `run-not-found` */
  async run(clientId: string, capstoneId: string, number: string): Promise<CapstoneRunView> {
    const capstone = this.find(capstoneId);
    return this.#view(await this.#run(clientId, capstone, number), capstone);
  }

  /**
   * Starts a run, in place of the one that is on. Resolves when its first conditions hold.
   *
   * @throws {ProblemError} `capstone-not-found`, `quota-exceeded`
   */
  async start(clientId: string, capstoneId: string, level: Level = 1): Promise<CapstoneRunView> {
    const capstone = atLevel(this.find(capstoneId), level);
    const { database, scheduler, drills, ended } = this.#options;
    const { number, replaced } = await database.write(async (sql) => {
      await this.#options.tokens.lockClient(sql, clientId);
      const on = await findOn(sql, { clientId });
      if (on) await scheduler.end(sql, on, 'ended');
      const run = await this.#newRun(sql, clientId, capstone, level);
      await insertRun(sql, run);
      await scheduler.begin(sql, run);
      await trimRuns(sql, { clientId, capstoneId: capstone.id, upTo: run.number - keptRuns });
      return { number: run.number, replaced: on?.capstoneId };
    });
    if (replaced !== undefined) ended(replaced, 'ended');
    await drills.changed();
    return this.run(clientId, capstone.id, String(number));
  }

  /**
   * Ends a run, if it is on.
   *
   * @throws {ProblemError} `capstone-not-found`, `run-not-found`
   */
  async end(clientId: string, capstoneId: string, number: string): Promise<void> {
    const { database, scheduler, drills, tokens, ended } = this.#options;
    const run = await this.#run(clientId, this.find(capstoneId), number);
    const hasEnded = await database.write(async (sql) => {
      await tokens.lockClient(sql, clientId);
      return scheduler.end(sql, run, 'ended');
    });
    if (!hasEnded) return;
    ended(run.capstoneId, 'ended');
    await drills.changed();
  }

  /**
   * Scores the run that is on by what it came to, unless it is too early or the report has another shape.
   *
   * @throws {ProblemError} `no-run`
   */
  async report(clientId: string, reported: Capstone, report: unknown) {
    const { database, clock, scheduler, drills, tokens, ended, secretFinder } = this.#options;
    const run = await this.#on(clientId);
    if (run?.capstoneId !== reported.id) throw noRun(reported);
    const capstone = atLevel(reported, run.level);
    const advice = tooEarly(run, capstone, clock.now()) ?? capstone.shapeFault(report);
    if (advice !== undefined) return { correct: false, advice, lesson: null, run: this.#view(run, reported) };
    const prepared = { given: JSON.parse(run.given), plan: JSON.parse(run.plan) } as Prepared;
    const evidence = await this.#evidence(run, capstone, prepared, report);
    // They repeat what was reported, and are kept.
    const faults = worstFirst(capstone.faults(report, prepared, evidence)).map((fault) => ({
      ...fault,
      detail: secretFinder.hide(fault.detail),
    }));
    const score = scoreOf(faults, capstone.parts(prepared, evidence));
    const outcome = faults.length === 0 ? 'completed' : 'reported';
    const hasEnded = await database.write(async (sql) => {
      await tokens.lockClient(sql, clientId);
      return scheduler.end(sql, run, outcome, score, faults.slice(0, maxFaults));
    });
    if (!hasEnded) throw noRun(capstone);
    ended(capstone.id, outcome);
    await drills.changed();
    return {
      correct: faults.length === 0,
      advice:
        faults.length === 0
          ? null
          : `The score is ${score} of 100: ${countFaults(faults)}. The faults of the run say more.`,
      lesson: null,
      run: await this.run(clientId, capstone.id, String(run.number)),
    };
  }

  async #newRun(sql: Sql, clientId: string, capstone: Capstone, level: Level): Promise<Run> {
    const { clock, clocks, randomness, givenPolicies, claims, people } = this.#options;
    const now = clock.now();
    const first = { clientId, capstoneId: capstone.id, runs: 1, bestScore: null, completedAt: null };
    const none = { levelTwoBestScore: null, levelTwoCompletedAt: null };
    const number = (await countRun(sql, { ...first, ...none }))?.runs ?? 1;
    const clockAtStart = clocks.now(clientId);
    const policiesBefore = await countPolicies(sql, clientId);
    const eventsBefore = await claims.lastEvent(sql);
    const { given, plan } = await capstone.prepare({
      number,
      now: clockAtStart,
      randomness,
      givePolicies: (policies) => givenPolicies.give(sql, clientId, policies),
      freeNumbers: (count) => givenPolicies.freeNumbers(sql, count),
      registerClaim: (draft) => claims.register(sql, clientId, draft),
      makePeople: (names) => people.makeForRun(sql, clientId, names),
    });
    const [startedAt, endsAt] = [instant(now), instant(now + capstone.seconds * 1000)];
    const whole: Plan = { ...plan, policiesBefore, eventsBefore, clockAtStart };
    return {
      clientId,
      capstoneId: capstone.id,
      number,
      level,
      startedAt,
      endsAt,
      steps: 0,
      dueAt: instant(now + (capstone.schedule[0]?.at ?? capstone.seconds) * 1000),
      given: JSON.stringify(given),
      plan: JSON.stringify(whole),
      endedAt: null,
      outcome: null,
      score: null,
      faults: '[]',
    };
  }

  async #evidence(
    { clientId, startedAt }: Run,
    capstone: Capstone,
    { given, plan }: Prepared,
    report: unknown,
  ): Promise<Evidence> {
    const { database, clocks, givenPolicies, claims, clients, consents, histories, recorder } = this.#options;
    await recorder.settle(clientId);
    const entries = await histories.whole(database.sql, clientId);
    const states = new Map<string, ClaimStatus | undefined>();
    for (const id of capstone.claimsOf?.(given) ?? []) states.set(id, await claims.status(clientId, id));
    const statementId = capstone.statementOf?.(report);
    return {
      startedAt: Date.parse(startedAt),
      today: day(clocks.now(clientId)),
      statement: statementId === undefined ? undefined : await this.#options.statements.sums(clientId, statementId),
      policies: await givenPolicies.since(clientId, plan.policiesBefore),
      changes: await claims.changesSince(clientId, plan.eventsBefore),
      claims: states,
      secretRenewedAt: await clients.secretRenewedAt(clientId),
      consents: (await consents.list(clientId, { page: 1, pageSize: 500 })).items.toReversed(),
      entries,
    };
  }

  #view(run: Run, capstone: Capstone): CapstoneRunView {
    return runViewOf(run, atLevel(capstone, run.level), this.#options.clock.now());
  }

  async #on(clientId: string): Promise<Run | undefined> {
    const { database, clock } = this.#options;
    const run = await findOn(database.sql, { clientId });
    return run && isOn(run, clock.now()) ? run : undefined;
  }

  async #run(clientId: string, { id: capstoneId }: Capstone, number: string): Promise<Run> {
    const isNumber = /^[1-9]\d{0,8}$/.test(number);
    const key = { clientId, capstoneId, number: Number(number) };
    const run = isNumber ? await findRun(this.#options.database.sql, key) : undefined;
    if (run) return run;
    const detail = `You have no run ${isNumber ? number : 'with this number'} of ${capstoneId}. GET /range/v1/me/capstones/${capstoneId}/runs lists the last ${keptRuns}; POST starts one.`;
    throw new ProblemError('run-not-found', detail);
  }
}

function noRun({ id }: Capstone): ProblemError {
  const detail = `No run of ${id} is on: its time is over, it has ended, or none was started. POST /range/v1/me/capstones/${id}/runs starts one.`;
  return new ProblemError('no-run', detail);
}
