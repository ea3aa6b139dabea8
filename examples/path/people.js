import { createHash, randomBytes } from 'node:crypto';
import { call } from './learner.js';

const redirectUri = 'http://127.0.0.1/callback';
const policies = '/insurer/v1/policies';

/** Lessons “People”. */
export async function people(me) {
  // Where people may be sent back to, and one of them. They are made up, so this program plays their browser, too.
  await me.call('PUT', '/range/v1/me/redirect-uris', { json: { redirectUris: [redirectUri] } });
  const [person] = (await me.call('GET', '/range/v1/me/people')).json.items;

  // lesson: let-somebody-in
  // With the token of a person: their policies, and nothing else.
  const tokens = await letIn(me, person);
  await me.call('GET', policies, { token: tokens.access_token });

  // lesson: state-not-yours
  // The redirect has a state that this app never sent. So its code is somebody else's, and is thrown away.
  await me.startDrill('forged-callback');
  const own = newRequest();
  const forged = await sendThere(me, person, own);
  if (forged.get('state') === own.state) throw new Error('it is not forged');
  await me.endDrill('forged-callback');
  // All anew: another state, another verifier, another code.
  await letIn(me, person);

  // lesson: verifier-fits
  // Who found the code does not have the verifier: 400 invalid_grant. The app has it.
  const request = newRequest();
  const redirect = await sendThere(me, person, request);
  await exchange(me, redirect, newRequest());
  await exchange(me, redirect, request);

  // lesson: ask-for-less
  // Two scopes are asked for and one is allowed. The answer says which, so no call is made in vain.
  const less = await letIn(me, person, 'policies:read claims:read', ['policies:read']);
  const may = less.scope.split(' ');
  if (may.includes('policies:read')) await me.call('GET', policies, { token: less.access_token });
  if (may.includes('claims:read')) await me.call('GET', '/claims/v1/claims', { token: less.access_token });

  // lesson: token-renews-itself
  // An hour later the token has expired. The refresh token brings the next one, and the next refresh token.
  let renewed = await letIn(me, person);
  await me.advance('PT61M');
  const { status } = await me.call('GET', policies, { token: renewed.access_token });
  if (status === 401) {
    renewed = (await refresh(me, renewed)).json;
    await me.call('GET', policies, { token: renewed.access_token });
  }
  // end
  me.token = await me.newToken();

  // lesson: refresh-token-twice
  // The same refresh token once more: 400 invalid_grant, and all that came of the consent has ended with it, the newest
  // tokens, too. Only the person can help.
  const first = await letIn(me, person);
  const { json: second } = await refresh(me, first);
  await refresh(me, first);
  await me.call('GET', policies, { token: second.access_token });
  await letIn(me, person);

  // lesson: they-changed-their-mind
  // The person withdraws the consent. 401 may mean that the token has expired, so the app refreshes: 400 invalid_grant is
  // final, and the person is asked again.
  const withdrawn = await letIn(me, person);
  const { json: consents } = await me.call('GET', '/range/v1/me/consents');
  await me.call('DELETE', `/range/v1/me/consents/${consents.items[0].consentId}`);
  const refused = await me.call('GET', policies, { token: withdrawn.access_token });
  const final = refused.status === 401 && (await refresh(me, withdrawn));
  if (final.json.error === 'invalid_grant') await letIn(me, person);

  // lesson: log-out-for-real
  // The token holds, is revoked, and holds no more: with it ends all that came of the same consent.
  const session = await letIn(me, person);
  const about = { client_id: me.id, client_secret: me.secret, token: session.refresh_token };
  const { json: facts } = await call('POST', '/insurer/v1/auth/introspect', { json: about });
  if (facts.active) await call('POST', '/insurer/v1/auth/revoke', { json: about });
  await me.call('GET', policies, { token: session.access_token });
  // end
}

// lesson: let-somebody-in, state-not-yours, verifier-fits, ask-for-less, token-renews-itself, refresh-token-twice, they-changed-their-mind, log-out-for-real
/** The whole flow. Resolves with the tokens. */
async function letIn(me, person, scope, allowed) {
  const request = newRequest();
  const redirect = await sendThere(me, person, request, scope, allowed);
  if (redirect.get('state') !== request.state) throw new Error('this redirect does not answer our request');
  return (await exchange(me, redirect, request)).json;
}

/** What the app makes for one request, and keeps in the session of the browser. */
function newRequest() {
  return { state: randomBytes(16).toString('base64url'), verifier: randomBytes(32).toString('base64url') };
}

/** What the browser does: the person signs in, and allows something. Resolves with what it brings back to the app. */
async function sendThere(me, person, { state, verifier }, scope = 'policies:read', allowed = scope.split(' ')) {
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: me.id, redirect_uri: redirectUri, state, scope },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = `/insurer/v1/auth/authorize?${query}`;
  // The form of the page is sent to its own address, so the page need not be read first.
  const { userName, password } = person;
  const { text } = await call('POST', page, { body: new URLSearchParams({ userName, password }) });
  const [, ticket] = /name="ticket" value="([^"]+)"/.exec(text);
  const decision = new URLSearchParams({ ticket, decision: 'allow' });
  for (const each of allowed) decision.append('scope', each);
  const { headers } = await call('POST', page, { body: decision, redirect: 'manual' });
  return new URL(headers.get('location')).searchParams;
}

/** A code for tokens. Within a minute, and once. */
function exchange(me, redirect, { verifier }) {
  const code = { code: redirect.get('code'), redirect_uri: redirectUri, code_verifier: verifier };
  return grant(me, { grant_type: 'authorization_code', ...code });
}

/** A refresh token for the next tokens. Once. */
function refresh(me, { refresh_token }) {
  return grant(me, { grant_type: 'refresh_token', refresh_token });
}

function grant(me, fields) {
  const json = { client_id: me.id, client_secret: me.secret, ...fields };
  return call('POST', '/insurer/v1/auth/token', { json });
}
// end
