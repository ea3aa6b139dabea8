import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Standing, TreatedLearner } from '../../console/api/types.ts';
import { afterLook, type ClassPage, isIncomplete, kept, mustGoOn, nobodyYet } from '../../console/model/class.ts';
import { byNeed, commonAhead, rowsOf, summaryOf } from '../../console/model/need.ts';

const start = Date.parse('2026-03-02T10:00:00.000Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

/** What time it is in these tests, in minutes. */
const now = 100;

interface Given {
  readonly id: string;
  readonly nickname?: string | null;
  /** When it called last, since when without a break, and when it solved its last lesson, in minutes. */
  readonly seen?: number;
  readonly active?: number;
  readonly since?: number;
  /** When it last nearly solved its lesson, or took a hint; null: never. */
  readonly tried?: number | null;
  readonly reset?: number;
  /** Refusals in a row. */
  readonly refused?: number;
  readonly misses?: number;
  readonly hints?: number;
  readonly ahead?: number;
  readonly done?: boolean;
}

function learner({
  id,
  nickname = null,
  seen = now,
  active = 0,
  reset,
  refused = 0,
  ahead = 0,
}: Given): TreatedLearner {
  const clock = { now: new Date(start + now * 60_000 + ahead * 1000).toISOString(), aheadSeconds: ahead };
  const tally = { calls: 3, refusals: 1, callsWithoutToken: 0, refusalsWithoutToken: 0, lastProblem: null };
  const run = { activeSince: at(active), resetAt: reset === undefined ? null : at(reset), refusalsInARow: refused };
  const lastRefusal = refused > 0 ? '/regNumber is missing.' : null;
  const times = { firstSeenAt: at(0), lastSeenAt: at(seen) };
  const messages = { shownName: nickname ?? id, nicknameLocked: false, help: null, note: null };
  const lately = { lastCall: null, worksOn: null };
  return { clientId: id, nickname, ...times, ...tally, ...run, lastRefusal, ...lately, ...messages, clock, drills: [] };
}

function standing(given: Given): Standing {
  const { id, nickname = null, seen = now, since = now, misses = 0, hints = 0, done } = given;
  const { tried = misses + hints > 0 ? now : null } = given;
  const triedAt = tried === null ? null : at(tried);
  const current = {
    id: 'token-by-form',
    title: 'A token for a form',
    since: at(since),
    seconds: 0,
    sign: 'next' as const,
    triedAt,
  };
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
  test('first comes who nearly solves a lesson again and again or is refused in a row, then who works, who is done, who is quiet', () => {
    const sorted = rows([
      { id: 'preset-fleet', since: 0, refused: 50 },
      { id: 'gone', seen: 40, misses: 9 },
      { id: 'done', done: true },
      { id: 'just began', since: 99 },
      { id: 'an hour without a solved lesson', since: 40 },
      { id: 'two misses', since: 98, misses: 2 },
      { id: 'three misses', since: 99, misses: 3 },
      { id: 'three misses before the last solved lesson', since: 99, misses: 3, tried: 98 },
      { id: 'four refusals', refused: 4 },
      { id: 'nine refusals', refused: 9 },
      { id: 'six minutes quiet after refusals', seen: 94, refused: 5 },
      { id: 'six minutes quiet', seen: 94, since: 20 },
    ]);
    deepEqual(
      sorted.map(({ clientId, need }) => [clientId, need]),
      [
        ['three misses', 'stuck'],
        ['nine refusals', 'stuck'],
        ['six minutes quiet after refusals', 'stuck'],
        ['an hour without a solved lesson', 'working'],
        ['three misses before the last solved lesson', 'working'],
        ['two misses', 'working'],
        ['four refusals', 'working'],
        ['just began', 'working'],
        ['done', 'done'],
        ['six minutes quiet', 'quiet'],
        ['gone', 'quiet'],
        ['preset-fleet', 'shared'],
      ],
    );
  });

  test('only time with calls counts as time without a solved lesson, and quiet time is told apart', () => {
    const [row] = rows([{ id: 'a', since: 60, active: 70, seen: 86 }]);
    deepEqual([row?.current?.unsolvedFor, row?.quietFor], ['16 min', '14 min']);
    const [soon] = rows([{ id: 'a', since: 60, active: 97, seen: 99 }]);
    deepEqual([soon?.current?.unsolvedFor, soon?.quietFor], ['', '']);
    const [solved] = rows([{ id: 'a', since: 90, active: 20, seen: 89 }]);
    equal(solved?.current?.unsolvedFor, '');
  });

  test('five refusals in a row are told with what was said last', () => {
    const [row] = rows([{ id: 'a', refused: 9 }]);
    deepEqual(row?.refused, { times: 9, text: '/regNumber is missing.' });
    equal(rows([{ id: 'a', refused: 4 }])[0]?.refused, null);
  });

  test('a lesson that nobody tried is only the next one', () => {
    equal(rows([{ id: 'a' }])[0]?.current?.tried, false);
    equal(rows([{ id: 'a', hints: 1 }])[0]?.current?.tried, true);
  });

  test('a reset is told until the next call', () => {
    equal(rows([{ id: 'a', reset: 99, seen: 95 }])[0]?.resetFor, '1 min ago');
    equal(rows([{ id: 'a', reset: 94, seen: 95 }])[0]?.resetFor, '');
  });

  test('a row has its tries, and how far the clock is ahead; what is the same for all is told once', () => {
    const blue = { id: 'demo-1', nickname: 'Team Blue', since: 88, misses: 2, hints: 1, ahead: 3660, seen: 99 };
    const [row] = rows([blue]);
    deepEqual(
      [row?.name, row?.current?.misses, row?.current?.hints, row?.ahead, row?.lastSeen],
      ['Team Blue', 2, 1, '1 h 1 min', '1 min ago'],
    );
    equal(commonAhead(rows([blue, { ...blue, id: 'demo-2' }, { id: 'preset-fleet' }])), '1 h 1 min');
    equal(commonAhead(rows([blue, { id: 'demo-2' }])), '');
    equal(commonAhead(rows([blue])), '');
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
    const all = rows([{ id: 'preset-reader' }, { id: 'one', refused: 5 }, { id: 'two', done: true }]);
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
