import type { StageCalls } from '../stage.ts';
import { newClient } from './policy-steps.ts';

export const token: StageCalls = {
  reads: 'POST /insurer/v1/auth/token',
  cases: [
    {
      title: 'The token has all scopes of the client, and says so.',
      steps: [
        newClient,
        { method: 'POST', path: '/insurer/v1/auth/token', json: { client_id: '{id}', client_secret: '{secret}' } },
      ],
    },
    {
      title: 'With scope, the token has fewer.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:read' },
        },
      ],
    },
    {
      title: 'Several scopes are separated by spaces.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: 'policies:write policies:read' },
        },
      ],
    },
    {
      title: 'A blank scope is none: the token has all.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: '{id}', client_secret: '{secret}', scope: '' },
        },
      ],
    },
    {
      title: 'The credentials can come as a form, as OAuth 2.0 has it.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=client_credentials&client_id={id}&client_secret={secret}',
        },
      ],
    },
  ],
};
