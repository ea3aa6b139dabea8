import Type from 'typebox';
import type { EndpointText } from '../http/endpoint.ts';
import { ofTokens } from '../http/problems/oauth-error.ts';
import { ndjson } from '../http/requests/bodies.ts';
import { IdempotencyKey } from '../http/requests/idempotency-key.ts';
import { OptionalPageQuery } from '../http/requests/paging.ts';
import { ChangeConditions, ReadConditions } from '../http/requests/preconditions.ts';
import { Erasure, ErasureId } from './erasure.ts';
import { ErasureDraft, Policy, PolicyChange, PolicyDraft } from './policy.ts';
import {
  ImportId,
  keptDays,
  keptPerClient,
  PolicyImport,
  PolicyImportList,
  PolicyImportRowList,
  PolicyImportRowQuery,
} from './policy-import.ts';
import {
  CertifiedPolicyCheckResult,
  CoverageOptions,
  DemoClient,
  PolicyCheck,
  PolicyCheckResult,
  PolicyId,
  PolicyList,
  PolicyQuery,
  Pong,
  policyFilterNames,
  TokenRequest,
  TokenResponse,
  UncountedPong,
} from './schemas.ts';

export const base = '/insurer/v1';

/** How several policies are created at once. */
export const manyPolicies = `Several at once: POST /policy-imports, one JSON object a line, with Content-Type: ${ndjson}; with curl by --data-binary, since -d joins lines.`;

const itsId = { parameters: { policyId: '$response.body#/id' } };

/** The shapes and texts of endpoints 1 to 8. */
export const texts = {
  createDemoClient: {
    schema: {
      operationId: 'createDemoClient',
      tags: ['Clients and tokens'],
      summary: 'Create throwaway credentials',
      description:
        'The client gets every scope. There is no `Location`: a client has no address. After a day without use, or as many as `KEEP_CLIENTS_DAYS` says, it is removed, with its policies; with `off` it never is. There is a limit to how many clients one address can create a day. When you reach it, the `RateLimit-` headers describe that limit.',
      response: { 201: DemoClient },
    },
    success: 'The credentials. The secret is not shown again.',
    links: {
      createToken: {
        operationId: 'createToken',
        description: 'The credentials can be exchanged for a token.',
        requestBody: { client_id: '$response.body#/client_id', client_secret: '$response.body#/client_secret' },
      },
    },
    guesses: ['clients', 'register', 'credentials', 'auth/clients', 'auth/register', 'oauth/register'],
    instead: {
      GET: 'Credentials are shown only once, when they are created: POST, without a body, creates new ones.',
      DELETE: 'A demo client is removed when it was not used for a day, or as long as this service keeps it.',
    },
  },
  listCoverageOptions: {
    schema: {
      operationId: 'listCoverageOptions',
      tags: ['Policies'],
      summary: 'List the coverage options',
      description: 'How long a policy can cover a vehicle. Send the code when you create a policy.',
      response: { 200: CoverageOptions },
    },
    success: 'All coverage options.',
    guesses: ['coverage', 'coverages', 'options', 'products'],
  },
  createToken: {
    schema: {
      operationId: 'createToken',
      tags: ['Clients and tokens'],
      summary: 'Exchange credentials for a bearer token',
      description:
        'Send JSON, or a form as OAuth 2.0 tools do, with the credentials in the form or by HTTP Basic. With `scope` the token gets fewer scopes. You can’t request a scope that the client was not granted.',
      security: [{}, { basic: [] }],
      body: {
        content: {
          'application/json': { schema: TokenRequest },
          'application/x-www-form-urlencoded': {
            schema: TokenRequest,
            least: ['grant_type', 'client_id', 'client_secret'],
          },
        },
      },
      response: { 200: TokenResponse },
    },
    success: 'The token.',
    // A client for itself gets none.
    example: { refresh_token: undefined },
    headers: ofTokens,
    guesses: ['login', 'auth/login', 'authenticate', 'auth'],
    instead: {
      GET: 'Get a token with POST: client_id and client_secret as JSON, or a form with grant_type=client_credentials. Never send them in the URL, which logs keep.',
      PUT: 'Get a token with POST: client_id and client_secret as JSON, or a form with grant_type=client_credentials.',
      DELETE:
        'POST /auth/revoke ends a token of a person. One of a client for itself can’t be revoked: it expires after 60 minutes.',
    },
  },
  createPolicy: {
    schema: {
      operationId: 'createPolicy',
      tags: ['Policies'],
      summary: 'Create a policy',
      description:
        'Insures a vehicle. A vehicle can have one policy in force, across all clients. Case and dashes in the registration number don’t matter: `ab1234` and `AB-1234` are the same vehicle. Send an `Idempotency-Key` if you may have to repeat the request.',
      headers: IdempotencyKey,
      body: PolicyDraft,
      response: { 201: Policy },
    },
    success: 'The policy, in force.',
    headers: {
      Location: `${base}/policies/pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f`,
      ETag: '"1-active"',
    },
    optionalHeaders: ['Idempotency-Replayed'],
    links: {
      readPolicy: { operationId: 'readPolicy', ...itsId, description: 'The policy can be read.' },
      updatePolicy: { operationId: 'updatePolicy', ...itsId, description: 'Its holder can be changed.' },
      cancelPolicy: { operationId: 'cancelPolicy', ...itsId, description: 'It can be cancelled.' },
      registerClaim: {
        operationRef: '/claims/v1/openapi.yaml#/paths/~1claims/post',
        description: 'A claim can be registered on it, in the claims interface.',
        requestBody: { policyNumber: '$response.body#/id' },
      },
    },
  },
  listPolicies: {
    schema: {
      operationId: 'listPolicies',
      tags: ['Policies'],
      summary: 'List your policies',
      description:
        'Oldest first. If you read all pages, you see each policy once, even if others are added meanwhile. With `status` or `regNumber`, the totals and the links are of what was found; its pages shift if a policy changes its status while you read. With `updatedSince` the order is that of the changes; a policy that changes while you read moves to the end, and those after it move up: ask again from the last `updatedAt` that you have, in place of the next page. That a policy expires is nobody’s change and sets no `updatedAt`.',
      querystring: PolicyQuery,
      response: { 200: PolicyList },
    },
    otherNames: policyFilterNames,
    success: 'One page. A page after the last one has no items.',
    headers: { Link: `<${base}/policies?page=2&pageSize=20>; rel="next"` },
    guesses: ['/claims/v1/policies'],
    instead: {
      PUT: 'To change a policy: PUT /policies/{policyId}. To create one: POST /policies.',
      PATCH: 'To change a policy: PUT /policies/{policyId}.',
      DELETE: 'A policy is never deleted. To cancel one: POST /policies/{policyId}/cancel.',
    },
  },
  readPolicy: {
    schema: {
      operationId: 'readPolicy',
      tags: ['Policies'],
      summary: 'Read a policy',
      description: 'A policy of another client returns 404, like one that does not exist.',
      params: PolicyId,
      headers: ReadConditions,
      response: { 200: Policy, 304: {} },
    },
    success: 'The policy.',
    headers: { ETag: '"1-active"' },
    guesses: ['/claims/v1/policies/:policyId'],
    instead: {
      DELETE: 'A policy is never deleted. To cancel it: POST /policies/{policyId}/cancel.',
      PATCH: 'To change the holder, send it with PUT: {"holder":"Ada Example"}.',
      POST: 'To change the holder: PUT. To cancel: POST /policies/{policyId}/cancel. To create a policy: POST /policies.',
    },
  },
  updatePolicy: {
    schema: {
      operationId: 'updatePolicy',
      tags: ['Policies'],
      summary: 'Change the holder',
      description:
        'The status becomes `updated`. A cancelled or expired policy can’t be changed. The body can have the other members of the policy too, unchanged, so that you can send back what you read.',
      params: PolicyId,
      headers: ChangeConditions,
      body: PolicyChange,
      response: { 200: Policy },
    },
    success: 'The policy, updated.',
    headers: { ETag: '"2-updated"' },
    example: { status: 'updated', updatedAt: '2026-03-02T11:20:00.000Z' },
  },
  cancelPolicy: {
    schema: {
      operationId: 'cancelPolicy',
      tags: ['Policies'],
      summary: 'Cancel a policy',
      description: 'Cancelling again returns the same and changes nothing. The vehicle can then be insured again.',
      params: PolicyId,
      headers: ChangeConditions,
      response: { 200: Policy },
    },
    success: 'The policy, cancelled.',
    headers: { ETag: '"2-cancelled"' },
    guesses: ['policies/:policyId/delete', 'policies/:policyId/cancellation', 'policies/:policyId/terminate'],
    instead: {
      GET: 'Cancelling changes the policy, so it is a POST, without a body.',
      PUT: 'To cancel: POST, without a body.',
      DELETE: 'To cancel: POST, without a body.',
      PATCH: 'To cancel: POST, without a body.',
    },
    example: { status: 'cancelled', updatedAt: '2026-03-02T11:20:00.000Z' },
  },
} satisfies Record<string, EndpointText>;

const noStop = 'An import can’t be stopped. To end a policy that it created: POST /policies/{policyId}/cancel.';
const noChange = 'An import can’t be changed. To send its refused rows again, put right: POST /policy-imports.';

const itsImport = { parameters: { importId: '$response.body#/id' } };

/** The shapes and texts of imports. */
export const importTexts = {
  importPolicies: {
    schema: {
      operationId: 'importPolicies',
      tags: ['Policies'],
      summary: 'Import policies',
      description: `One JSON object a line, each as the body of POST /policies; at most 1,000 lines. The rows are worked off in the background, each for itself: those that are refused don’t keep others from being created. Blank lines are passed over. \`Retry-After\` tells in how many seconds the import will be completed, at most 60: then ask again. It is kept for ${keptDays} days then, or until there are ${keptPerClient} newer ones. Send an \`Idempotency-Key\` if you may have to repeat the request.`,
      headers: IdempotencyKey,
      body: {
        content: {
          [ndjson]: {
            schema: Type.String({
              description: 'The data of a new policy on each line.',
              examples: ['{"regNumber":"AB-1234","holder":"Ada Example"}\n{"regNumber":"CD-5678"}\n'],
            }),
          },
        },
      },
      response: { 202: PolicyImport },
    },
    success: 'The import was accepted. Look at it again after the number of seconds in `Retry-After`.',
    headers: { Location: `${base}/policy-imports/imp-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f`, 'Retry-After': 1 },
    optionalHeaders: ['Idempotency-Replayed'],
    links: {
      readImport: { operationId: 'readImport', ...itsImport, description: 'How far it is can be read.' },
      listImportRows: { operationId: 'listImportRows', ...itsImport, description: 'Its rows can be read.' },
    },
    guesses: [
      ...['policies/import', 'policies/imports', 'policies/bulk', 'policies/batch', 'policies/upload', 'policies/csv'],
      ...['imports', 'import', 'bulk', 'batch', 'upload', 'import/policies', 'imports/policies', 'bulk/policies'],
    ],
  },
  listImports: {
    schema: {
      operationId: 'listImports',
      tags: ['Policies'],
      summary: 'List your imports',
      description: 'Oldest first. At most 20 are kept.',
      querystring: OptionalPageQuery,
      response: { 200: PolicyImportList },
    },
    success: 'One page. A page after the last one has no items.',
    headers: { Link: `<${base}/policy-imports?page=2&pageSize=20>; rel="next"` },
  },
  readImport: {
    schema: {
      operationId: 'readImport',
      tags: ['Policies'],
      summary: 'Read how far an import is',
      description:
        'Until it is completed, `Retry-After` tells in how many seconds it will be, at most 60: then ask again.',
      params: ImportId,
      response: { 200: PolicyImport },
    },
    success: 'The import.',
    optionalHeaders: ['Retry-After'],
    guesses: [
      ...['status', 'state', 'progress', 'result'].map((end) => `policy-imports/:importId/${end}`),
      ...['policies/import/:importId', 'policies/imports/:importId', 'imports/:importId', 'jobs/:importId'],
    ],
    instead: {
      DELETE: noStop,
      PUT: noChange,
      PATCH: noChange,
      POST: noChange,
    },
  },
  listImportRows: {
    schema: {
      operationId: 'listImportRows',
      tags: ['Policies'],
      summary: 'Read what became of the rows of an import',
      description:
        'In the order of their lines. A refused row has the problem that POST /policies would answer. With `status` the totals and the links are of what was found; its pages shift while the import goes on.',
      params: ImportId,
      querystring: PolicyImportRowQuery,
      response: { 200: PolicyImportRowList },
    },
    otherNames: { state: 'status', outcome: 'status', result: 'status', rowstatus: 'status' },
    success: 'One page. A page after the last one has no items.',
    headers: { Link: `<${base}/policy-imports/imp-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f/rows?page=2>; rel="next"` },
    guesses: [
      ...['results', 'errors', 'refused', 'failures', 'items', 'lines', 'policies'].map(
        (end) => `policy-imports/:importId/${end}`,
      ),
      ...['policy-imports/:importId/rows/:line', 'imports/:importId/rows', 'policies/imports/:importId/rows'],
    ],
    instead: {
      DELETE: noStop,
      PUT: noChange,
      PATCH: noChange,
      POST: noChange,
    },
  },
} satisfies Record<string, EndpointText>;

/** The shapes and texts of erasures. */
export const erasureTexts = {
  eraseHolder: {
    schema: {
      operationId: 'eraseHolder',
      tags: ['Policies'],
      summary: 'Forget a holder',
      description: `The name is taken out of your policies, whatever their status, and of all else that is kept of you: answers under an \`Idempotency-Key\`, imports, the log of your calls, deliveries of webhooks. In its place stands \`erased\`. Each policy that had it changes: its \`updatedAt\` and its \`ETag\` are new, its status stays. The name must be the holder as your policies have it, to the letter. This is done in the background. Ask again after the seconds in \`Retry-After\`. The erasure is kept for ${keptDays} days when it is completed, or until there are ${keptPerClient} newer ones; it does not have the name.`,
      headers: IdempotencyKey,
      body: ErasureDraft,
      response: { 202: Erasure },
    },
    success: 'The erasure was accepted. Look at it again after the number of seconds in `Retry-After`.',
    headers: { Location: `${base}/erasures/era-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f`, 'Retry-After': 2 },
    optionalHeaders: ['Idempotency-Replayed'],
    links: {
      readErasure: {
        operationId: 'readErasure',
        parameters: { erasureId: '$response.body#/id' },
        description: 'How far it is can be read.',
      },
    },
    guesses: ['erasure', 'erase', 'forget', 'policies/erasures', 'holders/erase', 'anonymise', 'anonymize', 'gdpr'],
  },
  readErasure: {
    schema: {
      operationId: 'readErasure',
      tags: ['Policies'],
      summary: 'Read what an erasure did',
      description:
        'How many rows of each kind had the name, and what has it still and why. Until it is completed, `Retry-After` tells when to ask again.',
      params: ErasureId,
      response: { 200: Erasure },
    },
    success: 'The erasure.',
    optionalHeaders: ['Retry-After'],
    guesses: ['erasures/:erasureId/status', 'erasures/:erasureId/report', 'erasure/:erasureId'],
    instead: {
      DELETE: 'An erasure can’t be stopped, nor undone.',
      PUT: 'An erasure can’t be changed. Another one: POST /erasures.',
      PATCH: 'An erasure can’t be changed. Another one: POST /erasures.',
      POST: 'An erasure can’t be changed. Another one: POST /erasures.',
    },
  },
} satisfies Record<string, EndpointText>;

/** Endpoint 9 where its limit is off. */
export const uncountedPing = {
  schema: {
    operationId: 'ping',
    tags: ['Range'],
    summary: 'Try a rate limit',
    description: 'On this server its limit is switched off: you can call it as often as you like.',
    response: { 200: UncountedPong },
  },
  success: 'An answer.',
  guesses: ['ping', 'limited', 'ratelimit'],
} satisfies EndpointText;

const checkPolicy = {
  schema: {
    operationId: 'checkPolicy',
    tags: ['Range'],
    summary: 'Ask whether a vehicle is insured, with a signed body',
    description:
      'The header `X-Signature` carries the HMAC-SHA256 of the exact bytes of the body, in hexadecimal, keyed with the secret that the program prints when it starts. An error response explains what is wrong with the signature.',
    security: [{ signature: [] }],
    body: { content: { 'application/json': { schema: PolicyCheck } } },
    response: { 200: PolicyCheckResult },
  },
  success: 'Whether a policy in force covers the vehicle today.',
  guesses: ['policy-check', 'signed', 'signed/check'],
  instead: { GET: 'Send the registration number with POST, as JSON in a signed body: {"regNumber":"AB-1234"}.' },
} satisfies EndpointText;

/** The shapes and texts of endpoints 9 and 10. */
export const probeTexts = {
  ping: {
    schema: {
      operationId: 'ping',
      tags: ['Range'],
      summary: 'Try a rate limit',
      description:
        'Allows a few calls a minute from one address, counted apart from the general limit. The `RateLimit-` headers describe this limit.',
      response: { 200: Pong },
    },
    success: 'How many calls are left.',
    guesses: ['ping', 'limited', 'ratelimit'],
  },
  checkPolicy,
  /** In its place where the service asks for client certificates. */
  checkPolicyOfCertified: {
    ...checkPolicy,
    schema: {
      ...checkPolicy.schema,
      description: `${checkPolicy.schema.description} This service also asks for a client certificate in TLS, and the answer says what it saw of it.`,
      response: { 200: CertifiedPolicyCheckResult },
    },
  },
} satisfies Record<string, EndpointText>;
