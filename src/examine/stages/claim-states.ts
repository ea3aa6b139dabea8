import type { StageCalls } from '../stage.ts';
import { batch, listClaims, moving, readClaim, register, untilEvents, untilStatus } from './claim-steps.ts';
import { cancel, insure } from './policy-steps.ts';

const rejected = { outcome: 'REJECTED' };

/** A claim whose review lasts so long that it can be looked at. */
const slow = moving('ann', '{one}', { paceSeconds: 2 });
const reviewed = [insure('ann', 'one'), slow, untilStatus('ann', 'UNDER_REVIEW')];
const closed = [insure('ann', 'one'), moving('ann', '{one}'), untilStatus('ann', 'CLOSED')];

export const claimStates: StageCalls = {
  reads: 'POST /claims/v1/claims',
  together: true,
  cases: [
    { title: 'A claim is closed after three times its pace.', steps: closed },
    {
      title: 'A claim that is rejected is closed as well.',
      steps: [insure('ann', 'one'), moving('ann', '{one}', rejected), untilStatus('ann', 'CLOSED')],
    },
    {
      title: 'Each move of an approved claim is an event.',
      steps: [insure('ann', 'one'), moving('ann', '{one}'), untilEvents('ann', 3)],
    },
    {
      title: 'Each move of a rejected claim is an event, with reasons for the last two.',
      steps: [insure('ann', 'one'), moving('ann', '{one}', rejected), untilEvents('ann', 3)],
    },
    {
      title: 'The events have the times of the claim.',
      steps: [...closed, batch('ann')],
    },
    { title: 'status=CLOSED finds a closed claim.', steps: [...closed, listClaims('ann', '?status=CLOSED')] },
    {
      title: 'A claim moves on when its policy is cancelled.',
      steps: [insure('ann', 'one'), moving('ann', '{one}'), cancel('ann', 'one'), untilStatus('ann', 'CLOSED')],
    },
    {
      title: 'Each claim has a pace of its own.',
      steps: [
        insure('ann', 'one'),
        register('ann', '{one}', 'other'),
        moving('ann', '{one}'),
        untilStatus('ann', 'CLOSED'),
        readClaim('ann', 'other'),
      ],
    },
    {
      title: 'Each claim has an outcome of its own.',
      steps: [
        insure('ann', 'one'),
        moving('ann', '{one}', rejected),
        moving('ann', '{one}'),
        untilStatus('ann', 'CLOSED'),
        untilEvents('ann', 6),
      ],
    },
    {
      title: 'A claim with the same Idempotency-Key moves once.',
      steps: [
        insure('ann', 'one'),
        { ...moving('ann', '{one}'), headers: { 'Idempotency-Key': '"claim"' } },
        { ...moving('ann', '{one}'), headers: { 'Idempotency-Key': '"claim"' } },
        untilStatus('ann', 'CLOSED'),
        batch('ann'),
      ],
    },
    // Those that wait longest come before.
    { title: 'After its pace it is under review.', steps: reviewed },
    {
      title: 'The tag of a claim changes with its status.',
      steps: [...reviewed, readClaim('ann', 'claim', { 'If-None-Match': '{tag}' })],
    },
    {
      title: 'The list finds it by the status that it has by now.',
      steps: [...reviewed, listClaims('ann', '?status=UNDER_REVIEW')],
    },
    {
      title: 'The list does not find it by the status that it had.',
      steps: [...reviewed, listClaims('ann', '?status=REGISTERED')],
    },
  ],
};
