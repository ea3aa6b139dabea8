import { type Class, isShared, nameOf } from './class.ts';
import { ago, howLong } from './elapsed.ts';

/** `stuck`: may need help. `quiet`: no call for long. `shared`: no learner, but a client that all may use. */
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
  readonly calls: number;
  readonly refusals: number;
  readonly lastProblem: string | null;
  readonly solved: number;
  readonly current: {
    readonly id: string;
    readonly title: string;
    readonly time: string;
    readonly minutes: number;
    readonly since: string;
    readonly hints: number;
    readonly misses: number;
    readonly lastMiss: string | null;
  } | null;
  /** How far its clock is ahead; empty if it is not. */
  readonly ahead: string;
  readonly drills: readonly string[];
}

/** Minutes on one lesson, and near misses in it, from which on somebody may need help. */
export const stuckMinutes = 10;
export const stuckMisses = 3;

/** Minutes without a call after which nobody may be there any more. */
export const quietMinutes = 60;

/** A miss or a hint counts as much as so many minutes. */
const minutesPerTry = 5;

const order: readonly Need[] = ['stuck', 'working', 'done', 'quiet', 'shared'];

/** The rows of a class, in no order. */
export function rowsOf({ learners, standings, present }: Class): ReadonlyMap<string, ClassRow> {
  const rows = [...learners.values()].map((learner): ClassRow => {
    const { clientId, lastSeenAt, calls, refusals, lastProblem, clock, drills } = learner;
    const { current = null, solved = 0 } = standings.get(clientId) ?? {};
    const quiet = secondsSince(lastSeenAt, present);
    const seconds = current ? secondsSince(current.since, present) : 0;
    const minutes = Math.floor(seconds / 60);
    const tries = (current?.misses ?? 0) + (current?.hints ?? 0);
    return {
      clientId,
      name: nameOf(learner),
      need: needOf({ clientId, quiet, minutes, current }),
      urgency: minutes + minutesPerTry * tries,
      lastSeen: ago(quiet),
      lastSeenAt,
      calls,
      refusals,
      lastProblem,
      solved,
      current: current && {
        ...{ id: current.id, title: current.title, time: howLong(seconds), minutes, since: current.since },
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
  readonly minutes: number;
  readonly current: { readonly misses: number } | null;
}

function needOf({ clientId, quiet, minutes, current }: Standing): Need {
  if (isShared(clientId)) return 'shared';
  if (!current) return 'done';
  if (quiet >= quietMinutes * 60) return 'quiet';
  return minutes >= stuckMinutes || current.misses >= stuckMisses ? 'stuck' : 'working';
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

/** How many learners there are, how many of them may need help, and what all solved together. */
export function summaryOf(rows: Iterable<ClassRow>) {
  const learners = [...rows].filter(({ need }) => need !== 'shared');
  return {
    learners: learners.length,
    stuck: learners.filter(({ need }) => need === 'stuck').length,
    solved: learners.reduce((sum, { solved }) => sum + solved, 0),
  };
}
