import type { StageCalls } from '../stage.ts';
import { randomPolicies } from './random-policies.ts';
import { insure, newPolicy } from './steps.ts';

export const read: StageCalls = {
  reads: 'GET /insurer/v1/policies/{policyId}',
  cases: [
    {
      title: 'A policy is read as it was created.',
      steps: [newPolicy, { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' }],
    },
    {
      title: 'A second read has the same policy.',
      steps: [
        newPolicy,
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
      steps: [newPolicy, { as: 'ben', method: 'GET', path: '/insurer/v1/policies/{one}' }],
    },
    {
      title: 'Without a token it is 401.',
      steps: [newPolicy, { method: 'GET', path: '/insurer/v1/policies/{one}' }],
    },
    {
      title: 'A policy is read with its holder.',
      steps: [
        {
          as: 'ann',
          method: 'POST',
          path: '/insurer/v1/policies',
          json: { regNumber: '{plate1}', holder: 'Ada Example' },
          keep: { one: '/id' },
        },
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' },
      ],
    },
    {
      title: 'Each policy is read by its own id.',
      steps: [
        newPolicy,
        insure({ regNumber: '{plate2}' }),
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies/{one}' },
      ],
    },
    {
      title: 'Its address is the one that the creation gave: DELETE is not among its methods.',
      steps: [newPolicy, { as: 'ann', method: 'DELETE', path: '/insurer/v1/policies/{one}' }],
    },
  ],
  random: randomPolicies({ rows: 8, most: 8 }),
};
