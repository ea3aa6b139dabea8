import type { FastifyRequest } from 'fastify';
import type { ActiveDrills } from '../active-drills.ts';
import type { Clients } from '../clients/clients.ts';
import type { Consents, Granted } from '../clients/consents.ts';
import { credentialAdvice } from '../clients/credential-advice.ts';
import { narrow } from '../clients/scope.ts';
import { invalidClient, readTokenRequest, type SentRequest, type TokenRequest } from '../clients/token-request.ts';
import { type TokenMint, tokenLifetime } from '../clients/tokens.ts';
import type { StoredAnswers } from '../http/answers/stored-answers.ts';
import { type Api, type Handlers, tableOf } from '../http/endpoint.ts';
import { ofTokens } from '../http/problems/oauth-error.ts';
import type { DailyLimit } from '../http/rate-limit.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { addressKey } from '../http/requests/address.ts';
import { callerOf } from '../http/requests/bearer.ts';
import { isForm } from '../http/requests/bodies.ts';
import { asStored } from '../http/requests/changed-since.ts';
import { certificateThumbprint } from '../http/requests/client-certificate.ts';
import { meetPlate, noteDrill } from '../http/requests/faults.ts';
import { isOfConsole } from '../http/requests/header-names.ts';
import { creationProblems } from '../http/requests/idempotency-key.ts';
import { asPage, links, pageOf } from '../http/requests/paging.ts';
import { conditionsOf, isKnown } from '../http/requests/preconditions.ts';
import { invalid } from '../http/requests/validation.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { coverageOptions } from './coverage-option.ts';
import { refusalExamples } from './example-values.ts';
import type { Policies, StoredPolicy } from './policies.ts';
import { fixedMembers, policyTag } from './policy.ts';
import { base, manyPolicies, texts } from './route-texts.ts';

export interface RoutesOptions {
  readonly clients: Clients;
  /** How many demo clients one address may create in a day. */
  readonly creation: DailyLimit;
  readonly mint: TokenMint;
  readonly consents: Consents;
  readonly policies: Policies;
  /** Answers to the creation of policies. */
  readonly created: StoredAnswers<StoredPolicy>;
  readonly drills: ActiveDrills;
  readonly clocks: ClientClocks;
}

/** Texts of a new policy that are kept as they are sent. */
export const keptTexts = ['regNumber', 'holder'];

const read = 'policies:read';
const write = 'policies:write';
const changeProblems = ['policy-not-found', 'policy-immutable', 'precondition-failed'] as const;

/** Endpoints 1 to 8 of the specification, in its order; `probe-routes.ts` has 9 and 10, `index.ts` adds 11. */
export function routes(api: Api, options: RoutesOptions): void {
  const { policies, clocks } = options;
  const route = tableOf(api, texts, handlers(options));
  const forPeople = true;
  route('POST', '/demo-clients', 'createDemoClient', undefined, ['unavailable'], { countedByAddress: true });
  route('GET', '/coverage-options', 'listCoverageOptions', undefined);
  route(
    'POST',
    '/auth/token',
    'createToken',
    undefined,
    ['invalid-scope', 'invalid-client', 'invalid-grant', 'unavailable'],
    {
      body: 'json-or-form',
      takesBack: ['code', 'redirect_uri', 'code_verifier', 'refresh_token'],
      oauthErrors: true,
      countedByAddress: true,
    },
  );
  route('POST', '/policies', 'createPolicy', write, ['duplicate-policy', ...creationProblems], {
    forPeople,
    preValidation: holderOfBody,
    body: 'json',
    many: manyPolicies,
    ownExamples: refusalExamples,
    keptTexts,
    ruleFaults: (request, others) => policies.faultsOfDraft(clocks.now(request.clientId), membersOf(request), others),
  });
  route('GET', '/policies', 'listPolicies', read, ['validation-error'], { forPeople });
  route('GET', '/policies/:policyId', 'readPolicy', read, ['policy-not-found', 'precondition-failed'], { forPeople });
  route('PUT', '/policies/:policyId', 'updatePolicy', write, changeProblems, {
    forPeople,
    preValidation: holderOfBody,
    body: 'json',
    takesBack: fixedMembers,
    keptTexts: ['holder'],
    ruleFaults: (request, others) => {
      const { policyId } = request.params as { policyId: string };
      const { clientId, person } = callerOf(request);
      return policies.faultsOfChange(clientId, policyId, membersOf(request), others, person?.name);
    },
  });
  route('POST', '/policies/:policyId/cancel', 'cancelPolicy', write, changeProblems, { forPeople });
}

function handlers({
  clients,
  creation,
  mint,
  consents,
  policies,
  created,
  drills,
}: RoutesOptions): Handlers<typeof texts> {
  const grantedTo = (clientId: string, wanted: Exclude<TokenRequest, { grant: 'client_credentials' }>) =>
    wanted.grant === 'authorization_code'
      ? consents.exchange(clientId, wanted)
      : consents.refresh(clientId, wanted.refreshToken, wanted.scope);

  return {
    async createDemoClient(request, reply) {
      const { clientId, secret } = await creation(request, reply, () => clients.create(addressKey(request.ip)));
      request.clientId = clientId;
      return reply.code(201).send({ client_id: clientId, client_secret: secret });
    },

    async listCoverageOptions() {
      return { options: [...coverageOptions] };
    },

    async createToken(request, reply) {
      reply.headers(ofTokens);
      const wanted = readTokenRequest(sentTo(request));
      const client = await clients.recognise(wanted.clientId, wanted.clientSecret);
      if (!client) throw invalidClient(credentialAdvice(wanted));
      const byItself = wanted.grant === 'client_credentials' ? narrow(client.granted, wanted.scope) : undefined;
      // Between the two it may have been removed.
      if (!(await clients.use(client.id))) throw invalidClient();
      request.clientId = client.id;
      request.secretUsed = client.secretUsed;
      // Only now is it known whose call it is.
      // The console can get one in any case: it is where drills are switched off.
      const drilled = drills.has(client.id) && !isOfConsole(request);
      if (drilled && !(await request.server.faults?.apply(request, reply, client.id))) return reply;
      // Once it is sure that there is an answer, since a code and a refresh token hold once.
      const person = wanted.grant === 'client_credentials' ? undefined : await grantedTo(client.id, wanted);
      const scopes = byItself ?? (person as Granted).scopes;
      const short = drilled ? drills.of(client.id, 'short-tokens') : undefined;
      const lifetime = short?.parameters.seconds ?? tokenLifetime;
      if (lifetime !== tokenLifetime) noteDrill(request, 'short-tokens');
      const secondKey = drilled && mint.usesSecond(client.id);
      if (secondKey) noteDrill(request, 'rotate-key');
      const issuer = absoluteUrl(request, '');
      const boundTo = certificateThumbprint(request);
      const token = await mint.issue(client, scopes, issuer, { lifetime, secondKey, consent: person, boundTo });
      return {
        access_token: token,
        token_type: 'Bearer' as const,
        expires_in: lifetime,
        scope: scopes.join(' '),
        ...(person && { refresh_token: person.refreshToken }),
      };
    },

    async createPolicy(request, reply) {
      const { clientId } = callerOf(request);
      if (!(await meetPlate(request, reply, request.body.regNumber))) return reply;
      const policy = await created.answer(request, reply, (keep) => policies.create(clientId, request.body, keep));
      return reply
        .code(201)
        .header('etag', policyTag(policy))
        .header('Location', absoluteUrl(request, `${base}/policies/${policy.id}`))
        .send(policy);
    },

    async listPolicies(request, reply) {
      const page = pageOf(request.query);
      const { status, regNumber, updatedSince } = request.query;
      const { clientId, person } = callerOf(request);
      const since = updatedSince && asStored(updatedSince);
      const wanted = { status, regNumber, updatedSince: since, holder: person?.name };
      const { items, total } = await policies.list(clientId, wanted, page);
      const filters = { ...(status && { status }), ...(regNumber && { regNumber }), ...(since && { updatedSince }) };
      reply.header('Link', links(absoluteUrl(request, `${base}/policies`), page, total, filters));
      return asPage(items, total, page);
    },

    async readPolicy(request, reply) {
      const { clientId, person } = callerOf(request);
      const policy = await policies.read(clientId, request.params.policyId, person?.name);
      return isKnown(request, reply, policyTag(policy)) ? reply.code(304).send() : policy;
    },

    async updatePolicy(request, reply) {
      const { clientId, person } = callerOf(request);
      const { params, body } = request;
      // A policy can be sent as it was read.
      const { regNumber } = body as { regNumber?: unknown };
      if (typeof regNumber === 'string' && !(await meetPlate(request, reply, regNumber))) return reply;
      const policy = await policies.update(clientId, params.policyId, body, conditionsOf(request), person?.name);
      reply.header('etag', policyTag(policy));
      return policy;
    },

    async cancelPolicy(request, reply) {
      const { clientId, person } = callerOf(request);
      const policy = await policies.cancel(clientId, request.params.policyId, conditionsOf(request), person?.name);
      reply.header('etag', policyTag(policy));
      return policy;
    },
  };
}

/** The body, as far as it has members at all. */
function membersOf({ body }: FastifyRequest): object {
  return body !== null && typeof body === 'object' ? body : {};
}

/** The holder that a body names. Who calls for a person can name no other, and need not name that one. */
async function holderOfBody({ body, caller }: FastifyRequest): Promise<void> {
  trimHolder(body);
  if (!caller?.person || body === null || typeof body !== 'object') return;
  const sent = body as { holder?: unknown };
  if (typeof sent.holder === 'string' && sent.holder !== caller.person.name) {
    const detail = `must be ${caller.person.name}, whom this token is for, or be left out.`;
    throw invalid([{ pointer: '/holder', detail }]);
  }
  sent.holder ??= caller.person.name;
}

/** What an endpoint is sent that clients sign in at. */
export function sentTo({ headers, body, declaredType, query }: FastifyRequest): SentRequest {
  const { authorization } = headers;
  return { authorization, body, isForm: isForm(declaredType), query: query as Record<string, unknown> };
}

export function trimHolder(sent: unknown): void {
  const body = sent as { holder?: unknown } | null | undefined;
  if (typeof body?.holder === 'string') body.holder = body.holder.trim();
}
