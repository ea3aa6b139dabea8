import type { Stage } from '../stage.ts';
import { newClient } from './steps.ts';

export const scopes: Stage = {
  name: 'scopes',
  goal: 'You let a token do what its scopes allow, and tell who is unknown (401) from who may not (403).',
  reads: 'Authentication',
  lessons: ['ask-for-less', 'scope-needed', 'scope-refused', 'no-header', 'wrong-scheme'],
  cases: [
    {
      title: 'A scope that does not exist is 400.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:delete' },
        },
      ],
    },
    {
      title: 'Without a token it is 401, and WWW-Authenticate says how to sign in.',
      steps: [{ method: 'GET', path: '/insurer/v1/policies' }],
    },
    {
      title: 'A token that nobody issued is 401.',
      steps: [{ method: 'GET', path: '/insurer/v1/policies', headers: { Authorization: 'Bearer wrong' } }],
    },
    {
      title: 'Another scheme is 401.',
      steps: [{ method: 'GET', path: '/insurer/v1/policies', headers: { Authorization: 'Basic eDp5' } }],
    },
    {
      title: 'A token to read lists policies.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:read' },
          keep: { token: '/access_token' },
        },
        { method: 'GET', path: '/insurer/v1/policies', headers: { Authorization: 'Bearer {token}' } },
      ],
    },
    {
      title: 'A token to read creates no policy: 403, and the scope that is needed.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:read' },
          keep: { token: '/access_token' },
        },
        {
          method: 'POST',
          path: '/insurer/v1/policies',
          headers: { Authorization: 'Bearer {token}' },
          json: { regNumber: '{plate1}' },
        },
      ],
    },
    {
      title: 'Who may not is refused before the body is looked at.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:read' },
          keep: { token: '/access_token' },
        },
        { method: 'POST', path: '/insurer/v1/policies', headers: { Authorization: 'Bearer {token}' }, json: {} },
      ],
    },
    {
      title: 'A token to write lists no policies.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:write' },
          keep: { token: '/access_token' },
        },
        { method: 'GET', path: '/insurer/v1/policies', headers: { Authorization: 'Bearer {token}' } },
      ],
    },
    {
      title: 'A token that was changed is 401.',
      steps: [
        { as: 'ann', method: 'GET', path: '/insurer/v1/policies', headers: { Authorization: 'Bearer {ann.token}x' } },
      ],
    },
  ],
};
