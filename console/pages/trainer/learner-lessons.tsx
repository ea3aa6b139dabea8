import { counted } from '../../model/elapsed.ts';
import { Words } from '../../parts/foreign.tsx';
import { Badge, Notice, Time } from '../../parts/parts.tsx';
import { classRows, path, standingOf } from '../../state/class.ts';
import { Progress } from './learner-parts.tsx';

/** What a learner works on, and what it started or solved. */
export function LearnerLessons({ clientId }: { readonly clientId: string }) {
  const row = classRows.value.get(clientId);
  if (!row || row.need === 'shared') return null;
  const { lessons = [], current = null, solved = 0 } = standingOf(clientId) ?? {};
  const titles = new Map(path.value.map(({ id, title }) => [id, title]));
  return (
    <>
      <h2>Lessons</h2>
      <p>
        <Progress solved={solved} of={path.value.length} />
      </p>
      {current && (
        <Notice mood={row.need === 'stuck' ? 'warn' : 'note'}>
          <p>
            {current.triedAt === null ? 'Next: ' : 'Works on '}
            <strong>
              <Words text={current.title} />
            </strong>
            {current.triedAt !== null &&
              `, with ${counted(current.hints, 'hint')} and ${counted(current.misses, 'miss', 'misses')}`}
            .{row.current?.unsolvedFor && ` Nothing solved for ${row.current.unsolvedFor}.`}
          </p>
          {row.refused && (
            <p class="miss">
              {counted(row.refused.times, 'refusal')} in a row, the last: <Words text={row.refused.text} />
            </p>
          )}
          {current.lastMiss && (
            <p class="miss">
              Last miss: <Words text={current.lastMiss} />
            </p>
          )}
        </Notice>
      )}
      {lessons.length > 0 && (
        <details>
          <summary>{counted(lessons.length, 'lesson')} started or solved</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <section class="scroll" tabIndex={0} aria-label="Lessons started or solved">
            <table>
              <thead>
                <tr>
                  <th scope="col">Lesson</th>
                  <th scope="col">State</th>
                  <th scope="col">Hints</th>
                  <th scope="col">Misses</th>
                  <th scope="col">Solved at</th>
                </tr>
              </thead>
              <tbody>
                {lessons.map(({ id, state, hints, misses, solvedAt }) => (
                  <tr key={id}>
                    <th scope="row">
                      <Words text={titles.get(id) ?? id} />
                    </th>
                    <td>
                      <Badge mood={state === 'solved' ? 'good' : 'warn'}>{state}</Badge>
                    </td>
                    <td>{hints}</td>
                    <td>{misses}</td>
                    <td>{solvedAt ? <Time at={solvedAt} /> : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
      )}
    </>
  );
}
