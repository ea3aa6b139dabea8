import { hookPath } from '../hooks.ts';
import type { StageCalls, Step } from '../stage.ts';

const limited: Step = { method: 'POST', path: hookPath('limits'), json: { perMinute: 60 }, hook: 'limits' };
const options: Step = { method: 'GET', path: '/insurer/v1/coverage-options' };
const sixty = Array<Step>(60).fill(options);

export const sixtyAMinute: StageCalls = {
  reads: 'GET /insurer/v1/coverage-options',
  needs: 'limits',
  cases: [
    { title: 'The first call is told that 59 are left.', steps: [limited, options] },
    {
      title: 'All calls of an address count together.',
      steps: [limited, options, { method: 'POST', path: '/insurer/v1/demo-clients' }],
    },
    {
      title: 'The sixtieth call is answered, the next is refused with Retry-After.',
      steps: [limited, ...sixty, options, options],
    },
  ],
};
