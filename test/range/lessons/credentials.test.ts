import { equal } from 'node:assert/strict';
import { answer, type Learner, testLessons, wrongAnswer } from './lesson.ts';

const tokenPath = '/insurer/v1/auth/token';

const form = ({ id, secret }: Learner) =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString();

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

const basic = ({ id, secret }: Learner) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const byJson = ({ call, id, secret }: Learner) =>
  call('POST', tokenPath, { token: undefined, json: { client_id: id, client_secret: secret } });

const decoded = ({ token }: Learner, part: number) =>
  JSON.parse(Buffer.from(token.split('.')[part] as string, 'base64url').toString());

testLessons({
  credentials: { solve: async () => {}, misses: {} },

  'coverage-options': {
    solve: ({ bare }) => bare('GET', '/insurer/v1/coverage-options'),
    misses: { 'with a token': ({ call }) => call('GET', '/coverage-options') },
  },

  'token-by-json': { solve: byJson, misses: {} },

  'token-by-form': {
    solve: (learner) => learner.bare('POST', tokenPath, { headers: formType, body: form(learner) }),
    misses: {
      'by JSON': byJson,
      'a wrong secret': ({ bare, id }) =>
        bare('POST', tokenPath, {
          headers: formType,
          body: `grant_type=client_credentials&client_id=${id}&client_secret=x`,
        }),
      'by Basic': (learner) =>
        learner.bare('POST', tokenPath, {
          headers: { ...formType, Authorization: basic(learner) },
          body: 'grant_type=client_credentials',
        }),
    },
  },

  'token-by-basic': {
    solve: (learner) =>
      learner.bare('POST', tokenPath, {
        headers: { ...formType, Authorization: basic(learner) },
        body: 'grant_type=client_credentials',
      }),
    misses: {
      'by a form': (learner) => learner.bare('POST', tokenPath, { headers: formType, body: form(learner) }),
      'a wrong password': ({ bare, id }) =>
        bare('POST', tokenPath, {
          headers: { ...formType, Authorization: `Basic ${Buffer.from(`${id}:x`).toString('base64')}` },
          body: 'grant_type=client_credentials',
        }),
    },
  },

  'token-decoded': {
    async solve(learner) {
      const got = await byJson(learner);
      await learner.call('GET', '/policies');
      equal((await answer(learner, 'token-decoded', decoded(learner, 1).sub)).correct, true);
      return got;
    },
    misses: {
      'another claim': (learner) =>
        wrongAnswer(learner, 'token-decoded', decoded(learner, 1).jti, /second of its three/),
      'no text': (learner) => wrongAnswer(learner, 'token-decoded', null, /second of its three/),
    },
  },

  'token-key': {
    async solve(learner) {
      equal((await answer(learner, 'token-key', decoded(learner, 0).kid)).correct, true);
    },
    misses: {
      'no token in the log': async (learner) => {
        await learner.call('POST', '/range/v1/me/reset');
        await wrongAnswer(learner, 'token-key', decoded(learner, 0).kid, /no token of the last day/);
      },
      'another member': (learner) => wrongAnswer(learner, 'token-key', decoded(learner, 0).alg, /its first part/),
    },
  },

  'wrong-secret': {
    solve: ({ bare, id }) => bare('POST', tokenPath, { json: { client_id: id, client_secret: 'wrong' } }),
    misses: {
      'no secret at all': ({ bare, id }) => bare('POST', tokenPath, { json: { client_id: id } }),
      'a wrong type': ({ bare }) => bare('POST', tokenPath, { headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
    },
  },

  'no-header': {
    solve: ({ bare }) => bare('GET', '/insurer/v1/policies'),
    misses: {
      'a wrong token': ({ bare }) => bare('GET', '/insurer/v1/policies', { token: 'wrong' }),
      'with a token': ({ call }) => call('GET', '/policies'),
    },
  },

  'wrong-scheme': {
    solve: ({ bare, token }) => bare('GET', '/insurer/v1/policies', { headers: { Authorization: `Token ${token}` } }),
    misses: {
      'no header': ({ bare }) => bare('GET', '/insurer/v1/policies'),
      'another call': ({ bare, token }) =>
        bare('POST', '/insurer/v1/policies', { headers: { Authorization: `Token ${token}` } }),
      'an expired token': async (learner) => {
        const { bare, call, id, lplate, secret, token } = learner;
        await call('POST', '/range/v1/me/clock', { json: { advance: 'PT2H' } });
        await bare('GET', '/insurer/v1/policies', { token });
        learner.token = await lplate.token(id, secret);
      },
      'an empty header': ({ bare }) => bare('GET', '/insurer/v1/policies', { headers: { Authorization: '' } }),
      credentials: (learner) =>
        learner.bare('GET', '/insurer/v1/policies', { headers: { Authorization: basic(learner) } }),
      'a wrong token': ({ bare }) => bare('GET', '/insurer/v1/policies', { token: 'wrong' }),
    },
    remarks: { 'a wrong token': /The scheme was Bearer/ },
  },
});
