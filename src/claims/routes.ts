import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { stringify } from 'yaml';
import { callerOf } from '../http/bearer.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import { asyncApiDocument } from './asyncapi.ts';
import type { Claims } from './claims.ts';
import { AsyncApiText, Claim, ClaimId, ClaimList, ClaimQuery, NewClaim } from './schemas.ts';

export interface RoutesOptions {
  readonly claims: Claims;
}

const base = '/claims/v1';

/** The claims interface (Endpoints, Claims interface). */
export const routes: FastifyPluginAsyncTypebox<RoutesOptions> = async (api, { claims }) => {
  api.post(
    '/claims',
    {
      schema: {
        operationId: 'registerClaim',
        tags: ['Claims'],
        summary: 'Register a claim',
        description:
          'The policy must be yours; it can have any status. Every `paceSeconds`, the claims desk then moves the claim to its next status: UNDER_REVIEW, the `outcome`, CLOSED. Registration is not a status change, so no event reports it.',
        body: NewClaim,
        response: { 201: Claim },
      },
      config: {
        body: 'json',
        scope: 'claims:write',
        success: 'The claim, registered.',
        headers: { Location: `${base}/claims/CLM-2026-000042` },
        example: { status: 'REGISTERED', updatedAt: '2026-03-02T10:15:30.000Z' },
        problems: ['policy-not-found', 'quota-exceeded'],
      },
    },
    async (request, reply) => {
      const claim = await claims.register(callerOf(request).clientId, request.body);
      return reply.code(201).header('Location', `${base}/claims/${claim.claimId}`).send(claim);
    },
  );

  api.get(
    '/claims',
    {
      schema: {
        operationId: 'listClaims',
        tags: ['Claims'],
        summary: 'List the claims on your policies',
        description:
          'Oldest first. If you read all pages, you see each claim once, even if others are registered meanwhile. If your consumer was offline for longer than events are kept, read this list, then continue with the topic.',
        querystring: ClaimQuery,
        response: { 200: ClaimList },
      },
      config: {
        scope: 'claims:read',
        success: 'One page. A page after the last one has no items.',
        headers: { Link: `<${base}/claims?page=2&pageSize=20>; rel="next"` },
        problems: ['validation-error'],
      },
    },
    async (request, reply) => {
      const page = pageOf(request.query);
      const { status, policyNumber } = request.query;
      const { items, total } = await claims.list(callerOf(request).clientId, { status, policyNumber }, page);
      const filters = { ...(status && { status }), ...(policyNumber !== undefined && { policyNumber }) };
      reply.header('Link', links(`${base}/claims`, page, total, filters));
      return asPage(items, total, page);
    },
  );

  api.get(
    '/claims/:claimId',
    {
      schema: {
        operationId: 'readClaim',
        tags: ['Claims'],
        summary: 'Read a claim',
        description: 'A claim on a policy of another client returns 404, like one that does not exist.',
        params: ClaimId,
        response: { 200: Claim },
      },
      config: { scope: 'claims:read', success: 'The claim.', problems: ['claim-not-found'] },
    },
    (request) => claims.read(callerOf(request).clientId, request.params.claimId),
  );
};

/** The description of the topic. */
export const topicDescription: FastifyPluginAsyncTypebox<{ publicUrl: string }> = async (api, { publicUrl }) => {
  let description: Buffer | undefined;
  api.get(
    '/asyncapi.yaml',
    {
      schema: {
        operationId: 'describeTopic',
        tags: ['Descriptions'],
        summary: 'The description of the topic',
        description: 'The AsyncAPI document of the topic and the webhooks.',
        response: { 200: { content: { 'application/yaml': { schema: AsyncApiText } } } },
      },
      config: { success: 'The document, in YAML.' },
    },
    async (_request, reply) => {
      description ??= Buffer.from(
        stringify(asyncApiDocument(publicUrl), { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }),
      );
      // The schema is that of the text; Fastify sends bytes as they are.
      return reply.type('application/yaml').send(description as never);
    },
  );
};
