import { deepEqual, equal } from 'node:assert/strict';
import { problem } from '../../support/lplate.ts';
import { authorizationQuery, letIn, peopleOf, type TestPerson } from '../../support/people.ts';
import { type Learner, newPlate, stateOf, testLessons } from './lesson.ts';

const token = ({ lplate, id, secret }: Learner, scope?: string) => lplate.token(id, secret, scope);

const create = ({ call }: Learner, token: string, json: object = { regNumber: newPlate() }) =>
  call('POST', '/policies', { token, json });

/** Returns the token that was refused. */
async function refuseCreate(learner: Learner, scope = 'policies:read') {
  const narrow = await token(learner, scope);
  deepEqual(problem(await create(learner, narrow)), [403, 'insufficient-scope']);
  return narrow;
}

const asFor =
  (scope: string, secret?: string) =>
  ({ bare, ...client }: Learner) =>
    bare('POST', '/insurer/v1/auth/token', {
      json: { client_id: client.id, client_secret: secret ?? client.secret, scope },
    });

const moved = ({ lplate, token }: Learner, advance: string) =>
  lplate.call('POST', '/range/v1/me/clock', { token, json: { advance } });

/** Moves the learner's clock until its token has expired, and makes a call with that. */
async function expired(learner: Learner, method: string, path: string, json?: object) {
  await moved(learner, 'PT61M');
  deepEqual(problem(await learner.call(method, path, { json })), [401, 'invalid-token']);
  learner.token = await token(learner);
}

const keys = '/.well-known/jwks.json';

const rotateKey = ({ call }: Learner) =>
  call('POST', '/range/v1/me/drills', { json: { name: 'rotate-key', parameters: { publishedFor: 0 } } });

/** A token of the other key. */
async function rotated(learner: Learner): Promise<string> {
  equal((await rotateKey(learner)).status, 201);
  return token(learner);
}

const get = ({ lplate, token }: Learner, path: string) => lplate.call('GET', path, { token });

testLessons({
  'scope-needed': {
    async solve(learner) {
      await refuseCreate(learner);
      return create(learner, await token(learner, 'policies:read policies:write'));
    },
    alsoSolvedBy: {
      'refused once more with the old token': async (learner) => {
        const old = await refuseCreate(learner);
        const fresh = await token(learner, 'policies:write');
        await create(learner, old);
        await create(learner, fresh);
      },
      'a token of before, and then the new one': async (learner) => {
        await refuseCreate(learner);
        const fresh = await token(learner, 'policies:write');
        await create(learner, learner.token);
        await create(learner, fresh);
      },
    },
    misses: {
      'a token of before': async (learner) => {
        const before = await token(learner, 'policies:write');
        await create(learner, before);
        await refuseCreate(learner);
        await create(learner, before);
      },
      'another token first': (learner) => token(learner, 'claims:read'),
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
      'the token is not the narrow one': async (learner) => {
        await token(learner, 'policies:read');
        await create(learner, learner.token);
      },
      'the same token again': async (learner) => {
        const narrow = await token(learner, 'policies:read');
        for (let time = 0; time < 2; time += 1) await create(learner, narrow);
      },
      'a new token without the scope': async (learner) => {
        await refuseCreate(learner);
        await token(learner, 'policies:read claims:read');
      },
      'another narrow token, which was meant for something else': async (learner) => {
        await token(learner, 'policies:read');
        await create(learner, await token(learner));
      },
      'all scopes, and again later': async (learner) => {
        await refuseCreate(learner);
        await create(learner, await token(learner));
        await token(learner);
        equal((await stateOf(learner, 'scope-needed')).misses, 3);
      },
      'refused for its body': async (learner) => {
        await refuseCreate(learner);
        await create(learner, await token(learner, 'policies:write'), {});
      },
      'refused for its body, with all scopes': async (learner) => {
        await refuseCreate(learner);
        await create(learner, await token(learner), {});
      },
      'a token that is refused': async (learner) => {
        await refuseCreate(learner);
        const { id: client_id, secret: client_secret } = learner;
        const json = { client_id, client_secret, scope: 'policies:create' };
        equal((await learner.call('POST', '/auth/token', { json, token: undefined })).status, 400);
      },
      'the scope at once': async (learner) => {
        await create(learner, await token(learner, 'policies:write'));
      },
      'refused with other scopes': async (learner) => {
        await refuseCreate(learner, 'policies:read claims:read');
        await create(learner, await token(learner, 'policies:write claims:read'));
      },
      'refused without the scope to read': (learner) => refuseCreate(learner, 'claims:write'),
      'a claim in place of a policy': async (learner) => {
        const { json } = await create(learner, learner.token);
        await learner.call('POST', '/claims/v1/claims', {
          token: await token(learner, 'policies:read'),
          json: { policyNumber: json.id },
        });
      },
      'the old token, when the right one is there': async (learner) => {
        const old = await refuseCreate(learner);
        await token(learner, 'policies:write');
        await create(learner, old);
      },
      'a token of before, when the right one is there': async (learner) => {
        await refuseCreate(learner);
        await token(learner, 'policies:write');
        await create(learner, learner.token);
      },
      'another call succeeds': async (learner) => {
        const { json: policy } = await create(learner, learner.token);
        await refuseCreate(learner);
        await learner.call('POST', '/claims/v1/claims', {
          token: await token(learner, 'claims:write'),
          json: { policyNumber: policy.id, incidentDate: policy.startDate, description: 'A dent.' },
        });
      },
    },
    remarks: {
      'another token first': /^This token is not for policies:read alone/,
      'refused for its body': /^The scope is right, but the call was refused/,
      'refused for its body, with all scopes': /more scopes than the call needs/,
      'a token that is refused': /^You got no token/,
      'a token of before': /You had this token before/,
      'the token is not the narrow one': /This token may create policies/,
      'the same token again': /refused once more/,
      'a new token without the scope': /does not have the scope that is missing/,
      'another call was refused': /this was another call|^No call was refused yet/,
      'a claim in place of a policy': /this was another call/,
      'refused for another reason': /^No call was refused yet/,
      'the scope at once': /^No call was refused yet/,
      'refused with other scopes': /this token is not for policies:read alone/,
      'refused without the scope to read': /this token is not for policies:read alone/,
      'the old token, when the right one is there': /^You have the right token already/,
      'a token of before, when the right one is there': /^You have the right token already/,
      'another call succeeds': /does not have the scope that is missing/,
      'all scopes': /more scopes than the call needs/,
      'all scopes, and again later': /more scopes than the call needs/,
      'another narrow token, which was meant for something else': /This token may create policies/,
    },
    done: {
      'a token of before': 1,
      'all scopes': 1,
      'all scopes, and again later': 1,
      'the same token again': 1,
      'a new token without the scope': 1,
      'refused for its body': 2,
      'refused for its body, with all scopes': 1,
      'a token that is refused': 1,
      'the old token, when the right one is there': 2,
      'a token of before, when the right one is there': 2,
      'another call succeeds': 1,
    },
  },

  'scope-refused': {
    solve: asFor('policies:read policies:admin'),
    misses: {
      'a scope that is there': asFor('policies:read'),
      'a scope': ({ bare, id, secret }) =>
        bare('POST', '/insurer/v1/auth/token', { json: { client_id: id, client_secret: secret } }),
      'a scope with a name': asFor(''),
      'a request for a token': ({ bare }) => bare('GET', '/insurer/v1/policies'),
      'a request for a token, after another scope': async (learner) => {
        await asFor('policies:delete')(learner);
        await asFor('policies:read')(learner);
      },
      'commas between scopes': asFor('policies:read,policies:write'),
      'a space between scopes': asFor('policies:read,policies:admin'),
      'no quotes': asFor('"policies:admin"'),
      'the whole name, and no more': asFor('policies:administrator'),
      'a wrong secret': asFor('policies:admin', 'wrong'),
      'nearly its name': asFor('policy:admin'),
      'another that is not there': asFor('policies:delete'),
      'another, while one that is missing is looked for': async (learner) => {
        await refuseCreate(learner);
        await asFor('policies:create')(learner);
      },
      'another member': ({ bare, id, secret }) =>
        bare('POST', '/insurer/v1/auth/token', {
          json: { client_id: id, client_secret: secret, scopes: 'policies:admin' },
        }),
      'in the URL': ({ bare, id, secret }) =>
        bare('POST', '/insurer/v1/auth/token?scope=policies:admin', { json: { client_id: id, client_secret: secret } }),
      'a list': ({ bare, id, secret }) =>
        bare('POST', '/insurer/v1/auth/token', {
          json: { client_id: id, client_secret: secret, scope: ['policies:admin'] },
        }),
      'another call': (learner) => create(learner, learner.token, { regNumber: newPlate(), holder: 'policies:admin' }),
    },
    remarks: {
      'a request for a token, after another scope': /^You got a token, since you did not ask/,
      'a space between scopes': /^The comma made one scope/,
      'no quotes': /^What was refused is policies:admin with something around it/,
      'the whole name, and no more': /^The scope that was refused is/,
      'a wrong secret': /The credentials were refused first/,
      'nearly its name': /^The scope that was refused is/,
      'another that is not there': /^The scope that was refused is/,
      'another member': /You got a token/,
      'in the URL': /You got a token/,
      'a list': /about the form of the request/,
      'a scope that is there': /^You got a token, since you did not ask/,
      'a scope': /^You got a token, since you did not ask/,
      'a scope with a name': /^You got a token, since you did not ask/,
      'commas between scopes': /^The scope that was refused is “policies:read,policies:write”/,
      'another, while one that is missing is looked for': /The scope that was refused is/,
    },
  },

  'token-expired': {
    async solve(learner) {
      await expired(learner, 'GET', '/policies?page=1');
      await get(learner, '/coverage-options');
      return get(learner, '/policies?page=1');
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await expired(learner, 'GET', '/policies');
        await get(learner, '/policies');
      },
    },
    misses: {
      'a token that may do less': async (learner) => {
        await expired(learner, 'POST', '/policies', { regNumber: newPlate() });
        const { call } = learner;
        const json = { regNumber: newPlate() };
        equal((await call('POST', '/policies', { json, token: await token(learner, 'policies:read') })).status, 403);
      },
      'another path': async (learner) => {
        await get(learner, '/claims/v1/claims');
        await expired(learner, 'GET', '/policies');
        await learner.bare('GET', '/insurer/v1/coverage-options');
        await get(learner, '/claims/v1/claims');
        await get(learner, '/policies?page=2');
      },
      'another query, after another call': async (learner) => {
        await expired(learner, 'GET', '/policies?page=1');
        await get(learner, '/claims/v1/claims');
        await get(learner, '/policies');
      },
      'a call to the range': (learner) => learner.call('GET', '/range/v1/me'),
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
      'a new token too early': async (learner) => {
        await moved(learner, 'PT1H1M');
        learner.token = await token(learner);
        await get(learner, '/policies');
      },
      'refused by the range alone': async (learner) => {
        await moved(learner, 'PT61M');
        equal((await learner.lplate.call('GET', '/range/v1/me', { token: learner.token })).status, 401);
        learner.token = await token(learner);
      },
      'a day later': async (learner) => {
        await moved(learner, 'P1D');
        learner.token = await token(learner);
        await get(learner, '/policies');
      },
      'a call where somebody looks at the token': async (learner) => {
        await moved(learner, 'PT61M');
        await learner.lplate.call('GET', '/vehicle-registry/v2/vehicles/AB-1234', { token: learner.token });
        learner.token = await token(learner);
      },
      'asked about the old token': async (learner) => {
        const json = { client_id: learner.id, client_secret: learner.secret, token: learner.token };
        await moved(learner, 'PT61M');
        learner.token = await token(learner);
        equal((await learner.lplate.call('POST', '/auth/introspect', { json })).json.active, false);
        equal((await stateOf(learner, 'token-expired')).misses, 1);
      },
      'a person signs in': async (learner) => {
        const [person] = await peopleOf(learner.lplate, learner);
        await letIn(learner.lplate, authorizationQuery(learner.id), person as TestPerson);
      },
      'no new token': async (learner) => {
        const { call, token: old } = learner;
        await expired(learner, 'GET', '/policies');
        await call('GET', '/policies', { token: old });
      },
      'another token that has expired': async (learner) => {
        await expired(learner, 'GET', '/policies');
        await moved(learner, 'PT61M');
        await get(learner, '/policies?page=2');
        learner.token = await token(learner);
      },
      'a wrong token': async (learner) => {
        await learner.bare('GET', '/insurer/v1/policies', { token: 'nonsense' });
        await get(learner, '/policies');
      },
    },
    remarks: {
      'asked about the old token': /too early/,
      'a call where somebody looks at the token': /^Nobody looks at the token of this call/,
      'another path':
        /You made GET \/claims\/v1\/claims, but what had been refused is GET \/insurer\/v1\/policies: make/,
      'another method': /refused is POST \/insurer\/v1\/policies: make/,
      'another query, after another call': /^You made GET \/insurer\/v1\/policies, but/,
      'a call to the range': /^Calls to \/range do not count here/,
      'another query': /refused is GET \/insurer\/v1\/policies\?page=1: make/,
      'another id': /You made GET \/insurer\/v1\/policies\/pol-/,
      'a new token too early': /too early/,
      'refused by the range alone': /Calls to \/range do not count/,
      'a token that may do less': /^The new token lacks the scope/,
      'no new token': /You sent the old token again/,
      'another token that has expired': /Nobody looked at this call/,
      'a wrong token': /Nobody looked at this call/,
      'a day later': /The token of this call was accepted/,
    },
    done: {
      'a token that may do less': 2,
      'another path': 2,
      'another method': 2,
      'another query': 2,
      'another query, after another call': 2,
      'another id': 2,
      'no new token': 2,
      'another token that has expired': 2,
    },
  },

  'unknown-key': {
    async solve(learner) {
      const other = await rotated(learner);
      await learner.bare('GET', keys);
      return learner.call('GET', '/policies', { token: other });
    },
    misses: {
      'a call that needs a token': async (learner) => {
        const other = await rotated(learner);
        await learner.bare('GET', keys);
        await learner.call('GET', '/coverage-options', { token: other });
      },
      'its own view: it read the plain keys': async (learner) => {
        const other = await rotated(learner);
        await learner.lplate.call('GET', keys, { token: other });
        await learner.call('GET', '/policies', { token: other });
      },
      'the keys after the token': async (learner) => {
        await rotateKey(learner);
        await learner.bare('GET', keys);
        await learner.call('GET', '/policies', { token: await token(learner) });
      },
      'a token: it read the keys alone': async (learner) => {
        await rotateKey(learner);
        await learner.bare('GET', keys);
      },
      'the plain keys': async (learner) => {
        const other = await rotated(learner);
        await learner.lplate.call('GET', keys, { token: other });
      },
      'the drill': async (learner) => {
        await rotated(learner);
        await learner.call('DELETE', '/range/v1/me/drills/rotate-key');
        await token(learner);
      },
      'the token of the other key': async (learner) => {
        await rotated(learner);
        await learner.bare('GET', keys);
        await get(learner, '/policies');
      },
      'any start': async (learner) => {
        await learner.bare('GET', keys);
        await get(learner, '/policies');
      },
    },
    remarks: {
      'its own view: it read the plain keys': /your own view of the keys was not read/,
      'the keys after the token': /^The call was accepted, but since you got this token/,
      'a token: it read the keys alone': /^You read the keys before you had a token/,
      'the plain keys': /^These are the keys that all see/,
      'the drill': /^This token names the usual kid: the drill is not on/,
      'the token of the other key': /^This call had a token of the usual key/,
    },
    done: {
      'a call that needs a token': 2,
      'its own view: it read the plain keys': 1,
      'the keys after the token': 1,
      'the plain keys': 1,
      'the drill': 1,
      'the token of the other key': 2,
    },
  },
});
