import type { StageCalls, Step } from '../stage.ts';

const ping: Step = { method: 'GET', path: '/insurer/v1/limited/ping' };

export const limits: StageCalls = {
  reads: 'GET /insurer/v1/limited/ping',
  // One row, since a minute has only one first call.
  cases: [
    {
      title: 'The sixth call within a minute is refused with Retry-After, and so is the seventh.',
      steps: [{ ...ping, firstOfMinute: true }, ping, ping, ping, ping, ping, ping],
    },
    {
      title: 'The calls of other paths are counted apart.',
      steps: [{ method: 'GET', path: '/insurer/v1/coverage-options' }],
    },
  ],
};
