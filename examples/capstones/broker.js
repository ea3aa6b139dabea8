import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../path/learner.js';
import { insist } from './survive.js';

/* An app that people let in, or not. What it knows of them is its book, which can be saved: an entry for each user name. */

const redirectUri = 'http://127.0.0.1/callback';

/** Milliseconds between two rounds: with ten people, the limit of calls a minute is soon reached. */
const betweenRounds = 18_000;

/**
 * Serves people, round by round; the last round begins at `until`. Resolves with the book. `save` is given it whenever there
 * is news in it.
 */
export async function serve(me, people, until, book = {}, save = () => {}) {
  await insist(me, 'PUT', '/range/v1/me/redirect-uris', { json: { redirectUris: [redirectUri] } });
  for (;;) {
    const left = Date.parse(until) - Date.now();
    for (const person of people) await serveOne(me, person, book, () => save(book));
    if (left <= 0) return book;
    await pause(Math.min(betweenRounds, Math.max(0, Date.parse(until) - Date.now() + 100)));
  }
}

/** The report of what is in the book. */
export const reportOf = (book) => ({
  policies: Object.fromEntries(
    Object.entries(book).flatMap(([userName, { policies }]) => (policies ? [[userName, policies]] : [])),
  ),
  refused: Object.keys(book).filter((userName) => book[userName].isClosed === 'refused'),
});

async function serveOne(me, person, book, save) {
  const { userName } = person;
  const note = (entry) => {
    book[userName] = entry;
    save();
  };
  if (book[userName]?.isClosed) return;
  if (!book[userName]) {
    const tokens = await ask(me, person);
    note(tokens ? { tokens } : { isClosed: 'refused' });
    if (!tokens) return;
  }
  const { tokens, policies } = book[userName];
  const read = await call('GET', '/insurer/v1/policies', { token: tokens.access_token });
  if (read.status === 200) {
    note({ tokens, policies: read.json.items.map(({ id }) => id) });
    return;
  }
  // Expired, or ended: the refresh tells. Each refresh token holds once, so the next one is saved before it is used.
  const next = await grant(me, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  if (next.status === 200) note({ tokens: next.json, policies });
  // Who has left is not asked again, and nothing of theirs stays. After a theft nobody but the person can help.
  else if (await hasLeft(me, person)) note({ isClosed: 'left' });
  else delete book[userName];
  await serveOne(me, person, book, save);
}

async function hasLeft(me, { personId }) {
  const { json } = await insist(me, 'GET', '/range/v1/me/consents?pageSize=100');
  return json.items.find((each) => each.personId === personId)?.endedBy === 'withdrawn';
}

/** Sends a person to the authorization endpoint. Resolves with the tokens; undefined if they refuse. */
async function ask(me, { userName, password }) {
  const [state, verifier] = [16, 32].map((bytes) => randomBytes(bytes).toString('base64url'));
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: me.id, redirect_uri: redirectUri, state, scope: 'policies:read' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  // What the browser of the person does, since they are made up: sign in, and send the decision.
  const page = `/insurer/v1/auth/authorize?${query}`;
  const { text } = await call('POST', page, { body: new URLSearchParams({ userName, password }) });
  const [, ticket] = /name="ticket" value="([^"]+)"/.exec(text);
  const body = new URLSearchParams({ ticket, decision: 'allow', scope: 'policies:read' });
  const { headers } = await call('POST', page, { body, redirect: 'manual' });
  const back = new URL(headers.get('location')).searchParams;
  if (back.get('state') !== state) throw new Error('this redirect does not answer our request');
  if (back.get('error') === 'access_denied') return undefined;
  const code = { code: back.get('code'), redirect_uri: redirectUri, code_verifier: verifier };
  return (await grant(me, { grant_type: 'authorization_code', ...code })).json;
}

function grant(me, fields) {
  const json = { client_id: me.id, client_secret: me.secret, ...fields };
  return call('POST', '/insurer/v1/auth/token', { json });
}
