import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { stringify } from 'yaml';
import { callerOf } from '../http/bearer.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import { invalid } from '../http/validation.ts';
import { asyncApiDocument } from './asyncapi.ts';
import type { Claims } from './claims.ts';
import { cursorText, parseCursor, topic } from '../events/event.ts';
import type { Place } from '../events/event-log.ts';
import type { Feed } from '../events/feed.ts';
import {
  AsyncApiText,
  Claim,
  ClaimId,
  ClaimList,
  ClaimQuery,
  EventBatch,
  EventStream,
  LastEventId,
  NewClaim,
  TopicQuery,
} from './schemas.ts';
import type { Streams } from '../events/streams.ts';

export interface RoutesOptions {
  readonly claims: Claims;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly publicUrl: string;
}

const base = '/claims/v1';

const eventStream = 'text/event-stream';

/** On events, which neither caches nor proxies are to hold. */
const live = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** The claims interface and its event topic (Endpoints, Claims interface; Events). */
export const routes: FastifyPluginAsyncTypebox<RoutesOptions> = async (api, { claims, feed, streams, publicUrl }) => {
  api.post(
    '/claims',
    {
      schema: {
        operationId: 'registerClaim',
        tags: ['Claims'],
        summary: 'Register a claim',
        description:
          'On a policy of your own, whatever its status. The claims desk then moves it on, one status every `paceSeconds`, through UNDER_REVIEW and the `outcome` to CLOSED. Registration is no change of status: no event reports it.',
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
        summary: 'List the claims on own policies',
        description:
          'Oldest first. A walk over all pages sees each claim once, even while others are registered. A consumer that was away too long reads this list anew, then goes on with the topic.',
        querystring: ClaimQuery,
        response: { 200: ClaimList },
      },
      config: {
        scope: 'claims:read',
        success: 'One page. A page past the end has no items.',
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
        description: 'A claim on a policy of another client is not found, just like one that does not exist.',
        params: ClaimId,
        response: { 200: Claim },
      },
      config: { scope: 'claims:read', success: 'The claim.', problems: ['claim-not-found'] },
    },
    (request) => claims.read(callerOf(request).clientId, request.params.claimId),
  );

  api.get(
    `/topics/${topic}`,
    {
      schema: {
        operationId: 'readTopic',
        tags: ['Events'],
        summary: 'Read the events',
        description: [
          'The changes of status of the claims on own policies, in the order of each claim. Delivery is at least once: about one event in ten comes twice, on purpose, so process each `eventId` once. Events are kept for 7 days.',
          '',
          'Without more, the answer is a batch; with `wait`, a batch that waits for an event (a long poll). With `Accept: text/event-stream` it is a stream of server-sent events: the cursor is the `id`, and the header `Last-Event-ID` resumes after it. A stream ends when its token expires.',
        ].join('\n'),
        querystring: TopicQuery,
        headers: LastEventId,
        response: {
          200: {
            content: {
              'application/json': { schema: EventBatch },
              [eventStream]: { schema: EventStream },
            },
          },
        },
      },
      config: {
        scope: 'claims:read',
        success: 'Events, as a batch or as a stream.',
        headers: live,
        problems: ['validation-error', 'cursor-expired', 'quota-exceeded'],
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { after = 'earliest', limit = 100, wait = 0 } = request.query;
      if (wantsStream(request)) {
        const resumed = lastEventId(request);
        const place = resumed ?? placeOf(after);
        const named = resumed ? ({ header: 'Last-Event-ID' } as const) : ({ parameter: 'after' } as const);
        // HEAD asks for the headers only, and would leave a stream open that nobody reads.
        const head = request.method === 'HEAD';
        const stream = head
          ? await feed.check(caller, place, named).then(() => '')
          : await streams.open(caller, place, named);
        reply.type(eventStream).headers(live);
        // The schema is that of the text; Fastify sends a stream as it comes.
        return reply.send(stream as never);
      }
      const reader = feed.admit(caller);
      reply.raw.once('close', () => reader.stop());
      try {
        const waitMs = request.method === 'HEAD' ? 0 : wait * 1000;
        const { deliveries, next } = await feed.batch(reader, placeOf(after), limit, waitMs);
        // The payloads are JSON already: to parse them and write them anew would be most of what a batch costs.
        const events = deliveries.map(({ payload }) => payload).join(',');
        const text = `{"events":[${events}],"next":"${cursorText(next)}"}`;
        return reply
          .headers(live)
          .type('application/json')
          .send(text as never);
      } finally {
        feed.dismiss(reader);
      }
    },
  );

  let description: Buffer | undefined;
  api.get(
    '/asyncapi.yaml',
    {
      schema: {
        operationId: 'describeTopic',
        tags: ['Descriptions'],
        summary: 'The topic’s description',
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

function wantsStream(request: FastifyRequest): boolean {
  return new Negotiator(request.raw).mediaType(['application/json', eventStream]) === eventStream;
}

/** @throws {ProblemError} `validation-error` */
function lastEventId(request: FastifyRequest): Place | undefined {
  const text = request.headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  const cursor = parseCursor(String(text));
  if (cursor) return cursor;
  throw invalid([{ header: 'Last-Event-ID', detail: 'must be the id of an event that this topic sent.' }]);
}

function placeOf(after: string): Place {
  return parseCursor(after) ?? (after === 'latest' ? 'latest' : 'earliest');
}
