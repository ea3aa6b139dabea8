import { testSecrets } from '../support/lplate.ts';
import type { Mistake } from './mistake.ts';

/** Mistakes with the range. */
export const rangeCalls: readonly Mistake[] = [
  {
    title: 'an exchange by the id of something else',
    send: ({ call, policyId }) => call('GET', `/range/v1/me/exchanges/${policyId}`),
    status: 404,
    says: [/\/problems\/exchange-not-found/, 'X-Request-Id'],
  },
  {
    title: 'the clock of a client that all share',
    send: async ({ lplate, call }) => {
      const token = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
      return call('POST', '/range/v1/me/clock', { token, json: { advance: 'P1D' } });
    },
    status: 409,
    says: [/\/problems\/no-own-clock/, 'preset-fleet', 'POST /insurer/v1/demo-clients'],
  },
  {
    title: 'a clock back',
    send: ({ call }) => call('POST', '/range/v1/me/clock', { json: { advance: '-PT1H' } }),
    status: 400,
    says: [/\/problems\/validation-error/, 'advance', 'only moves ahead', 'PT61M'],
  },
  {
    title: 'a duration in other words',
    send: ({ call }) => call('POST', '/range/v1/me/clock', { json: { advance: '61 minutes' } }),
    status: 400,
    says: ['advance', 'is not a duration', '61 minutes', 'PT61M'],
  },
];
