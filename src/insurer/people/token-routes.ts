import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { credentialAdvice } from '../../clients/credential-advice.ts';
import type { ClientsPart } from '../../clients/index.ts';
import { invalidClient, readTokenQuestion } from '../../clients/token-request.ts';
import { thumbprint } from '../../clients/tokens.ts';
import { type Api, type EndpointText, type Handlers, tableOf } from '../../http/endpoint.ts';
import { ofTokens } from '../../http/problems/oauth-error.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { audience } from '../../http/requests/bearer.ts';
import { sentTo } from '../routes.ts';
import { TokenRequest } from '../schemas.ts';

/* What a client can do with a token besides calling with it: end it (RFC 7009), and ask what it is (RFC 7662). */

const { client_id, client_secret } = TokenRequest.properties;

const TokenQuestion = Type.Object(
  {
    client_id,
    client_secret,
    token: Type.String({
      description: 'An access token or a refresh token of this client.',
      examples: ['AZOMXn0qfDGbHl8MKk1ujwAAAAHUWb2uYQ0bXH0eY5q9X8yGf2v3rJ6kL1c'],
    }),
    token_type_hint: Type.Optional(
      Type.String({
        description: 'access_token or refresh_token. The token is found without it.',
        examples: ['refresh_token'],
      }),
    ),
  },
  {
    $id: 'TokenQuestion',
    description:
      'Credentials, and the token. If you send the credentials by HTTP Basic, leave client_id and client_secret out.',
  },
);

const text = (description: string, example: string) => Type.Optional(Type.String({ description, examples: [example] }));
const number = (description: string, example: number) =>
  Type.Optional(Type.Integer({ description, examples: [example] }));

const TokenFacts = Type.Object(
  {
    active: Type.Boolean({
      description: 'Whether it holds. Of a token that does not nothing else is told.',
      examples: [true],
    }),
    scope: text('The scopes of the token.', 'policies:read'),
    client_id: text('The client that got it.', 'demo-3f9a1c5e7b2d4f60a8c1'),
    username: text('The user name of the person that it is for.', 'ida'),
    token_type: text('Bearer for an access token.', 'Bearer'),
    exp: number('When it expires, in seconds since 1970.', 1_790_000_000),
    iat: number('When it was issued, in seconds since 1970.', 1_789_996_400),
    sub: text('The person that it is for, or the client.', 'per-5f0c2a4d-6e8f-4c31-9b1e-01938c5e7d2a'),
    aud: text('Whom it is meant for.', audience),
    iss: text('The address by which it was got.', 'https://lplate.example'),
  },
  { $id: 'TokenFacts', description: 'What a token is (RFC 7662, section 2.2).' },
);

/** Where the service asks for client certificates. */
const BoundTokenFacts = Type.Object(
  {
    ...TokenFacts.properties,
    cnf: Type.Optional(
      Type.Object(
        { [thumbprint]: Type.String({ examples: ['bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2'] }) },
        {
          description:
            'The certificate without which an access token is not taken, by its SHA-256 in base64url (RFC 8705, section 3.2). Absent if it is bound to none.',
        },
      ),
    ),
  },
  { $id: 'TokenFacts', description: 'What a token is (RFC 7662, section 2.2).' },
);

const body = {
  content: {
    'application/json': { schema: TokenQuestion },
    'application/x-www-form-urlencoded': { schema: TokenQuestion, least: ['client_id', 'client_secret', 'token'] },
  },
};

const common = { tags: ['Clients and tokens'], security: [{}, { basic: [] }], body };

const texts = {
  revokeToken: {
    schema: {
      operationId: 'revokeToken',
      ...common,
      summary: 'Revoke a token',
      description:
        'For tokens of a person (RFC 7009). With an access token or a refresh token ends all that came of the same consent. A token that is unknown, or of another client, is answered in the same way. A token that a client got for itself can’t be revoked: it expires within an hour.',
      response: { 200: {} },
    },
    success: 'The token holds no more, or never did.',
    headers: ofTokens,
    guesses: ['revoke', 'auth/revocation', 'oauth/revoke', 'logout', 'auth/logout'],
  },
  introspectToken: {
    schema: {
      operationId: 'introspectToken',
      ...common,
      summary: 'Ask what a token is',
      description: 'Whether a token of this client holds, whom it is for, and until when (RFC 7662).',
      response: { 200: BoundTokenFacts },
    },
    success: 'What is known of the token.',
    headers: ofTokens,
    guesses: ['introspect', 'oauth/introspect', 'auth/introspection', 'tokeninfo', 'userinfo'],
  },
} satisfies Record<string, EndpointText>;

const { introspectToken } = texts;

/** Where the service asks for no certificates. */
const unboundTexts = {
  ...texts,
  introspectToken: {
    ...introspectToken,
    schema: { ...introspectToken.schema, response: { 200: TokenFacts as typeof BoundTokenFacts } },
  },
};

/** `binds`: whether tokens may be bound to certificates. */
export function tokenRoutes(
  api: Api,
  options: Pick<ClientsPart, 'clients' | 'consents' | 'mint'>,
  binds: boolean,
): void {
  const route = tableOf(api, binds ? texts : unboundTexts, handlers(options));
  const behaviour = { body: 'json-or-form', oauthErrors: true, countedByAddress: true } as const;
  route('POST', '/auth/revoke', 'revokeToken', undefined, ['invalid-client', 'unsupported-token-type'], behaviour);
  route('POST', '/auth/introspect', 'introspectToken', undefined, ['invalid-client'], behaviour);
}

function handlers(options: Pick<ClientsPart, 'clients' | 'consents' | 'mint'>): Handlers<typeof texts> {
  const { clients, consents, mint } = options;

  async function readCall(request: FastifyRequest): Promise<{ clientId: string; token: string }> {
    const sent = readTokenQuestion(sentTo(request));
    const client = await clients.recognise(sent.clientId, sent.clientSecret);
    if (!client) throw invalidClient(credentialAdvice(sent));
    if (!(await clients.use(client.id))) throw invalidClient();
    request.clientId = client.id;
    request.secretUsed = client.secretUsed;
    return { clientId: client.id, token: sent.token };
  }

  async function accessTokenOf(clientId: string, token: string) {
    const facts = await mint.factsOf(token);
    return facts?.clientId === clientId ? facts : undefined;
  }

  return {
    async revokeToken(request, reply) {
      reply.headers(ofTokens);
      const { clientId, token } = await readCall(request);
      const facts = await accessTokenOf(clientId, token);
      if (facts && facts.consentId === undefined) throw ownToken();
      request.hasRevoked =
        facts?.consentId === undefined
          ? await consents.revokeRefreshToken(clientId, token)
          : await consents.revoke(clientId, facts.consentId);
      return reply.code(200).send();
    },

    async introspectToken(request, reply) {
      reply.headers(ofTokens);
      const { clientId, token } = await readCall(request);
      const facts = await accessTokenOf(clientId, token);
      if (facts) {
        return {
          active: true,
          scope: [...facts.scopes].join(' '),
          client_id: clientId,
          ...(facts.userName !== undefined && { username: facts.userName }),
          token_type: 'Bearer',
          exp: facts.expiresAt,
          iat: facts.issuedAt,
          sub: facts.subject,
          aud: audience,
          iss: facts.issuer,
          ...(facts.boundTo !== undefined && { cnf: { [thumbprint]: facts.boundTo } }),
        };
      }
      const held = await consents.held(clientId, token);
      if (!held) return { active: false };
      return {
        active: true,
        scope: held.scopes.join(' '),
        client_id: clientId,
        username: held.userName,
        exp: Math.floor(held.expiresAt / 1000),
        iat: Math.floor(held.issuedAt / 1000),
        sub: held.personId,
      };
    },
  };
}

function ownToken(): ProblemError {
  const detail =
    'This token is the client’s own, for no person, and such a token can’t be revoked: forget it. It expires at most an hour after you got it.';
  return new ProblemError('unsupported-token-type', detail);
}
