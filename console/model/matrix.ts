import { counted } from '../../src/text/counted.ts';
import type { Lesson } from '../api/types.ts';
import { type Class, isShared, nameOf } from './class.ts';
import { compareNames } from './need.ts';

type CellState = 'open' | 'started' | 'solved';

export interface Cell {
  readonly state: CellState;
  readonly hints: number;
  readonly misses: number;
}

/** A learner and its cells, one for each lesson in the order of the path. */
export interface MatrixRow {
  readonly clientId: string;
  readonly name: string;
  readonly solved: number;
  readonly cells: readonly Cell[];
}

/** Lessons of one topic that stand side by side. */
export interface ColumnGroup {
  readonly topic: string;
  readonly lessons: readonly Lesson[];
}

export type MatrixOrder = 'name' | 'solved' | 'behind' | 'need';

const untouched: Cell = { state: 'open', hints: 0, misses: 0 };

/** A class may have its own order of lessons, so a topic can come more than once. */
export function columnGroups(lessons: readonly Lesson[]): readonly ColumnGroup[] {
  const groups: { topic: string; lessons: Lesson[] }[] = [];
  for (const lesson of lessons) {
    const last = groups.at(-1);
    if (last?.topic === lesson.topic) last.lessons.push(lesson);
    else groups.push({ topic: lesson.topic, lessons: [lesson] });
  }
  return groups;
}

/** The rows of all learners, in no order. */
export function matrixRows({ learners, standings }: Class, lessons: readonly Lesson[]): ReadonlyMap<string, MatrixRow> {
  const own = [...learners.values()].filter(({ clientId }) => !isShared(clientId));
  const rows = own.map((learner): [string, MatrixRow] => {
    const { clientId } = learner;
    const { solved = 0, lessons: done = [] } = standings.get(clientId) ?? {};
    const byId = new Map(done.map((each) => [each.id, each]));
    const cells = lessons.map(({ id }): Cell => {
      const { state, hints, misses } = byId.get(id) ?? untouched;
      return { state, hints, misses };
    });
    return [clientId, { clientId, name: nameOf(learner), solved, cells }];
  });
  return new Map(rows);
}

/** `places`: the client ids, who needs help most first; for the order `need` alone. */
export function inOrder(
  rows: Iterable<MatrixRow>,
  order: MatrixOrder,
  places: readonly string[] = [],
): readonly MatrixRow[] {
  if (order === 'need') {
    const placeOf = new Map(places.map((clientId, place) => [clientId, place]));
    const place = ({ clientId }: MatrixRow) => placeOf.get(clientId) ?? places.length;
    return [...rows].sort((one, other) => place(one) - place(other));
  }
  const sign = { name: 0, solved: -1, behind: 1 }[order];
  return [...rows].sort((one, other) => sign * (one.solved - other.solved) || compareNames(one, other));
}

/** How many solved each lesson. */
export function solvedPerLesson(rows: readonly MatrixRow[], lessons: readonly Lesson[]): readonly number[] {
  return lessons.map((_, index) => rows.filter(({ cells }) => cells[index]?.state === 'solved').length);
}

/** `solved, 1 hint`, `started, 3 tries (1 hint, 2 misses)`: with the number that stands in the cell. */
export function cellText({ state, hints, misses }: Cell): string {
  const hintText = counted(hints, 'hint');
  const missText = counted(misses, 'miss', 'misses');
  if (hints > 0 && misses > 0) return `${state}, ${hints + misses} tries (${hintText}, ${missText})`;
  if (hints > 0) return `${state}, ${hintText}`;
  return misses > 0 || state === 'started' ? `${state}, ${missText}` : state;
}

/** What stands in a cell: a tick, or how many hints and misses there were. */
export function cellMark({ state, hints, misses }: Cell): string {
  if (state === 'open') return '';
  return state === 'solved' ? '✓' : String(hints + misses);
}

/** Rows from `first`, up to but without `end`. */
export interface Rows {
  readonly first: number;
  readonly end: number;
}

/** Rows above and below those in view that are drawn as well. */
const margin = 4;

/** The first scrolled position counts in steps, so that not each pixel draws anew. */
const step = 4;

/** Which rows of a long table are to be drawn. */
export function windowOf(scrolled: number, height: number, rowHeight: number, total: number): Rows {
  const top = Math.floor(scrolled / rowHeight / step) * step;
  const first = Math.max(0, Math.min(top - margin, total));
  const end = Math.min(total, top + step + Math.ceil(height / rowHeight) + margin);
  return { first, end };
}

/** What to draw next on the way from what is drawn to `target`, with `most` new rows, so that no frame takes long. */
export function towards(drawn: Rows, target: Rows, most: number): Rows {
  const first = Math.max(drawn.first, target.first);
  const end = Math.min(drawn.end, target.end);
  if (first >= end) return { first: target.first, end: Math.min(target.end, target.first + most) };
  const below = Math.min(most, target.end - end);
  const above = Math.min(most - below, first - target.first);
  return { first: first - above, end: end + below };
}

/** Where a key leads in a grid; undefined for keys that move nothing. */
export function moved(
  key: string,
  { row, column }: { readonly row: number; readonly column: number },
  { rows, columns, page }: { readonly rows: number; readonly columns: number; readonly page: number },
): { readonly row: number; readonly column: number } | undefined {
  const within = (at: number, count: number) => Math.max(0, Math.min(count - 1, at));
  const to = (downwards: number, rightwards: number) => ({
    row: within(row + downwards, rows),
    column: within(column + rightwards, columns),
  });
  switch (key) {
    case 'ArrowDown':
      return to(1, 0);
    case 'ArrowUp':
      return to(-1, 0);
    case 'ArrowRight':
      return to(0, 1);
    case 'ArrowLeft':
      return to(0, -1);
    case 'PageDown':
      return to(page, 0);
    case 'PageUp':
      return to(-page, 0);
    case 'Home':
      return to(0, -columns);
    case 'End':
      return to(0, columns);
    default:
      return undefined;
  }
}
