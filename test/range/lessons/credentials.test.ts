import { equal } from 'node:assert/strict';
import { peopleOf, refresh, type TestPerson, tokensFor } from '../../support/people.ts';
import { answer, type Learner, stateOf, testLessons, wrongAnswer } from './lesson.ts';

const tokenPath = '/insurer/v1/auth/token';

const form = ({ id, secret }: Learner) =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString();

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

const basic = ({ id, secret }: Learner) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const byJson = ({ call, id, secret }: Learner) =>
  call('POST', tokenPath, { token: undefined, json: { client_id: id, client_secret: secret } });

const jsonType = { 'Content-Type': 'application/json' };

/** Asks for a token, with whatever headers and body. */
const asking =
  (headers: (learner: Learner) => Record<string, string>, body: (learner: Learner) => string) => (learner: Learner) =>
    learner.bare('POST', tokenPath, { headers: headers(learner), body: body(learner) });

const byForm = asking(() => formType, form);
const byBasic = asking(
  (learner) => ({ ...formType, Authorization: basic(learner) }),
  () => 'grant_type=client_credentials',
);
/** The credentials behind the question mark. */
const inUrl = (learner: Learner) => learner.bare('POST', `${tokenPath}?${form(learner)}`);

const multipart = asking(
  () => ({ 'Content-Type': 'multipart/form-data; boundary=x' }),
  () => '--x--',
);
const jsonAsForm = asking(
  () => formType,
  ({ id, secret }) => JSON.stringify({ client_id: id, client_secret: secret }),
);

const jsonByBasic = asking(
  (learner) => ({ ...jsonType, Authorization: basic(learner) }),
  () => '{"grant_type":"client_credentials"}',
);

async function renew(learner: Learner): Promise<void> {
  const { status, json } = await learner.call('POST', '/range/v1/me/secret');
  equal(status, 201);
  learner.secret = json.client_secret;
}

/** A token with the secret of now, when the one before has ended. */
async function dayLater(learner: Learner) {
  learner.lplate.clock.advance(10);
  await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P1D' } });
  const got = await byJson(learner);
  learner.token = got.json.access_token;
  return got;
}

/** What making the client has solved is begun again, and then something else is done. */
const instead = (lesson: string, attempt: (learner: Learner) => Promise<unknown>) => async (learner: Learner) => {
  learner.lplate.clock.advance(1);
  equal((await learner.call('DELETE', `/range/v1/me/lessons/${lesson}`)).status, 204);
  await attempt(learner);
};

const withoutSecret = ({ bare, id }: Learner) => bare('POST', tokenPath, { json: { client_id: id } });

const refusedWithoutToken = ({ bare }: Learner) => bare('GET', '/insurer/v1/policies');

const listedWith = (authorization: (learner: Learner) => string) => async (learner: Learner) => {
  await refusedWithoutToken(learner);
  await learner.bare('GET', '/insurer/v1/policies', { headers: { Authorization: authorization(learner) } });
};

const decoded = ({ token }: Learner, part: number) =>
  JSON.parse(Buffer.from(token.split('.')[part] as string, 'base64url').toString());

/** Gets a token by the console, which counts for no lesson. */
async function byConsole(learner: Learner): Promise<void> {
  const { lplate, id, secret } = learner;
  const json = { client_id: id, client_secret: secret };
  const { json: got } = await lplate.call('POST', tokenPath, { json, headers: { 'L-Plate-Console': '1' } });
  learner.token = got.access_token;
}

testLessons({
  credentials: {
    solve: ({ bare }) => bare('POST', '/insurer/v1/demo-clients'),
    misses: {
      'another method': instead('credentials', ({ bare }) => bare('GET', '/insurer/v1/demo-clients')),
      'another version': instead('credentials', ({ bare }) => bare('POST', '/insurer/demo-clients')),
      'a mistyped path': instead('credentials', ({ bare }) => bare('POST', '/insurer/v1/demo-client')),
      'another call': instead('credentials', ({ bare }) => bare('GET', '/insurer/v1/coverage-options')),
      'another path that is not there': instead('credentials', ({ bare }) => bare('GET', '/insurer/v1/policy')),
    },
    remarks: {
      'another method': /GET creates nothing/,
      'another version': /^The path \/insurer\/demo-clients does not have the version/,
      'a mistyped path': /^Nothing has the path \/insurer\/v1\/demo-client\./,
    },
  },

  'coverage-options': {
    solve: ({ bare }) => bare('GET', '/insurer/v1/coverage-options'),
    misses: {
      'with a token': ({ call }) => call('GET', '/coverage-options'),
      'another method': ({ bare }) => bare('POST', '/insurer/v1/coverage-options', { json: {} }),
      'the head alone': ({ bare }) => bare('HEAD', '/insurer/v1/coverage-options'),
      'a mistyped path': ({ bare }) => bare('GET', '/insurer/v1/coverages'),
      'another call': ({ bare }) => bare('GET', '/insurer/v1/limited/ping'),
    },
    remarks: {
      'with a token': /you sent the header Authorization/,
      'another method': /you sent POST/,
      'the head alone': /you sent HEAD/,
      'a mistyped path': /^Nothing has the path \/insurer\/v1\/coverages\./,
    },
  },

  'token-by-json': {
    solve: byJson,
    alsoSolvedBy: { 'once more': instead('token-by-json', byJson) },
    misses: {
      'for a person': instead('token-by-json', async (learner) => {
        const [person] = await peopleOf(learner.lplate, learner);
        await tokensFor(learner.lplate, learner, person as TestPerson);
      }),
      'by a form': instead('token-by-json', byForm),
      'by a form a second time': instead('token-by-json', async (learner) => {
        for (let time = 0; time < 2; time += 1) await byForm(learner);
        equal((await stateOf(learner, 'token-by-json')).misses, 2);
      }),
      'JSON with the type of a form': instead('token-by-json', jsonAsForm),
      'a wrong secret': instead('token-by-json', ({ bare, id }) =>
        bare('POST', tokenPath, { json: { client_id: id, client_secret: 'x' } }),
      ),
      'another name': instead('token-by-json', ({ bare, id, secret }) =>
        bare('POST', tokenPath, { json: { client_id: id, secret } }),
      ),
      'a scope that is not there': instead('token-by-json', ({ bare, id, secret }) =>
        bare('POST', tokenPath, { json: { client_id: id, client_secret: secret, scope: 'all' } }),
      ),
      'another type': instead('token-by-json', multipart),
      'by Basic, with a JSON body': instead('token-by-json', jsonByBasic),
      'in the URL': instead('token-by-json', inUrl),
    },
    remarks: {
      'by a form': /the body was not JSON/,
      'by a form a second time': /the body was not JSON/,
      'JSON with the type of a form': /The body is JSON, but the header Content-Type/,
      'a wrong secret': /The request is right, but/,
      'another name': /The type is right, but the body is not/,
      'by Basic, with a JSON body': /the credentials were in the header\./,
      'in the URL': /were in the URL/,
      'a scope that is not there': /This call was refused with/,
      'another type': /This call was refused with/,
    },
  },

  'token-by-form': {
    solve: byForm,
    misses: {
      'by JSON': byJson,
      'in the URL': inUrl,
      'JSON with grant_type': ({ bare, id, secret }) =>
        bare('POST', tokenPath, { json: { grant_type: 'client_credentials', client_id: id, client_secret: secret } }),
      'JSON with the type of a form': jsonAsForm,
      'a form for files': multipart,
      'another grant_type': asking(
        () => formType,
        (learner) => form(learner).replace('client_credentials', 'password'),
      ),
      'no grant_type': asking(
        () => formType,
        ({ id, secret }) => `client_id=${id}&client_secret=${secret}`,
      ),
      'a scope that is not there': asking(
        () => formType,
        (learner) => `${form(learner)}&scope=all`,
      ),
      'a wrong secret': asking(
        () => formType,
        ({ id }) => `grant_type=client_credentials&client_id=${id}&client_secret=x`,
      ),
      'by Basic': byBasic,
      'by Basic a second time': async (learner) => {
        for (let time = 0; time < 2; time += 1) await byBasic(learner);
        equal((await stateOf(learner, 'token-by-form')).misses, 2);
      },
      'a wrong secret by Basic': asking(
        ({ id }) => ({ ...formType, Authorization: basic({ id, secret: 'x' } as Learner) }),
        () => 'grant_type=client_credentials',
      ),
      'another type': asking(
        () => ({ 'Content-Type': 'text/plain' }),
        () => 'x',
      ),
    },
    remarks: {
      'JSON with grant_type': /you sent them as JSON/,
      'JSON with the type of a form': /but the body is JSON/,
      'a form for files': /multipart/,
      'another grant_type': /something in it is missing or wrong/,
      'no grant_type': /something in it is missing or wrong/,
      'a wrong secret': /The form is right/,
      'by Basic': /in the header Authorization/,
      'by Basic a second time': /in the header Authorization/,
      'in the URL': /were in the URL/,
      'by JSON': /The header Content-Type says that it is JSON\. Send/,
      'a scope that is not there': /This call was refused with/,
      'a wrong secret by Basic': /This call was refused with/,
      'another type': /This call was refused with/,
    },
  },

  'token-by-basic': {
    solve: byBasic,
    alsoSolvedBy: {
      'the client_id in the form, too': asking(
        (learner) => ({ ...formType, Authorization: basic(learner) }),
        ({ id }) => `grant_type=client_credentials&client_id=${id}`,
      ),
    },
    misses: {
      'by a form': byForm,
      'by JSON': byJson,
      'in the URL': inUrl,
      'a wrong password': asking(
        ({ id }) => ({ ...formType, Authorization: basic({ id, secret: 'x' } as Learner) }),
        () => 'grant_type=client_credentials',
      ),
      'not encoded': asking(
        ({ id, secret }) => ({ ...formType, Authorization: `Basic ${id}:${secret}` }),
        () => 'grant_type=client_credentials',
      ),
      'a JSON body': jsonByBasic,
      'a form without the header, once begun': async (learner) => {
        await jsonByBasic(learner);
        for (let time = 0; time < 2; time += 1) await byForm(learner);
        equal((await stateOf(learner, 'token-by-basic')).misses, 3);
      },
      'no body': ({ bare, ...learner }) =>
        bare('POST', tokenPath, { headers: { Authorization: basic(learner as unknown as Learner) } }),
      'both in the form, too': asking((learner) => ({ ...formType, Authorization: basic(learner) }), form),
      'no grant_type': asking(
        (learner) => ({ ...formType, Authorization: basic(learner) }),
        () => 'scope=policies:read',
      ),
      'another scheme': asking(
        (learner) => ({ ...formType, Authorization: basic(learner).replace('Basic', 'Bearer') }),
        () => 'grant_type=client_credentials',
      ),
      'no header': asking(
        () => formType,
        () => 'grant_type=client_credentials',
      ),
      'another call': (learner) =>
        learner.bare('GET', '/insurer/v1/policies', { headers: { Authorization: basic(learner) } }),
    },
    remarks: {
      'a wrong password': /what follows is not your client_id/,
      'not encoded': /what follows is not your client_id/,
      'a JSON body': /but the body is JSON/,
      'by JSON': /the credentials were in the body/,
      'in the URL': /were in the URL/,
      'a form without the header, once begun': /the credentials were in the body/,
      'no body': /there was no form/,
      'both in the form, too': /came twice/,
      'no grant_type': /the form lacks something/,
      'another scheme': /its first word is not Basic/,
      'by a form': /You got a token, but the credentials were in/,
      'no header': /This call was refused with/,
    },
  },

  'token-decoded': {
    async solve(learner) {
      const got = await byJson(learner);
      await learner.call('GET', '/policies');
      equal((await answer(learner, 'token-decoded', decoded(learner, 1).sub)).correct, true);
      return got;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await byJson(learner);
        await answer(learner, 'token-decoded', learner.id);
      },
    },
    misses: {
      'another claim': (learner) => wrongAnswer(learner, 'token-decoded', decoded(learner, 1).jti, /another claim/),
      'all scopes': (learner) => wrongAnswer(learner, 'token-decoded', decoded(learner, 1).scope, /another claim/),
      'the token': (learner) => wrongAnswer(learner, 'token-decoded', learner.token, /as it came\. Decode/),
      'its second part': (learner) =>
        wrongAnswer(learner, 'token-decoded', learner.token.split('.')[1], /as it came\. Decode/),
      'all claims': (learner) => wrongAnswer(learner, 'token-decoded', decoded(learner, 1), /more than the one value/),
      'all claims as a text': (learner) =>
        wrongAnswer(learner, 'token-decoded', JSON.stringify(decoded(learner, 1)), /more than the one value/),
      'something else': (learner) => wrongAnswer(learner, 'token-decoded', 'demo', /second of its three/),
      'no text': (learner) => wrongAnswer(learner, 'token-decoded', null, /second of its three/),
    },
  },

  'token-key': {
    async solve(learner) {
      await byJson(learner);
      equal((await answer(learner, 'token-key', decoded(learner, 0).kid)).correct, true);
    },
    misses: {
      'no token in the log': async (learner) => {
        await learner.call('POST', '/range/v1/me/reset');
        await wrongAnswer(learner, 'token-key', decoded(learner, 0).kid, /no token of the last day/);
      },
      'another member': (learner) => wrongAnswer(learner, 'token-key', decoded(learner, 0).alg, /its first part/),
      'a claim': (learner) => wrongAnswer(learner, 'token-key', decoded(learner, 1).jti, /That is a claim/),
      'the first part': (learner) => wrongAnswer(learner, 'token-key', learner.token.split('.')[0], /Decode the part/),
      'the whole header': (learner) =>
        wrongAnswer(learner, 'token-key', decoded(learner, 0), /more than the one value/),
    },
  },

  'wrong-secret': {
    solve: ({ bare, id }) => bare('POST', tokenPath, { json: { client_id: id, client_secret: 'wrong' } }),
    alsoSolvedBy: {
      'by a form': asking(
        () => formType,
        (learner) => form({ ...learner, secret: 'wrong' }),
      ),
      'by Basic': asking(
        (learner) => ({ ...formType, Authorization: basic({ ...learner, secret: 'wrong' }) }),
        () => 'grant_type=client_credentials',
      ),
    },
    misses: {
      'a wrong refresh token': (learner) => refresh(learner.lplate, learner, 'wrong'),
      'no secret at all': withoutSecret,
      'an empty secret': ({ bare, id }) => bare('POST', tokenPath, { json: { client_id: id, client_secret: '' } }),
      'an empty secret, by a form': asking(
        () => formType,
        (learner) => form({ ...learner, secret: '' }),
      ),
      'an empty secret, by Basic': asking(
        (learner) => ({ ...formType, Authorization: basic({ ...learner, secret: '' }) }),
        () => 'grant_type=client_credentials',
      ),
      'a number': ({ bare, id }) => bare('POST', tokenPath, { json: { client_id: id, client_secret: 123 } }),
      'another name': ({ bare, id, secret }) => bare('POST', tokenPath, { json: { client_id: id, secret } }),
      'another name, after the right secret': async (learner) => {
        await withoutSecret(learner);
        await byJson(learner);
        await learner.bare('POST', tokenPath, { json: { client_id: learner.id, client_secrets: 'wrong' } });
      },
      'a request for a token': ({ bare }) => bare('GET', '/insurer/v1/policies'),
      'a request for a token, but Basic': ({ bare, id }) =>
        bare('GET', '/insurer/v1/policies', { headers: { Authorization: basic({ id, secret: 'wrong' } as Learner) } }),
      'a POST': ({ bare }) => bare('GET', tokenPath),
      'the address': ({ bare }) => bare('POST', '/insurer/v1/token'),
      'no grant_type': async (learner) => {
        await byForm(learner);
        await learner.bare('POST', tokenPath, { headers: formType, body: `client_id=${learner.id}&client_secret=x` });
      },
      'the first form, without grant_type': ({ bare, id }) =>
        bare('POST', tokenPath, { headers: formType, body: `client_id=${id}&client_secret=x` }),
      'the right secret': byJson,
      'the right secret, once begun': async (learner) => {
        await withoutSecret(learner);
        await byJson(learner);
      },
      'a wrong token': ({ bare }) => bare('GET', '/insurer/v1/policies', { token: 'wrong' }),
      'a wrong token, once begun': async (learner) => {
        await withoutSecret(learner);
        await learner.bare('GET', '/insurer/v1/policies', { token: 'wrong' });
      },
      'a wrong client_id': ({ bare, secret }) =>
        bare('POST', tokenPath, { json: { client_id: 'demo-wrong', client_secret: secret } }),
      'a client_id that nobody has, before there was a token': async ({ call, lplate, id }) => {
        // What there was before does not count.
        lplate.clock.advance(1);
        await call('DELETE', '/range/v1/me/lessons/wrong-secret');
        const json = { client_id: `demo-${'0'.repeat(20)}`, client_secret: 'wrong' };
        await lplate.call('POST', `/for/${id}${tokenPath}`, { json });
      },
      swapped: asking(
        (learner) => ({ ...formType, Authorization: basic({ id: learner.secret, secret: learner.id } as Learner) }),
        () => 'grant_type=client_credentials',
      ),
      'no grant_type, when only Basic had one': async (learner) => {
        await byBasic(learner);
        await learner.bare('POST', `${tokenPath}?grant_type=client_credentials`, {
          headers: formType,
          body: `client_id=${learner.id}&client_secret=${learner.secret}`,
        });
      },
      'a wrong type': ({ bare }) => bare('POST', tokenPath, { headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
    },
    remarks: {
      'a wrong refresh token': /^The secret was the right one: what was refused/,
      'no secret at all': /no secret at all/,
      'an empty secret': /an empty secret/,
      'an empty secret, by a form': /an empty secret/,
      'an empty secret, by Basic': /an empty secret/,
      'a number': /was not a text/,
      'no grant_type': /The form lacks something else/,
      'another name, after the right secret': /^The request was refused before anybody compared/,
      'the right secret, once begun': /The secret was the right one/,
      'a wrong token, once begun': /That was a wrong token/,
      'a wrong client_id': /The client_id was not yours/,
      'a client_id that nobody has, before there was a token': /The client_id was not yours/,
      swapped: /The client_id was not yours/,
      'another name': /^The request was refused before anybody compared/,
      'a request for a token': /^That was no request for a token/,
      'a request for a token, but Basic': /^That was no request for a token/,
      'a POST': /^The address is right, but GET gets no token/,
      'the address': /^Nothing has the path/,
      'the first form, without grant_type': /The form lacks something else, so nobody looked at/,
      'the right secret': /The secret was the right one/,
      'a wrong token': /That was a wrong token\. Here the secret has/,
      'no grant_type, when only Basic had one': /The form lacks something else, so nobody looked at/,
      'a wrong type': /This call was refused with/,
    },
  },

  'no-header': {
    solve: refusedWithoutToken,
    misses: {
      'a wrong token': ({ bare }) => bare('GET', '/insurer/v1/policies', { token: 'wrong' }),
      'an empty header': ({ bare }) => bare('GET', '/insurer/v1/policies', { headers: { Authorization: '' } }),
      'the word Bearer alone': ({ bare }) =>
        bare('GET', '/insurer/v1/policies', { headers: { Authorization: 'Bearer ' } }),
      'the head of the list': ({ bare }) => bare('HEAD', '/insurer/v1/policies'),
      'another list': ({ bare }) => bare('GET', '/claims/v1/claims'),
      'one policy': ({ bare }) => bare('GET', '/insurer/v1/policies/pol-1'),
      'another method': ({ bare }) => bare('POST', '/insurer/v1/policies', { json: { regNumber: 'AB-1' } }),
      'another scheme': ({ bare, token }) =>
        bare('GET', '/insurer/v1/policies', { headers: { Authorization: `Token ${token}` } }),
      'with a token': ({ call }) => call('GET', '/policies'),
      'with a token, once begun': async (learner) => {
        await learner.bare('GET', '/claims/v1/claims');
        for (let time = 0; time < 2; time += 1) await learner.call('GET', '/policies');
        equal((await stateOf(learner, 'no-header')).misses, 2);
      },
      'another scheme, once begun': async ({ bare, token }) => {
        await bare('GET', '/claims/v1/claims');
        await bare('GET', '/insurer/v1/policies', { headers: { Authorization: `Token ${token}` } });
      },
      'another method, once begun': async ({ bare }) => {
        await bare('GET', '/insurer/v1/policies', { headers: { Authorization: '' } });
        await bare('POST', '/insurer/v1/policies', { json: { regNumber: 'AB-1' } });
      },
    },
    remarks: {
      'with a token, once begun': /^You sent the header Authorization\. Here it must be missing\.$/,
      'another scheme, once begun': /^You sent the header Authorization\. Here it must be missing\.$/,
      'another method, once begun': /was not the call that lists your policies/,
      'an empty header': /it must be missing/,
      'the word Bearer alone': /it must be missing/,
      'the head of the list': /but you sent HEAD/,
      'another list': /was not the call that lists your policies/,
      'one policy': /was not the call that lists your policies/,
      'a wrong token': /You sent the header Authorization\. Here it must be/,
      'another method': /The header is missing, as it should be, but/,
      'another scheme': /You sent the header Authorization\. Here it must be/,
      'with a token': /You sent the header Authorization\. Here it must be/,
    },
  },

  'wrong-scheme': {
    solve: ({ bare, token }) => bare('GET', '/insurer/v1/policies', { headers: { Authorization: `Token ${token}` } }),
    alsoSolvedBy: {
      'the word Basic': ({ call, token }) =>
        call('GET', '/policies', { token: undefined, headers: { Authorization: `Basic ${token}` } }),
      'no word': ({ bare, token }) => bare('GET', '/insurer/v1/policies', { headers: { Authorization: token } }),
    },
    misses: {
      'Bearer with a colon': listedWith(({ token }) => `Bearer: ${token}`),
      'Bearer with an equals sign': ({ call, token }) =>
        call('GET', '/policies', { token: undefined, headers: { Authorization: `Bearer=${token}` } }),
      'Bearer without a space': ({ call, token }) =>
        call('GET', '/policies', { token: undefined, headers: { Authorization: `Bearer${token}` } }),
      'Bearer without a space, below /for/': listedWith(({ token }) => `Bearer${token}`),
      'the right header, once begun': async (learner) => {
        await listedWith(() => 'Token')(learner);
        await learner.call('GET', '/policies');
      },
      'Bearer in small letters': async ({ bare, call, token }) => {
        await call('GET', '/policies');
        await bare('GET', '/insurer/v1/policies', { headers: { Authorization: `bearer ${token}` } });
      },
      'Bearer in small letters, again and again': async ({ bare, call, token }) => {
        await call('GET', '/policies');
        const headers = { Authorization: `bearer ${token}` };
        for (let sent = 0; sent < 3; sent += 1) await bare('GET', '/insurer/v1/policies', { headers });
      },
      'Bearer in small letters, as always': async ({ bare, token }) => {
        const headers = { Authorization: `bearer ${token}` };
        for (let sent = 0; sent < 3; sent += 1) await bare('GET', '/insurer/v1/policies', { headers });
      },
      'no header': refusedWithoutToken,
      'another call': ({ bare, token }) =>
        bare('POST', '/insurer/v1/policies', { headers: { Authorization: `Token ${token}` } }),
      'an open call': ({ bare, token }) =>
        bare('GET', '/insurer/v1/coverage-options', { headers: { Authorization: token } }),
      'an expired token': async (learner) => {
        const { bare, call, id, lplate, secret, token } = learner;
        await call('POST', '/range/v1/me/clock', { json: { advance: 'PT2H' } });
        await refusedWithoutToken(learner);
        await bare('GET', '/insurer/v1/policies', { token });
        learner.token = await lplate.token(id, secret);
      },
      'an empty header': listedWith(() => ''),
      'the word Bearer alone, at first': ({ bare }) =>
        bare('GET', '/insurer/v1/policies', { headers: { Authorization: 'Bearer ' } }),
      'the word Bearer alone': listedWith(() => 'Bearer '),
      'nothing after the word': listedWith(() => 'Token'),
      'another word, and no token': listedWith(() => 'Token wrong'),
      credentials: listedWith(basic),
      'a wrong token': ({ bare }) => bare('GET', '/insurer/v1/policies', { token: 'wrong' }),
    },
    remarks: {
      'Bearer with a colon': /Bearer with a colon/,
      'Bearer in small letters': /^Upper and lower case make no difference/,
      'Bearer in small letters, again and again': /^The scheme was Bearer/,
      'Bearer with an equals sign': /no space between/,
      'Bearer without a space': /no space between/,
      'Bearer without a space, below /for/': /no space between/,
      'the right header, once begun': /The scheme was Bearer/,
      'another call': /the call is another one/,
      'an open call': /the call is another one/,
      'an empty header': /no token of yours in/,
      'the word Bearer alone': /no token of yours in/,
      'nothing after the word': /no token of yours in/,
      'another word, and no token': /no token of yours in/,
      credentials: /You sent your credentials/,
      'a wrong token': /The scheme was Bearer/,
      'Bearer in small letters, as always': /The scheme was Bearer\. Send your token after another/,
      'no header': /Nobody looked at this call/,
      'an expired token': /The scheme was Bearer\. Send your token after another/,
      'the word Bearer alone, at first': /There is no token of yours in the header/,
    },
  },

  'secret-leaked': {
    async solve(learner) {
      await renew(learner);
      await byJson(learner);
      return dayLater(learner);
    },
    misses: {
      'a new secret: it began a new client': async (learner) => {
        await learner.call('POST', '/insurer/v1/demo-clients');
      },
      'an old secret that rests': async (learner) => {
        const before = learner.secret;
        await renew(learner);
        await byJson(learner);
        await byJson({ ...learner, secret: before });
        await dayLater(learner);
      },
      'a new secret that is used in time': async (learner) => {
        const before = learner.secret;
        await renew(learner);
        await byJson({ ...learner, secret: before });
        await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P1D' } });
        equal((await byJson({ ...learner, secret: before })).status, 401);
        await byConsole(learner);
      },
      'that nothing fails, until the day is over': async (learner) => {
        await renew(learner);
        await byJson(learner);
        await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'P1D' } });
        await byJson({ ...learner, secret: 'wrong' });
        await byConsole(learner);
      },
      'that nothing fails': async (learner) => {
        await renew(learner);
        await byJson(learner);
        await byJson({ ...learner, secret: 'wrong' });
        await dayLater(learner);
      },
      'the day': async (learner) => {
        await renew(learner);
        for (let time = 0; time < 2; time += 1) await byJson(learner);
      },
      'a token': renew,
      'a new secret': byJson,
    },
    remarks: {
      'a new secret: it began a new client': /^That is another client, which owns nothing of what yours has\./,
      'an old secret that rests':
        /^You have the new secret, but this token was got with the one before\..* Begin again/,
      'a new secret that is used in time': /^This request was refused: its secret is wrong, or has ended/,
      'that nothing fails': /^This request was refused: its secret is wrong, or has ended/,
      'that nothing fails, until the day is over': /^This request was refused: its secret is wrong, or has ended/,
      'the day': /Less than 24 hours of your clock have passed/,
    },
    done: {
      'an old secret that rests': 1,
      'that nothing fails': 1,
      'the day': 1,
    },
  },
});
