import { counted } from '../../model/elapsed.ts';
import type { ColumnGroup } from '../../model/matrix.ts';
import { Words } from '../../parts/foreign.tsx';
import { memo } from '../../parts/memo.ts';

interface MatrixHeadProps {
  readonly groups: readonly ColumnGroup[];
  /** How many there are. */
  readonly learners: number;
}

/** Two rows that stay at the top: the topics, and the lessons below them. */
export const MatrixHead = memo(({ groups, learners }: MatrixHeadProps) => (
  <>
    <colgroup>
      <col class="learner-column" />
    </colgroup>
    {groups.map(({ topic, lessons }) => (
      <colgroup key={lessons[0]?.id} title={topic}>
        {lessons.map(({ id }) => (
          <col key={id} class="lesson-column" />
        ))}
      </colgroup>
    ))}
    <thead>
      <tr aria-rowindex={1}>
        <th rowSpan={2} scope="col" class="corner">
          {counted(learners, 'learner')}
        </th>
        {groups.map(({ topic, lessons }) => (
          <th key={lessons[0]?.id} colSpan={lessons.length} scope="colgroup" title={topic} class="topic-head">
            <span>
              <Words text={topic} />
            </span>
          </th>
        ))}
      </tr>
      <tr aria-rowindex={2}>
        {groups.flatMap(({ lessons }) =>
          lessons.map(({ id, title }, index) => (
            <th key={id} scope="col" title={title} class={index === 0 ? 'lesson-head begins' : 'lesson-head'}>
              <span>
                <Words text={title} />
              </span>
            </th>
          )),
        )}
      </tr>
    </thead>
  </>
));
