import type { StageCalls } from '../stage.ts';
import { newClient } from './policy-steps.ts';

export const tokenRefusals: StageCalls = {
  reads: 'POST /insurer/v1/auth/token',
  cases: [
    {
      title: 'An unknown client is 401.',
      steps: [
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          json: { client_id: 'demo-0000000000000000000a', client_secret: 'wrong' },
        },
      ],
    },
    {
      title: 'A wrong secret is 401.',
      steps: [
        newClient,
        { method: 'POST', path: '/insurer/v1/auth/token', json: { client_id: '{id}', client_secret: 'wrong' } },
      ],
    },
    {
      title: 'Without a secret it is 400.',
      steps: [newClient, { method: 'POST', path: '/insurer/v1/auth/token', json: { client_id: '{id}' } }],
    },
    {
      title: 'Without anything it is 400.',
      steps: [{ method: 'POST', path: '/insurer/v1/auth/token', json: {} }],
    },
    {
      title: 'A secret that is a number is 400.',
      steps: [
        newClient,
        { method: 'POST', path: '/insurer/v1/auth/token', json: { client_id: '{id}', client_secret: 1 } },
      ],
    },
    {
      title: 'A form without grant_type is 400.',
      steps: [
        newClient,
        {
          method: 'POST',
          path: '/insurer/v1/auth/token',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'client_id={id}&client_secret={secret}',
        },
      ],
    },
    {
      title: 'A body that is a list is 400.',
      steps: [{ method: 'POST', path: '/insurer/v1/auth/token', json: [] }],
    },
  ],
};
