import type { StageCalls } from '../stage.ts';
import { cancel, insure, list, narrowToken, policies, read, update, withNarrow } from './policy-steps.ts';
import { cancelOne, create, emptyRegister, listPage, readOne, updateOne } from './walk.ts';

const ben = { holder: 'Ben Example' };
const cancelNone = { method: 'POST', path: `${policies}/pol-none/cancel` };
const cancelled = [insure('ann', 'one'), cancel('ann', 'one')];

export const cancelPolicy: StageCalls = {
  reads: 'POST /insurer/v1/policies/{policyId}/cancel',
  cases: [
    { title: 'The answer is the policy with the status cancelled.', steps: cancelled },
    {
      title: 'An updated policy can be cancelled.',
      steps: [insure('ann', 'one'), update('ann', 'one', ben), cancel('ann', 'one')],
    },
    { title: 'It can be read so.', steps: [...cancelled, read('ann', 'one')] },
    { title: 'It stays in the list.', steps: [insure('ann', 'one'), cancel('ann', 'one'), list('ann')] },
    { title: 'Cancelling again is the same and changes nothing.', steps: [...cancelled, cancel('ann', 'one')] },
    {
      title: 'A cancelled policy can’t be changed: policy-immutable.',
      steps: [...cancelled, update('ann', 'one', ben)],
    },
    {
      title: 'A change that was refused changed nothing.',
      steps: [...cancelled, update('ann', 'one', ben), read('ann', 'one')],
    },
    { title: 'The vehicle can be insured again.', steps: [...cancelled, insure('ann', 'two')] },
    {
      title: 'Another client can insure the vehicle then.',
      steps: [...cancelled, insure('ben', 'two')],
    },
    {
      title: 'Cancelling the first policy again leaves the second one of the vehicle in force.',
      steps: [...cancelled, insure('ann', 'two'), cancel('ann', 'one'), read('ann', 'two')],
    },
    {
      title: 'Cancelling the first policy again does not free the vehicle of the second one.',
      steps: [...cancelled, insure('ann', 'two'), cancel('ann', 'one'), insure('ann', 'three')],
    },
    {
      title: 'A body is ignored.',
      steps: [insure('ann', 'one'), { as: 'ann', method: 'POST', path: `${policies}/{one}/cancel`, json: {} }],
    },
    { title: 'A policy that is not there is not found.', steps: [{ as: 'ann', ...cancelNone }] },
    { title: 'A policy of another client is not found.', steps: [insure('ann', 'one'), cancel('ben', 'one')] },
    {
      title: 'Another client cancels nothing.',
      steps: [insure('ann', 'one'), cancel('ben', 'one'), read('ann', 'one')],
    },
    {
      title: 'A cancelled policy of another client is not found either.',
      steps: [...cancelled, cancel('ben', 'one')],
    },
    {
      title: 'It needs the scope policies:write.',
      steps: [...narrowToken('policies:read'), { ...cancelNone, headers: withNarrow }],
    },
    { title: 'It needs a token.', steps: [cancelNone] },
    { title: 'There is no GET.', steps: [{ as: 'ann', method: 'GET', path: `${policies}/pol-none/cancel` }] },
  ],
  random: {
    model: emptyRegister,
    actions: [create, create, updateOne, cancelOne, readOne, listPage],
    rows: 8,
    most: 12,
  },
};
