import { type Lesson, lessonsOf } from '../../src/range/lessons/lesson.ts';
import { topics } from '../../src/range/lessons/topics/index.ts';

/*
 * Loaded before the tests of lessons: the step with the number MUTANT_STEP of each lesson says MUTANT_VERDICT of every call.
 */

const { MUTANT_STEP, MUTANT_VERDICT } = process.env;

/** All lessons at once: no lesson looks at another one's steps. */
for (const { steps } of lessonsOf(topics)) {
  const step = steps[Number(MUTANT_STEP)] as { judge: Lesson['steps'][number]['judge'] } | undefined;
  if (step) step.judge = () => MUTANT_VERDICT === 'true';
}
