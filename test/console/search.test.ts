import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { pagesAndGuides, pathOfId, rank } from '../../console/model/search.ts';

const id = '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const found = (text: string) => rank(pathOfId(text), text).map(({ kind, path }) => [kind, path]);

test('Console, search: the id of a refusal leads to its call, as the header and as the problem have it', () => {
  for (const text of [id, ` ${id} `, `urn:uuid:${id}`, `URN:UUID:${id}`])
    deepEqual(found(text), [['Call', `/#/traffic/${id}`]], text);
  deepEqual(found('urn:uuid:'), []);
});

test('Console, search: a trace id and a traceparent lead to the calls of the trace', () => {
  for (const text of [traceId, `00-${traceId}-00f067aa0ba902b7-01`])
    deepEqual(found(text), [['Trace', `/#/traffic?q=trace:${traceId}`]], text);
  deepEqual(found(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`), []);
});

test('Console, search: names come first, then topics and what is told in short, then goals of lessons', () => {
  const lesson = (name: string, words: string, text: string) => ({ kind: 'Lesson', name, words, text });
  const all = [
    lesson('By goal', 'one', 'Sign the body.'),
    lesson('By topic', 'Signed bodies: sign', ''),
    lesson('The body that you sign', '', ''),
    lesson('To sign', '', ''),
    lesson('Sign', '', ''),
    lesson('Nothing of it', '', ''),
  ];
  const names = (text: string) => rank(all, text).map(({ name }) => name);
  deepEqual(names('sign'), ['Sign', 'The body that you sign', 'To sign', 'By topic', 'By goal']);
  deepEqual(names('sign body'), ['The body that you sign', 'By goal']);
  // A guide is found by what it is about.
  deepEqual(
    rank(pagesAndGuides, 'backup').map(({ path }) => path),
    ['/#/guides/operations'],
  );
});

test('Console, search: the id of a statement and of an erasure lead to them', () => {
  deepEqual(found(`stm-${id}`), [['Statement', `/#/policies/statements/stm-${id}`]]);
  deepEqual(found(`era-${id}`), [['Erasure', `/#/policies/erasures/era-${id}`]]);
});
