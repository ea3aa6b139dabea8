import type { StageCalls } from '../stage.ts';

export const coverageOptions: StageCalls = {
  reads: 'GET /insurer/v1/coverage-options',
  cases: [
    {
      title: 'The list has each option with its code, name and term.',
      steps: [{ method: 'GET', path: '/insurer/v1/coverage-options' }],
    },
    {
      title: 'It is the same a second time.',
      steps: [
        { method: 'GET', path: '/insurer/v1/coverage-options' },
        { method: 'GET', path: '/insurer/v1/coverage-options' },
      ],
    },
  ],
};
