import type { ExaminedStage } from '../api/types.ts';
import { Badge, Time } from './parts.tsx';

const moods = { passed: 'good', failed: 'warn', skipped: 'note' } as const;

/** Stages of an insurer that a learner builds, with what was reported of each. */
export function StageRows({ stages }: { readonly stages: readonly ExaminedStage[] }) {
  return (
    <ol class="plain box rows">
      {stages.map(({ stage, goal, lessons, outcome, at }) => (
        <li key={stage} class="stage-row">
          <code>{stage}</code>
          <span>
            {goal}
            {lessons.length > 0 && (
              <span class="row small">
                <span class="muted">Lessons:</span>
                {lessons.map((lesson) => (
                  <a key={lesson} href={`#/lessons/${encodeURIComponent(lesson)}`}>
                    {lesson}
                  </a>
                ))}
              </span>
            )}
          </span>
          <span class="row small muted">
            {outcome && at && (
              <>
                <Badge mood={moods[outcome]}>{outcome}</Badge>
                <Time at={at} withDate />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
