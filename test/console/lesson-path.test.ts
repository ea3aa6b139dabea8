import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { MyLesson } from '../../console/api/types.ts';
import {
  callsOf,
  filterOf,
  fits,
  milestone,
  nextAfter,
  queryOf,
  topicsOf,
  untouched,
} from '../../console/model/lesson-path.ts';

const lesson = (id: string, topic: string, state: MyLesson['state'], level: 1 | 2 | 3 = 1): MyLesson => ({
  ...untouched({
    id,
    topic,
    level,
    title: id,
    goal: '',
    why: '',
    question: null,
    answerType: null,
    hints: 0,
    steps: [],
    sections: [],
    buildsOn: [],
  }),
  state,
});

const path = [
  lesson('a', 'One', 'solved'),
  lesson('b', 'One', 'started', 2),
  lesson('c', 'Two', 'open'),
  lesson('d', 'Two', 'solved', 3),
];

test('Console, lessons: topics come in the order of the path, with what is solved of them', () => {
  deepEqual(
    topicsOf(path).map(({ title, lessons, solved }) => [title, lessons.length, solved]),
    [
      ['One', 2, 1],
      ['Two', 2, 1],
    ],
  );
});

test('Console, lessons: a filter is kept in the query, and what is no filter is none', () => {
  for (const query of ['', '?show=open', '?level=2', '?show=solved&level=3']) {
    equal(queryOf(filterOf(new URLSearchParams(query))), query);
  }
  deepEqual(filterOf(new URLSearchParams('show=x&level=9')), { show: 'all', level: undefined, text: '' });
  const ids = (query: string) => path.filter(fits(filterOf(new URLSearchParams(query)))).map(({ id }) => id);
  deepEqual(
    [ids(''), ids('show=open'), ids('show=solved'), ids('show=open&level=2')],
    [['a', 'b', 'c', 'd'], ['b', 'c'], ['a', 'd'], ['b']],
  );
});

test('Console, lessons: from each lesson another one that is open is next, as long as there is one', () => {
  equal(nextAfter(path, 'a')?.id, 'b');
  equal(nextAfter(path, 'b')?.id, 'c');
  equal(nextAfter(path, 'c')?.id, 'b');
  const last = path.map((each) => (each.id === 'c' ? each : { ...each, state: 'solved' as const }));
  equal(nextAfter(last, 'c'), undefined);
  equal(nextAfter(last, 'a')?.id, 'c');
});

test('Console, lessons: the last of a topic and the last of all have a sentence of their own', () => {
  const solve = (...ids: string[]) =>
    path.map((each) => (ids.includes(each.id) ? { ...each, state: 'solved' as const } : each));
  const [, b] = path as [MyLesson, MyLesson];
  equal(milestone(path, b), undefined);
  equal(milestone(solve('b'), b), 'All lessons of “One” are solved.');
  equal(milestone(solve('b', 'c'), b), 'You have solved all 4 lessons.');
});

test('Console, lessons: a solved lesson says what it took, and the shortest way where it is known', () => {
  equal(callsOf({ calls: 1, shortestWay: 1 }), '1 call; the shortest way from its start takes 1');
  equal(callsOf({ calls: 5, shortestWay: null }), '5 calls');
  equal(callsOf({ calls: null, shortestWay: 2 }), '');
});
