import type { TreatedLearner } from '../api/types.ts';
import { type Class, isShared, nameOf } from './class.ts';
import { ago, howLong } from './duration.ts';

/*
 * Who needs the trainer, and why, in one place. A class has three kinds of learners to go to, in this order:
 *
 * 1. Who asked for help.
 * 2. Who is stuck: nearly solved the lesson it works on again and again, or is refused with one problem again and again.
 * 3. Who is silent: made no call while the class was active. The class is active from a call on until nobody has called for
 *    as long. So nobody is silent because of a break, nor at once when others are quicker after it; and who was silent
 *    before a break still is.
 */

/** `stuck`: asked for help, or may need it. `shared`: no learner, but a client that all may use. */
export type Need = 'stuck' | 'silent' | 'working' | 'done' | 'shared';

/** One learner as the class shows it. Times are in words, so a row changes once a minute at the most, if nobody calls. */
export interface ClassRow {
  readonly clientId: string;
  readonly name: string;
  readonly need: Need;
  /** Why it is stuck or silent, in a few words; empty if it is not. */
  readonly reason: string;
  /** How much it needs help, against others of the same need. */
  readonly urgency: number;
  readonly lastSeen: string;
  readonly lastSeenAt: string;
  /** Since when a silent one is so, and what it did last; null if it is not. */
  readonly silent: Silence | null;
  /** How long ago it was reset; empty if it has called since. */
  readonly resetFor: string;
  /** What it asked help for; null if it did not. */
  readonly help: string | null;
  /** Refusals with the same problem, one after the other; null while they are few. */
  readonly refused: { readonly times: number; readonly text: string } | null;
  readonly calls: number;
  readonly refusals: number;
  /** Those that only named it, which anybody can make. */
  readonly callsWithoutToken: number;
  readonly lastProblem: string | null;
  readonly solved: number;
  /** Stages that its own insurer passed, as its machine reported. */
  readonly stagesPassed: number;
  readonly current: {
    readonly id: string;
    readonly title: string;
    /** Whether it tried it. Else it is only the next one of the path. */
    readonly tried: boolean;
    /** How long it has called without solving anything; empty for the first minutes. */
    readonly unsolvedFor: string;
    readonly hints: number;
    readonly misses: number;
    readonly lastMiss: string | null;
  } | null;
  /** What makes it hard to get on, and looks like nothing in the calls. */
  readonly warnings: TreatedLearner['warnings'];
  /** When it is removed, if that is to come soon. */
  readonly goesAt: string | null;
  /** How far its clock is ahead; empty if it is not. */
  readonly ahead: string;
  readonly drills: readonly string[];
}

/** A learner that makes no calls. */
export interface Silence {
  readonly since: string;
  /** Whether that was on another day, perhaps. */
  readonly isLong: boolean;
  /** Null if it has made none of its own. */
  readonly lastCall: TreatedLearner['lastCall'];
  /** Whether it was reset since its last call, which is not known then. */
  readonly wasReset: boolean;
}

/** Near misses in one lesson, and refusals in a row, from which on somebody may need help. */
export const stuckMisses = 3;
export const stuckRefusals = 5;

/** Minutes without a call from which on somebody is silent, in an active class, and from which on a class is not active. */
export const silentMinutes = 10;

/** Minutes without a call after which what was refused before says nothing of now. */
const goneMinutes = 60;

/** Minutes after which a time is told with its day. */
const longMinutes = 12 * 60;

/** Minutes with calls and without a solved lesson from which on they are told. */
const slowMinutes = 5;

/** A miss or a hint counts as much as so many minutes, and so does a warning: it may be why. */
const minutesPerTry = 5;
const minutesPerWarning = 60;
const askedFirst = 1e6;

/** Whoever has not called at all may not get in. */
const joinedOnly = 1000;

const order: readonly Need[] = ['stuck', 'silent', 'working', 'done', 'shared'];

export const isMarked = (need: Need) => need === 'stuck' || need === 'silent';

/** The rows of a class, in no order. */
export function rowsOf({ learners, standings, present }: Class): ReadonlyMap<string, ClassRow> {
  const active = activeTime([...learners.values()].filter(({ clientId }) => !isShared(clientId)));
  const rows = [...learners.values()].map((learner): ClassRow => {
    const { clientId, lastSeenAt, activeSince, resetAt, calls, refusals, lastProblem, clock, drills } = learner;
    const { callsWithoutToken } = learner;
    const { refusalsInARow, lastRefusal, lastCall, help, warnings } = learner;
    const { current = null, solved = 0, stagesPassed = 0 } = standings.get(clientId) ?? {};
    const quiet = secondsSince(lastSeenAt, present);
    const silentFor = Math.max(0, active.end - Math.max(active.begin, Date.parse(lastSeenAt))) / 60_000;
    const wasReset = resetAt !== null && resetAt >= lastSeenAt;
    const seconds = current ? secondsOfWork(current.since, activeSince, lastSeenAt) : 0;
    const tries = (current?.misses ?? 0) + (current?.hints ?? 0);
    const { need, reason } = needOf({ clientId, quiet, silentFor, refusalsInARow, current, asked: help !== null });
    const isGoing = warnings.some(({ kind }) => kind === 'removal');
    const hindrances = warnings.length - (isGoing ? 1 : 0);
    const stuckness =
      Math.floor(seconds / 60) + minutesPerTry * tries + refusalsInARow + minutesPerWarning * hindrances;
    const silence = Math.floor(silentFor) + (lastCall === null ? joinedOnly : 0);
    return {
      clientId,
      name: nameOf(learner),
      need,
      reason,
      // Whoever asked comes before those who only seem to need it.
      urgency: need === 'silent' ? silence : stuckness + (help ? askedFirst : 0),
      lastSeen: ago(quiet),
      lastSeenAt,
      silent: need === 'silent' ? { since: lastSeenAt, isLong: quiet >= longMinutes * 60, lastCall, wasReset } : null,
      resetFor: wasReset ? ago(secondsSince(resetAt, present)) : '',
      help: help?.message ?? null,
      refused: refusalsInARow >= stuckRefusals ? { times: refusalsInARow, text: lastRefusal ?? '' } : null,
      calls,
      refusals,
      callsWithoutToken,
      lastProblem,
      solved,
      stagesPassed,
      current: current && {
        ...{ id: current.id, title: current.title, tried: current.sign !== 'next' },
        unsolvedFor: seconds >= slowMinutes * 60 ? howLong(seconds) : '',
        ...{ hints: current.hints, misses: current.misses, lastMiss: current.lastMiss },
      },
      ahead: clock.aheadSeconds > 0 ? howLong(clock.aheadSeconds) : '',
      warnings,
      goesAt: isGoing ? learner.keptUntil : null,
      drills: drills.map(({ name }) => name),
    };
  });
  return new Map(rows.map((row) => [row.clientId, row]));
}

interface Standing {
  readonly clientId: string;
  /** Seconds since its last call, and minutes without one in which the class was active. */
  readonly quiet: number;
  readonly silentFor: number;
  readonly refusalsInARow: number;
  /** Whether it asked for help. */
  readonly asked: boolean;
  readonly current: { readonly misses: number; readonly triedAt: string | null; readonly since: string } | null;
}

function needOf(standing: Standing): Pick<ClassRow, 'need' | 'reason'> {
  const { clientId, quiet, silentFor, refusalsInARow, current, asked } = standing;
  if (isShared(clientId)) return { need: 'shared', reason: '' };
  if (asked) return { need: 'stuck', reason: 'Asked for help' };
  if (!current) return { need: 'done', reason: '' };
  if (quiet < goneMinutes * 60) {
    // Misses of a lesson that it left for others, which it solved, say nothing of now.
    const misses = (current.triedAt ?? '') >= current.since ? current.misses : 0;
    if (misses >= stuckMisses) return { need: 'stuck', reason: `${misses} near misses` };
    if (refusalsInARow >= stuckRefusals) return { need: 'stuck', reason: `${refusalsInARow} refusals in a row` };
  }
  if (silentFor >= silentMinutes) return { need: 'silent', reason: `Silent for ${howLong(quiet)}` };
  return { need: 'working', reason: '' };
}

/** The latest time in which a class was active, in milliseconds since 1970: from a first call to the last. */
function activeTime(learners: readonly TreatedLearner[]): { begin: number; end: number } {
  const latestFirst = learners
    .map(({ activeSince, lastSeenAt }) => ({ begin: Date.parse(activeSince), end: Date.parse(lastSeenAt) }))
    .sort((one, other) => other.end - one.end);
  const [first = { begin: 0, end: 0 }] = latestFirst;
  let { begin } = first;
  for (const each of latestFirst) {
    if (begin - each.end >= silentMinutes * 60_000) break;
    begin = Math.min(begin, each.begin);
  }
  return { begin, end: first.end };
}

/** From what was solved last to the last call, without what was before a break. */
function secondsOfWork(since: string, activeSince: string, lastSeenAt: string): number {
  const from = Math.max(Date.parse(since), Date.parse(activeSince));
  return Math.max(0, (Date.parse(lastSeenAt) - from) / 1000);
}

function secondsSince(at: string, present: number): number {
  return Math.max(0, (present - Date.parse(at)) / 1000);
}

/** Who needs help most comes first. */
export function byNeed(rows: Iterable<ClassRow>): readonly ClassRow[] {
  return [...rows].sort(
    (one, other) =>
      order.indexOf(one.need) - order.indexOf(other.need) || other.urgency - one.urgency || compareNames(one, other),
  );
}

const names = new Intl.Collator(undefined, { numeric: true });

/** `Team 2` comes before `Team 10`. */
export function compareNames(one: Named, other: Named): number {
  return names.compare(one.name, other.name) || (one.clientId < other.clientId ? -1 : 1);
}

interface Named {
  readonly name: string;
  readonly clientId: string;
}

/** By their names: an order that says nothing of who is how far. */
export function byName(rows: Iterable<ClassRow>): readonly ClassRow[] {
  return [...rows].sort(compareNames);
}

/** How far the clocks of all learners are ahead, if that is the same and there are several; else empty. */
export function commonAhead(rows: readonly ClassRow[]): string {
  const learners = rows.filter(({ need }) => need !== 'shared');
  const [first] = learners;
  return first && learners.length > 1 && learners.every(({ ahead }) => ahead === first.ahead) ? first.ahead : '';
}

/** How many learners there are, how many of them may need help or are silent, and what all solved together. */
export function summaryOf(rows: Iterable<ClassRow>) {
  const learners = [...rows].filter(({ need }) => need !== 'shared');
  return {
    learners: learners.length,
    stuck: learners.filter(({ need }) => need === 'stuck').length,
    silent: learners.filter(({ need }) => need === 'silent').length,
    solved: learners.reduce((sum, { solved }) => sum + solved, 0),
  };
}
