import { claimOn, insure, pass, topicPath } from '../support/topic.ts';
import type { Learner, Mistake } from './mistake.ts';

/* What is too much, too long or too late. These come last: they use up limits, and let days pass. */

const day = 24 * 3600;

const subscribe = ({ call }: Learner, token: string) =>
  call('POST', '/claims/v1/subscriptions', { token, json: { url: 'http://127.0.0.1:9/hooks' } });

export const limits: readonly Mistake[] = [
  {
    title: 'a file in place of a body',
    send: ({ call }) => call('POST', '/policies', { json: { regNumber: 'AB-1234', holder: 'A'.repeat(70_000) } }),
    status: 413,
    says: [/\/problems\/payload-too-large/, '65536 bytes'],
  },
  {
    title: 'a body in the URL',
    send: ({ call }) => call('GET', `/policies?${'holder=Ada&'.repeat(900)}`),
    status: 414,
    says: [/\/problems\/uri-too-long/, '8192'],
  },
  {
    title: 'a cookie that kept growing',
    send: ({ call }) => call('GET', '/policies', { headers: { Cookie: `session=${'x'.repeat(17_000)}` } }),
    status: 431,
    says: [/\/problems\/headers-too-large/, '16384 bytes', 'Send less.'],
  },
  {
    title: 'calls without a pause',
    send: async ({ call }) => {
      let answer = await call('GET', '/limited/ping', { token: undefined });
      while (answer.status === 200) answer = await call('GET', '/limited/ping', { token: undefined });
      return answer;
    },
    status: 429,
    says: [/\/problems\/rate-limit-exceeded/, /^retry-after: \d+$/m, /seconds/],
  },
  {
    title: 'a subscription at each start of a program',
    send: async (learner) => {
      const { token } = await learner.lplate.client();
      let answer = await subscribe(learner, token);
      while (answer.status === 201) answer = await subscribe(learner, token);
      return answer;
    },
    status: 429,
    says: [/\/problems\/quota-exceeded/, '10 subscriptions', /[Dd]elete/],
  },
  {
    title: 'a test event to a receiver that was away for a day',
    send: async (learner) => {
      const { lplate, call } = learner;
      const { id, secret, token } = await lplate.client();
      const { json } = await subscribe(learner, token);
      await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
      // On a slow machine a try may be under way when the next hour comes, and is then counted in that one.
      const isDisabled = async () => {
        const path = `/claims/v1/subscriptions/${json.id}`;
        return (await call('GET', path, { token: await lplate.token(id, secret) })).json.status === 'disabled';
      };
      for (let hour = 0; hour < 30 || (hour < 90 && !(await isDisabled())); hour += 1) await pass(lplate, 3600);
      return call('POST', `/claims/v1/subscriptions/${json.id}/test`, { token: await lplate.token(id, secret) });
    },
    status: 409,
    says: [/\/problems\/subscription-disabled/, '/enable'],
  },
  {
    title: 'a cursor of the week before last',
    send: async ({ lplate, call }) => {
      const { id, secret, token } = await lplate.client();
      const { json } = await call('GET', topicPath, { token });
      await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
      await pass(lplate, 2);
      // A client that is not used for a day is removed.
      for (let passed = 0; passed < 8; passed += 1) {
        await pass(lplate, 0.9 * day);
        await lplate.token(id, secret);
      }
      return call('GET', `${topicPath}?after=${json.next}`, { token: await lplate.token(id, secret) });
    },
    status: 410,
    says: [/\/problems\/cursor-expired/, '7 days', 'GET /claims', 'latest'],
  },
  {
    title: 'a token of yesterday',
    send: ({ call }) => call('GET', '/policies'),
    status: 401,
    says: [/\/problems\/invalid-token/, 'The token expired at', 'Get a new token from POST /auth/token'],
  },
  {
    title: 'a client of last week',
    send: async ({ lplate, id, secret }) => {
      await lplate.housekeeping();
      return lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret } });
    },
    status: 401,
    says: [/\/problems\/invalid-client/, 'create new credentials with POST /demo-clients'],
  },
];
