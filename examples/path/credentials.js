import { createPublicKey, verify } from 'node:crypto';

/** Lessons “Credentials and tokens”. To create the client and its first token has solved two of them. */
export async function credentials(me) {
  // lesson: coverage-options
  // What is open to all needs no token. The prefix /for/CLIENT_ID says whose call it is.
  await me.bare('GET', '/insurer/v1/coverage-options');

  // lesson: token-by-form, token-by-basic
  const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

  // lesson: token-by-form
  // The same token request as a form, as OAuth libraries send it.
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: me.id, client_secret: me.secret });
  await me.bare('POST', '/insurer/v1/auth/token', { headers: formType, body: form.toString() });

  // lesson: token-by-basic
  // The id and the secret as HTTP Basic has them, and only the grant type in the form.
  const Authorization = `Basic ${Buffer.from(`${me.id}:${me.secret}`).toString('base64')}`;
  const { json } = await me.bare('POST', '/insurer/v1/auth/token', {
    headers: { ...formType, Authorization },
    body: 'grant_type=client_credentials',
  });

  // lesson: token-decoded, token-key
  // A token is three parts in base64url: header, claims, signature.
  const [header, claims, signature] = json.access_token.split('.');
  const decoded = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());

  // lesson: token-decoded
  await me.answer('token-decoded', decoded(claims).sub);

  // lesson: token-key
  // The key with the same kid checks the signature.
  const { json: keys } = await me.call('GET', '/.well-known/jwks.json', { token: undefined });
  const key = keys.keys.find(({ kid }) => kid === decoded(header).kid);
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the token was not signed with this key');
  await me.answer('token-key', key.kid);

  // lesson: wrong-secret
  // Three ways to be refused with 401. The first one is a wrong secret.
  await me.bare('POST', '/insurer/v1/auth/token', { json: { client_id: me.id, client_secret: 'wrong' } });

  // lesson: no-header
  // No header at all. WWW-Authenticate of the answer says what is wanted.
  await me.bare('GET', '/insurer/v1/policies');

  // lesson: wrong-scheme
  // The right token, but not behind the word Bearer.
  await me.bare('GET', '/insurer/v1/policies', { headers: { Authorization: `Token ${me.token}` } });

  // lesson: secret-leaked
  // The new secret first, for every program. The one before ends by itself, a day later.
  const { json: renewed } = await me.call('POST', '/range/v1/me/secret');
  me.secret = renewed.client_secret;
  me.token = await me.newToken();
  await me.advance('P1D');
  me.token = await me.newToken();
  // end
}
