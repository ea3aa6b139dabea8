import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, ClaimStatusChanged } from '../../console/api/types.ts';
import { claimPath, newestOf } from '../../console/model/claim-path.ts';
import { span, whenFrom } from '../../console/model/duration.ts';
import { emptyLog, maxKept, repeatsOf, withArrivals } from '../../console/model/topic-log.ts';

const claim: Claim = {
  claimId: 'CLM-2026-000042',
  policyNumber: 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
  status: 'REGISTERED',
  statusReason: null,
  registeredAt: '2026-03-02T10:15:30.000Z',
  updatedAt: '2026-03-02T10:15:30.000Z',
};

function change(
  eventId: string,
  newStatus: Claim['status'],
  second: number,
  claimId = claim.claimId,
): ClaimStatusChanged {
  return {
    eventId,
    eventType: 'ClaimStatusChanged',
    eventVersion: '1.0',
    occurredAt: `2026-03-02T10:15:${second}.000Z`,
    source: 'claims-core',
    data: {
      claimId,
      policyNumber: claim.policyNumber,
      previousStatus: 'REGISTERED',
      newStatus,
      statusReason: newStatus === 'CLOSED' ? 'The compensation was paid.' : null,
    },
  };
}

const sent = (cursor: string, event: object) => ({ cursor, data: JSON.stringify(event) });

describe('Console, events: what came', () => {
  test('an event that comes again is a duplicate of the first, over batches too, and no change of its claim', () => {
    const [a, b] = [change('a', 'UNDER_REVIEW', 35), change('b', 'APPROVED', 40)];
    let log = withArrivals(emptyLog, [sent('1-1', a), sent('1-2', a)]);
    log = withArrivals(log, [sent('2-1', b), sent('1-2', a), sent('3-1', change('c', 'UNDER_REVIEW', 41, 'CLM-2'))]);
    assert.deepEqual(
      log.arrivals.map(({ number, cursor, first, change }) => [number, cursor, first, change]),
      [
        [1, '1-1', undefined, 1],
        [2, '1-2', 1, 1],
        [3, '2-1', undefined, 2],
        [4, '1-2', 1, 1],
        [5, '3-1', undefined, 1],
      ],
    );
    assert.equal(log.duplicates, 2);
    assert.deepEqual(
      repeatsOf(log.arrivals)
        .get(1)
        ?.map(({ number }) => number),
      [2, 4],
    );
  });

  test('the last 500 are kept, all are counted, and what is no event is left out', () => {
    const many = Array.from({ length: maxKept + 20 }, (_, at) =>
      sent(`${at + 1}-1`, change(`e${at}`, 'UNDER_REVIEW', 30)),
    );
    const log = withArrivals(emptyLog, [...many, { cursor: '9-1', data: '<html>' }, { cursor: '9-2', data: 'null' }]);
    assert.equal(log.arrivals.length, maxKept);
    assert.equal(log.came, maxKept + 20);
    assert.equal(log.arrivals[0]?.number, 21);
  });
});

describe('Console, claims: the path', () => {
  const states = (path: ReturnType<typeof claimPath>) =>
    path.stations.map(({ statuses, state, at }) => [statuses.join(), state, at?.slice(17, 19)]);

  test('before the first change it is known from the request, and without it nobody knows', () => {
    assert.deepEqual(states(claimPath(claim, [], { outcome: 'REJECTED', paceSeconds: 5 })), [
      ['REGISTERED', 'here', '30'],
      ['UNDER_REVIEW', 'next', '35'],
      ['REJECTED', 'later', '40'],
      ['CLOSED', 'later', '45'],
    ]);
    assert.deepEqual(states(claimPath(claim, [])), [
      ['REGISTERED', 'here', '30'],
      ['UNDER_REVIEW', 'next', undefined],
      ['APPROVED,REJECTED', 'later', undefined],
      ['CLOSED', 'later', undefined],
    ]);
  });

  test('a closed claim tells by its reason whether it was approved or rejected, also without its events', () => {
    const closed = { ...claim, status: 'CLOSED', statusReason: 'The rejection was not contested.' } as const;
    assert.deepEqual(states(claimPath(closed, []))[2]?.[0], 'REJECTED');
  });

  test('events that are newer than the claim as it was read move it, and one of them tells the pace', () => {
    const { arrivals } = withArrivals(emptyLog, [
      sent('1-1', change('a', 'UNDER_REVIEW', 35)),
      sent('2-1', change('b', 'APPROVED', 40)),
      sent('2-2', change('b', 'APPROVED', 40)),
      sent('3-1', change('z', 'CLOSED', 55, 'CLM-2026-000043')),
    ]);
    const path = claimPath(claim, arrivals);
    assert.equal(path.paceSeconds, 5);
    assert.deepEqual(states(path), [
      ['REGISTERED', 'passed', '30'],
      ['UNDER_REVIEW', 'passed', '35'],
      ['APPROVED', 'here', '40'],
      ['CLOSED', 'next', '45'],
    ]);
    assert.deepEqual(
      path.stations.map((station) => station.arrivals.map(({ cursor }) => cursor)),
      [[], ['1-1'], ['2-1', '2-2'], []],
    );
    const read: Claim = { ...claim, status: 'CLOSED', updatedAt: '2026-03-02T10:15:45.000Z' };
    assert.equal(
      newestOf(
        read,
        arrivals.map(({ event }) => event),
      ),
      read,
    );
  });

  test('of a closed claim whose events are gone, the outcome is not known, but the times are', () => {
    const read: Claim = { ...claim, status: 'CLOSED', updatedAt: '2026-03-02T10:15:45.000Z' };
    assert.deepEqual(states(claimPath(read, [])), [
      ['REGISTERED', 'passed', '30'],
      ['UNDER_REVIEW', 'passed', '35'],
      ['APPROVED,REJECTED', 'passed', '40'],
      ['CLOSED', 'here', '45'],
    ]);
  });
});

test('Console, what you own: spans of time are told in their two largest units', () => {
  assert.deepEqual([0, 8_000, 60_000, 90_000, 3_600_000, 5_400_000, 100_000_000].map(span), [
    '0 s',
    '8 s',
    '1 min',
    '1 min 30 s',
    '1 h',
    '1 h 30 min',
    '1 d 3 h',
  ]);
  assert.deepEqual([whenFrom(1000, 5000), whenFrom(5400, 5000), whenFrom(8000, 5000)], ['now', 'now', 'in 3 s']);
});
