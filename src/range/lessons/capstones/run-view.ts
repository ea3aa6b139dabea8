import { instant } from '../../../time/clock.ts';
import type { Capstone } from './capstone.ts';
import { conditionsOfLevelTwo, reportFromOfLevelTwo } from './level-two.ts';
import type { CapstoneRecord, Run } from './runs.ts';
import { timeOf } from './scheduler.ts';
import type { CapstoneRunView, CapstoneView, MyCapstoneView } from './schemas.ts';

export function viewOf(capstone: Capstone): CapstoneView {
  const { id, title, goal, why, conditions, report, example, seconds, reportFrom, sections, buildsOn } = capstone;
  return {
    id,
    title,
    goal,
    why,
    conditions: [...conditions],
    report,
    givenExample: { ...example.given },
    reportExample: { ...(example.report as object) },
    seconds,
    reportFromSecond: reportFrom,
    sections: [...sections],
    buildsOn: [...buildsOn],
    levelTwo: { conditions: conditionsOfLevelTwo(capstone), reportFromSecond: reportFromOfLevelTwo(capstone) },
  };
}

/** A capstone, and what a client has done of it. `on`: the run that is on, if it is one of it. */
export function standingOf(
  capstone: Capstone,
  record: CapstoneRecord | undefined,
  on: CapstoneRunView | null,
): MyCapstoneView {
  const { runs = 0, bestScore = null, completedAt = null } = record ?? {};
  const ofLevelTwo = { bestScore: record?.levelTwoBestScore ?? null, completedAt: record?.levelTwoCompletedAt ?? null };
  const view = viewOf(capstone);
  return { ...view, runs, bestScore, completedAt, levelTwo: { ...view.levelTwo, ...ofLevelTwo }, on };
}

/** Tells whether it can still be reported: its time may be over before anybody has ended it. */
export function isOn({ endedAt, endsAt }: Run, now: number): boolean {
  return endedAt === null && Date.parse(endsAt) > now;
}

export function runViewOf(run: Run, capstone: Capstone, now: number): CapstoneRunView {
  const { capstoneId, number, level, startedAt, endsAt, endedAt, outcome, steps, score } = run;
  const state = outcome ?? (isOn(run, now) ? 'on' : 'over');
  return {
    capstone: capstoneId,
    number,
    level,
    state,
    startedAt,
    endsAt,
    endedAt,
    score,
    reportFrom: timeOf(run, capstone.reportFrom),
    secondsLeft: state === 'on' ? Math.ceil((Date.parse(endsAt) - now) / 1000) : 0,
    given: JSON.parse(run.given),
    schedule: capstone.schedule.map(({ at: second, what }, index) => ({ second, what, done: index < steps })),
    faults: JSON.parse(run.faults),
  };
}

/** When the report of a run can come, and that it can't yet; undefined if it can. */
export function tooEarly(run: Run, { reportFrom, schedule }: Capstone, now: number): string | undefined {
  const from = timeOf(run, reportFrom);
  // After a break of the service, steps may be late.
  if (from <= instant(now) && run.steps >= schedule.filter(({ at }) => at <= reportFrom).length) return undefined;
  const seconds = Math.max(1, Math.ceil((Date.parse(from) - now) / 1000));
  return `The run is not at its end: it can be reported in ${seconds} s, at ${from}. Go on until then; it is still on.`;
}
