import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemPage } from '../../console/api/problem.ts';
import type { Exchange } from '../../console/api/types.ts';
import { bodyView } from '../../console/model/body-view.ts';
import { notesOf, problemOf } from '../../console/pages/traffic/notes.ts';

type Remark = NonNullable<Exchange['notes']>[number];
type Part = Partial<Pick<Exchange, 'url' | 'remarks' | 'notes' | 'problem'>> & {
  readonly sent?: string;
  readonly type?: string;
  readonly errors?: unknown[];
  readonly answered?: Exchange['response']['headers'];
};

function exchange({ sent, type = 'application/json', errors, answered = [], ...rest }: Part): Exchange {
  const body = (text: string) => ({ text, encoding: 'utf-8' as const, bytes: text.length, complete: true });
  const problem = { type: '/problems/validation-error', title: 'T', status: 400, detail: 'D', errors };
  return {
    ...{ id: '1', kind: 'call', startedAt: '2026-03-02T10:15:30.000Z', method: 'POST', url: '/x', route: '/x' },
    ...{ status: 400, durationMs: 1, end: 'answered', problem: null, drills: [], remarks: [], tokens: [] },
    request: {
      httpVersion: '1.1',
      headers: [
        { name: 'content-type', value: type },
        { name: 'If-Match', value: '"1"' },
      ],
      ...(sent !== undefined && { body: body(sent) }),
    },
    response: {
      headers: [{ name: 'Content-Type', value: 'application/problem+json' }, ...answered],
      ...(errors && { body: body(JSON.stringify(problem)) }),
    },
    ...rest,
  };
}

function notes(part: Part) {
  const whole = exchange(part);
  const { body, headers } = whole.request;
  const { all, query, requestHeaders, answerHeaders, body: places } = notesOf(whole, body && bodyView(body, headers));
  const texts = (map: typeof query) =>
    Object.fromEntries([...map].map(([place, some]) => [place, some.map(({ text }) => text)]));
  return {
    ...(all.length > 0 && { all: all.map(({ text }) => text) }),
    ...(query.size > 0 && { query: texts(query) }),
    ...(requestHeaders.size > 0 && { requestHeaders: texts(requestHeaders) }),
    ...(answerHeaders.size > 0 && { answerHeaders: texts(answerHeaders) }),
    ...(places.size > 0 && { body: texts(places) }),
  };
}

describe('Console, traffic: what is said of an exchange stands beside what it is about', () => {
  test('a remark that a drill refused the call is left out where the problem says so itself', () => {
    const refused: Remark = { code: 'drill', text: 'Refused by the drill `unavailable`.', drill: 'unavailable' };
    const cut: Remark = { code: 'drill', text: 'Cut by the drill `cut-connections`.', drill: 'cut-connections' };
    const delayed: Remark = { code: 'drill', text: 'Delayed by the drill `delay`.', drill: 'delay' };
    deepEqual(notes({ notes: [refused, cut, delayed], errors: [] }), { all: [delayed.text] });
    deepEqual(notes({ notes: [refused] }), { all: [refused.text] }, 'a SOAP fault');
  });

  test('an error stands beside its member, parameter or header; of a missing member beside what it is missing in', () => {
    deepEqual(
      notes({
        url: '/x?pageSize=0',
        sent: '{"a":{"b":[1]}}',
        errors: [
          { pointer: '/a/b/0', detail: 'one' },
          { pointer: '/a/c', detail: 'is missing' },
          { pointer: '/d', detail: 'is missing' },
          { parameter: 'pageSize', detail: 'two' },
          { parameter: 'page', detail: 'not sent' },
          { header: 'If-Match', detail: 'three' },
          { header: 'Accept', detail: 'not sent' },
        ],
      }),
      {
        query: { pageSize: ['two'] },
        requestHeaders: { 'if-match': ['three'] },
        body: { '/a/b/0': ['one'], '/a': ['c: is missing'], '': ['d: is missing'] },
      },
    );
  });

  test('an error stands beside the field of a form', () => {
    deepEqual(
      notes({
        sent: 'grant_type=x&a%20b=1',
        type: 'application/x-www-form-urlencoded',
        errors: [{ pointer: '/grant_type', detail: 'one' }],
      }),
      { body: { '/grant_type': ['one'] } },
    );
  });

  test('names that were ignored are told beside each of them, and what can’t be found at the top', () => {
    const ignored = 'Ignored: nothing here has this name.';
    deepEqual(
      notes({
        url: '/x?a%20b=1',
        sent: '{"c/d":1}',
        notes: [
          {
            ...{ code: 'ignored-names', text: 'Ignored.', header: 'L-Plate-Ignored' },
            names: ['query/a%20b', 'body/c%2Fd', 'body/gone', 'and-more'],
          },
        ],
      }),
      {
        all: ['Ignored, since nothing here has these names: body/gone, and-more.'],
        query: { 'a b': [ignored] },
        body: { '/c~1d': [ignored] },
      },
    );
  });

  test('a remark about a header stands beside it, all others at the top; what it says makes no difference', () => {
    const link: Remark = { code: 'pages-skipped', text: 'The next page.', header: 'Link' };
    const wait: Remark = { code: 'retry-too-early', text: 'Not answered: ETag.', header: 'Retry-After' };
    const lesson: Remark = { code: 'lesson', text: 'Lesson “With If-Match”: send the If-Match again.', lesson: 'a' };
    const condition: Remark = { code: 'token-expires', text: 'It expires.', header: 'If-Match' };
    deepEqual(notes({ notes: [link, wait, lesson, condition], answered: [{ name: 'link', value: '<x>' }] }), {
      all: [wait.text, lesson.text],
      requestHeaders: { 'if-match': [condition.text] },
      answerHeaders: { link: [link.text] },
    });
  });

  test('remarks of before they had notes stand at the top', () => {
    const remarks = ['Ignored, since nothing here has these names: query/a.', 'The Link header has the next page.'];
    deepEqual(notes({ url: '/x?a=1', remarks, answered: [{ name: 'link', value: '<x>' }] }), { all: remarks });
  });

  test('the problem of an answer is read, and its page is told where it has one', () => {
    equal(problemOf(exchange({ errors: [] }))?.title, 'T');
    equal(problemOf(exchange({})), undefined);
    equal(problemPage('duplicate-policy'), '/problems/duplicate-policy');
    for (const problem of [null, 'soap:Client', 'VehicleNotFound', '../x']) equal(problemPage(problem), undefined);
  });
});
