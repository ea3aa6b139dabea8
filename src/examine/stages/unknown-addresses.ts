import type { StageCalls } from '../stage.ts';

export const unknownAddresses: StageCalls = {
  reads: 'the schema Problem',
  cases: [
    {
      title: 'An address that you do not have is 404.',
      steps: [{ method: 'GET', path: '/insurer/v1/nothing' }],
    },
    {
      title: 'So it is for what lies below one that you have.',
      steps: [{ method: 'GET', path: '/insurer/v1/coverage-options/nothing' }],
    },
    {
      title: 'DELETE of the coverage options is 405, and Allow has the methods that you take.',
      steps: [{ method: 'DELETE', path: '/insurer/v1/coverage-options' }],
    },
    {
      title: 'POST of the coverage options is 405.',
      steps: [{ method: 'POST', path: '/insurer/v1/coverage-options', json: {} }],
    },
    {
      title: 'HEAD answers like GET, without a body.',
      steps: [{ method: 'HEAD', path: '/insurer/v1/coverage-options' }],
    },
    {
      title: 'An address that you do not have is 404 with any method.',
      steps: [{ method: 'DELETE', path: '/insurer/v1/nothing' }],
    },
  ],
};
