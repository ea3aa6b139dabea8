import { fleetId } from '../../src/insurer/index.ts';
import { testSecrets } from '../support/lplate.ts';
import type { Mistake } from './mistake.ts';

const trainer = { token: testSecrets.trainerToken };

/** What is done wrong at the range, by a client or by the trainer. */
export const range: readonly Mistake[] = [
  {
    title: 'the id of a policy in place of that of a call',
    send: ({ call, policyId }) => call('GET', `/range/v1/me/exchanges/${policyId}`),
    status: 404,
    says: ['The log has no exchange with the id', 'The id is the X-Request-Id of an answer'],
  },
  {
    title: 'an answer of a relay that is too late',
    send: ({ call }) =>
      call('POST', '/range/v1/me/relay/01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', { json: { status: 204 } }),
    status: 404,
    says: ['waits for an answer of your relay: it was answered, or 15 seconds have passed', 'The call is made again'],
  },
  {
    title: 'a stage that examinations do not have',
    send: ({ call }) =>
      call('PUT', '/range/v1/me/examinations/tokens', {
        json: { outcome: 'passed', at: '2026-03-02T10:15:30Z', seed: 7 },
      }),
    status: 404,
    says: ['There is no stage "tokens"', 'GET /range/v1/me/examinations lists them'],
  },
  {
    title: 'the id of a policy in place of that of a consent',
    send: ({ call, policyId }) => call('DELETE', `/range/v1/me/consents/${policyId}`),
    status: 404,
    says: ['You have no consent with the id', 'GET /range/v1/me/consents lists them'],
  },
  {
    title: 'a redirect URI by HTTP to another machine',
    send: ({ call }) => call('PUT', '/range/v1/me/redirect-uris', { json: { redirectUris: ['http://app.example/'] } }),
    status: 400,
    says: ['redirectUris/0: must begin with https://'],
  },
  {
    title: 'the trainer’s token for /me',
    send: ({ call }) => call('GET', '/range/v1/me', trainer),
    status: 401,
    says: ['The token is that of the trainer', 'send the access_token that it gets from POST /insurer/v1/auth/token'],
  },
  {
    title: 'a client’s token for the trainer’s addresses',
    send: ({ call }) => call('POST', '/range/v1/trainer/reset'),
    status: 401,
    says: ['not that of the trainer, but one of a client', 'Send the TRAINER_TOKEN that the banner shows'],
  },
  {
    title: 'a client that is not there',
    send: ({ call }) => call('POST', '/range/v1/trainer/learners/demo-1/reset', trainer),
    status: 404,
    says: ['There is no client with this id', 'GET /range/v1/trainer/learners lists those that called'],
  },
  {
    title: 'a code for another browser that was used before',
    send: ({ call }) => call('POST', '/range/v1/transfers', { json: { code: 'ABCDE-12345' } }),
    status: 404,
    says: ['it is mistyped, was used before, or its time is over', 'Get a new one'],
  },
  {
    title: 'a new secret for a preconfigured client',
    async send({ lplate, call }) {
      const token = await lplate.token(fleetId, testSecrets.fleetClientSecret);
      return call('POST', '/range/v1/me/secret', { token });
    },
    status: 409,
    says: ['Its secret is a setting of the service', 'POST /insurer/v1/demo-clients creates one'],
  },
  {
    title: 'a secret is to be read once more',
    send: ({ call }) => call('GET', '/range/v1/me/secret'),
    status: 405,
    says: ['A secret can’t be read, since only its hash is kept. To get a new one: POST.', /allow: .*POST/],
  },
  {
    title: 'a new secret again and again',
    async send({ lplate, call }) {
      const { token } = await lplate.client();
      for (let count = 0; count < 10; count += 1) await call('POST', '/range/v1/me/secret', { token });
      return call('POST', '/range/v1/me/secret', { token });
    },
    status: 429,
    says: ['A client can have at most 10 new secrets an hour', /retry-after: \d+/],
  },
  {
    title: 'a nickname that the trainer has locked',
    async send({ call, id }) {
      const json = { nicknameLocked: true };
      await call('PATCH', `/range/v1/trainer/learners/${id}`, { ...trainer, json });
      const refused = await call('PATCH', '/range/v1/me', { json: { nickname: 'Team Blue' } });
      await call('PATCH', `/range/v1/trainer/learners/${id}`, { ...trainer, json: { nicknameLocked: false } });
      return refused;
    },
    status: 409,
    says: ['Your trainer has locked your nickname. Ask your trainer'],
  },
  {
    title: 'an announcement that nobody made',
    send: ({ call }) => call('GET', '/range/v1/trainer/announcement', trainer),
    status: 404,
    says: ['There is no announcement.', 'PUT /trainer/announcement makes one: {"text":"Lunch is at 12:30."}'],
  },
  {
    title: 'a POST of an announcement',
    send: ({ call }) => call('POST', '/range/v1/trainer/announcement', { ...trainer, json: { text: 'Hello' } }),
    status: 405,
    says: ['To make or replace it: PUT.', 'allow: DELETE, GET, HEAD, PUT'],
  },
  {
    title: 'an announcement of another name',
    send: ({ call }) => call('PUT', '/range/v1/trainer/announcement', { ...trainer, json: { message: 'Hello' } }),
    status: 400,
    says: ['/text: is missing.'],
  },
  {
    title: 'a reset of a client that all share',
    send: async ({ lplate, call }) =>
      call('POST', '/range/v1/me/reset', { token: await lplate.token(fleetId, testSecrets.fleetClientSecret) }),
    status: 409,
    says: ['The client preset-fleet is preconfigured', 'a demo client of your own: POST /insurer/v1/demo-clients'],
  },
  {
    title: 'a DELETE to remove all that one owns',
    send: ({ call }) => call('DELETE', '/range/v1/me/reset'),
    status: 405,
    says: ['To remove all that you own: POST /me/reset.'],
  },
  {
    title: 'a GET of the fleet',
    send: ({ call }) => call('GET', '/range/v1/me/fleet'),
    status: 405,
    says: ['To list your policies: GET /insurer/v1/policies. To get 75 more: POST.'],
  },
  {
    title: 'an export of something else',
    send: ({ call }) => call('GET', '/range/v1/trainer/export?content=policies', trainer),
    status: 400,
    says: ['content: ', 'learners', 'exchanges'],
  },
  {
    title: 'the clock of a client that all share',
    send: async ({ lplate, call }) => {
      const token = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
      return call('POST', '/range/v1/me/clock', { token, json: { advance: 'P1D' } });
    },
    status: 409,
    says: [/\/problems\/preset-client/, 'preset-fleet', 'POST /insurer/v1/demo-clients'],
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
  {
    title: 'a lesson that does not exist',
    send: ({ call }) => call('POST', '/range/v1/me/lessons/lesson-1/hints'),
    status: 404,
    says: ['There is no lesson lesson-1.', 'GET /range/v1/lessons lists those there are'],
  },
  {
    title: 'an answer to a lesson that asks for none',
    send: ({ call }) => call('POST', '/range/v1/me/answers', { json: { lesson: 'credentials', answer: 'done' } }),
    status: 409,
    says: ['The lesson credentials asks for no answer: do what its goal says.'],
  },
  {
    title: 'a lesson to open that is solved',
    send: ({ call }) => call('PUT', '/range/v1/me/open-lesson', { json: { lessonId: 'token-by-json' } }),
    status: 409,
    says: [/\/problems\/lesson-solved/, 'You have solved the lesson token-by-json.'],
  },
  {
    title: 'the solution of a lesson that is open',
    send: ({ call }) => call('GET', '/range/v1/me/lessons/webhook-repeats/solution'),
    status: 409,
    says: [/\/problems\/lesson-not-solved/, 'You have not solved the lesson webhook-repeats.'],
  },
  {
    title: 'a GET of the hints',
    send: ({ call }) => call('GET', '/range/v1/me/lessons/credentials/hints'),
    status: 405,
    says: ['has the hints that you took. To take the next one: POST.'],
  },
  {
    title: 'a call of the tutor from a page of another site',
    send: ({ call }) => call('POST', '/range/v1/mcp', { json: {}, headers: { Origin: 'https://elsewhere.example' } }),
    status: 403,
    says: ['The page https://elsewhere.example is not of this service.', 'Call it from a program'],
  },
  {
    title: 'a capstone of another name',
    send: ({ call }) => call('POST', '/range/v1/me/capstones/nightshift/runs'),
    status: 404,
    says: ['There is no capstone', 'GET /range/v1/capstones lists those there are'],
  },
  {
    title: 'a run that was not started',
    send: ({ call }) => call('GET', '/range/v1/me/capstones/night-shift/runs/7'),
    status: 404,
    says: ['You have no run 7 of night-shift', 'POST starts one'],
  },
  {
    title: 'a run that is no number',
    send: ({ call }) => call('DELETE', '/range/v1/me/capstones/night-shift/runs/latest'),
    status: 404,
    says: ['You have no run with this number of night-shift'],
  },
  {
    title: 'a report without a run',
    send: ({ call }) =>
      call('POST', '/range/v1/me/answers', { json: { lesson: 'night-shift', answer: { claims: {}, events: [] } } }),
    status: 409,
    says: ['No run of night-shift is on', 'POST /range/v1/me/capstones/night-shift/runs starts one'],
  },
];
