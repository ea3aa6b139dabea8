import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import type { Lesson } from '../../api/types.ts';
import {
  type ColumnGroup,
  cellMark,
  cellText,
  columnGroups,
  inOrder,
  type MatrixOrder,
  type MatrixRow,
  moved,
  type Rows,
  solvedPerLesson,
  towards,
  windowOf,
} from '../../model/matrix.ts';
import { byNeed } from '../../model/need.ts';
import { Words } from '../../parts/contained.tsx';
import { memo } from '../../parts/memo.ts';
import { Choice } from '../../parts/parts.tsx';
import { classRows, lessonRows, path, sight } from '../../state/class.ts';
import { Nobody } from './class-list.tsx';
import { LearnerName, learnerPath } from './learner-parts.tsx';

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
      <CellMeaning looked={looked} rows={rows} lessons={lessons} />
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

/** The cell that the pointer rests on, or that has the focus. */
interface Looked {
  readonly row: MatrixRow;
  readonly column: number;
}

interface CellMeaningProps {
  readonly looked: Signal<Looked | undefined>;
  readonly rows: readonly MatrixRow[];
  readonly lessons: readonly Lesson[];
}

/** What a cell means, in words. It is drawn alone, so the table stays as it is while the pointer moves over it. */
function CellMeaning({ looked, rows, lessons }: CellMeaningProps) {
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

interface MatrixHeadProps {
  readonly groups: readonly ColumnGroup[];
  /** How many there are. */
  readonly learners: number;
}

/** Two rows that stay at the top: the topics, and the lessons below them. */
const MatrixHead = memo(({ groups, learners }: MatrixHeadProps) => (
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

interface LearnerCellsProps {
  readonly row: MatrixRow;
  /** Its place in the whole table, from 0. */
  readonly index: number;
  /** The cell that the tab key goes to, if it is in this row. */
  readonly activeColumn: number | undefined;
}

/** One learner: a cell for each lesson. */
const LearnerCells = memo(({ row, index, activeColumn }: LearnerCellsProps) => (
  <tr data-row={index} aria-rowindex={index + 3}>
    <th scope="row" title={row.name}>
      <a href={learnerPath(row.clientId)}>
        <LearnerName name={row.name} />
      </a>
    </th>
    {row.cells.map((cell, column) => (
      <td
        key={column}
        class={cell.state === 'open' ? undefined : cell.state}
        aria-label={cell.state === 'open' ? undefined : cellText(cell)}
        tabIndex={column === activeColumn ? 0 : undefined}
      >
        {cellMark(cell)}
      </td>
    ))}
  </tr>
));

/** Pixels, until the first row was measured. */
const usualHeight = 32;

/** New rows that one frame draws. */
const maxPerFrame = 6;

/**
 * Which rows of a table that scrolls within `region` are drawn: those in view, some in each frame. All have one height.
 * `reveal` scrolls a cell into view and gives it the focus.
 */
function useWindow(region: RefObject<HTMLDivElement | null>, total: number) {
  const [rowHeight, setRowHeight] = useState(usualHeight);
  const [range, setRange] = useState<Rows>({ first: 0, end: Math.min(total, maxPerFrame) });
  const wanted = useRef<{ row: number; column: number } | undefined>(undefined);

  const draw = useCallback(() => {
    const box = region.current;
    if (!box) return;
    const target = windowOf(box.scrollTop, box.clientHeight, rowHeight, total);
    setRange((drawn) => {
      const next = towards(drawn, target, maxPerFrame);
      return next.first === drawn.first && next.end === drawn.end ? drawn : next;
    });
  }, [rowHeight, total]);

  useLayoutEffect(() => {
    const height = region.current?.querySelector('[data-row]')?.getBoundingClientRect().height;
    if (height) setRowHeight(height);
    draw();
  }, [draw]);

  // What one frame left is drawn in the next.
  useEffect(() => {
    const frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [draw, range]);

  useEffect(() => {
    addEventListener('resize', draw);
    return () => removeEventListener('resize', draw);
  }, [draw]);

  // After each drawing: the row may have come into the document only now.
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const { row, column } = wanted.current;
    const cell = region.current?.querySelector<HTMLElement>(`[data-row="${row}"] > td:nth-of-type(${column + 1})`);
    if (!cell) return;
    wanted.current = undefined;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });

  const reveal = (row: number, column: number) => {
    wanted.current = { row, column };
    const box = region.current;
    if (!box || (row >= range.first && row < range.end)) return;
    box.scrollTop = Math.max(0, row * rowHeight - box.clientHeight / 2);
  };

  return { first: Math.min(range.first, total), end: Math.min(range.end, total), rowHeight, onScroll: draw, reveal };
}
