import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Standing, TreatedLearner } from '../../console/api/types.ts';
import { afterLook, type ClassPage, isIncomplete, kept, mustGoOn, nobodyYet } from '../../console/model/class.ts';
import { byNeed, rowsOf, summaryOf } from '../../console/model/need.ts';

const start = Date.parse('2026-03-02T10:00:00.000Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

/** What time it is in these tests, in minutes. */
const now = 100;

interface Given {
  readonly id: string;
  readonly nickname?: string | null;
  /** When it called last, and since when it works on its lesson, in minutes. */
  readonly seen?: number;
  readonly since?: number;
  readonly misses?: number;
  readonly hints?: number;
  readonly ahead?: number;
  readonly done?: boolean;
}

function learner({ id, nickname = null, seen = now, ahead = 0 }: Given): TreatedLearner {
  const clock = { now: new Date(start + now * 60_000 + ahead * 1000).toISOString(), aheadSeconds: ahead };
  const tally = { calls: 3, refusals: 1, lastProblem: null };
  return { clientId: id, nickname, firstSeenAt: at(0), lastSeenAt: at(seen), ...tally, clock, drills: [] };
}

function standing({ id, nickname = null, seen = now, since = now, misses = 0, hints = 0, done }: Given): Standing {
  const current = { id: 'token-by-form', title: 'A token for a form', since: at(since), seconds: 0 };
  return {
    ...{ clientId: id, nickname, lastSeenAt: at(seen), solved: done ? 61 : 2, lessons: [] },
    current: done ? null : { ...current, hints, misses, lastMiss: misses > 0 ? 'The scheme was Bearer.' : null },
  };
}

function page(given: readonly Given[], number = 1, total = given.length, pageSize = 50): ClassPage {
  const common = { page: number, pageSize, totalItems: total, totalPages: Math.ceil(total / pageSize) };
  return {
    learners: { ...common, items: given.map(learner) },
    board: { ...common, items: given.map(standing) },
  };
}

const rows = (given: readonly Given[]) => byNeed(rowsOf(afterLook(nobodyYet, [page(given)], true)).values());

describe('Console, trainer: who needs help', () => {
  test('first comes who is stuck, by time and tries, then who works, who is done, who is quiet, and shared clients', () => {
    const sorted = rows([
      { id: 'preset-fleet', since: 0 },
      { id: 'quiet', seen: 39, since: 0 },
      { id: 'done', done: true },
      { id: 'works', since: 95 },
      { id: 'nine minutes', since: 91 },
      { id: 'ten minutes', since: 90 },
      { id: 'three misses', since: 99, misses: 3 },
      { id: 'an hour', since: 41, seen: 41 },
    ]);
    deepEqual(
      sorted.map(({ clientId, need }) => [clientId, need]),
      [
        ['an hour', 'stuck'],
        ['three misses', 'stuck'],
        ['ten minutes', 'stuck'],
        ['nine minutes', 'working'],
        ['works', 'working'],
        ['done', 'done'],
        ['quiet', 'quiet'],
        ['preset-fleet', 'shared'],
      ],
    );
  });

  test('a row says since when, with how many tries, and how far the clock is ahead', () => {
    const [row] = rows([
      { id: 'demo-1', nickname: 'Team Blue', since: 88, misses: 2, hints: 1, ahead: 3660, seen: 99 },
    ]);
    deepEqual(
      [row?.name, row?.current?.time, row?.current?.misses, row?.current?.hints, row?.ahead, row?.lastSeen],
      ['Team Blue', '12 min', 2, 1, '1 h 1 min', '1 min ago'],
    );
  });

  test('without a nickname the beginning of the id is the name, and names with numbers are in the order of these', () => {
    const names = rows([
      { id: 'a', nickname: 'Team 10' },
      { id: 'b', nickname: 'Team 2' },
      { id: 'demo-0123456789abcdef' },
    ]).map(({ name }) => name);
    deepEqual(names, ['demo-01234567', 'Team 2', 'Team 10']);
  });

  test('the summary leaves shared clients out', () => {
    const all = rows([{ id: 'preset-reader' }, { id: 'one', since: 80 }, { id: 'two', done: true }]);
    deepEqual(summaryOf(all), { learners: 2, stuck: 1, solved: 63 });
  });
});

describe('Console, trainer: looks at the class', () => {
  test('a look goes on while who called since the last one may be on the next page', () => {
    const before = afterLook(nobodyYet, [page([{ id: 'a', seen: 50 }])], true);
    equal(
      mustGoOn(
        before,
        page(
          [
            { id: 'b', seen: 60 },
            { id: 'c', seen: 55 },
          ],
          1,
          4,
          2,
        ),
      ),
      true,
    );
    equal(
      mustGoOn(
        before,
        page(
          [
            { id: 'b', seen: 60 },
            { id: 'a', seen: 49 },
          ],
          1,
          4,
          2,
        ),
      ),
      false,
    );
    equal(
      mustGoOn(
        before,
        page(
          [
            { id: 'b', seen: 60 },
            { id: 'c', seen: 55 },
          ],
          2,
          4,
          2,
        ),
      ),
      false,
    );
  });

  test('a look keeps who is on later pages, a whole one forgets who is gone', () => {
    const two = afterLook(nobodyYet, [page([{ id: 'a' }, { id: 'b' }])], true);
    deepEqual([...afterLook(two, [page([{ id: 'b' }], 1, 2)], false).learners.keys()], ['a', 'b']);
    deepEqual([...afterLook(two, [page([{ id: 'b' }])], true).learners.keys()], ['b']);
    equal(isIncomplete(two, page([{ id: 'b' }])), true);
    equal(isIncomplete(two, page([{ id: 'b' }], 1, 2)), false);
  });

  test('the present is that of the service, also if a learner lives ahead of it', () => {
    equal(afterLook(nobodyYet, [page([{ id: 'a', ahead: 3600 }])], true).present, start + now * 60_000);
  });

  test('a row that did not change stays the same object', () => {
    const before = rowsOf(afterLook(nobodyYet, [page([{ id: 'a' }, { id: 'b' }])], true));
    const now = rowsOf(afterLook(nobodyYet, [page([{ id: 'a' }, { id: 'b', misses: 1 }])], true));
    const merged = kept(before, now);
    ok(merged.get('a') === before.get('a'));
    ok(merged.get('b') === now.get('b'));
  });
});
