import type { FastifyRequest } from 'fastify';
import type { ActiveDrills } from '../active-drills.ts';
import type { Clients } from '../clients/clients.ts';
import { credentialAdvice } from '../clients/credential-advice.ts';
import { narrow } from '../clients/scope.ts';
import { invalidClient, readTokenRequest } from '../clients/token-request.ts';
import { type TokenMint, tokenLifetime } from '../clients/tokens.ts';
import { absoluteUrl, originOf } from '../http/absolute-url.ts';
import { callerOf } from '../http/bearer.ts';
import { isForm } from '../http/bodies.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import { noteDrill } from '../http/faults.ts';
import { isOfConsole } from '../http/header-names.ts';
import type { KeptAnswers } from '../http/kept-answers.ts';
import { ofTokens } from '../http/oauth-error.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import { conditionsOf, isKnown } from '../http/preconditions.ts';
import type { DailyLimit } from '../http/rate-limit.ts';
import { coverageOptions } from './coverage-option.ts';
import { refusalExamples } from './example-values.ts';
import type { Policies, StoredPolicy } from './policies.ts';
import { fixedMembers, policyTag } from './policy.ts';
import { base, texts } from './route-texts.ts';

export interface RoutesOptions {
  readonly clients: Clients;
  /** How many demo clients one address may create in a day. */
  readonly creation: DailyLimit;
  readonly mint: TokenMint;
  readonly policies: Policies;
  /** Answers to the creation of policies. */
  readonly created: KeptAnswers<StoredPolicy>;
  readonly drills: ActiveDrills;
}

/** Texts of a new policy that are kept as they are sent. */
export const keptTexts = ['regNumber', 'holder'];

/** Endpoints 1 to 8 of the specification, in its order; `probe-routes.ts` has 9 and 10, `index.ts` adds 11. */
export function routes(api: Api, options: RoutesOptions): void {
  const { policies } = options;
  const handle = handlers(options);
  endpoint(api, 'POST', '/demo-clients', texts.createDemoClient, {
    handler: handle.createDemoClient,
    countedByAddress: true,
    problems: ['unavailable'],
  });
  endpoint(api, 'GET', '/coverage-options', texts.listCoverageOptions, { handler: handle.listCoverageOptions });
  endpoint(api, 'POST', '/auth/token', texts.createToken, {
    handler: handle.createToken,
    body: 'json-or-form',
    oauthErrors: true,
    countedByAddress: true,
    problems: ['invalid-scope', 'invalid-client', 'unavailable'],
  });
  endpoint(api, 'POST', '/policies', texts.createPolicy, {
    handler: handle.createPolicy,
    preValidation: trimBody,
    scope: 'policies:write',
    body: 'json',
    ownExamples: refusalExamples,
    keptTexts,
    ruleFaults: (request, others) => policies.faultsOfDraft(callerOf(request).clientId, membersOf(request), others),
    problems: ['duplicate-policy', 'request-in-progress', 'idempotency-key-reused', 'quota-exceeded'],
  });
  endpoint(api, 'GET', '/policies', texts.listPolicies, {
    handler: handle.listPolicies,
    scope: 'policies:read',
    problems: ['validation-error'],
  });
  endpoint(api, 'GET', '/policies/:policyId', texts.readPolicy, {
    handler: handle.readPolicy,
    scope: 'policies:read',
    problems: ['policy-not-found', 'precondition-failed'],
  });
  endpoint(api, 'PUT', '/policies/:policyId', texts.updatePolicy, {
    handler: handle.updatePolicy,
    preValidation: trimBody,
    scope: 'policies:write',
    body: 'json',
    takesBack: fixedMembers,
    keptTexts: ['holder'],
    ruleFaults: (request, others) => {
      const { policyId } = request.params as { policyId: string };
      return policies.faultsOfChange(callerOf(request).clientId, policyId, membersOf(request), others);
    },
    problems: ['policy-not-found', 'policy-immutable', 'precondition-failed'],
  });
  endpoint(api, 'POST', '/policies/:policyId/cancel', texts.cancelPolicy, {
    handler: handle.cancelPolicy,
    scope: 'policies:write',
    problems: ['policy-not-found', 'policy-immutable', 'precondition-failed'],
  });
}

function handlers({ clients, creation, mint, policies, created, drills }: RoutesOptions): Handlers<typeof texts> {
  return {
    async createDemoClient(request, reply) {
      const { clientId, secret } = await creation(request, reply, () => clients.create());
      request.clientId = clientId;
      return reply.code(201).send({ client_id: clientId, client_secret: secret });
    },

    async listCoverageOptions() {
      return { options: [...coverageOptions] };
    },

    async createToken(request, reply) {
      reply.headers(ofTokens);
      const { headers, body, declaredType, query } = request;
      const wanted = readTokenRequest(
        headers.authorization,
        body,
        isForm(declaredType),
        query as Record<string, unknown>,
      );
      const client = await clients.recognise(wanted.clientId, wanted.clientSecret);
      if (!client) throw invalidClient(credentialAdvice(wanted));
      const granted = narrow(client.granted, wanted.scope);
      // Between the two it may have been removed.
      if (!(await clients.use(client.id))) throw invalidClient();
      request.clientId = client.id;
      request.secretUsed = client.secretUsed;
      // Only now is it known whose call it is.
      // The console can get one in any case: it is where drills are switched off.
      const drilled = drills.has(client.id) && !isOfConsole(request);
      if (drilled && !(await request.server.faults?.apply(request, reply, client.id))) return reply;
      const short = drilled ? drills.of(client.id, 'short-tokens') : undefined;
      const lifetime = short?.parameters.seconds ?? tokenLifetime;
      if (lifetime !== tokenLifetime) noteDrill(request, 'short-tokens');
      const secondKey = drilled && drills.of(client.id, 'rotate-key') !== undefined;
      if (secondKey) noteDrill(request, 'rotate-key');
      const token = await mint.issue(client, granted, originOf(request), { lifetime, secondKey });
      return {
        access_token: token,
        token_type: 'Bearer' as const,
        expires_in: lifetime,
        scope: granted.join(' '),
      };
    },

    async createPolicy(request, reply) {
      const { clientId } = callerOf(request);
      const policy = await created.answer(request, reply, (keep) => policies.create(clientId, request.body, keep));
      return reply
        .code(201)
        .header('etag', policyTag(policy))
        .header('Location', absoluteUrl(request, `${base}/policies/${policy.id}`))
        .send(policy);
    },

    async listPolicies(request, reply) {
      const page = pageOf(request.query);
      const { status, regNumber } = request.query;
      const { items, total } = await policies.list(callerOf(request).clientId, { status, regNumber }, page);
      const filters = { ...(status && { status }), ...(regNumber && { regNumber }) };
      reply.header('Link', links(absoluteUrl(request, `${base}/policies`), page, total, filters));
      return asPage(items, total, page);
    },

    async readPolicy(request, reply) {
      const policy = await policies.read(callerOf(request).clientId, request.params.policyId);
      return isKnown(request, reply, policyTag(policy)) ? reply.code(304).send() : policy;
    },

    async updatePolicy(request, reply) {
      const { clientId } = callerOf(request);
      const { params, body } = request;
      const policy = await policies.update(clientId, params.policyId, body, conditionsOf(request));
      reply.header('etag', policyTag(policy));
      return policy;
    },

    async cancelPolicy(request, reply) {
      const { clientId } = callerOf(request);
      const policy = await policies.cancel(clientId, request.params.policyId, conditionsOf(request));
      reply.header('etag', policyTag(policy));
      return policy;
    },
  };
}

/** The body, as far as it has members at all. */
function membersOf({ body }: FastifyRequest): object {
  return body !== null && typeof body === 'object' ? body : {};
}

async function trimBody({ body }: FastifyRequest): Promise<void> {
  trimHolder(body);
}

export function trimHolder(sent: unknown): void {
  const body = sent as { holder?: unknown } | null | undefined;
  if (typeof body?.holder === 'string') body.holder = body.holder.trim();
}
