import Type, { type Static } from 'typebox';
import { PageOf } from '../http/paging.ts';
import type { CoverageCode } from './coverage-option.ts';
import { coverageCodes, defaultCoverage } from './coverage-option.ts';
import { tokenLifetime } from './tokens.ts';

// The descriptions stand in the published document and, where a value breaks a rule, in the problem's detail.

const example = {
  client: 'demo-3f9a1c5e7b2d4f60a8c1',
  secret: '2mEXAMPLExOnlyShownOnceXb3kq9tR7vW1yZ0aBcD4',
  id: 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
  instant: '2026-03-02T10:15:30.000Z',
};

const regNumber = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^-*[A-Za-z0-9][A-Za-z0-9-]*$',
  description: 'Registration number: 1 to 40 letters (A to Z), digits and dashes, at least one letter or digit.',
  examples: ['AB-1234'],
});

const holder = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  description: 'Name of the policy holder: 1 to 100 characters after trimming, no control characters.',
  examples: ['Ada Example'],
});

const coverageOption = Type.Unsafe<CoverageCode>({
  type: 'string',
  enum: coverageCodes,
  description: 'Code of a coverage option, as GET /coverage-options lists them.',
  examples: [defaultCoverage],
});

const date = (description: string, day: string) => Type.String({ format: 'date', description, examples: [day] });
const moment = (description: string) => Type.String({ format: 'date-time', description, examples: [example.instant] });

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

export const CoverageOption = Type.Object(
  {
    code: Type.String({ description: 'Code of the option.', examples: [defaultCoverage] }),
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

const credentials = {
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
};
const grant = Type.Literal('client_credentials', {
  type: 'string',
  description: 'The only grant type here.',
  examples: ['client_credentials'],
});

/** The token endpoint's body in JSON. */
export const TokenRequestJson = Type.Object(
  { ...credentials, grant_type: Type.Optional(grant) },
  { $id: 'TokenRequest', description: 'Credentials, and the scopes that the token gets.' },
);

/** The same as a form. */
export const TokenRequestForm = Type.Object(
  { grant_type: grant, ...Type.Partial(Type.Object(credentials)).properties },
  {
    $id: 'TokenRequestForm',
    description:
      'What OAuth 2.0 tools send (RFC 6749, section 4.4). With HTTP Basic the credentials are in the header.',
  },
);

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({
      description: 'A JWT. Send it as Authorization: Bearer.',
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
  },
  { $id: 'TokenResponse', description: 'A token (RFC 6749, section 5.1).' },
);

export const NewPolicy = Type.Object(
  {
    regNumber,
    holder: Type.Optional(holder),
    coverageOption: Type.Optional(coverageOption),
    startDate: Type.Optional(
      Type.String({
        format: 'date',
        description: 'First day of cover, YYYY-MM-DD: today (UTC, the default) to a year ahead.',
        examples: ['2026-03-02'],
      }),
    ),
  },
  { $id: 'NewPolicy', description: 'The data of a new policy.' },
);

export const PolicyChange = Type.Object({ holder }, { $id: 'PolicyChange', description: 'The new data of a policy.' });

export const Policy = Type.Object(
  {
    id: Type.String({
      pattern: '^pol-',
      description: 'Identifies the policy; begins with pol-.',
      examples: [example.id],
    }),
    status: Type.Unsafe<'active' | 'updated' | 'cancelled' | 'expired'>({
      type: 'string',
      enum: ['active', 'updated', 'cancelled', 'expired'],
      description: 'active and updated are in force; cancelled and expired are final.',
      examples: ['active'],
    }),
    regNumber: Type.String({ description: 'Registration number, as it was sent.', examples: ['AB-1234'] }),
    holder: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Name of the policy holder; null when none was given.',
      examples: ['Ada Example'],
    }),
    coverageOption: Type.Unsafe<CoverageCode>({
      type: 'string',
      enum: coverageCodes,
      description: 'Code of the coverage option.',
      examples: [defaultCoverage],
    }),
    startDate: date('First day of cover.', '2026-03-02'),
    endDate: date('Last day of cover, inclusive.', '2027-03-01'),
    createdAt: moment('When the policy was created.'),
    updatedAt: moment('When the policy was last changed by its client.'),
  },
  { $id: 'Policy', description: 'A motor third-party liability policy of one vehicle.' },
);

export const PolicyList = PageOf(Policy, 'PolicyList');

export const PolicyId = Type.Object({
  policyId: Type.String({ description: 'The id of a policy.', examples: [example.id] }),
});

export const Pong = Type.Object(
  {
    pong: Type.Boolean({ description: 'Always true.', examples: [true] }),
    remaining: Type.Integer({ minimum: 0, description: 'Calls that are left in this minute.', examples: [4] }),
  },
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

export type NewPolicy = Static<typeof NewPolicy>;
