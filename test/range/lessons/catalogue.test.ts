import { deepEqual, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as calls from '../../../src/range/lessons/calls.ts';
import { type Entry, entryOf } from '../../../src/range/lessons/entry.ts';
import { History } from '../../../src/range/lessons/history.ts';
import { type Lesson, lessonsOf, stepTitles } from '../../../src/range/lessons/lesson.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';

const lessons = lessonsOf(topics);
const sentences = (text: string) => text.split(/(?<=[.!?:])\s/).length;

describe('the catalogue of lessons', () => {
  test('Lessons: each has an id of its own, and what it builds on comes before it', () => {
    const before = new Set<string>();
    for (const { id, buildsOn } of lessons) {
      ok(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && !before.has(id), id);
      deepEqual(
        buildsOn.filter((each) => !before.has(each)),
        [],
        id,
      );
      before.add(id);
    }
  });

  test('Lessons: each has a goal, a reason, hints, sections, and a way to solve it', () => {
    for (const lesson of lessons) {
      const { id, title, level, goal, why, hints, sections, steps, asks } = lesson;
      ok(title.length <= 60 && !title.endsWith('.'), id);
      ok([1, 2, 3].includes(level), id);
      ok(goal.endsWith('.') && sentences(goal) <= 5 && goal.length <= 420, `${id}: the goal`);
      ok(why.endsWith('.') && why.length <= 220, `${id}: why`);
      ok(hints.length >= 1 && hints.length <= 3, `${id}: hints`);
      ok(sections.length > 0, `${id}: sections`);
      ok(steps.length > 0 || asks, `${id}: a step`);
      for (const step of stepTitles(lesson)) ok(/^[A-Z].{3,79}[^.]$/.test(step), `${id}: the step ${step}`);
    }
  });

  test('Lessons: each is solved by a test', () => {
    const folder = import.meta.dirname;
    const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'catalogue.test.ts');
    const text = tests.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    const untested = lessons.filter(({ id }) => !new RegExp(`^\\s+'?${id}'?: |'${id}'`, 'm').test(text));
    deepEqual(
      untested.map(({ id }) => id),
      [],
    );
  });

  test('Lessons: no exchange, however odd, makes one fail', () => {
    const entries = oddEntries();
    for (const lesson of lessons) {
      for (const [at, entry] of entries.entries()) {
        for (const { title, judge } of lesson.steps) {
          const verdict = judge(entry, new History(entries, at));
          const sentence = typeof verdict === 'object' ? verdict.beginAgain : verdict;
          ok(typeof sentence === 'boolean' || typeof sentence === 'string', `${lesson.id}: ${title}`);
        }
      }
      for (const answer of odd) checkAnswer(lesson, answer, entries);
    }
  });
});

/** An odd answer is wrong, or by chance right; either way it is told so. */
function checkAnswer({ id, asks }: Lesson, answer: unknown, entries: readonly Entry[]): void {
  for (const history of [new History([]), new History(entries)]) {
    const found = asks?.check(answer, history);
    if (typeof found === 'string') ok(found.length > 10, id);
  }
}

const odd: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  '\0',
  '{}',
  [],
  [null],
  [[]],
  {},
  { claims: null },
  { items: {} },
  { items: [null, 1, {}] },
  { id: {}, status: [] },
  { error: {} },
  'x'.repeat(5000),
  { data: [{ eventId: 'a', data: null }] },
];

/** Each call that a lesson may look at, with every odd body and header, with each status and end. */
function oddEntries(): Entry[] {
  const entries: Entry[] = [];
  for (const call of Object.values(calls)) {
    const [method = '', route = ''] = call.split(' ');
    for (const [at, value] of odd.entries()) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const [status, end] = [
        [200, 'answered'],
        [201, 'answered'],
        [401, 'answered'],
        [499, 'cut'],
        [304, 'open'],
      ][at % 5] as [number, 'cut'];
      const headers = at % 2 ? [] : headerNames.map((name) => ({ name, value: text.slice(0, 50) }));
      const body = { text, encoding: 'utf-8' as const, bytes: text.length, complete: at % 3 > 0 };
      const message = { headers, ...(text !== '' && { body }) };
      const entry = entryOf({
        id: `${entries.length}`,
        clientId: 'demo-1',
        kind: at % 7 ? 'call' : 'stream',
        method,
        route,
        status,
        end,
        startedAt: new Date(1e12 + entries.length).toISOString(),
        url: `${route}?page=x&after=%ff&wsdl`,
        durationMs: 1,
        problem: at % 3 ? null : 'invalid-token',
        drills: [],
        remarks: [],
        request: { httpVersion: '1.1', ...message },
        response: message,
        tokens: at % 4 ? [] : [{ header: {}, claims: { scope: 7, exp: 'x' } }],
        ...(at % 7 === 0 && { stream: { events: 3, end: null } }),
      });
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

const headerNames = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Signature',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];
