import type { Mistake } from './mistake.ts';

/** Erasures of holders. */
export const erasures: readonly Mistake[] = [
  {
    title: 'the name in another member',
    send: ({ call }) => call('POST', '/erasures', { json: { name: 'Ada Example' } }),
    status: 400,
    says: ['/holder', 'l-plate-ignored: body/name'],
  },
  {
    title: 'an empty name',
    send: ({ call }) => call('POST', '/erasures', { json: { holder: ' ' } }),
    status: 400,
    says: ['/holder'],
  },
  {
    title: 'an erasure that is gone',
    send: ({ call }) => call('GET', '/erasures/era-none'),
    status: 404,
    says: [/\/problems\/erasure-not-found/],
  },
  {
    title: 'the id of a policy in place of that of an erasure',
    send: ({ call, policyId }) => call('GET', `/erasures/${policyId}`),
    status: 404,
    says: ['It is the id of a policy'],
  },
];
