import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { pathOfId, rank } from '../../console/model/search.ts';

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
