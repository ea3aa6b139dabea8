import type { LessonInTopic } from './lesson.ts';
import type { LessonProgress, Proof } from './progress.ts';
import type { LessonView, MyLessonView } from './schemas.ts';

/** A lesson, without what would solve it. */
export function viewOf(lesson: LessonInTopic): LessonView {
  const { id, title, topic, level, goal, why, asks, hints, sections, buildsOn } = lesson;
  return {
    id,
    title,
    topic: topic.title,
    level,
    goal,
    why,
    question: asks ? `${asks.question} Send it to POST /range/v1/me/answers.` : null,
    hints: hints.length,
    sections: [...sections],
    buildsOn: [...buildsOn],
  };
}

/** A lesson, and what a client has done of it. */
export function standingOf(lesson: LessonInTopic, row: LessonProgress | undefined): MyLessonView {
  return {
    ...viewOf(lesson),
    ...(row ? stateOf(row) : { state: 'open', solvedAt: null }),
    hintsTaken: lesson.hints.slice(0, row?.hints ?? 0),
    misses: row?.misses ?? 0,
    lastMiss: row?.solvedAt === null ? row.lastMiss : null,
    proof: row?.proof ? (JSON.parse(row.proof) as Proof) : null,
  };
}

export function stateOf({ solvedAt }: Pick<LessonProgress, 'solvedAt'>) {
  return { state: solvedAt === null ? ('started' as const) : ('solved' as const), solvedAt };
}
