import type { Stage } from '../stage.ts';

export const problems: Stage = {
  name: 'problems',
  goal: 'You say what is wrong in application/problem+json (RFC 9457), also where you only refuse as yet: POST /auth/token and GET /policies.',
  reads: 'the schema Problem',
  lessons: ['unreadable-answer'],
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
