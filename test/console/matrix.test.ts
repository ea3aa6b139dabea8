import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Lesson, Standing, TreatedLearner } from '../../console/api/types.ts';
import {
  cellMark,
  cellText,
  columnGroups,
  inOrder,
  matrixRows,
  moved,
  solvedPerLesson,
  towards,
  windowOf,
} from '../../console/model/matrix.ts';
import { circumstancesOf } from '../../src/range/lessons/circumstances.ts';

const lesson = (id: string, topic: string) => ({ id, title: id, topic }) as Lesson;
const lessons = [lesson('a', 'One'), lesson('b', 'One'), lesson('c', 'Two'), lesson('d', 'One')];

const at = '2026-03-02T10:00:00.000Z';

function classOf(given: Record<string, Standing['lessons']>) {
  const entries = Object.entries(given);
  const learner = (clientId: string) => ({ clientId, shownName: clientId }) as TreatedLearner;
  const standing = (clientId: string, done: Standing['lessons']): Standing => ({
    ...{ clientId, nickname: clientId, lastSeenAt: at, lessons: done, current: null, stagesPassed: 0 },
    circumstances: circumstancesOf([]),
    solved: done.filter(({ state }) => state === 'solved').length,
  });
  return {
    learners: new Map(entries.map(([id]) => [id, learner(id)])),
    standings: new Map(entries.map(([id, done]) => [id, standing(id, done)])),
    present: 0,
  };
}

const solved = (id: string) => ({ id, state: 'solved', solvedAt: at, hints: 0, misses: 0 }) as const;
const started = (id: string, hints: number, misses: number) =>
  ({ id, state: 'started', solvedAt: null, hints, misses }) as const;

describe('Console, trainer: learners and lessons', () => {
  test('lessons that stand side by side share the head of their topic', () => {
    deepEqual(
      columnGroups(lessons).map(({ topic, lessons: each }) => [topic, each.map(({ id }) => id)]),
      [
        ['One', ['a', 'b']],
        ['Two', ['c']],
        ['One', ['d']],
      ],
    );
  });

  test('each learner has a cell for each lesson in the order of the path; shared clients have none', () => {
    const rows = matrixRows(classOf({ x: [solved('c'), started('a', 1, 2)], 'preset-fleet': [] }), lessons);
    deepEqual([...rows.keys()], ['x']);
    deepEqual(rows.get('x')?.cells.map(cellText), ['started, 3 tries (1 hint, 2 misses)', 'open', 'solved', 'open']);
    deepEqual(rows.get('x')?.cells.map(cellMark), ['3', '', '✓', '']);
    const begun = { state: 'started', hints: 0, misses: 0 } as const;
    deepEqual([cellMark(begun), cellText(begun)], ['0', 'started, 0 misses']);
  });

  test('a learner has the same name as in the class and on the wall, also if another one took its nickname', () => {
    const found = classOf({ x: [] });
    const twin = { ...found.learners.get('x'), nickname: 'Ada', shownName: 'Ada (2)' } as TreatedLearner;
    equal(matrixRows({ ...found, learners: new Map([['x', twin]]) }, lessons).get('x')?.name, 'Ada (2)');
  });

  test('rows are sorted by name, or by how many are solved', () => {
    const rows = matrixRows(classOf({ x: [solved('a')], b: [], c: [solved('a'), solved('b')] }), lessons);
    const order = (by: 'name' | 'solved' | 'behind') => inOrder(rows.values(), by).map(({ name }) => name);
    deepEqual(order('name'), ['b', 'c', 'x']);
    deepEqual(order('solved'), ['c', 'x', 'b']);
    deepEqual(order('behind'), ['b', 'x', 'c']);
    deepEqual(solvedPerLesson(inOrder(rows.values(), 'name'), lessons), [2, 1, 0, 0]);
  });

  test('rows in view are drawn, with some around them, and never beyond the table', () => {
    deepEqual(windowOf(0, 320, 32, 200), { first: 0, end: 18 });
    deepEqual(windowOf(3200, 320, 32, 200), { first: 96, end: 118 });
    deepEqual(windowOf(6400, 320, 32, 200), { first: 196, end: 200 });
    deepEqual(windowOf(6400, 320, 32, 3), { first: 3, end: 3 });
  });

  test('a frame draws some new rows at the most, and what is drawn already stays', () => {
    deepEqual(towards({ first: 0, end: 12 }, { first: 0, end: 30 }, 12), { first: 0, end: 24 });
    deepEqual(towards({ first: 0, end: 24 }, { first: 0, end: 30 }, 12), { first: 0, end: 30 });
    deepEqual(towards({ first: 0, end: 30 }, { first: 20, end: 50 }, 12), { first: 20, end: 42 });
    deepEqual(towards({ first: 40, end: 70 }, { first: 20, end: 50 }, 12), { first: 28, end: 50 });
    deepEqual(towards({ first: 0, end: 30 }, { first: 100, end: 130 }, 12), { first: 100, end: 112 });
    deepEqual(towards({ first: 0, end: 30 }, { first: 0, end: 3 }, 12), { first: 0, end: 3 });
  });

  test('arrow keys lead from cell to cell and stop at the edge; other keys move nothing', () => {
    const size = { rows: 3, columns: 4, page: 10 };
    deepEqual(moved('ArrowRight', { row: 0, column: 0 }, size), { row: 0, column: 1 });
    deepEqual(moved('ArrowUp', { row: 0, column: 0 }, size), { row: 0, column: 0 });
    deepEqual(moved('PageDown', { row: 1, column: 2 }, size), { row: 2, column: 2 });
    deepEqual(moved('End', { row: 1, column: 2 }, size), { row: 1, column: 3 });
    deepEqual(moved('Home', { row: 1, column: 2 }, size), { row: 1, column: 0 });
    equal(moved('a', { row: 1, column: 2 }, size), undefined);
  });
});
