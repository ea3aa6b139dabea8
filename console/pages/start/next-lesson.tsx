import { read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { MyCapstone, Page } from '../../api/types.ts';
import { ownGoal } from '../../model/lesson-path.ts';
import { Words } from '../../parts/contained.tsx';
import { LoadingPart } from '../../parts/parts.tsx';
import { lessons, nextLesson, solved } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';
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
            <Text text={ownGoal(next.goal, credentials.value?.clientId)} />
          </p>
        </>
      )}
      {total > 0 && !next && (
        <p>All lessons are solved. A capstone takes several of them at once, with a clock and a score.</p>
      )}
      {total > 0 && (
        <div class="row">
          {next ? (
            <a class="button primary" href={`#/lessons/${encodeURIComponent(next.id)}`}>
              Open the lesson
            </a>
          ) : (
            <TryCapstone />
          )}
          <span class="muted small">
            {solved.value} of {total} solved
          </span>
        </div>
      )}
    </section>
  );
}

/** Leads to the first that is not completed. */
function TryCapstone() {
  const { value } = useLoad(() => read<Page<MyCapstone>>('/range/v1/me/capstones'), []);
  const open = value?.items.find(({ completedAt }) => completedAt === null);
  return (
    <a class="button primary" href={`#/lessons/capstones${open ? `/${encodeURIComponent(open.id)}` : ''}`}>
      Try a capstone
    </a>
  );
}
