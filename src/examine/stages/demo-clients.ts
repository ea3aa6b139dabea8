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
      title: 'GET of the demo clients is 405: they are only created.',
      steps: [{ method: 'GET', path: '/insurer/v1/demo-clients' }],
    },
  ],
};
