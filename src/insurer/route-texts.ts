import type { EndpointText } from '../http/endpoint.ts';
import { noStore } from '../http/oauth-error.ts';
import { OptionalPageQuery } from '../http/paging.ts';
import {
  CoverageOptions,
  DemoClient,
  NewPolicy,
  Policy,
  PolicyChange,
  PolicyCheck,
  PolicyCheckResult,
  PolicyId,
  PolicyList,
  Pong,
  TokenRequestForm,
  TokenRequestJson,
  TokenResponse,
} from './schemas.ts';

export const base = '/insurer/v1';

/** The shapes and texts of endpoints 1 to 8. */
export const texts = {
  createDemoClient: {
    schema: {
      operationId: 'createDemoClient',
      tags: ['Clients and tokens'],
      summary: 'Create throwaway credentials',
      description:
        'The client is granted every scope. After a day without use it is removed, with its policies. One address creates so many in a day at the most; then the `RateLimit-` headers are those of that limit.',
      response: { 201: DemoClient },
    },
    success: 'The credentials. The secret is not shown again.',
    headers: { 'Cache-Control': 'no-store' },
  },
  listCoverageOptions: {
    schema: {
      operationId: 'listCoverageOptions',
      tags: ['Policies'],
      summary: 'List the coverage options',
      description: 'For how long a policy can cover a vehicle. Send the code when you create a policy.',
      response: { 200: CoverageOptions },
    },
    success: 'Every option there is.',
  },
  createToken: {
    schema: {
      operationId: 'createToken',
      tags: ['Clients and tokens'],
      summary: 'Exchange credentials for a bearer token',
      description:
        'Takes JSON, or what OAuth 2.0 tools send: a form, and the credentials in it or by HTTP Basic. The scope narrows the token; one wider than the client was granted is refused.',
      security: [{}, { basic: [] }],
      body: {
        content: {
          'application/json': { schema: TokenRequestJson },
          'application/x-www-form-urlencoded': { schema: TokenRequestForm },
        },
      },
      response: { 200: TokenResponse },
    },
    success: 'The token.',
    headers: noStore,
  },
  createPolicy: {
    schema: {
      operationId: 'createPolicy',
      tags: ['Policies'],
      summary: 'Create a policy',
      description:
        'Insures a vehicle. The register allows one policy in force for a vehicle, whoever owns it; case and dashes of the registration number make no other vehicle.',
      body: NewPolicy,
      response: { 201: Policy },
    },
    success: 'The policy, in force.',
    headers: { Location: `${base}/policies/pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f` },
  },
  listPolicies: {
    schema: {
      operationId: 'listPolicies',
      tags: ['Policies'],
      summary: 'List own policies',
      description: 'Oldest first. A walk over all pages sees each policy once, even while others are added.',
      querystring: OptionalPageQuery,
      response: { 200: PolicyList },
    },
    success: 'One page. A page past the end has no items.',
    headers: { Link: `<${base}/policies?page=2&pageSize=20>; rel="next"` },
  },
  readPolicy: {
    schema: {
      operationId: 'readPolicy',
      tags: ['Policies'],
      summary: 'Read a policy',
      description: 'A policy of another client is not found, just like one that does not exist.',
      params: PolicyId,
      response: { 200: Policy },
    },
    success: 'The policy.',
  },
  updatePolicy: {
    schema: {
      operationId: 'updatePolicy',
      tags: ['Policies'],
      summary: 'Change the holder',
      description: 'The status becomes `updated`, and stays so. A cancelled or expired policy can’t be changed.',
      params: PolicyId,
      body: PolicyChange,
      response: { 200: Policy },
    },
    success: 'The policy, updated.',
    example: { status: 'updated', updatedAt: '2026-03-02T11:20:00.000Z' },
  },
  cancelPolicy: {
    schema: {
      operationId: 'cancelPolicy',
      tags: ['Policies'],
      summary: 'Cancel a policy',
      description: 'Cancelling again answers the same and changes nothing. The vehicle can then be insured anew.',
      params: PolicyId,
      response: { 200: Policy },
    },
    success: 'The policy, cancelled.',
    example: { status: 'cancelled', updatedAt: '2026-03-02T11:20:00.000Z' },
  },
} satisfies Record<string, EndpointText>;

/** The shapes and texts of endpoints 9 and 10. */
export const practiceTexts = {
  ping: {
    schema: {
      operationId: 'ping',
      tags: ['Range'],
      summary: 'See a rate limit at work',
      description:
        'Takes a few calls a minute from an address, counted apart from the general limit. The `RateLimit-` headers are those of this limit.',
      response: { 200: Pong },
    },
    success: 'Answered; so many calls are left.',
  },
  checkPolicy: {
    schema: {
      operationId: 'checkPolicy',
      tags: ['Range'],
      summary: 'Ask whether a vehicle is insured, with a signed body',
      description:
        'The header `X-Signature` carries the HMAC-SHA256 of the exact bytes of the body, in hexadecimal, keyed with the secret that the start of the program shows. A refusal tells what was found to be wrong.',
      security: [{ signature: [] }],
      body: { content: { 'application/json': { schema: PolicyCheck } } },
      response: { 200: PolicyCheckResult },
    },
    success: 'Whether a policy in force covers the vehicle today.',
  },
} satisfies Record<string, EndpointText>;
