import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { sinceThen } from '../../console/model/since-then.ts';

const then = {
  ...{ calls: 5, refusals: 1, solved: 2, aheadSeconds: 60, policies: 1, claims: 0 },
  ...{ announcedAt: null, resetAt: null },
};

test('Console, start: what changed since the last visit is told in sentences, and only that', () => {
  deepEqual(sinceThen(then, then), []);
  deepEqual(
    sinceThen(then, {
      calls: 17,
      refusals: 4,
      solved: 3,
      aheadSeconds: 60 + 2 * 86_400,
      policies: 3,
      claims: 1,
      announcedAt: '2026-03-02T10:15:30.000Z',
      resetAt: null,
    }),
    [
      '1 lesson was solved.',
      'Your programs made 12 calls, 3 of them refused.',
      'You own 2 policies and 1 claim more.',
      'Your clock was moved 2 days ahead.',
      'Your trainer announced something.',
    ],
  );
  deepEqual(sinceThen(then, { ...then, calls: 6 }), ['Your programs made 1 call.']);
});

test('Console, start: after a reset its counts begin again, and that is told', () => {
  const reset = { ...then, refusals: 0, policies: 0, resetAt: '2026-03-02T10:15:30.000Z' };
  deepEqual(sinceThen(then, { ...reset, calls: 0 }), ['Your client was reset.']);
  // However many calls were made since.
  deepEqual(sinceThen(then, { ...reset, calls: 17 }), ['Your client was reset.', 'Your programs made 17 calls.']);
});
