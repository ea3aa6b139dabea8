import type { CallOptions } from '../support/lplate.ts';
import { form } from './calls.ts';
import type { Learner, Mistake } from './mistake.ts';

/* Credentials, scopes, tokens. */

const unknown = 'demo-0123456789abcdef0123';

/** A refused token request. */
const request = (
  title: string,
  options: (learner: Learner) => CallOptions,
  status: number,
  ...says: Mistake['says']
): Mistake => ({
  title,
  send: (learner) => learner.call('POST', '/auth/token', { token: undefined, ...options(learner) }),
  status,
  says,
});

/** By JSON, the learner's own but for what is wrong. */
const credentials = (title: string, wrong: (learner: Learner) => object, ...says: Mistake['says']): Mistake =>
  request(
    title,
    (learner) => ({ json: { client_id: learner.id, client_secret: learner.secret, ...wrong(learner) } }),
    401,
    /\/problems\/invalid-client/,
    ...says,
    'create new credentials with POST /demo-clients',
  );

const basic = (title: string, header: (learner: Learner) => string, ...says: Mistake['says']): Mistake =>
  request(
    title,
    (learner) => ({ headers: { Authorization: header(learner) } }),
    401,
    /\/problems\/invalid-client/,
    ...says,
  );

const scope = (title: string, asked: unknown, ...says: Mistake['says']): Mistake =>
  request(title, ({ id, secret }) => ({ json: { client_id: id, client_secret: secret, scope: asked } }), 400, ...says);

/** A refused request with something in the header Authorization. */
const header = (title: string, value: (learner: Learner) => string, ...says: Mistake['says']): Mistake => ({
  title,
  send: (learner) => learner.call('GET', '/policies', { token: undefined, headers: { Authorization: value(learner) } }),
  status: 401,
  says,
});

/** The same, where it is a bearer token: the answer always says how to get a new one. */
const bearer = (title: string, value: (learner: Learner) => string, ...says: Mistake['says']): Mistake =>
  header(
    title,
    (learner) => `Bearer ${value(learner)}`,
    /\/problems\/invalid-token/,
    /^www-authenticate: Bearer .*error="invalid_token"/m,
    ...says,
    'Get a new token from POST /auth/token',
  );

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const foreign = (head: object) =>
  `${encode(head)}.${encode({ iss: 'https://other.example', exp: 1 })}.${'x'.repeat(86)}`;

const howBasic = 'Send Basic and the Base64 of client_id:client_secret';
const spaces = 'policies:read policies:write claims:read claims:write (separated by spaces';

export const tokens: readonly Mistake[] = [
  credentials(
    'the id of an unknown form',
    () => ({ client_id: 'admin' }),
    'they begin with demo-, with 20 hexadecimal digits',
  ),
  credentials(
    'the name of the client in capitals',
    ({ id }) => ({ client_id: id.toUpperCase() }),
    'they begin with demo-',
  ),
  credentials('id and secret swapped', ({ id, secret }) => ({ client_id: secret, client_secret: id }), 'are swapped'),
  credentials('the id in both places', ({ id }) => ({ client_secret: id }), 'A client_id was sent as client_secret.'),
  credentials(
    'the secret in both places',
    ({ secret }) => ({ client_id: secret }),
    'A client_secret was sent as client_id.',
  ),
  credentials(
    'a token in place of the secret',
    ({ token }) => ({ client_secret: token }),
    'A token was sent as client_secret',
  ),
  credentials(
    'a line end behind the secret',
    ({ secret }) => ({ client_secret: `${secret}\n` }),
    'white space or a line end',
  ),
  credentials('a space before the id', ({ id }) => ({ client_id: ` ${id}` }), 'The client_id has white space'),
  credentials('the secret in quotes', ({ secret }) => ({ client_secret: `"${secret}"` }), 'has quotes around it'),
  credentials(
    'the secret cut',
    ({ secret }) => ({ client_secret: secret.slice(0, 20) }),
    'has 20 characters',
    'was it cut?',
  ),
  credentials('the secret twice', ({ secret }) => ({ client_secret: secret + secret }), 'has more than 43 characters'),
  credentials('an empty secret', () => ({ client_secret: '' }), 'The client_secret is empty'),
  credentials('undefined as secret', () => ({ client_secret: 'undefined' }), 'a variable without a value'),
  credentials('a placeholder of Postman', () => ({ client_secret: '{{client_secret}}' }), 'is a placeholder'),
  credentials('a placeholder of the guide', () => ({ client_id: '<client_id>' }), 'The client_id is a placeholder'),
  credentials('an object as secret', () => ({ client_secret: '[object Object]' }), 'The client_secret is an object'),
  credentials('a promise as id', () => ({ client_id: '[object Promise]' }), 'The client_id is a promise', 'await it'),
  bearer('a promise', () => '[object Promise]', 'The token is a promise that was made into a text: await it'),
  bearer('an answer', () => '[object Response]', 'The token is an object', 'send its access_token'),
  basic('Basic with nothing behind it', () => 'Basic', 'There is nothing after the word Basic', howBasic),
  basic('Basic without Base64', ({ id, secret }) => `Basic ${id}:${secret}`, 'is not encoded in Base64', howBasic),
  basic('Basic with other characters', () => 'Basic !!', 'is not Base64', howBasic),
  basic('Basic without a colon', ({ id }) => `Basic ${btoa(id)}`, 'has no colon between client_id and client_secret'),
  basic('Basic in another encoding', () => `Basic ${btoa('é:\xff')}`, 'not of a text in UTF-8'),
  basic('Basic with a % that encodes nothing', () => `Basic ${btoa(`${unknown}:100%`)}`, 'write % as %25'),
  basic('Basic with id and secret swapped', ({ id, secret }) => `Basic ${btoa(`${secret}:${id}`)}`, 'are swapped'),
  basic('Basic with a line end', ({ id, secret }) => `Basic ${btoa(`${id}:${secret}\n`)}`, 'white space or a line end'),
  request(
    'a form without grant_type',
    ({ id, secret }) => form({ client_id: id, client_secret: secret }),
    400,
    'Add grant_type=client_credentials; for a person it is authorization_code or refresh_token.',
  ),
  request(
    'the grant password',
    () => form({ grant_type: 'password', username: 'ada', password: 'x' }),
    400,
    'must be client_credentials, authorization_code or refresh_token, not password',
    'send the person to GET /auth/authorize',
    'unsupported_grant_type',
  ),
  request(
    'the grant authorization_code without all that belongs to it',
    ({ id, secret }) => form({ grant_type: 'authorization_code', code: 'x', client_id: id, client_secret: secret }),
    400,
    'redirect_uri: is missing. code_verifier: is missing.',
    'invalid_request',
  ),
  request(
    'a refresh token that is none',
    ({ id, secret }) => form({ grant_type: 'refresh_token', refresh_token: 'x', client_id: id, client_secret: secret }),
    400,
    'This is no refresh token of this client',
    'invalid_grant',
  ),
  {
    title: 'a client revokes its own token',
    send: ({ call, id, secret, token }) =>
      call('POST', '/auth/revoke', { token: undefined, json: { client_id: id, client_secret: secret, token } }),
    status: 400,
    says: ['such a token can’t be revoked: forget it', 'unsupported_token_type'],
  },
  request(
    'the grant written with a dash',
    ({ id, secret }) => form({ grant_type: 'client-credentials', client_id: id, client_secret: secret }),
    400,
    'must be client_credentials, authorization_code or refresh_token',
  ),
  request(
    'semicolons between the fields of a form',
    ({ id, secret }) => ({
      ...form({}),
      body: `grant_type=client_credentials;client_id=${id};client_secret=${secret}`,
    }),
    400,
    'Something follows it: the fields of a form are separated by &.',
  ),
  scope('commas between scopes', 'policies:read,policies:write', 'by spaces, not by commas', spaces),
  scope('plus signs between scopes', 'policies:read+policies:write', 'by spaces, not by plus signs', spaces),
  scope('a JSON list in a string', '["policies:read"]', 'not a JSON list', spaces),
  scope(
    'a JSON list',
    ['policies:read', 'claims:read'],
    'separated by spaces, such as \\"policies:read claims:read\\"',
  ),
  scope('a scope that is misspelt', 'policy:read', 'The scope policy:read does not exist.', spaces),
  scope('the scopes of OpenID Connect', 'openid profile', 'no OpenID Connect', spaces),
  {
    title: 'the secret as scope, which does not come back',
    send: ({ call, id, secret }) =>
      call('POST', '/auth/token', { json: { client_id: id, client_secret: secret, scope: secret } }),
    status: 400,
    says: ['The scope that you sent does not exist.', spaces],
  },
  scope('a semicolon between scopes', 'policies:read;claims:read', 'by spaces, by nothing else', spaces),
  {
    title: 'a scope that the client does not have',
    send: async ({ lplate, call }) => {
      const { readerClientSecret: client_secret } = lplate.secrets;
      const json = { client_id: 'preset-reader', client_secret, scope: 'policies:write' };
      return call('POST', '/auth/token', { token: undefined, json });
    },
    status: 400,
    says: ['was not granted to this client. It can request: policies:read (separated by spaces).'],
  },
  bearer('the token in quotes', ({ token }) => `"${token}"`, 'The token is in quotes'),
  bearer('the word Bearer twice', ({ token }) => `Bearer ${token}`, 'The word Bearer is there twice'),
  bearer(
    'the whole answer in place of the token',
    ({ token }) => `{"access_token":"${token}"}`,
    'send only its access_token',
  ),
  bearer('access_token= before it', ({ token }) => `access_token=${token}`, 'There is a name before the token'),
  bearer('the client_id as token', ({ id }) => id, 'That is a client_id, not a token'),
  bearer('the secret as token', ({ secret }) => secret, 'looks like a client_secret, not a token'),
  bearer('id and secret as token', ({ id, secret }) => `${id}:${secret}`, 'Those are credentials, not a token'),
  bearer('the id of a policy as token', ({ policyId }) => policyId, 'That is the id of something, not a token'),
  bearer('a placeholder in angle brackets', () => '<token>', 'The token is a placeholder'),
  bearer('a placeholder of Postman', () => '{{token}}', 'The token is a placeholder'),
  bearer('a shell variable in single quotes', () => '$TOKEN', 'The token is a placeholder'),
  bearer('undefined as token', () => 'undefined', 'a variable without a value'),
  bearer('the token cut in the middle', ({ token }) => token.slice(0, 150), 'The token was cut off'),
  bearer('the end of the token cut off', ({ token }) => token.slice(0, -5), 'The end of the token was cut off'),
  bearer(
    'a space in the token',
    ({ token }) => `${token.slice(0, 99)} ${token.slice(99)}`,
    'There is white space or a comma',
  ),
  bearer('a token of another server', () => foreign({ alg: 'ES256', kid: 'other' }), 'it is of another server'),
  bearer(
    'a token of a server with another algorithm',
    () => foreign({ alg: 'RS256' }),
    'the token is of another server',
  ),
  bearer('a token that was made up', () => 'made-up', 'The token is not a JWT of this server'),
  header(
    'the header without a token',
    () => 'Bearer',
    'was the variable with it set?',
    'Get a new token from POST /auth/token',
  ),
  header('the token without the word Bearer', ({ token }) => token, 'the word Bearer, one space and the token'),
  header('a colon behind Bearer', ({ token }) => `Bearer:${token}`, 'without quotes, colon or equals sign'),
  header('the scheme Token', ({ token }) => `Token ${token}`, 'The word before the token must be Bearer.'),
  header(
    'Basic where a token is needed',
    ({ id, secret }) => `Basic ${btoa(`${id}:${secret}`)}`,
    'is for POST /auth/token alone',
  ),
  {
    title: 'the token in the URL',
    send: ({ call, token }) => call('GET', `/policies?access_token=${token}`, { token: undefined }),
    status: 401,
    says: ['A token in the URL is not read', 'Send Authorization: Bearer with a token from POST /auth/token.'],
  },
  header('a typing error in Bearer', ({ token }) => `Barer ${token}`, 'It begins with Barer. Did you mean Bearer?'),
  bearer('the header twice', ({ token }) => `${token}, Bearer x`, 'and the header once'),
  {
    title: 'a typing error in Authorization',
    send: ({ call, token }) =>
      call('GET', '/policies', { token: undefined, headers: { Autorisation: `Bearer ${token}` } }),
    status: 401,
    says: ['The header autorisation is not read: it is spelt Authorization.'],
  },
  {
    title: 'a token that may only read',
    send: async ({ lplate, call, id, secret }) => {
      const token = await lplate.token(id, secret, 'policies:read');
      return call('POST', '/policies', { token, json: { regNumber: 'TK-1' } });
    },
    status: 403,
    says: [/\/problems\/insufficient-scope/, 'needs the scope policies:write, but the token has policies:read.'],
  },
  {
    title: 'the token in another header',
    send: ({ call, token }) => call('GET', '/policies', { token: undefined, headers: { 'X-API-Key': token } }),
    status: 401,
    says: ['The header x-api-key is not read.'],
  },
];
