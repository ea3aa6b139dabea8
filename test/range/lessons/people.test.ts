import { deepEqual, equal } from 'node:assert/strict';
import { type Answer, problem } from '../../support/lplate.ts';
import {
  authorizationQuery,
  exchange,
  letIn,
  newChallenge,
  openAuthorize,
  peopleOf,
  refresh,
  type TestPerson,
} from '../../support/people.ts';
import { type Learner, newPlate, stateOf, testLessons } from './lesson.ts';

/** What is not the usual of an authorization request, and of what the person decides. */
interface Wish {
  readonly query?: Record<string, string | undefined>;
  /** The scopes that the person allows: by default all. */
  readonly allow?: string[];
}

/** What the browser brought back, and the verifier of the request. */
interface Back {
  readonly redirect: URLSearchParams;
  readonly verifier: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** One of the people, who may be sent back. */
const ida = async (learner: Learner) => (await peopleOf(learner.lplate, learner))[0] as TestPerson;

/** Sends a person there as an app with a browser does. */
async function sendThere(learner: Learner, { query = {}, allow }: Wish = {}): Promise<Back> {
  const person = await ida(learner);
  const { verifier, challenge } = newChallenge();
  const whole = authorizationQuery(learner.id, { code_challenge: challenge, ...query });
  await openAuthorize(learner.lplate, whole);
  return { redirect: await letIn(learner.lplate, whole, person, allow), verifier };
}

const codeOf = ({ redirect }: Back) => redirect.get('code') as string;

const exchanged = (learner: Learner, back: Back, verifier = back.verifier) =>
  exchange(learner.lplate, learner, codeOf(back), verifier);

/** The whole flow. */
async function tokens(learner: Learner, wish?: Wish): Promise<Tokens> {
  const { json, status, text } = await exchanged(learner, await sendThere(learner, wish));
  equal(status, 200, text);
  return json;
}

async function refreshed(learner: Learner, { refresh_token }: Tokens): Promise<Tokens> {
  const { json, status, text } = await refresh(learner.lplate, learner, refresh_token);
  equal(status, 200, text);
  return json;
}

async function refreshRefused(learner: Learner, { refresh_token }: Tokens): Promise<void> {
  deepEqual(problem(await refresh(learner.lplate, learner, refresh_token)), [400, 'invalid-grant']);
}

const list = ({ lplate }: Learner, token: string) => lplate.call('GET', '/policies', { token });

async function listRefused(learner: Learner, token: string): Promise<Answer> {
  const answer = await list(learner, token);
  deepEqual(problem(answer), [401, 'invalid-token']);
  return answer;
}

const start = ({ call }: Learner, name: string) => call('POST', '/range/v1/me/drills', { json: { name } });
const end = ({ call }: Learner, name: string) => call('DELETE', `/range/v1/me/drills/${name}`);

/** Lets the token of the client and of its people expire. */
const anHourLater = ({ call }: Learner) => call('POST', '/range/v1/me/clock', { json: { advance: 'PT61M' } });

async function newToken(learner: Learner): Promise<void> {
  learner.token = await learner.lplate.token(learner.id, learner.secret);
}

/** The person of the latest consent changes their mind. */
async function withdraw({ call }: Learner): Promise<void> {
  const { json } = await call('GET', '/range/v1/me/consents');
  equal((await call('DELETE', `/range/v1/me/consents/${json.items[0].consentId}`)).status, 204);
}

const ask = (about: 'introspect' | 'revoke', { lplate, id, secret }: Learner, token: string) =>
  lplate.call('POST', `/auth/${about}`, { json: { client_id: id, client_secret: secret, token } });

/** A redirect that somebody forged. */
async function forged(learner: Learner): Promise<Back> {
  await start(learner, 'forged-callback');
  const back = await sendThere(learner, { query: { state: 'mine' } });
  await end(learner, 'forged-callback');
  equal(back.redirect.get('state') === 'mine', false);
  return back;
}

const two = { scope: 'policies:read claims:read' };
const lessAllowed: Wish = { query: two, allow: ['policies:read'] };

/** The consent is withdrawn, and the app is told so by a call and by a refresh. */
async function toldNo(learner: Learner): Promise<Tokens> {
  const got = await tokens(learner);
  await withdraw(learner);
  await listRefused(learner, got.access_token);
  await refreshRefused(learner, got);
  return got;
}

/** Refreshes, and does so once more with the same token. */
async function usedTwice(learner: Learner): Promise<Tokens> {
  const first = await tokens(learner);
  const second = await refreshed(learner, first);
  await refreshRefused(learner, first);
  return second;
}

testLessons({
  'let-somebody-in': {
    solve: async (learner) => list(learner, (await tokens(learner)).access_token),
    alsoSolvedBy: {
      'a program that plays the browser opens no page': async (learner) => {
        const person = await ida(learner);
        const { verifier, challenge } = newChallenge();
        const query = authorizationQuery(learner.id, { code_challenge: challenge });
        const redirect = await letIn(learner.lplate, query, person);
        await list(learner, (await exchanged(learner, { redirect, verifier })).json.access_token);
      },
    },
    misses: {
      'the redirect URI is not registered': async ({ lplate, id }) => {
        equal((await openAuthorize(lplate, authorizationQuery(id))).status, 400);
      },
      'no challenge': async (learner) => {
        await ida(learner);
        await openAuthorize(learner.lplate, authorizationQuery(learner.id, { code_challenge: undefined }));
      },
      'the person allows nothing': (learner) => sendThere(learner, { allow: [] }),
      'the redirect is forged': forged,
      'the verifier is another one': async (learner) => {
        await exchanged(learner, await sendThere(learner), newChallenge().verifier);
      },
      'no verifier': async (learner) => {
        const code = codeOf(await sendThere(learner));
        const { id: client_id, secret: client_secret } = learner;
        const json = { client_id, client_secret, grant_type: 'authorization_code', code };
        equal((await learner.lplate.call('POST', '/auth/token', { json })).status, 400);
      },
      'a token of the client': async (learner) => {
        await sendThere(learner);
        await newToken(learner);
        await list(learner, learner.token);
      },
      'the list of the client': async (learner) => {
        await tokens(learner);
        await list(learner, learner.token);
      },
      'no challenge, once a page was shown': async (learner) => {
        await ida(learner);
        const query = { code_challenge: newChallenge().challenge };
        await openAuthorize(learner.lplate, authorizationQuery(learner.id, query));
        await openAuthorize(learner.lplate, authorizationQuery(learner.id, { code_challenge: undefined }));
      },
      'another call for the person': async (learner) => {
        const { access_token: token } = await tokens(learner);
        await learner.lplate.call('GET', '/policies/pol-1', { token });
      },
    },
    remarks: {
      'the redirect URI is not registered': /redirect_uri is not one that you registered/,
      'no challenge': /sent back with invalid_request: code_challenge is missing/,
      'the person allows nothing': /did not let your app in/,
      'the verifier is another one': /^This code brought nothing/,
      'no verifier': /before anybody looked at the code/,
      'a token of the client': /of your client itself\. To exchange/,
      'the list of the client': /^This was the token of your client/,
      'no challenge, once a page was shown': /sent back with invalid_request: code_challenge is missing/,
    },
    done: {
      'no challenge, once a page was shown': 1,
      'the person allows nothing': 1,
      'the redirect is forged': 1,
      'the verifier is another one': 2,
      'no verifier': 2,
      'a token of the client': 2,
      'the list of the client': 3,
      'another call for the person': 3,
    },
  },

  'state-not-yours': {
    async solve(learner) {
      await forged(learner);
      return exchanged(learner, await sendThere(learner));
    },
    alsoSolvedBy: {
      'exchanged first, and begun again': async (learner) => {
        await exchanged(learner, await forged(learner));
        await forged(learner);
        await tokens(learner);
      },
    },
    misses: {
      'a redirect that is not forged': tokens,
      'thrown away, and nothing more': forged,
      'the forged code is exchanged': async (learner) => {
        deepEqual(problem(await exchanged(learner, await forged(learner))), [400, 'invalid-grant']);
      },
      'the forged code is exchanged, and then another': async (learner) => {
        await exchanged(learner, await forged(learner));
        await tokens(learner);
      },
      'begun anew, and the forged code is exchanged': async (learner) => {
        const back = await forged(learner);
        await sendThere(learner);
        await exchanged(learner, back);
      },
      'another forged one': async (learner) => {
        await forged(learner);
        await forged(learner);
      },
      'the same state again': async (learner) => {
        await forged(learner);
        await tokens(learner, { query: { state: 'mine' } });
      },
      'begun anew, and the code is not exchanged': async (learner) => {
        await forged(learner);
        await sendThere(learner);
      },
    },
    remarks: {
      'a redirect that is not forged': /^This redirect is yours/,
      'the forged code is exchanged': /^You exchanged the code of the forged redirect/,
      'the forged code is exchanged, and then another': /Begin again/,
      'begun anew, and the forged code is exchanged': /Begin again/,
      'another forged one': /^This redirect is forged, too/,
      'the same state again': /the state of the one before/,
    },
    done: {
      'thrown away, and nothing more': 1,
      'the forged code is exchanged, and then another': 1,
      'another forged one': 1,
      'the same state again': 1,
      'begun anew, and the code is not exchanged': 2,
    },
  },

  'verifier-fits': {
    async solve(learner) {
      const back = await sendThere(learner);
      await exchanged(learner, back, newChallenge().verifier);
      return exchanged(learner, back);
    },
    misses: {
      'the right verifier at once': tokens,
      'a new code after the refusal': async (learner) => {
        await exchanged(learner, await sendThere(learner), newChallenge().verifier);
        await tokens(learner);
      },
      'a wrong verifier twice': async (learner) => {
        const back = await sendThere(learner);
        for (const _ of [1, 2]) await exchanged(learner, back, newChallenge().verifier);
      },
      'too late': async (learner) => {
        const back = await sendThere(learner);
        await exchanged(learner, back, newChallenge().verifier);
        await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT2M' } });
        await exchanged(learner, back);
      },
      'no verifier at all': async ({ lplate, id, secret }) => {
        const json = { client_id: id, client_secret: secret, grant_type: 'authorization_code', code: 'x' };
        await lplate.call('POST', '/auth/token', { json });
      },
      'the plain method': async (learner) => {
        await ida(learner);
        await openAuthorize(learner.lplate, authorizationQuery(learner.id, { code_challenge_method: 'plain' }));
      },
    },
    remarks: {
      'the right verifier at once': /^This verifier fits/,
      'a new code after the refusal': /^This is a new code/,
      'too late': /^The minute is over/,
      'no verifier at all': /^Nobody compared a verifier/,
      'the plain method': /code_challenge_method must be S256/,
    },
    done: { 'a new code after the refusal': 1, 'a wrong verifier twice': 1, 'too late': 1 },
  },

  'ask-for-less': {
    solve: async (learner) => list(learner, (await tokens(learner, lessAllowed)).access_token),
    alsoSolvedBy: {
      'after a call that was not allowed, begun again': async (learner) => {
        const { access_token: token } = await tokens(learner, lessAllowed);
        await learner.lplate.call('GET', '/claims/v1/claims', { token });
        await list(learner, (await tokens(learner, lessAllowed)).access_token);
      },
    },
    misses: {
      'asked for all': async (learner) => {
        await list(learner, (await tokens(learner, { allow: ['policies:read'] })).access_token);
      },
      'asked for one': async (learner) => {
        await list(learner, (await tokens(learner, { query: { scope: 'policies:read' } })).access_token);
      },
      'all is allowed': async (learner) => {
        await list(learner, (await tokens(learner, { query: two })).access_token);
      },
      'a call that was not allowed': async (learner) => {
        const { access_token: token } = await tokens(learner, lessAllowed);
        equal((await learner.lplate.call('GET', '/claims/v1/claims', { token })).status, 403);
        await list(learner, token);
      },
      'the list of the client': async (learner) => {
        await tokens(learner, lessAllowed);
        await list(learner, learner.token);
      },
      'another call': async (learner) => {
        const { access_token: token } = await tokens(learner, lessAllowed);
        await learner.lplate.call('GET', '/policies/pol-1', { token });
      },
    },
    remarks: {
      'asked for all': /^This request has no scope/,
      'asked for one': /^This request asks for other scopes/,
      'all is allowed': /^The person allowed something else/,
      'a call that was not allowed': /^You made a call that the person had not allowed/,
      'the list of the client': /^This was the token of your client/,
    },
    done: { 'all is allowed': 1, 'the list of the client': 2, 'another call': 2 },
  },

  'token-renews-itself': {
    async solve(learner) {
      const got = await tokens(learner);
      await anHourLater(learner);
      await listRefused(learner, got.access_token);
      const answer = await list(learner, (await refreshed(learner, got)).access_token);
      await newToken(learner);
      return answer;
    },
    misses: {
      'the token still holds': async (learner) => {
        await list(learner, (await tokens(learner)).access_token);
      },
      'the token of the client has expired': async (learner) => {
        await tokens(learner);
        await anHourLater(learner);
        await listRefused(learner, learner.token);
        await newToken(learner);
      },
      'refreshed too early': async (learner) => {
        const got = await tokens(learner);
        await list(learner, (await refreshed(learner, got)).access_token);
      },
      'the person has to sign in again': async (learner) => {
        const got = await tokens(learner);
        await anHourLater(learner);
        await listRefused(learner, got.access_token);
        await newToken(learner);
        await list(learner, (await tokens(learner)).access_token);
      },
      'a token of the client': async (learner) => {
        const got = await tokens(learner);
        await anHourLater(learner);
        await listRefused(learner, got.access_token);
        await newToken(learner);
        await list(learner, learner.token);
      },
      'the refresh token is another text': async (learner) => {
        const got = await tokens(learner);
        await anHourLater(learner);
        await listRefused(learner, got.access_token);
        await refreshRefused(learner, { ...got, refresh_token: 'x' });
        await newToken(learner);
      },
      'another consent': async (learner) => {
        const [one, other] = [await tokens(learner), await tokens(learner)];
        await anHourLater(learner);
        await listRefused(learner, one.access_token);
        await refreshed(learner, other);
        await newToken(learner);
      },
      'the old token again': async (learner) => {
        const got = await tokens(learner);
        await anHourLater(learner);
        await listRefused(learner, got.access_token);
        await refreshed(learner, got);
        await listRefused(learner, got.access_token);
        await newToken(learner);
      },
      'another call': async (learner) => {
        const got = await tokens(learner);
        await anHourLater(learner);
        await listRefused(learner, got.access_token);
        const { access_token: token } = await refreshed(learner, got);
        await learner.lplate.call('GET', '/claims/v1/claims', { token });
        await newToken(learner);
      },
    },
    remarks: {
      'the token still holds': /it has not expired/,
      'the token of the client has expired': /^This was the token of your client/,
      'refreshed too early': /^You refreshed before a call was refused/,
      'the person has to sign in again': /^Nobody has to sign in again/,
      'a token of the client': /^This is a token of your client itself/,
      'the refresh token is another text': /^The refresh was refused/,
      'another consent': /of another consent/,
      'the old token again': /^You sent the old token again/,
      'another call': /^This is another call/,
    },
    done: {
      'the person has to sign in again': 1,
      'a token of the client': 1,
      'the refresh token is another text': 1,
      'another consent': 1,
      'the old token again': 2,
      'another call': 2,
    },
  },

  'refresh-token-twice': {
    async solve(learner) {
      await listRefused(learner, (await usedTwice(learner)).access_token);
      return exchanged(learner, await sendThere(learner));
    },
    misses: {
      'never refreshed': tokens,
      'refreshed once': async (learner) => refreshed(learner, await tokens(learner)),
      'the newest one': async (learner) => {
        await refreshed(learner, await refreshed(learner, await tokens(learner)));
      },
      'no refresh token at all': async (learner) => {
        const got = await refreshed(learner, await tokens(learner));
        await refreshRefused(learner, { ...got, refresh_token: 'x' });
      },
      'nothing is called': usedTwice,
      'let in again, but nothing was called': async (learner) => {
        await usedTwice(learner);
        await tokens(learner);
      },
      'called, and not let in again': async (learner) => {
        await listRefused(learner, (await usedTwice(learner)).access_token);
      },
      'a token that was revoked': async (learner) => {
        const got = await refreshed(learner, await tokens(learner));
        await ask('revoke', learner, got.access_token);
        await refreshRefused(learner, got);
        await listRefused(learner, got.access_token);
        await tokens(learner);
      },
    },
    remarks: {
      'the newest one': /^This refresh token was the newest/,
      'no refresh token at all': /refused for something else/,
      'a token that was revoked': /refused for something else/,
    },
    done: {
      'refreshed once': 1,
      'the newest one': 1,
      'no refresh token at all': 1,
      'nothing is called': 2,
      'let in again, but nothing was called': 2,
      'called, and not let in again': 3,
      'a token that was revoked': 1,
    },
  },

  'they-changed-their-mind': {
    async solve(learner) {
      await toldNo(learner);
      return exchanged(learner, await sendThere(learner));
    },
    alsoSolvedBy: {
      'by the drill': async (learner) => {
        await start(learner, 'consent-withdrawn');
        const got = await tokens(learner);
        await end(learner, 'consent-withdrawn');
        await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT2M' } });
        await refreshRefused(learner, got);
        await listRefused(learner, got.access_token);
        await tokens(learner);
      },
      'tried on, and begun again': async (learner) => {
        await refreshRefused(learner, await toldNo(learner));
        await toldNo(learner);
        await tokens(learner);
      },
    },
    misses: {
      'the consent holds': async (learner) => {
        await list(learner, (await tokens(learner)).access_token);
      },
      'revoked by the app': async (learner) => {
        const got = await tokens(learner);
        await ask('revoke', learner, got.refresh_token);
        await listRefused(learner, got.access_token);
        await refreshRefused(learner, got);
        await tokens(learner);
      },
      'before the minutes of the drill': async (learner) => {
        await start(learner, 'consent-withdrawn');
        await list(learner, (await tokens(learner)).access_token);
        await end(learner, 'consent-withdrawn');
      },
      'the list of the client': async (learner) => {
        await tokens(learner);
        await list(learner, learner.token);
      },
      'not let in again': toldNo,
      'a second refresh': async (learner) => {
        await refreshRefused(learner, await toldNo(learner));
      },
      'a second refresh, and let in': async (learner) => {
        await refreshRefused(learner, await toldNo(learner));
        await tokens(learner);
      },
      'a call after the refresh': async (learner) => {
        await listRefused(learner, (await toldNo(learner)).access_token);
        equal((await stateOf(learner, 'they-changed-their-mind')).misses > 0, true);
      },
      'only a call': async (learner) => {
        const got = await tokens(learner);
        await withdraw(learner);
        await listRefused(learner, got.access_token);
        await tokens(learner);
      },
      'only a refresh': async (learner) => {
        const got = await tokens(learner);
        await withdraw(learner);
        await refreshRefused(learner, got);
        await tokens(learner);
      },
    },
    remarks: {
      'the consent holds': /^This consent still holds/,
      'before the minutes of the drill': /^This consent still holds\. The drill withdraws it only/,
      'the list of the client': /^This was the token of your client/,
      'a second refresh': /^You tried on after the refresh/,
      'a second refresh, and let in': /Begin again/,
      'a call after the refresh': /^You tried on after the refresh/,
      'only a call': /a refresh has to be refused, too/,
      'only a refresh': /a call has to be refused, too/,
    },
    done: { 'not let in again': 2, 'only a call': 1, 'only a refresh': 1 },
  },

  'log-out-for-real': {
    async solve(learner) {
      const got = await tokens(learner);
      await ask('introspect', learner, got.refresh_token);
      await ask('revoke', learner, got.refresh_token);
      return listRefused(learner, got.access_token);
    },
    alsoSolvedBy: {
      'by the access token': async (learner) => {
        const { access_token: token } = await tokens(learner);
        for (const what of ['introspect', 'revoke'] as const) await ask(what, learner, token);
        await listRefused(learner, token);
      },
    },
    misses: {
      'a token of the client': async (learner) => {
        await ask('introspect', learner, learner.token);
        deepEqual(problem(await ask('revoke', learner, learner.token)), [400, 'unsupported-token-type']);
      },
      'a token that nobody has': async (learner) => {
        const { access_token: token } = await tokens(learner);
        for (const what of ['introspect', 'revoke'] as const) await ask(what, learner, 'x');
        await list(learner, token);
      },
      'a token that was cut off': async (learner) => {
        const { refresh_token: token } = await tokens(learner);
        await ask('introspect', learner, token);
        await ask('revoke', learner, token.slice(0, -3));
      },
      'an access token that was cut off': async (learner) => {
        const { access_token: token } = await tokens(learner);
        await ask('introspect', learner, token);
        await ask('revoke', learner, token.slice(0, -3));
      },
      'asked about another one': async (learner) => {
        const [one, other] = [await tokens(learner), await tokens(learner)];
        await ask('revoke', learner, one.access_token);
        await ask('introspect', learner, other.access_token);
        await ask('revoke', learner, 'x');
        await listRefused(learner, one.access_token);
      },
      'not asked': async (learner) => {
        const got = await tokens(learner);
        await ask('revoke', learner, got.refresh_token);
        await listRefused(learner, got.access_token);
      },
      'asked, and only forgotten': async (learner) => {
        await ask('introspect', learner, (await tokens(learner)).access_token);
      },
      'no call': async (learner) => {
        const { access_token: token } = await tokens(learner);
        for (const what of ['introspect', 'revoke'] as const) await ask(what, learner, token);
      },
      'withdrawn by the person': async (learner) => {
        const { access_token: token } = await tokens(learner);
        await ask('introspect', learner, token);
        await withdraw(learner);
        await listRefused(learner, token);
      },
      'another call': async (learner) => {
        const { access_token: token } = await tokens(learner);
        await learner.lplate.call('POST', '/policies', { token, json: { regNumber: newPlate() } });
      },
    },
    remarks: {
      'a token of the client': /which can’t be revoked/,
      'a token that nobody has': /^This was no token that you got/,
      'a token that was cut off': /^This was no token that you got, or not the whole/,
      'an access token that was cut off': /^This was no token that you got, or not the whole/,
      'asked about another one': /did not ask whether it held/,
      'not asked': /did not ask whether it held/,
      'withdrawn by the person': /^This consent was withdrawn/,
    },
    done: {
      'a token that was cut off': 1,
      'an access token that was cut off': 1,
      'asked about another one': 2,
      'not asked': 1,
      'asked, and only forgotten': 1,
      'no call': 2,
      'withdrawn by the person': 1,
    },
  },
});
