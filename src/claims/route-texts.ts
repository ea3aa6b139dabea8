import type { EndpointText } from '../http/endpoint.ts';
import { IdempotencyKey } from '../http/requests/idempotency-key.ts';
import { ReadConditions } from '../http/requests/preconditions.ts';
import { Claim, ClaimDraft, ClaimId, ClaimList, ClaimQuery, claimFilterNames } from './schemas.ts';

export const base = '/claims/v1';

/** The shapes and texts of the claims interface. */
export const texts = {
  registerClaim: {
    schema: {
      operationId: 'registerClaim',
      tags: ['Claims'],
      summary: 'Register a claim',
      description:
        'The policy must be yours; it can have any status. Every `paceSeconds`, the claims desk then moves the claim to its next status: UNDER_REVIEW, the `outcome`, CLOSED. Registration is not a status change, so no event reports it. Send an `Idempotency-Key` if you may have to repeat the request. The trace of a `traceparent` goes on to the webhooks of the claim.',
      headers: IdempotencyKey,
      body: ClaimDraft,
      response: { 201: Claim },
    },
    success: 'The claim, registered.',
    headers: { Location: `${base}/claims/CLM-2026-000042`, ETag: '"REGISTERED-2026-03-02T10:15:30.000Z"' },
    optionalHeaders: ['Idempotency-Replayed'],
    links: {
      readClaim: {
        operationId: 'readClaim',
        description: 'The claim can be read, to see how far it is.',
        parameters: { claimId: '$response.body#/claimId' },
      },
      addDocument: {
        operationId: 'addDocument',
        description: 'A photograph or a PDF can be added to it.',
        parameters: { claimId: '$response.body#/claimId' },
      },
      listDocuments: {
        operationId: 'listDocuments',
        description: 'Its documents can be listed.',
        parameters: { claimId: '$response.body#/claimId' },
      },
    },
    example: { status: 'REGISTERED', updatedAt: '2026-03-02T10:15:30.000Z' },
  },
  listClaims: {
    schema: {
      operationId: 'listClaims',
      tags: ['Claims'],
      summary: 'List the claims on your policies',
      description:
        'Oldest first. If you read all pages, you see each claim once, even if others are registered meanwhile. If your consumer was offline for longer than events are kept, get a cursor with after=latest, read this list, then continue from that cursor. With `updatedSince` the order is that of the changes; a claim that changes while you read moves to the end, and those after it move up: ask again from the last `updatedAt` that you have, in place of the next page.',
      querystring: ClaimQuery,
      response: { 200: ClaimList },
    },
    otherNames: claimFilterNames,
    guesses: ['/insurer/v1/policies/:policyId/claims', 'policies/:policyId/claims'],
    success: 'One page. A page after the last one has no items.',
    headers: { Link: `<${base}/claims?page=2&pageSize=20>; rel="next"` },
    instead: {
      PUT: 'The claims desk moves a claim; nobody else changes it. To register one: POST /claims.',
      DELETE: 'A claim is never deleted. It ends as CLOSED by itself.',
    },
  },
  readClaim: {
    schema: {
      operationId: 'readClaim',
      tags: ['Claims'],
      summary: 'Read a claim',
      description: 'A claim on a policy of another client returns 404, like one that does not exist.',
      params: ClaimId,
      headers: ReadConditions,
      response: { 200: Claim, 304: {} },
    },
    success: 'The claim.',
    headers: { ETag: '"UNDER_REVIEW-2026-03-02T10:15:40.000Z"' },
    instead: {
      PUT: 'The claims desk moves a claim; nobody else changes it. Its outcome is set when it is registered: POST /claims.',
      PATCH:
        'The claims desk moves a claim; nobody else changes it. Its outcome is set when it is registered: POST /claims.',
      DELETE: 'A claim is never deleted. It ends as CLOSED by itself.',
      POST: 'The claims desk moves a claim; nobody else changes it. To register one: POST /claims.',
    },
  },
} satisfies Record<string, EndpointText>;

/** The same of the topic's description. */
export const describeTopic = {
  operationId: 'describeTopic',
  tag: 'Descriptions',
  summary: 'The description of the topic',
  description: 'The AsyncAPI 3.0 document of the topic and the webhooks.',
  guesses: ['asyncapi', 'asyncapi.yml'],
};
