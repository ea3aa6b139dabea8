import { minute } from '../../time/units.ts';
import type { LastCall } from '../exchanges/learner-schemas.ts';
import type { LessonInTopic } from './lesson.ts';
import { type LessonProgress, ticksOf } from './progress.ts';
import type { Proof } from './proof.ts';
import type { Sign } from './schemas.ts';

/*
 * The lesson that a client works on: the one that it has open. Where it has opened none, what its last calls aimed at, not
 * what it has not solved yet. All who tell it ask here.
 *
 * 1. The unsolved lesson with the latest sign since one was solved: a near miss, a step, a hint, or that it is taken again. Of
 *    one call a near miss says more than a step, and what solved a lesson did steps of others only by the way.
 * 2. Without such a sign, or if the last call went to what another topic is about, ten minutes or more after it: the first
 *    open lesson of that topic.
 * 3. Else the next one of the path: the first open one after what was solved last, and after the end from the beginning.
 *
 * Where several fit, it is the first after what was solved last.
 */

/** What a client does now. */
export interface Now {
  readonly lastCall: LastCall | null;
  /** The lesson that is open. */
  readonly open: { readonly lessonId: string; readonly openedAt: string } | null;
}

export interface WorkedOn {
  readonly lesson: LessonInTopic;
  readonly sign: Sign;
  /** Null for the next one. */
  readonly at: string | null;
}

type Row = Pick<LessonProgress, 'hints' | 'changedAt' | 'solvedAt' | 'steps' | 'missProof' | 'begunAt'>;

interface DatedSign extends WorkedOn {
  readonly at: string;
}

/** The beginnings of the paths that a topic is about, by its id. Lessons of the others can need any call. */
export const pathsOfTopics: Readonly<Record<string, readonly string[]>> = {
  credentials: ['/insurer/v1/coverage-options'],
  policies: ['/insurer/v1/policies'],
  lists: ['/insurer/v1/policies'],
  access: [],
  limits: ['/insurer/v1/limited'],
  signatures: ['/insurer/v1/signed'],
  descriptions: [],
  registry: ['/vehicle-registry'],
  claims: ['/claims/v1/claims'],
  events: ['/claims/v1/topics'],
  webhooks: ['/claims/v1/subscriptions'],
  repeats: ['/insurer/v1/policies'],
  jobs: ['/insurer/v1/policy-imports'],
  sync: ['/insurer/v1/policies'],
  files: ['/insurer/v1/statements', '/insurer/v1/erasures'],
  people: ['/insurer/v1/auth/authorize', '/insurer/v1/auth/revoke', '/insurer/v1/auth/introspect'],
  faults: [],
  'between-systems': [],
};

/** Which of two signs of one moment says more. */
const strength: Readonly<Record<Sign, number>> = {
  open: 4,
  hint: 3,
  'taken-again': 3,
  'near-miss': 2,
  step: 1,
  call: 0,
  next: 0,
};

/** Milliseconds for which a sign holds against calls to what another topic is about. */
const signHolds = 10 * minute;

/** Milliseconds within which what a call did is noted. */
const notedWithin = 5000;

/** Undefined when all lessons are solved. `done` has what the client did, by the ids of lessons. */
export function worksOn(
  lessons: readonly LessonInTopic[],
  done: ReadonlyMap<string, Row>,
  { lastCall, open }: Now,
): WorkedOn | undefined {
  const opened = open && lessons.find(({ id }) => id === open.lessonId);
  if (opened) return { lesson: opened, sign: 'open', at: open.openedAt };
  const solved = solvedLast(lessons, done);
  const inOrder = [...lessons.slice(solved.index + 1), ...lessons.slice(0, solved.index + 1)];
  const unsolved = inOrder.filter(({ id }) => typeof done.get(id)?.solvedAt !== 'string');
  const [next] = unsolved;
  if (!next) return undefined;
  const all = unsolved.flatMap((lesson) => signsOf(lesson, done.get(lesson.id), solved.at));
  const [first] = all;
  const sign = first && all.reduce((latest, each) => (isStronger(each, latest) ? each : latest), first);
  const called = lastCall && lastCall.at > solved.at ? lastCall : undefined;
  const aimed = called && unsolved.find((lesson) => isAbout(lesson, called));
  if (sign && !(called && aimed && isElsewhere(sign, called))) return sign;
  if (called && aimed) return { lesson: aimed, sign: 'call', at: called.at };
  return { lesson: next, sign: 'next', at: null };
}

/** The place in the path of what was solved last, and when its call came. */
function solvedLast(lessons: readonly LessonInTopic[], done: ReadonlyMap<string, Row>): { index: number; at: string } {
  let latest = '';
  for (const { solvedAt } of done.values()) if (solvedAt !== null && solvedAt > latest) latest = solvedAt;
  const last = { index: -1, at: '' };
  if (latest === '') return last;
  for (const [index, { id }] of lessons.entries()) {
    const row = done.get(id);
    // Several may have been noted together, in another order than that of their calls.
    if (!row?.solvedAt || Date.parse(latest) - Date.parse(row.solvedAt) > notedWithin) continue;
    const call = ticksOf(row).at(-1)?.startedAt;
    const isNew = call !== undefined && Date.parse(row.solvedAt) - Date.parse(call) < notedWithin;
    const at = isNew ? call : row.solvedAt;
    if (at >= last.at) Object.assign(last, { index, at });
  }
  return last;
}

function signsOf(lesson: LessonInTopic, row: Row | undefined, solvedAt: string): DatedSign[] {
  if (!row) return [];
  const { hints, changedAt, begunAt, missProof } = row;
  const step = ticksOf(row).reduce((latest, tick) => (tick && tick.startedAt > latest ? tick.startedAt : latest), '');
  const miss = missProof === null ? '' : (JSON.parse(missProof) as Proof).startedAt;
  const called = miss > step ? miss : step;
  const byHand =
    (hints > 0 || begunAt !== null) && (called === '' || Date.parse(changedAt) - Date.parse(called) > notedWithin);
  const found: DatedSign[] = [];
  if (miss !== '' && miss >= solvedAt) found.push({ lesson, sign: 'near-miss', at: miss });
  if (step > solvedAt) found.push({ lesson, sign: 'step', at: step });
  if (byHand && changedAt >= solvedAt)
    found.push({ lesson, sign: changedAt === begunAt ? 'taken-again' : 'hint', at: changedAt });
  return found;
}

function isStronger(one: DatedSign, other: DatedSign): boolean {
  return one.at === other.at ? strength[one.sign] > strength[other.sign] : one.at > other.at;
}

function isAbout({ topic }: LessonInTopic, { path }: LastCall): boolean {
  return (pathsOfTopics[topic.id] ?? []).some((begin) => path.startsWith(begin));
}

/** Tells whether a call has left what a sign was about. */
function isElsewhere({ lesson, at }: DatedSign, call: LastCall): boolean {
  const hasPaths = (pathsOfTopics[lesson.topic.id] ?? []).length > 0;
  return hasPaths && !isAbout(lesson, call) && Date.parse(call.at) - Date.parse(at) >= signHolds;
}
