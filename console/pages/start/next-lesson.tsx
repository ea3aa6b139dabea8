import { Words } from '../../parts/foreign.tsx';
import { LoadingPart } from '../../parts/parts.tsx';
import { lessons, nextLesson, solved } from '../../state/learner.ts';
import { Text } from '../lessons/text.tsx';

/** The lesson to go on with. */
export function NextLesson() {
  const total = lessons.value.length;
  const next = nextLesson.value;
  return (
    <section class="card" aria-labelledby="next">
      <h2 id="next">What is next</h2>
      {total === 0 && <LoadingPart />}
      {next && (
        <>
          <p>
            <strong>
              <Words text={next.title} />
            </strong>
          </p>
          <p>
            <Text text={next.goal} />
          </p>
        </>
      )}
      {total > 0 && !next && (
        <p>All lessons are solved. Try a capstone: it takes several of them at once, with a clock and a score.</p>
      )}
      {total > 0 && (
        <div class="row">
          <a class="button primary" href={next ? `#/lessons/${encodeURIComponent(next.id)}` : '#/lessons'}>
            {next ? 'Open the lesson' : 'Open the lessons'}
          </a>
          <span class="muted small">
            {solved.value} of {total} solved
          </span>
        </div>
      )}
    </section>
  );
}
