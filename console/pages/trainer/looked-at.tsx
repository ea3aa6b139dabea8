import type { Signal } from '@preact/signals';
import type { Lesson } from '../../api/types.ts';
import { cellText, type MatrixRow } from '../../model/matrix.ts';
import { Words } from '../../parts/foreign.tsx';
import { LearnerName } from './learner-parts.tsx';

/** The cell that the pointer rests on, or that has the focus. */
export interface Looked {
  readonly row: MatrixRow;
  readonly column: number;
}

interface LookedAtProps {
  readonly looked: Signal<Looked | undefined>;
  readonly rows: readonly MatrixRow[];
  readonly lessons: readonly Lesson[];
}

/** What a cell means, in words. It is drawn alone, so the table stays as it is while the pointer moves over it. */
export function LookedAt({ looked, rows, lessons }: LookedAtProps) {
  const { row: seen, column = 0 } = looked.value ?? {};
  const row = rows.find(({ clientId }) => clientId === seen?.clientId);
  const cell = row?.cells[column];
  const lesson = lessons[column];
  if (!row || !cell || !lesson)
    return <p class="looked-at muted">Tap or point at a cell to see what it means. Arrow keys go from cell to cell.</p>;
  return (
    <p class="looked-at">
      <strong>
        <LearnerName name={row.name} />
      </strong>{' '}
      · <Words text={lesson.title} />{' '}
      <span class="muted">
        (<Words text={lesson.topic} />)
      </span>
      : {cellText(cell)}
    </p>
  );
}
