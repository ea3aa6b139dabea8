import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/bearer.ts';
import { isForm } from '../http/bodies.ts';
import { noStore } from '../http/oauth-error.ts';
import { asPage, links, OptionalPageQuery, pageOf } from '../http/paging.ts';
import type { DailyLimit } from '../http/rate-limit.ts';
import type { Clients } from './clients.ts';
import { coverageOptions } from './coverage-option.ts';
import type { Policies } from './policies.ts';
import { NewPolicy, Policy, PolicyChange } from './policy.ts';
import {
  CoverageOptions,
  DemoClient,
  PolicyId,
  PolicyList,
  TokenRequestForm,
  TokenRequestJson,
  TokenResponse,
} from './schemas.ts';
import { narrow } from './scope.ts';
import { invalidClient, readTokenRequest } from './token-request.ts';
import { type TokenMint, tokenLifetime } from './tokens.ts';

export interface RoutesOptions {
  readonly clients: Clients;
  /** How many demo clients one address may create. */
  readonly creation: DailyLimit;
  readonly tokens: TokenMint;
  readonly policies: Policies;
}

const base = '/insurer/v1';

/** Endpoints 1 to 8 of the specification, in its order; `practice-routes.ts` has 9 and 10, `index.ts` adds 11. */
export const routes: FastifyPluginAsyncTypebox<RoutesOptions> = async (api, options) => {
  const { clients, creation, tokens, policies } = options;

  // Endpoint 1
  api.post(
    '/demo-clients',
    {
      schema: {
        operationId: 'createDemoClient',
        tags: ['Clients and tokens'],
        summary: 'Create throwaway credentials',
        description:
          'The client gets every scope. After a day without use it is removed, with its policies. There is a limit to how many clients one address can create a day. When you reach it, the `RateLimit-` headers describe that limit.',
        response: { 201: DemoClient },
      },
      config: {
        success: 'The credentials. The secret is not shown again.',
        headers: { 'Cache-Control': 'no-store' },
        problems: ['unavailable'],
        countedByAddress: true,
      },
    },
    async (request, reply) => {
      const { clientId, secret } = await creation(request, reply, () => clients.create());
      return reply.code(201).header('Cache-Control', 'no-store').send({ client_id: clientId, client_secret: secret });
    },
  );

  // Endpoint 2
  api.get(
    '/coverage-options',
    {
      schema: {
        operationId: 'listCoverageOptions',
        tags: ['Policies'],
        summary: 'List the coverage options',
        description: 'How long a policy can cover a vehicle. Send the code when you create a policy.',
        response: { 200: CoverageOptions },
      },
      config: { success: 'All coverage options.' },
    },
    async () => ({ options: [...coverageOptions] }),
  );

  // Endpoint 3
  api.post(
    '/auth/token',
    {
      schema: {
        operationId: 'createToken',
        tags: ['Clients and tokens'],
        summary: 'Exchange credentials for a bearer token',
        description:
          'Send JSON, or a form as OAuth 2.0 tools do, with the credentials in the form or by HTTP Basic. With `scope` the token gets fewer scopes. You can’t request a scope that the client was not granted.',
        security: [{}, { basic: [] }],
        body: {
          content: {
            'application/json': { schema: TokenRequestJson },
            'application/x-www-form-urlencoded': { schema: TokenRequestForm },
          },
        },
        response: { 200: TokenResponse },
      },
      config: {
        body: 'json-or-form',
        oauthErrors: true,
        countedByAddress: true,
        success: 'The token.',
        headers: noStore,
        problems: ['invalid-scope', 'invalid-client', 'unavailable'],
      },
    },
    async (request, reply) => {
      reply.headers(noStore);
      const { authorization } = request.headers;
      const wanted = readTokenRequest(authorization, request.body, isForm(request.declaredType));
      const client = await clients.recognise(wanted.clientId, wanted.clientSecret);
      if (!client) throw invalidClient();
      const granted = narrow(client.granted, wanted.scope);
      // Between the two it may have been removed.
      if (!(await clients.use(client.id))) throw invalidClient();
      request.clientId = client.id;
      const token = await tokens.issue(client, granted);
      return {
        access_token: token,
        token_type: 'Bearer' as const,
        expires_in: tokenLifetime,
        scope: granted.join(' '),
      };
    },
  );

  // Endpoint 4
  api.post(
    '/policies',
    {
      preValidation: trimHolder,
      schema: {
        operationId: 'createPolicy',
        tags: ['Policies'],
        summary: 'Create a policy',
        description:
          'Insures a vehicle. A vehicle can have one policy in force, across all clients. Case and dashes in the registration number don’t matter: `ab1234` and `AB-1234` are the same vehicle.',
        body: NewPolicy,
        response: { 201: Policy },
      },
      config: {
        body: 'json',
        scope: 'policies:write',
        success: 'The policy, in force.',
        headers: { Location: `${base}/policies/pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f` },
        problems: ['duplicate-policy', 'quota-exceeded'],
      },
    },
    async (request, reply) => {
      const policy = await policies.create(callerOf(request).clientId, request.body);
      return reply.code(201).header('Location', `${base}/policies/${policy.id}`).send(policy);
    },
  );

  // Endpoint 5
  api.get(
    '/policies',
    {
      schema: {
        operationId: 'listPolicies',
        tags: ['Policies'],
        summary: 'List your policies',
        description:
          'Oldest first. If you read all pages, you see each policy once, even if others are added meanwhile.',
        querystring: OptionalPageQuery,
        response: { 200: PolicyList },
      },
      config: {
        scope: 'policies:read',
        success: 'One page. A page after the last one has no items.',
        headers: { Link: `<${base}/policies?page=2&pageSize=20>; rel="next"` },
        problems: ['validation-error'],
      },
    },
    async (request, reply) => {
      const page = pageOf(request.query);
      const { items, total } = await policies.list(callerOf(request).clientId, page);
      reply.header('Link', links(`${base}/policies`, page, total));
      return asPage(items, total, page);
    },
  );

  // Endpoint 6
  api.get(
    '/policies/:policyId',
    {
      schema: {
        operationId: 'readPolicy',
        tags: ['Policies'],
        summary: 'Read a policy',
        description: 'A policy of another client returns 404, like one that does not exist.',
        params: PolicyId,
        response: { 200: Policy },
      },
      config: { scope: 'policies:read', success: 'The policy.', problems: ['policy-not-found'] },
    },
    (request) => policies.read(callerOf(request).clientId, request.params.policyId),
  );

  // Endpoint 7
  api.put(
    '/policies/:policyId',
    {
      preValidation: trimHolder,
      schema: {
        operationId: 'updatePolicy',
        tags: ['Policies'],
        summary: 'Change the holder',
        description: 'The status becomes `updated`. A cancelled or expired policy can’t be changed.',
        params: PolicyId,
        body: PolicyChange,
        response: { 200: Policy },
      },
      config: {
        body: 'json',
        scope: 'policies:write',
        success: 'The policy, updated.',
        example: { status: 'updated', updatedAt: '2026-03-02T11:20:00.000Z' },
        problems: ['policy-not-found', 'policy-immutable'],
      },
    },
    (request) => policies.update(callerOf(request).clientId, request.params.policyId, request.body.holder),
  );

  // Endpoint 8
  api.post(
    '/policies/:policyId/cancel',
    {
      schema: {
        operationId: 'cancelPolicy',
        tags: ['Policies'],
        summary: 'Cancel a policy',
        description: 'Cancelling again returns the same and changes nothing. The vehicle can then be insured again.',
        params: PolicyId,
        response: { 200: Policy },
      },
      config: {
        scope: 'policies:write',
        success: 'The policy, cancelled.',
        example: { status: 'cancelled', updatedAt: '2026-03-02T11:20:00.000Z' },
        problems: ['policy-not-found', 'policy-immutable'],
      },
    },
    (request) => policies.cancel(callerOf(request).clientId, request.params.policyId),
  );
};

async function trimHolder(request: FastifyRequest): Promise<void> {
  const body = request.body as { holder?: unknown } | null | undefined;
  if (typeof body?.holder === 'string') body.holder = body.holder.trim();
}
