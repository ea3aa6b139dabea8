import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Standing, TreatedLearner } from '../../console/api/types.ts';
import { afterLook, type ClassPage, isIncomplete, kept, mustGoOn, nobodyYet } from '../../console/model/class.ts';
import { byNeed, commonAhead, rowsOf, summaryOf } from '../../console/model/need.ts';
import { circumstancesOf } from '../../src/range/lessons/circumstances.ts';

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
  readonly asked?: boolean;
  readonly lastCall?: TreatedLearner['lastCall'];
}

function learner({
  id,
  nickname = null,
  seen = now,
  active = 0,
  reset,
  refused = 0,
  ahead = 0,
  asked = false,
  lastCall = null,
}: Given): TreatedLearner {
  const clock = { now: new Date(start + now * 60_000 + ahead * 1000).toISOString(), aheadSeconds: ahead };
  const tally = { calls: 3, refusals: 1, callsWithoutToken: 0, refusalsWithoutToken: 0, lastProblem: null };
  const run = { activeSince: at(active), resetAt: reset === undefined ? null : at(reset), refusalsInARow: refused };
  const lastRefusal = refused > 0 ? '/regNumber is missing.' : null;
  const times = { firstSeenAt: at(0), lastSeenAt: at(seen) };
  const messages = { shownName: nickname ?? id, nicknameLocked: false, note: null };
  const help = asked ? { message: 'Help', at: at(seen) } : null;
  const lately = { lastCall, help, worksOn: null, warnings: [] };
  return {
    clientId: id,
    nickname,
    ...times,
    ...tally,
    ...run,
    lastRefusal,
    ...lately,
    ...messages,
    keptUntil: null,
    clock,
    drills: [],
  };
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
    sign: tried === null ? ('next' as const) : ('near-miss' as const),
    triedAt,
  };
  return {
    ...{ clientId: id, nickname, lastSeenAt: at(seen), solved: done ? 61 : 2, lessons: [], stagesPassed: 0 },
    circumstances: circumstancesOf([]),
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
  test('first comes who asked, then who nearly solves a lesson again and again or is refused in a row, then who is silent, then who works', () => {
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
      { id: 'six minutes without a call', seen: 94, since: 20 },
      { id: 'twelve minutes without a call', seen: 88 },
      { id: 'asked', asked: true },
      { id: 'done, and away', seen: 40, done: true },
    ]);
    deepEqual(
      sorted.map(({ clientId, need }) => [clientId, need]),
      [
        ['asked', 'stuck'],
        ['three misses', 'stuck'],
        ['nine refusals', 'stuck'],
        ['six minutes quiet after refusals', 'stuck'],
        ['gone', 'silent'],
        ['twelve minutes without a call', 'silent'],
        ['six minutes without a call', 'working'],
        ['an hour without a solved lesson', 'working'],
        ['three misses before the last solved lesson', 'working'],
        ['two misses', 'working'],
        ['four refusals', 'working'],
        ['just began', 'working'],
        ['done', 'done'],
        ['done, and away', 'done'],
        ['preset-fleet', 'shared'],
      ],
    );
  });

  test('each that is marked has its reason in a few words', () => {
    const given = [
      { id: 'a', asked: true },
      { id: 'b', misses: 4 },
      { id: 'c', refused: 9 },
      { id: 'd', seen: 88 },
      { id: 'e' },
    ];
    deepEqual(
      rows(given).map(({ reason }) => reason),
      ['Asked for help', '4 near misses', '9 refusals in a row', 'Silent for 12 min', ''],
    );
  });

  test('who is silent is told with since when and what it called last, first who has called nothing', () => {
    const lastCall = { at: at(80), method: 'GET', path: '/insurer/v1/policies', status: 401, problem: 'invalid-token' };
    const [joined, other, reset] = rows([
      { id: 'works' },
      { id: 'called', seen: 80, lastCall },
      { id: 'joined', seen: 85 },
      { id: 'reset', seen: 86, reset: 90 },
    ]).map(({ clientId, silent }) => [clientId, silent]);
    deepEqual(joined, ['joined', { since: at(85), isLong: false, lastCall: null, wasReset: false }]);
    deepEqual(other, ['reset', { since: at(86), isLong: false, lastCall: null, wasReset: true }]);
    deepEqual(reset, ['called', { since: at(80), isLong: false, lastCall, wasReset: false }]);
  });

  test('nobody is silent because of a break, at once after it, or in a class of one; who was silent before it still is', () => {
    const needs = (...given: readonly Given[]) =>
      Object.fromEntries(rows(given).map(({ clientId, need }) => [clientId, need]));
    deepEqual(needs({ id: 'alone', seen: 20 }), { alone: 'working' });
    // All stopped at minute 40, one before.
    deepEqual(needs({ id: 'a', seen: 40 }, { id: 'b', seen: 38 }, { id: 'c', seen: 25 }), {
      ...{ a: 'working', b: 'working', c: 'silent' },
    });
    // The first one is back since minute 91, then since minute 90.
    const before = [
      { id: 'b', seen: 40 },
      { id: 'c', seen: 25 },
    ];
    deepEqual(needs({ id: 'a', active: 91 }, ...before), { a: 'working', b: 'working', c: 'working' });
    deepEqual(needs({ id: 'a', active: 90 }, ...before), { a: 'working', b: 'silent', c: 'silent' });
    // Others kept the class active meanwhile, one after the other.
    deepEqual(needs({ id: 'a', active: 91 }, { id: 'b', active: 60, seen: 85 }, { id: 'c', seen: 50 }), {
      ...{ a: 'working', b: 'silent', c: 'silent' },
    });
    // A client that all may use is nobody.
    deepEqual(needs({ id: 'preset-fleet' }, { id: 'a', seen: 40 }), { 'preset-fleet': 'shared', a: 'working' });
  });

  test('only time with calls counts as time without a solved lesson', () => {
    const [row] = rows([{ id: 'a', since: 60, active: 70, seen: 86 }]);
    equal(row?.current?.unsolvedFor, '16 min');
    const [soon] = rows([{ id: 'a', since: 60, active: 97, seen: 99 }]);
    equal(soon?.current?.unsolvedFor, '');
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
    deepEqual(summaryOf(all), { learners: 2, stuck: 1, silent: 0, solved: 63 });
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
