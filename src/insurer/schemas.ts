import Type, { type Static } from 'typebox';
import { tokenLifetime } from '../clients/tokens.ts';
import { updatedSince, updatedSinceNames } from '../http/requests/changed-since.ts';
import { OptionalPageQuery, PageOf } from '../http/requests/paging.ts';
import { coverageCode, defaultCoverage } from './coverage-option.ts';
import { Policy, policyStatus } from './policy.ts';
import { regNumber } from './registration-number.ts';

// The shapes of a policy stand in policy.ts. The descriptions stand in the published document and, where a value breaks
// a rule, in the problem's detail.

const example = {
  client: 'demo-3f9a1c5e7b2d4f60a8c1',
  secret: '2mEXAMPLExOnlyShownOnceXb3kq9tR7vW1yZ0aBcD4',
};

export const DemoClient = Type.Object(
  {
    client_id: Type.String({ pattern: '^demo-', description: 'Identifies the client.', examples: [example.client] }),
    client_secret: Type.String({
      description: 'Shown only in this response. You can’t get it again.',
      examples: [example.secret],
    }),
  },
  { $id: 'DemoClient', description: 'Throwaway credentials.' },
);

const CoverageOption = Type.Object(
  {
    code: coverageCode('Code of the option.', defaultCoverage),
    name: Type.String({
      description: 'Human-readable name.',
      examples: ['Motor third-party liability, twelve months'],
    }),
    term: Type.String({
      format: 'duration',
      description: 'How long it covers, as an ISO 8601 duration.',
      examples: ['P1Y'],
    }),
  },
  { $id: 'CoverageOption', description: 'How long a policy can last.' },
);

export const CoverageOptions = Type.Object(
  { options: Type.Array(CoverageOption, { description: 'Shortest first.' }) },
  { $id: 'CoverageOptions', description: 'The coverage options.' },
);

/** The token endpoint's body, in JSON and as a form. */
export const TokenRequest = Type.Object(
  {
    client_id: Type.String({
      description: 'From POST /demo-clients, or of a preconfigured client.',
      examples: [example.client],
    }),
    client_secret: Type.String({ description: 'The secret of this client.', examples: [example.secret] }),
    scope: Type.Optional(
      Type.String({
        description:
          'The scopes that the token gets, separated by spaces. Absent or blank: all that the client was granted.',
        examples: ['policies:read'],
      }),
    ),
    grant_type: Type.Optional(
      Type.Literal('client_credentials', {
        type: 'string',
        description: 'The grant of a client for itself. Required in a form (RFC 6749, section 4.4).',
        examples: ['client_credentials'],
      }),
    ),
  },
  {
    $id: 'TokenRequest',
    description:
      'Credentials, and the scopes that the token gets. If you send the credentials by HTTP Basic, leave client_id and client_secret out.',
  },
);

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({
      description: 'A JWT of the type at+jwt (RFC 9068). Send it as Authorization: Bearer.',
      examples: ['eyJhbGciOi…'],
    }),
    token_type: Type.Unsafe<'Bearer'>({
      type: 'string',
      enum: ['Bearer'],
      description: 'The type of the token.',
      examples: ['Bearer'],
    }),
    expires_in: Type.Integer({ description: 'How many seconds the token is valid.', examples: [tokenLifetime] }),
    scope: Type.String({ description: 'The scopes of the token.', examples: ['policies:read policies:write'] }),
    refresh_token: Type.Optional(
      Type.String({
        description: 'Only for a person, who signed in and let the client in: it gets the next token.',
        examples: ['AZOMXn0qfDGbHl8MKk1ujwAAAAHUWb2uYQ0bXH0eY5q9X8yGf2v3rJ6kL1c'],
      }),
    ),
  },
  {
    $id: 'TokenResponse',
    description: 'A token (RFC 6749, section 5.1).',
  },
);

export const PolicyList = PageOf(Policy, 'PolicyList');

export const PolicyQuery = Type.Object({
  ...OptionalPageQuery.properties,
  status: Type.Optional(policyStatus('Only policies that have this status today.', 'active')),
  regNumber: Type.Optional(
    Type.Unsafe<string>({
      ...regNumber,
      description: 'Only policies for this vehicle. Case and dashes make no difference.',
    }),
  ),
  updatedSince,
});

/** What people call the filters. */
export const policyFilterNames = {
  ...{ plate: 'regNumber', platenumber: 'regNumber', numberplate: 'regNumber', licenseplate: 'regNumber' },
  ...{ licenceplate: 'regNumber', registration: 'regNumber', registrationnumber: 'regNumber', vehicle: 'regNumber' },
  ...{ vrm: 'regNumber', vrn: 'regNumber', regkey: 'regNumber', state: 'status', policystatus: 'status' },
  ...updatedSinceNames,
};

export type PolicyQuery = Static<typeof PolicyQuery>;

export const PolicyId = Type.Object({
  policyId: Type.String({ description: 'The id of one of your policies; it begins with pol-.' }),
});

export const Pong = Type.Object(
  {
    pong: Type.Boolean({ description: 'Always true.', examples: [true] }),
    remaining: Type.Integer({ minimum: 0, description: 'Calls that are left in this minute.', examples: [4] }),
  },
  { $id: 'Pong', description: 'The answer to a probe.' },
);

/** Where the limit of the probe is off. */
export const UncountedPong = Type.Object(
  { pong: Type.Boolean({ description: 'Always true.', examples: [true] }) },
  { $id: 'Pong', description: 'The answer to a probe.' },
);

export const PolicyCheck = Type.Object({ regNumber }, { $id: 'PolicyCheck', description: 'The vehicle to check.' });

export const PolicyCheckResult = Type.Object(
  {
    regNumber: Type.String({ description: 'As it was sent.', examples: ['AB-1234'] }),
    insured: Type.Boolean({ description: 'Whether a policy in force covers the vehicle today.', examples: [true] }),
  },
  { $id: 'PolicyCheckResult', description: 'Whether the vehicle is insured.' },
);

const certificateStatuses = ['accepted', 'refused', 'missing'] as const;

/** Where the service asks for client certificates: an exercise. */
export const CertifiedPolicyCheckResult = Type.Object(
  {
    ...PolicyCheckResult.properties,
    clientCertificate: Type.Object(
      {
        status: Type.Unsafe<(typeof certificateStatuses)[number]>({
          type: 'string',
          enum: [...certificateStatuses],
          description:
            '`accepted`: an authority that the service knows signed it, and it is valid. `refused`: not so; `reason` says why. `missing`: none was presented.',
          examples: ['accepted'],
        }),
        subject: Type.Optional(Type.String({ description: 'Whose it is, as it says.', examples: ['CN=Learner'] })),
        fingerprint: Type.Optional(
          Type.String({ description: 'The SHA-256 of the certificate, in hexadecimal.', examples: ['5F:0C:2A'] }),
        ),
        reason: Type.Optional(
          Type.String({ description: 'Why it was refused, or how to present one.', examples: ['It has expired.'] }),
        ),
      },
      { description: 'The certificate that the client presented in TLS. It does not change the rest of the answer.' },
    ),
  },
  {
    $id: 'CertifiedPolicyCheckResult',
    description: 'Whether the vehicle is insured, and what the service saw of the client’s certificate.',
  },
);

export type CoverageOption = Static<typeof CoverageOption>;
