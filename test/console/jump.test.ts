import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ahead, besides, changes, effectsOf, type Owned } from '../../console/pages/time/jump.ts';
import { claimStatuses, nextMove, type Pending } from '../../src/claims/claim.ts';
import type { Claim } from '../../src/claims/schemas.ts';
import { instant } from '../../src/time/clock.ts';

const now = Date.parse('2026-03-02T10:15:30.000Z');
const nothing: Owned = { tokens: [], policies: [], claims: [], deliveries: [] };

const token = { id: 'a', expiresAt: now + 3_600_000, scope: 'policies:read', ofConsole: false };
const policy = { id: 'pol-1', regNumber: 'AB-1234', status: 'active', endDate: '2026-04-01' } as const;
const delivery = {
  number: 7,
  url: 'http://localhost:9000/',
  subscriptionId: 'sub-1',
  status: 'pending',
  attempts: 1,
  nextAttemptAt: instant(now + 5000),
};

test('Console, time: a jump tells what expires, moves and is called in it, soonest first', () => {
  const owned: Owned = {
    ...nothing,
    tokens: [token],
    policies: [policy, { ...policy, id: 'pol-2', status: 'cancelled' }],
    deliveries: [delivery, { ...delivery, number: 8, status: 'delivered', nextAttemptAt: null }],
  };
  const kinds = (to: number) => effectsOf(ahead(owned, now), to).certain.map(({ kind }) => kind);
  assert.deepEqual(kinds(now + 4999), []);
  assert.deepEqual(kinds(now + 5000), ['webhook']);
  assert.deepEqual(kinds(now + 3_600_000), ['webhook', 'token']);
  assert.deepEqual(kinds(Date.parse('2026-04-01T23:59:59.999Z')), ['webhook', 'token']);
  assert.deepEqual(kinds(Date.parse('2026-04-02T00:00:00.000Z')), ['webhook', 'token', 'policy']);
});

test('Console, time: the moves of a claim are told for the times at which the service makes them', () => {
  const paces = fc.integer({ min: 1, max: 3600 });
  fc.assert(
    fc.property(paces, fc.constantFrom('APPROVED', 'REJECTED'), fc.nat(2), (paceSeconds, outcome, made) => {
      const claimId = 'CLM-2026-000001';
      let claim: Pending = {
        claimId,
        status: 'REGISTERED',
        outcome,
        paceSeconds,
        dueAt: instant(now + paceSeconds * 1000),
      };
      let updatedAt = instant(now);
      const moves: { status: string; at: number }[] = [];
      for (let index = 0; index < 3; index += 1) {
        const { newStatus, occurredAt, nextDueAt } = nextMove(claim);
        if (index < made) updatedAt = occurredAt;
        else moves.push({ status: newStatus, at: Date.parse(occurredAt) });
        claim = { ...claim, status: newStatus, dueAt: nextDueAt ?? '' };
      }
      const status = claimStatuses.filter((each) => each !== (outcome === 'APPROVED' ? 'REJECTED' : 'APPROVED'))[made];
      const shown: Claim = {
        claimId,
        policyNumber: '',
        status: status as Claim['status'],
        statusReason: null,
        registeredAt: instant(now),
        updatedAt,
      };
      const told = ahead({ ...nothing, claims: [shown] }, Date.parse(updatedAt));
      assert.equal(told.length, moves.length);
      for (const [index, { what, earliest, latest }] of told.entries()) {
        const move = moves[index] as (typeof moves)[number];
        assert.match(what, new RegExp(move.status));
        assert.ok(earliest <= move.at && move.at <= latest);
        if (made > 0) assert.equal(earliest, latest);
      }
    }),
  );
});

test('Console, time: the pace of a claim that has not moved yet is not known, so it is told what may happen', () => {
  const claim = {
    claimId: 'CLM-2026-000001',
    status: 'REGISTERED' as const,
    registeredAt: instant(now),
    updatedAt: instant(now),
  };
  const happenings = ahead({ ...nothing, claims: [claim] }, now);
  const { certain, possible } = effectsOf(happenings, now + 3_600_000);
  assert.deepEqual(
    [certain, possible].map((each) => each.map(({ what }) => what)),
    [
      ['The claim CLM-2026-000001 becomes UNDER_REVIEW.'],
      ['The claim CLM-2026-000001 becomes APPROVED or REJECTED.', 'The claim CLM-2026-000001 becomes CLOSED.'],
    ],
  );
});

test('Console, time: a long jump also has effects on what is not listed', () => {
  const day = 86_400_000;
  assert.deepEqual(besides(60_000), []);
  assert.equal(besides(day).length, 4);
  assert.match(besides(day).join(' '), /Idempotency-Key .* the oldest ones go/);
  assert.match(besides(7 * day).join(' '), /410/);
});

test('Console, time: after a jump it is told what changed', () => {
  const claim = {
    claimId: 'CLM-1',
    status: 'REGISTERED' as const,
    registeredAt: instant(now),
    updatedAt: instant(now),
  };
  const before: Owned = { tokens: [token], policies: [policy], claims: [claim], deliveries: [delivery] };
  const after: Owned = {
    tokens: [],
    policies: [{ ...policy, status: 'expired' }],
    claims: [{ ...claim, status: 'CLOSED' }],
    deliveries: [{ ...delivery, attempts: 2, status: 'delivered' }],
  };
  assert.deepEqual(changes(before, after, now + 86_400_000), [
    'A token with the scopes policies:read expired.',
    'The policy for AB-1234 went from active to expired.',
    'The claim CLM-1 went from REGISTERED to CLOSED.',
    'Delivery 7 to http://localhost:9000/ was tried again. It is delivered.',
  ]);
  assert.deepEqual(changes(before, before, now), []);
});
