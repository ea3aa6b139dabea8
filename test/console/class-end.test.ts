import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { endedFor } from '../../console/model/class-end.ts';

test('Console, a client that is gone: the end of a class is the reason only for who was still kept then', () => {
  const ended = '2026-03-02T16:00:00.000Z';
  const day = 24 * 60 * 60 * 1000;
  const seen = (at: string) => ({
    clientId: 'demo-1',
    at,
    keptUntil: new Date(Date.parse(at) + day).toISOString(),
    stood: {
      calls: 0,
      refusals: 0,
      solved: 0,
      aheadSeconds: 0,
      policies: 0,
      claims: 0,
      announcedAt: null,
      resetAt: null,
    },
  });
  equal(endedFor(seen('2026-03-02T15:59:40.000Z'), ended), ended);
  equal(endedFor(seen('2026-03-01T16:00:01.000Z'), ended), ended);
  // While the learners are removed.
  equal(endedFor(seen('2026-03-02T16:00:00.050Z'), ended), ended);
  equal(endedFor(seen('2026-03-02T16:01:00.000Z'), ended), undefined, 'made after it');
  equal(endedFor(seen('2026-03-01T15:59:59.000Z'), ended), undefined, 'removed before it, a day after its last use');
  equal(endedFor(seen('2026-03-02T15:59:40.000Z'), null), undefined);
  equal(endedFor(undefined, ended), undefined);
});
