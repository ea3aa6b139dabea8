import { type Class, isShared, nameOf } from './class.ts';
import { ago, howLong } from './elapsed.ts';

/** `stuck`: may need help. `quiet`: no call for some minutes. `shared`: no learner, but a client that all may use. */
export type Need = 'stuck' | 'working' | 'done' | 'quiet' | 'shared';

/** One learner as the class shows it. Times are in words, so a row changes once a minute at the most, if nobody calls. */
export interface ClassRow {
  readonly clientId: string;
  readonly name: string;
  readonly need: Need;
  /** How much it needs help, against others of the same need. */
  readonly urgency: number;
  readonly lastSeen: string;
  readonly lastSeenAt: string;
  /** How long it has not called; empty for some minutes after a call. */
  readonly quietFor: string;
  /** How long ago it was reset; empty if it has called since. */
  readonly resetFor: string;
  /** Refusals with the same problem, one after the other; null while they are few. */
  /** What it asked help for; null if it did not. */
  readonly help: string | null;
  readonly refused: { readonly times: number; readonly text: string } | null;
  readonly calls: number;
  readonly refusals: number;
  readonly lastProblem: string | null;
  readonly solved: number;
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
  /** How far its clock is ahead; empty if it is not. */
  readonly ahead: string;
  readonly drills: readonly string[];
}

/** Near misses in one lesson, and refusals in a row, from which on somebody may need help. */
export const stuckMisses = 3;
export const stuckRefusals = 5;

/** Minutes without a call from which on somebody is quiet, and after which nobody may be there any more. */
export const quietMinutes = 5;
const goneMinutes = 60;

/** Minutes with calls and without a solved lesson from which on they are told. */
const slowMinutes = 5;

/** A miss or a hint counts as much as so many minutes. */
const minutesPerTry = 5;
const askedFirst = 1e6;

const order: readonly Need[] = ['stuck', 'working', 'done', 'quiet', 'shared'];

/** The rows of a class, in no order. */
export function rowsOf({ learners, standings, present }: Class): ReadonlyMap<string, ClassRow> {
  const rows = [...learners.values()].map((learner): ClassRow => {
    const { clientId, lastSeenAt, activeSince, resetAt, calls, refusals, lastProblem, clock, drills } = learner;
    const { refusalsInARow, lastRefusal, help } = learner;
    const { current = null, solved = 0 } = standings.get(clientId) ?? {};
    const quiet = secondsSince(lastSeenAt, present);
    const seconds = current ? secondsOfWork(current.since, activeSince, lastSeenAt) : 0;
    const tries = (current?.misses ?? 0) + (current?.hints ?? 0);
    return {
      clientId,
      name: learner.nickname === null ? nameOf(learner) : learner.shownName,
      need: needOf({ clientId, quiet, refusalsInARow, current, asked: help !== null }),
      // Whoever asked comes before those who only seem to need it.
      urgency: Math.floor(seconds / 60) + minutesPerTry * tries + refusalsInARow + (help ? askedFirst : 0),
      lastSeen: ago(quiet),
      lastSeenAt,
      quietFor: quiet >= quietMinutes * 60 ? howLong(quiet) : '',
      resetFor: resetAt !== null && resetAt >= lastSeenAt ? ago(secondsSince(resetAt, present)) : '',
      help: help?.message ?? null,
      refused: refusalsInARow >= stuckRefusals ? { times: refusalsInARow, text: lastRefusal ?? '' } : null,
      calls,
      refusals,
      lastProblem,
      solved,
      current: current && {
        ...{ id: current.id, title: current.title, tried: current.triedAt !== null },
        unsolvedFor: seconds >= slowMinutes * 60 ? howLong(seconds) : '',
        ...{ hints: current.hints, misses: current.misses, lastMiss: current.lastMiss },
      },
      ahead: clock.aheadSeconds > 0 ? howLong(clock.aheadSeconds) : '',
      drills: drills.map(({ name }) => name),
    };
  });
  return new Map(rows.map((row) => [row.clientId, row]));
}

interface Standing {
  readonly clientId: string;
  readonly quiet: number;
  readonly refusalsInARow: number;
  /** Whether it asked for help. */
  readonly asked: boolean;
  readonly current: { readonly misses: number; readonly triedAt: string | null; readonly since: string } | null;
}

function needOf({ clientId, quiet, refusalsInARow, current, asked }: Standing): Need {
  if (isShared(clientId)) return 'shared';
  if (asked) return 'stuck';
  if (!current) return 'done';
  // Misses of a lesson that it left for others, which it solved, say nothing of now.
  const misses = (current.triedAt ?? '') >= current.since ? current.misses : 0;
  const stuck = misses >= stuckMisses || refusalsInARow >= stuckRefusals;
  if (quiet >= (stuck ? goneMinutes : quietMinutes) * 60) return 'quiet';
  return stuck ? 'stuck' : 'working';
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

/** How many learners there are, how many of them may need help, and what all solved together. */
export function summaryOf(rows: Iterable<ClassRow>) {
  const learners = [...rows].filter(({ need }) => need !== 'shared');
  return {
    learners: learners.length,
    stuck: learners.filter(({ need }) => need === 'stuck').length,
    solved: learners.reduce((sum, { solved }) => sum + solved, 0),
  };
}
