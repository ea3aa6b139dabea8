import { createPublicKey, verify } from 'node:crypto';

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** Lessons “Credentials and tokens”. To create the client and its first token has solved two of them. */
export async function credentials(me) {
  // What is open to all needs no token. The prefix /for/CLIENT_ID says whose call it is.
  await me.bare('GET', '/insurer/v1/coverage-options');

  // The same token request as a form, as OAuth libraries send it, and then with HTTP Basic.
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: me.id, client_secret: me.secret });
  await me.bare('POST', '/insurer/v1/auth/token', { headers: formType, body: form.toString() });
  const Authorization = `Basic ${Buffer.from(`${me.id}:${me.secret}`).toString('base64')}`;
  const { json } = await me.bare('POST', '/insurer/v1/auth/token', {
    headers: { ...formType, Authorization },
    body: 'grant_type=client_credentials',
  });

  // A token is three parts in base64url: header, claims, signature.
  const [header, claims, signature] = json.access_token.split('.');
  const decoded = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());
  await me.answer('token-decoded', decoded(claims).sub);

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

  // Three ways to be refused with 401.
  await me.bare('POST', '/insurer/v1/auth/token', { json: { client_id: me.id, client_secret: 'wrong' } });
  await me.bare('GET', '/insurer/v1/policies');
  await me.bare('GET', '/insurer/v1/policies', { headers: { Authorization: `Token ${me.token}` } });
}
