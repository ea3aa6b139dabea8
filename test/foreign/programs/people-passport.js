// A web app that a person lets in, by Passport, with a session in a cookie. Arguments: issuer, origin, client, secret.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';

const [issuer, origin, clientID, clientSecret] = process.argv.slice(2);
const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const app = `http://127.0.0.1:${server.address().port}`;

const { authorization_endpoint: authorizationURL, token_endpoint: tokenURL } = metadata;
const strategy = new OAuth2Strategy(
  {
    ...{ authorizationURL, tokenURL, clientID, clientSecret, callbackURL: `${app}/callback` },
    ...{ scope: 'policies:read claims:read', pkce: true, state: true },
  },
  (access, refresh, { scope }, _profile, done) => done(null, { access, refresh, scope }),
);

const sessions = new Map();

function sessionOf(request, response) {
  const known = sessions.get(/\bsession=([\w-]+)/.exec(request.headers.cookie)?.[1]);
  if (known) return known;
  const [id, session] = [randomUUID(), {}];
  sessions.set(id, session);
  response.setHeader('Set-Cookie', `session=${id}; HttpOnly; Path=/`);
  return session;
}

/** What came of the person who was sent out last. */
let decided;

server.on('request', (request, response) => {
  const { pathname, searchParams } = new URL(request.url, app);
  // A browser asks for more than it was sent for.
  if (!['/login', '/callback'].includes(pathname)) return response.writeHead(404).end();
  request.session = sessionOf(request, response);
  request.query = Object.fromEntries(searchParams);
  const decide = (error, user, info) => {
    response.setHeader('Connection', 'close').end('Go on in the app.', () => decided(user || (error ?? info).message));
  };
  // It leaves that to the app.
  if (pathname === '/callback' && request.query.iss !== metadata.issuer) return decide(new Error('another iss'));
  return passport.authenticate(strategy, { session: false }, decide)(request, response);
});

async function letIn() {
  const refusals = [];
  while (true) {
    const next = new Promise((resolve) => {
      decided = resolve;
    });
    console.log(`${app}/login`);
    const user = await next;
    if (typeof user !== 'string') return { user, refusals };
    refusals.push(user);
  }
}

/** By the client that the strategy has: it refreshes nothing by itself. */
function refresh(token) {
  const { _oauth2: client } = strategy;
  return new Promise((resolve, reject) => {
    client.getOAuthAccessToken(token, { grant_type: 'refresh_token' }, (error, access, next) =>
      error ? reject(error) : resolve({ access, refresh: next }),
    );
  });
}

async function policies(token) {
  const answer = await fetch(`${origin}/insurer/v1/policies`, { headers: { Authorization: `Bearer ${token}` } });
  return answer.ok ? (await answer.json()).items.map(({ id }) => id) : answer.status;
}

const { user, refusals } = await letIn();
server.close();
// A browser keeps some that it may need.
server.closeAllConnections();
const seen = await policies(user.access);
const renewed = await refresh(user.refresh);
const again = await policies(renewed.access);
const form = { token: renewed.refresh, client_id: clientID, client_secret: clientSecret };
await fetch(metadata.revocation_endpoint, { method: 'POST', body: new URLSearchParams(form) });
const refused = await refresh(renewed.refresh).then(
  () => 'it still holds',
  ({ data }) => JSON.parse(data).error,
);
const ended = [await policies(renewed.access), refused];
console.log(JSON.stringify({ refusals, scope: user.scope, seen, again, ended }));
