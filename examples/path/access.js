import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { call, newPlate } from './learner.js';

const { CLIENT_CERT, CLIENT_KEY } = process.env;

/** Lessons “Scopes and lifetimes”. */
export async function access(me) {
  // lesson: scope-needed
  // A token that can only read is known (so it is not 401), but can't create (403).
  const regNumber = newPlate();
  const create = (token) => me.call('POST', '/insurer/v1/policies', { token, json: { regNumber } });
  const refused = await create(await me.newToken('policies:read'));

  // The refusal names the scope that is missing. The same call succeeds with a token that has it.
  const [, needed] = /scope="([^"]+)"/.exec(refused.headers.get('www-authenticate'));
  await create(await me.newToken(needed));

  // lesson: scope-refused
  // A scope that does not exist: no token at all, rather than one with less.
  await me.bare('POST', '/insurer/v1/auth/token', {
    json: { client_id: me.id, client_secret: me.secret, scope: 'policies:admin' },
  });

  // lesson: token-expired
  // After an hour, which the clock of this client skips, the token has expired. The call is kept, and made again with
  // a new token.
  await me.advance('PT61M');
  const list = () => me.call('GET', '/insurer/v1/policies');
  const { status, headers } = await list();
  if (status === 401 && headers.get('www-authenticate').includes('error="invalid_token"')) {
    me.token = await me.newToken();
    await list();
  }

  // lesson: unknown-key
  // What checks tokens keeps the keys, and gets them again when a token names another kid. Here they are those of this
  // client, since nobody else has the key of the drill.
  let keys = [];
  const keyOf = async (token) => {
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString());
    const isMeant = (key) => key.kid === kid;
    if (!keys.some(isMeant)) keys = (await me.bare('GET', '/.well-known/jwks.json')).json.keys;
    return keys.find(isMeant);
  };
  await keyOf(me.token);
  await me.startDrill('rotate-key', { publishedFor: 0 });
  const token = await me.newToken();
  if (!(await keyOf(token))) throw new Error('there is no key of this kid');
  await me.call('GET', '/insurer/v1/policies', { token });
  await me.endDrill('rotate-key');
  // end

  if (CLIENT_CERT) await boundToken(me);
}

// lesson: mutual-tls
/** A token that holds only with the certificate over whose connection it was asked for. */
async function boundToken(me) {
  const presenting = withCertificate(await readFile(CLIENT_CERT), await readFile(CLIENT_KEY));
  const json = { client_id: me.id, client_secret: me.secret };
  const bound = await call('POST', '/insurer/v1/auth/token', { json, fetch: presenting });
  const token = bound.json.access_token;
  // Whoever has copied the token, but not the key, is refused: 401.
  await me.call('GET', '/insurer/v1/policies', { token });
  await me.call('GET', '/insurer/v1/policies', { token, fetch: presenting });
}

/** A fetch that presents a certificate, which that of Node.js can't. */
function withCertificate(cert, key) {
  return (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, cert, key }, async (answer) => {
        resolve(new Response(await text(answer), { status: answer.statusCode, headers: answer.headers }));
      });
      sent.on('error', reject).end(body);
    });
}
// end
