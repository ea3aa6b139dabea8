import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../../src/database/database.ts';
import type { Exchange } from '../../../src/range/exchanges/schemas.ts';
import { Histories, type HistoryReads } from '../../../src/range/lessons/histories.ts';

const sql = {} as Sql;

function exchange(number: number, at = number): Exchange {
  return {
    id: `x${number}`,
    kind: 'call',
    method: 'GET',
    url: '/insurer/v1/policies',
    route: '/insurer/v1/policies',
    startedAt: new Date(1e12 + at).toISOString(),
    status: 200,
    durationMs: 1,
    end: 'answered',
    problem: null,
    drills: [],
    remarks: [],
    tokens: [],
    request: { httpVersion: '1.1', headers: [] },
    response: { headers: [] },
  };
}

/** A log, and how often it was read. */
function logOf(exchanges: readonly Exchange[]) {
  const log = { exchanges: [...exchanges], cleared: 0, reads: 0 };
  const head = () => ({ kept: log.exchanges.length, cleared: log.cleared, lessonsBegun: 0, openLesson: null });
  const reads: HistoryReads = {
    async readKept(_sql, clientId, kept, limit) {
      log.reads += 1;
      return log.exchanges
        .map((each, at) => ({ kept: at + 1, exchange: { ...each, clientId } }))
        .slice(kept, kept + limit);
    },
    readHead: async () => head(),
    readLessons: async () => new Map(),
  };
  return { log, head, reads };
}

const ids = ({ entries }: { entries: readonly { id: string }[] }) => entries.map(({ id }) => id);

test('Lessons: a history has the last 150 exchanges in the order of time, however they were kept', async () => {
  const { log, reads } = logOf(Array.from({ length: 340 }, (_, number) => exchange(number)));
  log.exchanges.push(exchange(1000, 320.5));
  const histories = new Histories(reads, 64e6);
  const known = await histories.upTo(sql, 'a');
  equal(known.kept, 341);
  const expected = Array.from({ length: 149 }, (_, at) => `x${at + 191}`);
  deepEqual(ids(known), [...expected.slice(0, 130), 'x1000', ...expected.slice(130)]);
  equal((await histories.whole(sql, 'a')).length, 300);
});

test('Lessons: what is in memory is not read again, only what another node has kept', async () => {
  const { log, head, reads } = logOf([exchange(0), exchange(1)]);
  const histories = new Histories(reads, 64e6);
  histories.keep('a', await histories.upTo(sql, 'a'));
  log.reads = 0;
  await histories.upTo(sql, 'a', head());
  equal(log.reads, 0);
  log.exchanges.push(exchange(2));
  const known = await histories.upTo(sql, 'a', head());
  deepEqual([ids(known), log.reads], [['x0', 'x1', 'x2'], 1]);
});

test('Lessons: after a reset nothing of before is in a history, and nothing of a client that is gone', async () => {
  const { log, reads } = logOf(Array.from({ length: 25 }, (_, number) => exchange(number)));
  const histories = new Histories(reads, 64e6);
  histories.keep('a', await histories.upTo(sql, 'a'));
  log.cleared = 23;
  const known = await histories.upTo(sql, 'a');
  deepEqual([ids(known), known.kept, known.cleared], [['x23', 'x24'], 25, 23]);
  equal((await histories.whole(sql, 'a')).length, 2);
  deepEqual(ids(await histories.upTo(sql, 'a', { kept: 0, cleared: 0, lessonsBegun: 0, openLesson: null })), []);
});

test('Lessons: a history ends with the log, also where that has lost its last exchanges', async () => {
  const { log, reads } = logOf(Array.from({ length: 40 }, (_, number) => exchange(number)));
  const histories = new Histories(reads, 64e6);
  histories.keep('a', await histories.upTo(sql, 'a', { kept: 60, cleared: 0, lessonsBegun: 0, openLesson: null }));
  log.reads = 0;
  const known = await histories.upTo(sql, 'a', { kept: 60, cleared: 0, lessonsBegun: 0, openLesson: null });
  deepEqual([known.entries.length, known.kept, log.reads], [40, 60, 0]);
});

test('Lessons: memory is bounded, and what was pushed out is read from the log', async () => {
  const { log, head, reads } = logOf(Array.from({ length: 300 }, (_, number) => exchange(number)));
  const histories = new Histories(reads, 1e6);
  for (let client = 0; client < 20; client += 1) {
    histories.keep(`c${client}`, await histories.upTo(sql, `c${client}`));
    ok(histories.bytes <= 1e6, `${histories.bytes} bytes`);
  }
  log.reads = 0;
  await histories.upTo(sql, 'c19', head());
  equal(log.reads, 0);
  equal((await histories.upTo(sql, 'c0', head())).entries.length, 150);
  ok(log.reads > 0);
});

test('Lessons: a stream takes the place that it had, when it ends', async () => {
  const { log, reads } = logOf([exchange(0), exchange(1)]);
  log.exchanges.push({ ...exchange(0), end: 'cut' });
  const { entries } = await new Histories(reads, 64e6).upTo(sql, 'a');
  deepEqual(
    entries.map(({ id, end }) => [id, end]),
    [
      ['x0', 'cut'],
      ['x1', 'answered'],
    ],
  );
});
