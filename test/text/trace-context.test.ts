import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { keptTrace, traceOf, traceparent } from '../../src/text/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

test('Decisions, traces: a traceparent is read as W3C Trace Context has it, a later version by its first four parts', () => {
  deepEqual(traceOf(`00-${traceId}-${parentId}-01`), { traceId, flags: '01' });
  deepEqual(traceOf(`00-${traceId}-${parentId}-00`), { traceId, flags: '00' });
  deepEqual(traceOf(`cc-${traceId}-${parentId}-01-what-comes`), { traceId, flags: '01' });
  deepEqual(traceOf(`00-${traceId}-${parentId}-ff`), { traceId, flags: '03' });
});

test('Decisions, traces: a malformed traceparent, and one whose ids are all zero, is none', () => {
  for (const header of [
    undefined,
    '',
    traceId,
    `${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${traceId}-${parentId}-1`,
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
    ` 00-${traceId}-${parentId}-01`,
  ])
    equal(traceOf(header), undefined, String(header));
});

test('Decisions, traces: what is handed on has the trace id, a parent id of its own that is not all zero, and the flags', () => {
  const kept = keptTrace({ traceId, flags: '01' });
  equal(kept, `${traceId}-01`);
  equal(keptTrace(undefined), null);
  equal(traceparent(`${traceId}-01`, Buffer.from(parentId, 'hex')), `00-${traceId}-${parentId}-01`);
  match(traceparent(`${traceId}-00`, Buffer.alloc(8)), /^00-[\da-f]{32}-(?!0{16})[\da-f]{16}-00$/);
});
