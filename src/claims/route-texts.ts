import type { EndpointText } from '../http/endpoint.ts';
import { AsyncApiText, Claim, ClaimId, ClaimList, ClaimQuery, NewClaim } from './schemas.ts';

export const base = '/claims/v1';

/** The shapes and texts of the claims interface. */
export const texts = {
  registerClaim: {
    schema: {
      operationId: 'registerClaim',
      tags: ['Claims'],
      summary: 'Register a claim',
      description:
        'On a policy of your own, whatever its status. The claims desk then moves it on, one status every `paceSeconds`, through UNDER_REVIEW and the `outcome` to CLOSED. Registration is no change of status: no event reports it.',
      body: NewClaim,
      response: { 201: Claim },
    },
    success: 'The claim, registered.',
    headers: { Location: `${base}/claims/CLM-2026-000042` },
    example: { status: 'REGISTERED', updatedAt: '2026-03-02T10:15:30.000Z' },
  },
  listClaims: {
    schema: {
      operationId: 'listClaims',
      tags: ['Claims'],
      summary: 'List the claims on own policies',
      description:
        'Oldest first. A walk over all pages sees each claim once, even while others are registered. A consumer that was away too long reads this list anew, then goes on with the topic.',
      querystring: ClaimQuery,
      response: { 200: ClaimList },
    },
    success: 'One page. A page past the end has no items.',
    headers: { Link: `<${base}/claims?page=2&pageSize=20>; rel="next"` },
  },
  readClaim: {
    schema: {
      operationId: 'readClaim',
      tags: ['Claims'],
      summary: 'Read a claim',
      description: 'A claim on a policy of another client is not found, just like one that does not exist.',
      params: ClaimId,
      response: { 200: Claim },
    },
    success: 'The claim.',
  },
} satisfies Record<string, EndpointText>;

/** The same of the topic's description. */
export const describeTopic = {
  schema: {
    operationId: 'describeTopic',
    tags: ['Descriptions'],
    summary: 'The topic’s description',
    description: 'The AsyncAPI document of the topic and the webhooks.',
    response: { 200: { content: { 'application/yaml': { schema: AsyncApiText } } } },
  },
  success: 'The document, in YAML.',
} satisfies EndpointText;
