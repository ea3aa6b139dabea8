import { type LessonInTopic, stepTitles } from './lesson.ts';
import { type LessonProgress, ticksOf } from './progress.ts';
import type { Proof } from './proof.ts';
import type { LessonView, MyLessonView } from './schemas.ts';
import type { Word } from './word.ts';

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
    answerType: asks ? (asks.answerType ?? 'text') : null,
    hints: hints.length,
    steps: stepTitles(lesson).map((step) => ({ title: step })),
    sections: [...sections],
    buildsOn: [...buildsOn],
  };
}

/** A lesson, and what a client has done of it. */
export function standingOf(lesson: LessonInTopic, row: LessonProgress | undefined): MyLessonView {
  const ticks = row ? ticksOf(row) : [];
  const proof = proofIn(row?.proof);
  const titles = stepTitles(lesson);
  const steps = titles.map((title, at) => {
    const exchange = ticks[at] ?? (at === titles.length - 1 ? proof : null);
    return { title, done: exchange !== null || typeof row?.solvedAt === 'string', exchange };
  });
  return {
    ...viewOf(lesson),
    steps,
    ...(row ? stateOf(row) : { state: 'open', solvedAt: null }),
    hintsTaken: lesson.hints.slice(0, row?.hints ?? 0),
    misses: row?.misses ?? 0,
    lastMiss: row?.solvedAt === null ? row.lastMiss : null,
    lastMissExchange: row?.solvedAt === null ? proofIn(row.missProof) : null,
    lastWord: row?.lastWord ? (JSON.parse(row.lastWord) as Word) : null,
    proof,
    calls: row?.calls ?? null,
    shortestWay: row?.solvedAt ? (lesson.shortestWay ?? null) : null,
    solvedBefore: row?.solvedBefore ?? null,
  };
}

const proofIn = (json: string | null | undefined) => (json ? (JSON.parse(json) as Proof) : null);

type Begun = Pick<LessonProgress, 'solvedAt' | 'hints' | 'misses' | 'steps'>;

function stateOf(row: Begun): Pick<MyLessonView, 'state' | 'solvedAt'> {
  const { solvedAt } = row;
  if (solvedAt !== null) return { state: 'solved', solvedAt };
  return { state: isBegun(row) ? 'started' : 'open', solvedAt };
}

/** Tells whether anything was done of it; a reset, or taking it again, may have left nothing. */
export function isBegun(row: Begun): boolean {
  const { solvedAt, hints, misses } = row;
  return solvedAt !== null || hints > 0 || misses > 0 || ticksOf(row).some((tick) => tick !== null);
}
