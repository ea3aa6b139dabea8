import { deepEqual } from 'node:assert/strict';
import { problem } from '../../support/lplate.ts';
import { type Learner, newPlate, testLessons } from './lesson.ts';

const token = ({ lplate, id, secret }: Learner, scope?: string) => lplate.token(id, secret, scope);

const create = ({ call }: Learner, token: string, json: object = { regNumber: newPlate() }) =>
  call('POST', '/policies', { token, json });

async function refuseCreate(learner: Learner, scope = 'policies:read') {
  const refused = await create(learner, await token(learner, scope));
  deepEqual(problem(refused), [403, 'insufficient-scope']);
}

const asFor =
  (scope: string, secret?: string) =>
  ({ bare, ...client }: Learner) =>
    bare('POST', '/insurer/v1/auth/token', {
      json: { client_id: client.id, client_secret: secret ?? client.secret, scope },
    });

/** Moves the learner's clock until its token has expired, and makes a call with that. */
async function expired(learner: Learner, method: string, path: string, json?: object) {
  const advance = { advance: 'PT61M' };
  await learner.call('POST', '/range/v1/me/clock', { json: advance });
  deepEqual(problem(await learner.call(method, path, { json })), [401, 'invalid-token']);
  learner.token = await token(learner);
}

const get = ({ lplate, token }: Learner, path: string) => lplate.call('GET', path, { token });

testLessons({
  'scope-needed': {
    async solve(learner) {
      await refuseCreate(learner);
      return create(learner, await token(learner, 'policies:read policies:write'));
    },
    misses: {
      'a token of before': async (learner) => {
        const before = await token(learner, 'policies:write');
        await create(learner, before);
        await refuseCreate(learner);
        await create(learner, before);
      },
      'all scopes': async (learner) => {
        await refuseCreate(learner);
        await create(learner, await token(learner));
      },
      'another call was refused': async (learner) => {
        const narrow = await token(learner, 'policies:read');
        await learner.call('PUT', '/policies/pol-1', { token: narrow, json: { holder: 'Ada' } });
        await create(learner, await token(learner, 'policies:write'));
      },
      'refused for another reason': async (learner) => {
        await create(learner, await token(learner, 'policies:read policies:write'), {});
        await create(learner, await token(learner, 'policies:write'));
      },
      'refused again': async (learner) => {
        await refuseCreate(learner);
        await create(learner, await token(learner, 'policies:write'), {});
      },
      'another call succeeds': async (learner) => {
        const { json: policy } = await create(learner, learner.token);
        await refuseCreate(learner, 'policies:read claims:write');
        await learner.call('POST', '/claims/v1/claims', {
          token: await token(learner, 'claims:write'),
          json: { policyNumber: policy.id, incidentDate: policy.startDate, description: 'A dent.' },
        });
      },
    },
    remarks: {
      'a token of before': /You had this token before/,
      'all scopes': /more scopes than the call needs/,
    },
  },

  'scope-refused': {
    solve: asFor('policies:read policies:admin'),
    misses: {
      'a scope that is there': asFor('policies:read'),
      'commas between scopes': asFor('policies:read,policies:write'),
      'a wrong secret': asFor('policies:admin', 'wrong'),
      'another call': (learner) => create(learner, learner.token, { regNumber: newPlate(), holder: 'policies:admin' }),
    },
  },

  'token-expired': {
    async solve(learner) {
      await expired(learner, 'GET', '/policies?page=1');
      await get(learner, '/coverage-options');
      return get(learner, '/policies?page=1');
    },
    misses: {
      'another path': async (learner) => {
        await get(learner, '/claims/v1/claims');
        await expired(learner, 'GET', '/policies');
        await learner.bare('GET', '/insurer/v1/coverage-options');
        await get(learner, '/claims/v1/claims');
        await get(learner, '/policies?page=2');
      },
      'another method': async (learner) => {
        await expired(learner, 'POST', '/policies', { regNumber: newPlate() });
        await get(learner, '/policies');
      },
      'another query': async (learner) => {
        await expired(learner, 'GET', '/policies?page=1');
        await get(learner, '/policies?page=2');
      },
      'another id': async (learner) => {
        const [one, other] = [await create(learner, learner.token), await create(learner, learner.token)];
        await expired(learner, 'GET', `/policies/${one.json.id}`);
        await get(learner, `/policies/${other.json.id}`);
      },
      'refused again': async (learner) => {
        const old = learner.token;
        await expired(learner, 'GET', '/policies');
        await learner.call('GET', '/policies', { token: old });
      },
      'a wrong token': async (learner) => {
        await learner.bare('GET', '/insurer/v1/policies', { token: 'nonsense' });
        await get(learner, '/policies');
      },
    },
    remarks: {
      'another path':
        /You made GET \/claims\/v1\/claims, but what had been refused is GET \/insurer\/v1\/policies: make/,
      'another method': /refused is POST \/insurer\/v1\/policies: make/,
      'another query': /refused is GET \/insurer\/v1\/policies\?page=1: make/,
      'another id': /You made GET \/insurer\/v1\/policies\/pol-/,
    },
  },
});
