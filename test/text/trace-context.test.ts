import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { keptTrace, stateOf, traceHeaders, traceOf } from '../../src/text/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

test('Decisions, traces: a traceparent is read as W3C Trace Context has it, a later version by its first four parts', () => {
  deepEqual(traceOf(`00-${traceId}-${parentId}-01`), { traceId, flags: '01' });
  deepEqual(traceOf(`00-${traceId}-${parentId}-00`), { traceId, flags: '00' });
  deepEqual(traceOf(`00-${traceId}-${parentId}-02`), { traceId, flags: '02' });
  deepEqual(traceOf(`cc-${traceId}-${parentId}-01`), { traceId, flags: '01' });
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
    `00-${traceId}-${parentId}-01.`,
    `cc-${traceId}-${parentId}-01.what-comes`,
    `00-${traceId}-${parentId}-1`,
    `00-${traceId}-${parentId}-001`,
    `00-${traceId}-${parentId}-.0`,
    `00-${traceId}-${parentId}-0.`,
    `00-${traceId}-${parentId}0-01`,
    `00-${traceId}-${parentId.slice(1)}-01`,
    `00-${traceId}-.${parentId.slice(1)}-01`,
    `00-${traceId}0-${parentId}-01`,
    `00-${traceId.slice(1)}-${parentId}-01`,
    `00-.${traceId.slice(1)}-${parentId}-01`,
    `0-${traceId}-${parentId}-01`,
    `000-${traceId}-${parentId}-01`,
    `0000-${traceId}-${parentId}-01`,
    `.0-${traceId}-${parentId}-01`,
    `0.-${traceId}-${parentId}-01`,
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
  deepEqual(traceHeaders(`${traceId}-01`, Buffer.from(parentId, 'hex')), {
    traceparent: `00-${traceId}-${parentId}-01`,
  });
  match(traceHeaders(`${traceId}-00`, Buffer.alloc(8)).traceparent, /^00-[\da-f]{32}-(?!0{16})[\da-f]{16}-00$/);
  const withState = keptTrace({ traceId, flags: '01' }, 'a=1 - 2,b-c@d=e') as string;
  deepEqual(traceHeaders(withState, Buffer.from(parentId, 'hex')), {
    traceparent: `00-${traceId}-${parentId}-01`,
    tracestate: 'a=1 - 2,b-c@d=e',
  });
});

test('Decisions, traces: a tracestate goes on as it is but for white space, one that is malformed not at all', () => {
  const keys = 'abcdefghijklmnopqrstuvwxyz0123456789_-*/';
  const value = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at))
    .join('')
    .replace(/[,=]/g, '');
  for (const [sent, kept] of [
    ['foo=1', 'foo=1'],
    [' foo=1 \t , \t bar=2,\tbaz=3 ', 'foo=1,bar=2,baz=3'],
    [',foo=1, ,', 'foo=1'],
    [`${keys}=${value}`, `${keys}=${value}`],
    [`${keys}@a-z0-9_-*/=${value}`, `${keys}@a-z0-9_-*/=${value}`],
    [`${'z'.repeat(256)}=1`, `${'z'.repeat(256)}=1`],
    [`${'t'.repeat(241)}@${'v'.repeat(14)}=1`, `${'t'.repeat(241)}@${'v'.repeat(14)}=1`],
    ...[`${'t'.repeat(242)}@v=1`, `t@${'v'.repeat(15)}=1`, '0foo=1', 'foo@=1', 'foo@@bar=1', 'foo@bar@baz=1'].map(
      (each) => [each, each] as const,
    ),
    ['foo=1,foo=1', 'foo=1,foo=1'],
    ['foo=1,bar=2,foo=3', 'foo=1,bar=2,foo=3'],
    [`foo=${'v'.repeat(256)}`, `foo=${'v'.repeat(256)}`],
    [
      Array.from({ length: 32 }, (_, at) => `bar${at}=1`).join(),
      Array.from({ length: 32 }, (_, at) => `bar${at}=1`).join(),
    ],
  ] as const)
    equal(stateOf(sent), kept, sent);
  const overLong = [`${'z'.repeat(257)}=1`, `foo=${'v'.repeat(257)}`];
  const wrong = [
    '',
    ' ',
    ',',
    'foo',
    'foo=',
    '=1',
    'foo =1',
    'FOO=1',
    'foo.bar=1',
    '@foo=1',
    '_foo=1',
    'foo=a=b',
    'foo=ä',
    'foo=,bar=3',
    'FOO=1,bar=2',
  ];
  for (const sent of [undefined, ...wrong, ...overLong, Array.from({ length: 33 }, (_, at) => `bar${at}=1`).join()])
    equal(stateOf(sent), undefined, String(sent));
});

test('Decisions, traces: of a tracestate 512 characters go on, whole members, of which long ones go first', () => {
  const small = Array.from({ length: 20 }, (_, at) => `k${at}=${'v'.repeat(16)}`);
  const long = `long=${'v'.repeat(200)}`;
  equal(stateOf([...small.slice(0, 10), long, ...small.slice(10)].join()), small.join());
  const many = Array.from({ length: 32 }, (_, at) => `k${at + 10}=${'v'.repeat(26)}`);
  const kept = stateOf(many.join()) as string;
  equal(kept, many.slice(0, 16).join());
  ok(kept.length <= 512);
});
