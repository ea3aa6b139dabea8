import type { StageCalls } from '../stage.ts';

export const demoClients: StageCalls = {
  reads: 'POST /insurer/v1/demo-clients',
  cases: [
    {
      title: 'A demo client has an id that begins with demo-, and a secret.',
      steps: [{ method: 'POST', path: '/insurer/v1/demo-clients' }],
    },
    {
      title: 'Each call creates another client.',
      steps: [
        { method: 'POST', path: '/insurer/v1/demo-clients' },
        { method: 'POST', path: '/insurer/v1/demo-clients' },
      ],
    },
    {
      title: 'The credentials can be exchanged for a token.',
      steps: [
        { method: 'POST', path: '/insurer/v1/demo-clients', keep: { id: '/client_id', secret: '/client_secret' } },
        { method: 'POST', path: '/insurer/v1/auth/token', json: { client_id: '{id}', client_secret: '{secret}' } },
      ],
    },
  ],
};
