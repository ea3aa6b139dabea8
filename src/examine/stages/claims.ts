import type { StageCalls } from '../stage.ts';
import { listClaims as list, claimsPath as path, readClaim, register } from './claim-steps.ts';
import { cancel, insure, narrowToken, withNarrow } from './policy-steps.ts';

/** A policy and so many claims on it. */
const withClaims = (count: number) => [
  insure('ann', 'one'),
  ...Array.from({ length: count }, (_, at) => register('ann', '{one}', `claim${at + 1}`)),
];

const registered = [insure('ann', 'one'), register('ann', '{one}', 'claim')];

export const claims: StageCalls = {
  reads: 'POST /claims/v1/claims',
  cases: [
    { title: 'A claim is registered on a policy.', steps: registered },
    {
      title: 'The outcome and the pace can be left out.',
      steps: [insure('ann', 'one'), { ...register('ann', '{one}'), json: { policyNumber: '{one}' } }],
    },
    { title: 'It can be read.', steps: [...registered, readClaim('ann', 'claim')] },
    {
      title: 'It can be on a cancelled policy.',
      steps: [insure('ann', 'one'), cancel('ann', 'one'), register('ann', '{one}')],
    },
    {
      title: 'A policy can have several claims.',
      steps: [...registered, register('ann', '{one}', 'second'), readClaim('ann', 'second')],
    },
    {
      title: 'A claim that is not there is not found: claim-not-found.',
      steps: [{ as: 'ann', method: 'GET', path: `${path}/CLM-2026-000000` }],
    },
    { title: 'A claim of another client is not found.', steps: [...registered, readClaim('ben', 'claim')] },
    { title: 'A policy that is not there is not found: policy-not-found.', steps: [register('ann', 'pol-none')] },
    { title: 'A policy of another client is not found.', steps: [insure('ann', 'one'), register('ben', '{one}')] },
    ...[
      ['A body without policyNumber', { paceSeconds: 3600 }],
      ['A policyNumber that is no text', { policyNumber: 7 }],
      ['An outcome that is none', { policyNumber: '{one}', outcome: 'CLOSED' }],
      ['A pace of 0', { policyNumber: '{one}', paceSeconds: 0 }],
      ['A pace of 3601', { policyNumber: '{one}', paceSeconds: 3601 }],
      ['A pace of 1.5', { policyNumber: '{one}', paceSeconds: 1.5 }],
      ['A pace that is text', { policyNumber: '{one}', paceSeconds: '10' }],
    ].map(([what, json]) => ({
      title: `${what} is refused.`,
      steps: [insure('ann', 'one'), { as: 'ann', method: 'POST', path, json }],
    })),
    { title: 'Without claims the list is empty.', steps: [list('ann')] },
    { title: 'The list has them, the oldest first.', steps: [...withClaims(2), list('ann')] },
    { title: 'The list has nothing of other clients.', steps: [...registered, list('ben')] },
    { title: 'The list has pages.', steps: [...withClaims(2), list('ann', '?page=2&pageSize=1')] },
    { title: 'status=REGISTERED finds it.', steps: [...withClaims(1), list('ann', '?status=REGISTERED')] },
    { title: 'status=CLOSED does not.', steps: [...withClaims(1), list('ann', '?status=CLOSED')] },
    {
      title: 'policyNumber finds the claims on a policy.',
      steps: [
        ...withClaims(1),
        insure('ann', 'two', '{plate2}'),
        register('ann', '{two}'),
        list('ann', '?policyNumber={two}'),
      ],
    },
    ...['status=open', 'status=registered', 'page=0', 'pageSize=501'].map((query) => ({
      title: `${query} is refused.`,
      steps: [list('ann', `?${query}`)],
    })),
    {
      title: 'A read with the ETag of the registration is 304.',
      steps: [
        insure('ann', 'one'),
        { ...register('ann', '{one}'), keep: { claim: '/claimId', tag: 'header:ETag' } },
        readClaim('ann', 'claim', { 'If-None-Match': '{tag}' }),
      ],
    },
    {
      title: 'The same Idempotency-Key registers one claim.',
      steps: [
        insure('ann', 'one'),
        register('ann', '{one}', 'claim', { 'Idempotency-Key': '"claim"' }),
        register('ann', '{one}', 'again', { 'Idempotency-Key': '"claim"' }),
        list('ann'),
      ],
    },
    {
      title: 'The Idempotency-Key of a policy is another one than that of a claim.',
      steps: [
        { ...insure('ann', 'one'), headers: { 'Idempotency-Key': '"same"' } },
        register('ann', '{one}', 'claim', { 'Idempotency-Key': '"same"' }),
      ],
    },
    { title: 'Registering needs a token.', steps: [{ method: 'POST', path, json: { policyNumber: 'pol-none' } }] },
    {
      title: 'Registering needs the scope claims:write.',
      steps: [
        ...narrowToken('claims:read'),
        { method: 'POST', path, headers: withNarrow, json: { policyNumber: 'pol-none' } },
      ],
    },
    {
      title: 'Reading needs the scope claims:read.',
      steps: [...narrowToken('policies:read'), { method: 'GET', path, headers: withNarrow }],
    },
    {
      title: 'A claim is not changed by its client.',
      steps: [...registered, { as: 'ann', method: 'PUT', path: `${path}/{claim}`, json: {} }],
    },
  ],
};
