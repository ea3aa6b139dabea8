import type { StageCalls } from '../stage.ts';

export const problems: StageCalls = {
  reads: 'the schema Problem',
  cases: [
    {
      title: 'Where there is nothing, the problem is not-found.',
      steps: [{ method: 'GET', path: '/insurer/v1/policies-of-nobody' }],
    },
    {
      title: 'Where the method does not fit, it is method-not-allowed.',
      steps: [{ method: 'PUT', path: '/insurer/v1/coverage-options' }],
    },
    {
      title: 'A body that is cut is malformed-json.',
      steps: [{ method: 'POST', path: '/insurer/v1/auth/token', body: '{"client_id"' }],
    },
    {
      title: 'An empty body is malformed-json too.',
      steps: [{ method: 'POST', path: '/insurer/v1/auth/token', body: '' }],
    },
    {
      title: 'A body of another type is unsupported-media-type.',
      steps: [{ method: 'POST', path: '/insurer/v1/auth/token', headers: { 'Content-Type': 'text/plain' }, body: 'x' }],
    },
    {
      title: 'A call without a token, where one is needed, is missing-token.',
      steps: [{ method: 'GET', path: '/insurer/v1/policies' }],
    },
  ],
};
