import type { StageCalls } from '../stage.ts';
import { insure } from './policy-steps.ts';
import { randomPolicies } from './random-policies.ts';

export const read: StageCalls = {
  reads: 'GET /insurer/v1/policies/{policyId}',
  cases: [
    {
      title: 'A policy is read as it was created.',
      steps: [insure('ann', 'one'), { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' }],
    },
    {
      title: 'A second read has the same policy.',
      steps: [
        insure('ann', 'one'),
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' },
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' },
      ],
    },
    {
      title: 'A policy that does not exist is 404.',
      steps: [{ as: 'ann', method: 'GET', path: '/insurer/v1/policies/pol-00000000-0000-7000-8000-000000000000' }],
    },
    {
      title: 'What can be no id of a policy is 404 too.',
      steps: [{ as: 'ann', method: 'GET', path: '/insurer/v1/policies/1' }],
    },
    {
      title: 'A policy of another client is 404.',
      steps: [insure('ann', 'one'), { as: 'ben', method: 'GET', path: '/insurer/v1/policies/{one}' }],
    },
    {
      title: 'Without a token it is 401.',
      steps: [insure('ann', 'one'), { method: 'GET', path: '/insurer/v1/policies/{one}' }],
    },
    {
      title: 'A policy is read with its holder.',
      steps: [
        insure('ann', 'one', '{plate1}', 'Ada Example'),
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' },
      ],
    },
    {
      title: 'Each policy is read by its own id.',
      steps: [
        insure('ann', 'one'),
        insure('ann', 'two', '{plate2}'),
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' },
      ],
    },
    {
      title: 'Its address is the one that the creation gave: DELETE is not among its methods.',
      steps: [insure('ann', 'one'), { as: 'ann', method: 'DELETE', path: '/insurer/v1/policies/{one}' }],
    },
  ],
  random: randomPolicies({ rows: 8, most: 8 }),
};
