import type { PlacedLesson } from './lesson.ts';
import type { LessonProgress, Proof } from './progress.ts';
import type { LessonView, MyLessonView } from './schemas.ts';

export const states = ['open', 'started', 'solved'] as const;

/** A lesson, without what would solve it. */
export function viewOf({
  id,
  title,
  topic,
  level,
  goal,
  why,
  asks,
  hints,
  sections,
  buildsOn,
}: PlacedLesson): LessonView {
  return {
    ...{ id, title, topic: topic.title, level, goal, why, question: asks?.question ?? null },
    ...{ hints: hints.length, sections: [...sections], buildsOn: [...buildsOn] },
  };
}

/** A lesson, and what a client has done of it. */
export function standingOf(lesson: PlacedLesson, row: LessonProgress | undefined): MyLessonView {
  return {
    ...viewOf(lesson),
    state: stateOf(row),
    hintsTaken: lesson.hints.slice(0, row?.hints ?? 0),
    misses: row?.misses ?? 0,
    lastMiss: row?.lastMiss ?? null,
    solvedAt: row?.solvedAt ?? null,
    proof: row?.proof ? (JSON.parse(row.proof) as Proof) : null,
  };
}

function stateOf(row: LessonProgress | undefined): (typeof states)[number] {
  if (!row) return 'open';
  return row.solvedAt === null ? 'started' : 'solved';
}
