import { hookPath } from '../hooks.ts';
import type { StageCalls, Step } from '../stage.ts';
import { completed, readJob, sendLines } from './imports.ts';
import { cancel, insure, insureBy, list, newToken, read, update } from './policy-steps.ts';

/** The hook that makes it later. */
const later = (advance: string): Step => ({
  ...{ method: 'POST', path: hookPath('clock'), hook: 'clock' },
  json: { advance },
});

/** Later, with a token of that time. */
const laterFor = (as: string, advance: string) => [later(advance), newToken(as)];

const month = { regNumber: '{plate1}', coverageOption: 'MTPL-1M' };
const oneMonth = insureBy('ann', month, 'one');
const onLastDay = [oneMonth, ...laterFor('ann', '{toLastDay}')];
const expired = [oneMonth, ...laterFor('ann', '{toExpiry}')];

const keyed = (regNumber: string): Step => ({
  ...insureBy('ann', { regNumber }),
  headers: { 'Idempotency-Key': '"my-key"' },
});

const check: Step = {
  ...{ method: 'POST', path: '/insurer/v1/signed/policy-check', headers: { 'X-Signature': '{signature}' } },
  json: { regNumber: '{plate1}' },
};

export const expiry: StageCalls = {
  reads: 'GET /insurer/v1/policies/{policyId}',
  needs: 'clock',
  cases: [
    { title: 'A token holds for nearly an hour.', steps: [list('ann'), later('PT58M'), list('ann')] },
    { title: 'After an hour it is refused with invalid-token.', steps: [list('ann'), later('PT1H2M'), list('ann')] },
    { title: 'The client gets a new one then.', steps: [list('ann'), ...laterFor('ann', 'PT2H'), list('ann')] },
    { title: 'A policy is in force on its last day.', steps: [...onLastDay, read('ann', 'one')] },
    {
      title: 'It can be changed on its last day.',
      steps: [...onLastDay, update('ann', 'one', { holder: 'Ben Example' })],
    },
    { title: 'Its vehicle is insured on its last day.', steps: [oneMonth, later('{toLastDay}'), check] },
    { title: 'A day later it is expired.', steps: [...expired, read('ann', 'one')] },
    { title: 'Its vehicle is not insured then.', steps: [oneMonth, later('{toExpiry}'), check] },
    { title: 'status=expired finds it.', steps: [...expired, list('ann', '?status=expired')] },
    { title: 'status=active does not.', steps: [...expired, list('ann', '?status=active')] },
    {
      title: 'An expired policy can’t be changed: policy-immutable.',
      steps: [...expired, update('ann', 'one', { holder: 'Ben Example' })],
    },
    { title: 'Nor can it be cancelled.', steps: [...expired, cancel('ann', 'one')] },
    { title: 'Its vehicle can be insured again.', steps: [...expired, insure('ann', 'two')] },
    { title: 'Another client can insure it.', steps: [oneMonth, later('{toExpiry}'), insure('ben', 'two')] },
    {
      title: 'An updated policy expires, too.',
      steps: [
        oneMonth,
        update('ann', 'one', { holder: 'Ben Example' }),
        ...laterFor('ann', '{toExpiry}'),
        read('ann', 'one'),
      ],
    },
    {
      title: 'A cancelled policy stays cancelled.',
      steps: [oneMonth, cancel('ann', 'one'), ...laterFor('ann', '{toExpiry}'), read('ann', 'one')],
    },
    {
      title: 'A policy that begins tomorrow is in force from tomorrow on.',
      steps: [insureBy('ann', { regNumber: '{plate1}', startDate: '{tomorrow}' }), check, later('P1D'), check],
    },
    {
      title: 'A day later, today is in the past.',
      steps: [list('ann'), ...laterFor('ann', 'P1D'), insureBy('ann', { regNumber: '{plate1}', startDate: '{today}' })],
    },
    {
      title: 'An Idempotency-Key is known for nearly a day.',
      steps: [keyed('{plate1}'), ...laterFor('ann', 'PT23H'), keyed('{plate1}')],
    },
    {
      title: 'After a day it is unknown: the vehicle is refused.',
      steps: [keyed('{plate1}'), ...laterFor('ann', 'PT25H'), keyed('{plate1}')],
    },
    {
      title: 'It can be used for another vehicle then.',
      steps: [keyed('{plate1}'), ...laterFor('ann', 'PT25H'), keyed('{plate2}')],
    },
    {
      title: 'A completed import is kept for a week.',
      steps: [sendLines('ann', '{}\n'), completed, ...laterFor('ann', 'P6D'), readJob('ann')],
    },
    {
      title: 'Then it is not found.',
      steps: [sendLines('ann', '{}\n'), completed, ...laterFor('ann', 'P8D'), readJob('ann')],
    },
  ],
};
