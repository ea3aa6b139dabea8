import { testSecrets } from '../support/lplate.ts';
import type { Learner, Mistake } from './mistake.ts';

const address = '/range/v1/me/drills';

const start = (json: object) => ({
  send: ({ call }: Learner) => call('POST', address, { json }),
  status: 400,
});

/** Drills that are misspelt, too long or of another client. */
export const drills: readonly Mistake[] = [
  {
    title: 'an id of an exchange that is none',
    send: ({ call }) => call('GET', '/range/v1/me/exchanges/6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11'),
    status: 404,
    says: ['The id is the X-Request-Id of an answer'],
  },
  {
    title: 'a drill whose name is misspelt',
    ...start({ name: 'unavailabel' }),
    says: ['must be one of delay, unavailable', 'Did you mean "unavailable"?'],
  },
  {
    title: 'a parameter of a drill in another spelling',
    ...start({ name: 'delay', parameters: { from_ms: 500 } }),
    says: ['is not a parameter of the drill delay. Did you mean fromMs?'],
  },
  {
    title: 'a share in per cent',
    ...start({ name: 'bad-json', parameters: { share: 50 } }),
    says: ['parameters/share: must be at most 1, not 50.', '0 for none, 1 for all'],
  },
  {
    title: 'a sequence beside a share',
    ...start({ name: 'unavailable', parameters: { share: 0.5, sequence: ['hit', 'pass'] } }),
    says: ['parameters/sequence: takes the place of share. Send one of the two.'],
  },
  {
    title: 'a call of a drill by its path alone',
    ...start({ name: 'unavailable', parameters: { calls: ['/insurer/v1/policies'] } }),
    says: ['is no call that drills hit', 'Write one such as "POST /insurer/v1/policies".'],
  },
  {
    title: 'a call of a drill with an id in place of its parameter',
    ...start({ name: 'unavailable', parameters: { calls: ['GET /insurer/v1/policies/pol-1'] } }),
    says: ['Did you mean "GET /insurer/v1/policies/{policyId}"?'],
  },
  {
    title: 'a drill of an hour',
    ...start({ name: 'delay', minutes: 60 }),
    says: ['minutes: must be at most 10, not 60.'],
  },
  {
    title: 'a look at a drill that has ended by itself',
    send: ({ call }) => call('GET', `${address}/delay`),
    status: 404,
    says: ['The drill delay is not on. It may have ended by itself.'],
  },
  {
    title: 'a drill for the preconfigured client',
    send: async ({ lplate }) => {
      const token = await lplate.token(lplate.presets.fleet, testSecrets.fleetClientSecret);
      return lplate.call('POST', address, { token, json: { name: 'delay' } });
    },
    status: 409,
    says: ['The client preset-fleet is preconfigured', 'a demo client of your own: POST /insurer/v1/demo-clients'],
  },
  {
    title: 'a trainer who starts a drill for a nickname',
    send: ({ call }) =>
      call('POST', '/range/v1/trainer/learners/Team%20Blue/drills', {
        token: testSecrets.trainerToken,
        json: { name: 'delay' },
      }),
    status: 404,
    says: ['There is no client with this id', 'GET /range/v1/trainer/learners lists'],
  },
];
