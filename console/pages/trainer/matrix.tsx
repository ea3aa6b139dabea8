import { useSignal } from '@preact/signals';
import { useMemo, useRef, useState } from 'preact/hooks';
import { columnGroups, inOrder, type MatrixOrder, type MatrixRow, moved, solvedPerLesson } from '../../model/matrix.ts';
import { byNeed } from '../../model/need.ts';
import { Choice } from '../../parts/parts.tsx';
import { classRows, lessonRows, path, sight } from '../../state/class.ts';
import { Nobody } from './class-list.tsx';
import { type Looked, LookedAt } from './looked-at.tsx';
import { MatrixHead } from './matrix-head.tsx';
import { LearnerCells } from './matrix-row.tsx';
import { useWindow } from './use-window.ts';

const orders: readonly (readonly [MatrixOrder, string])[] = [
  ['name', 'By name'],
  ['need', 'Needs help first'],
  ['behind', 'Fewest solved first'],
  ['solved', 'Most solved first'],
];

/** Learners and lessons: who has which. */
export function Matrix() {
  const [order, setOrder] = useState<MatrixOrder>('name');
  const places = order === 'need' ? byNeed(classRows.value.values()).map(({ clientId }) => clientId) : undefined;
  const rows = useMemo(
    () => inOrder(lessonRows.value.values(), order, places),
    [lessonRows.value, order, places?.join()],
  );
  if (sight.value.since === undefined) return sight.value.error ? null : <p class="muted">Loading …</p>;
  if (rows.length === 0) return <Nobody />;
  return (
    <>
      <div class="row ends">
        <ul class="legend small" aria-label="What the cells mean">
          <li>
            <span class="cell solved">✓</span> solved
          </li>
          <li>
            <span class="cell started">2</span> started, 2 tries
          </li>
          <li>
            <span class="cell" /> open
          </li>
        </ul>
        <Choice label="Order" value={order} options={orders} onChange={setOrder} />
      </div>
      <Grid rows={rows} />
    </>
  );
}

/** One stop for the tab key; arrow keys go from cell to cell. Only rows in view are in the document. */
function Grid({ rows }: { readonly rows: readonly MatrixRow[] }) {
  const lessons = path.value;
  const groups = useMemo(() => columnGroups(lessons), [lessons]);
  const solved = useMemo(() => solvedPerLesson(rows, lessons), [rows, lessons]);
  const looked = useSignal<Looked | undefined>(undefined);
  const [at, setAt] = useState({ clientId: rows[0]?.clientId, column: 0 });
  const region = useRef<HTMLDivElement>(null);
  const { first, end, rowHeight, onScroll, reveal } = useWindow(region, rows.length);

  const inView = rows.slice(first, end);
  // Its row may be gone, or out of view: then the first one in view takes the tab key.
  const active = inView.some(({ clientId }) => clientId === at.clientId) ? at.clientId : inView[0]?.clientId;

  const lookAt = (target: EventTarget | null) => {
    const cell = cellOf(target);
    const row = cell ? rows[Number(cell.parentElement?.dataset.row)] : undefined;
    const column = cell ? cell.cellIndex - 1 : 0;
    const before = looked.peek();
    if (before?.row !== row || before?.column !== column) looked.value = row && { row, column };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows.findIndex(({ clientId }) => clientId === active);
    const size = { rows: rows.length, columns: lessons.length, page: 10 };
    const to = moved(event.key, { row, column: at.column }, size);
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!cellOf(event.target)) return;
    event.preventDefault();
    setAt({ clientId: rows[to.row]?.clientId, column: to.column });
    reveal(to.row, to.column);
  };
  const onFocus = ({ target }: FocusEvent) => {
    lookAt(target);
    const { row, column } = looked.peek() ?? {};
    if (row && column !== undefined) setAt({ clientId: row.clientId, column });
  };

  return (
    <>
      <LookedAt looked={looked} rows={rows} lessons={lessons} />
      <div class="matrix" ref={region} onScroll={onScroll}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys go through its cells
          role="grid"
          aria-label="Learners and lessons"
          aria-readonly="true"
          aria-rowcount={rows.length + 3}
          onKeyDown={onKeyDown}
          onFocusIn={onFocus}
          // Not “over”: rows that scroll below a pointer that rests would take it from the focus.
          onPointerMove={({ target }) => lookAt(target)}
          onPointerLeave={() => lookAt(document.activeElement)}
        >
          <MatrixHead groups={groups} learners={rows.length} />
          <tbody>
            <Gap rows={first} rowHeight={rowHeight} />
            {inView.map((row, index) => (
              <LearnerCells
                key={row.clientId}
                row={row}
                index={first + index}
                activeColumn={row.clientId === active ? Math.min(at.column, lessons.length - 1) : undefined}
              />
            ))}
            <Gap rows={rows.length - end} rowHeight={rowHeight} />
          </tbody>
          <tfoot>
            <tr aria-rowindex={rows.length + 3}>
              <th scope="row">Solved by</th>
              {solved.map((number, index) => (
                <td key={lessons[index]?.id}>{number}</td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
    </>
  );
}

/** The cell of a lesson that something is in. The first cell of a row is the learner's. */
function cellOf(target: EventTarget | null) {
  return (target as Element | null)?.closest<HTMLTableCellElement>('[data-row] > td');
}

/** The room of rows that are out of view. */
function Gap({ rows, rowHeight }: { readonly rows: number; readonly rowHeight: number }) {
  if (rows === 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it has nothing that takes the focus
    <tr aria-hidden="true" class="gap">
      <td style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}
