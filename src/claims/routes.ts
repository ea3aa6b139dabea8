import { absoluteUrl } from '../http/absolute-url.ts';
import { callerOf } from '../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import type { KeptAnswers } from '../http/kept-answers.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import { isKnown } from '../http/preconditions.ts';
import { serveDocument } from '../http/served-document.ts';
import { keptTrace, traceOf } from '../text/trace-context.ts';
import type { Clock } from '../time/clock.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { type Claim, claimTag } from './claim.ts';
import type { Claims } from './claims.ts';
import { base, describeTopic, texts } from './route-texts.ts';

export interface RoutesOptions {
  readonly claims: Claims;
  /** Answers to the registration of claims. */
  readonly registered: KeptAnswers<Claim>;
}

/** The claims interface (Endpoints, Claims interface). */
export function routes(api: Api, options: RoutesOptions): void {
  const handle = handlers(options);
  endpoint(api, 'POST', '/claims', texts.registerClaim, {
    handler: handle.registerClaim,
    scope: 'claims:write',
    body: 'json',
    problems: ['policy-not-found', 'request-in-progress', 'idempotency-key-reused', 'quota-exceeded'],
  });
  endpoint(api, 'GET', '/claims', texts.listClaims, {
    handler: handle.listClaims,
    scope: 'claims:read',
    problems: ['validation-error'],
  });
  endpoint(api, 'GET', '/claims/:claimId', texts.readClaim, {
    handler: handle.readClaim,
    scope: 'claims:read',
    problems: ['claim-not-found', 'precondition-failed'],
  });
}

/** The description of the topic. */
export function topicDescription(api: Api, options: { publicUrl: string; clock: Clock }): void {
  serveDocument(api, 'asyncapi', describeTopic, options.clock, {
    make: () => asyncApiDocument(options.publicUrl),
  });
}

function handlers({ claims, registered }: RoutesOptions): Handlers<typeof texts> {
  return {
    async registerClaim(request, reply) {
      const { clientId } = callerOf(request);
      const draft = { ...request.body, trace: keptTrace(traceOf(request.headers.traceparent)) };
      const claim = await registered.answer(request, reply, (keep) => claims.register(clientId, draft, keep));
      return reply
        .code(201)
        .header('etag', claimTag(claim))
        .header('Location', absoluteUrl(request, `${base}/claims/${claim.claimId}`))
        .send(claim);
    },

    async listClaims(request, reply) {
      const page = pageOf(request.query);
      const { status, policyNumber } = request.query;
      const { items, total } = await claims.list(callerOf(request).clientId, { status, policyNumber }, page);
      const filters = { ...(status && { status }), ...(policyNumber !== undefined && { policyNumber }) };
      reply.header('Link', links(absoluteUrl(request, `${base}/claims`), page, total, filters));
      return asPage(items, total, page);
    },

    async readClaim(request, reply) {
      const claim = await claims.read(callerOf(request).clientId, request.params.claimId);
      return isKnown(request, reply, claimTag(claim)) ? reply.code(304).send() : claim;
    },
  };
}
