import type { StoredAnswers } from '../http/answers/stored-answers.ts';
import { serveDocument } from '../http/descriptions/served-document.ts';
import { type Api, type Handlers, tableOf } from '../http/endpoint.ts';
import type { FieldError } from '../http/problems/problem.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { callerOf } from '../http/requests/bearer.ts';
import { asStored } from '../http/requests/changed-since.ts';
import { creationProblems } from '../http/requests/idempotency-key.ts';
import { asPage, links, pageOf } from '../http/requests/paging.ts';
import { isKnown } from '../http/requests/preconditions.ts';
import { traceOfCall } from '../http/requests/trace.ts';
import { policyIdAdvice } from '../insurer/index.ts';
import type { Clock } from '../time/clock.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { claimTag } from './claim.ts';
import type { Claims } from './claims.ts';
import { base, describeTopic, texts } from './route-texts.ts';
import type { Claim } from './schemas.ts';

export interface RoutesOptions {
  readonly claims: Claims;
  /** Answers to the registration of claims. */
  readonly registered: StoredAnswers<Claim>;
}

const read = 'claims:read';
const write = 'claims:write';

/** The claims interface (Endpoints, Claims interface). */
export function routes(api: Api, options: RoutesOptions): void {
  const route = tableOf(api, texts, handlers(options));
  const forPeople = true;
  route('POST', '/claims', 'registerClaim', write, ['policy-not-found', ...creationProblems], {
    forPeople,
    body: 'json',
  });
  route('GET', '/claims', 'listClaims', read, ['validation-error'], {
    forPeople,
    ruleFaults: ({ query }) => filterFaults(query),
  });
  route('GET', '/claims/:claimId', 'readClaim', read, ['claim-not-found', 'precondition-failed'], { forPeople });
}

/** A policy that can't be there: the list would be empty without a word of it. */
function filterFaults(query: unknown): FieldError[] {
  const { policyNumber } = query as { policyNumber?: unknown };
  const advice = typeof policyNumber === 'string' ? policyIdAdvice(policyNumber.trim()) : '';
  return advice === '' ? [] : [{ parameter: 'policyNumber', detail: `is not the id of a policy.${advice}` }];
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
      const { clientId, person } = callerOf(request);
      const draft = { ...request.body, trace: traceOfCall(request) };
      const claim = await registered.answer(request, reply, (keep) =>
        claims.register(clientId, draft, keep, person?.name),
      );
      return reply
        .code(201)
        .header('etag', claimTag(claim))
        .header('Location', absoluteUrl(request, `${base}/claims/${claim.claimId}`))
        .send(claim);
    },

    async listClaims(request, reply) {
      const page = pageOf(request.query);
      const { status, policyNumber, updatedSince } = request.query;
      const { clientId, person } = callerOf(request);
      const since = updatedSince && asStored(updatedSince);
      const wanted = { status, policyNumber: policyNumber?.trim(), updatedSince: since, holder: person?.name };
      const { items, total } = await claims.list(clientId, wanted, page);
      const filters = {
        ...(status && { status }),
        ...(policyNumber !== undefined && { policyNumber }),
        ...(since && { updatedSince }),
      };
      reply.header('Link', links(absoluteUrl(request, `${base}/claims`), page, total, filters));
      return asPage(items, total, page);
    },

    async readClaim(request, reply) {
      const { clientId, person } = callerOf(request);
      const claim = await claims.read(clientId, request.params.claimId, person?.name);
      return isKnown(request, reply, claimTag(claim)) ? reply.code(304).send() : claim;
    },
  };
}
