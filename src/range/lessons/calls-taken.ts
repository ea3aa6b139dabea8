import type { Entry } from './entry.ts';
import type { Known } from './histories.ts';

/** What is known of a client when a lesson is solved. */
interface Solving {
  readonly before: Pick<Known, 'lessons'>;
  readonly entries: readonly Entry[];
  /** The lessons that are solved at the same time. */
  readonly outcomes: readonly { readonly solvedBy?: Entry | undefined }[];
}

/**
 * How many calls a lesson took: since it was taken again, else since the call before that solved another one. `solvedBy` is
 * one of the entries; without it an answer solved the lesson, after all of them.
 */
export function callsTaken(lessonId: string, solving: Solving, solvedBy?: Entry): number {
  const { before, entries } = solving;
  const upTo = solvedBy ? entries.slice(0, entries.indexOf(solvedBy) + 1) : entries;
  const begunAt = before.lessons.get(lessonId)?.begunAt ?? 0;
  const since = begunAt > 0 ? begunAt : lastSolve(solving, solvedBy?.at ?? Number.POSITIVE_INFINITY) + 1;
  return upTo.filter(({ kind, at }) => kind !== 'delivery' && at >= since).length;
}

/** When the last call came that solved a lesson before a time. */
function lastSolve({ before, outcomes }: Solving, until: number): number {
  const ticks = [...before.lessons.values()].flatMap((each) => (each.solved ? each.ticks : []));
  const times = [
    ...ticks.map((tick) => (tick ? Date.parse(tick.startedAt) : 0)),
    ...outcomes.map(({ solvedBy }) => solvedBy?.at ?? 0),
  ];
  return Math.max(0, ...times.filter((time) => time < until));
}
