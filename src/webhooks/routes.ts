import { createHash, createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { EventPayload, Topic } from '../events/topic.ts';
import { type Api, type Handlers, tableOf } from '../http/endpoint.ts';
import type { HourlyLimit } from '../http/rate-limit.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import { callerOf } from '../http/requests/bearer.ts';
import { keptSecret } from '../http/requests/names.ts';
import { asPage, links, pageOf } from '../http/requests/paging.ts';
import { traceOfCall } from '../http/requests/trace.ts';
import { invalid } from '../http/requests/validation.ts';
import type { Sha256 } from '../text/signed-bytes.ts';
import type { Deliveries } from './deliveries.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { deliveryNotFound } from './not-found.ts';
import { webhookTexts } from './route-texts.ts';
import { checkSignatures } from './signature-check.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface WebhookRoutesOptions {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;
  readonly deliveryLog: DeliveryLog;
  /** How many new secrets a client may have for its subscriptions in an hour. */
  readonly renewal: HourlyLimit;
  /** Called when there may be something to deliver. */
  readonly deliver: () => void;
  /** Whether a web page of another origin sent a request. */
  readonly isForeign: (request: FastifyRequest) => boolean;
  readonly topic: Topic;
  /** The path of the interface that they belong to. */
  readonly base: string;
  /** The scopes that reading and changing need. */
  readonly read: string;
  readonly write: string;
}

/** That of Node.js. */
const sha256: Sha256 = (data, key) =>
  (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(data).digest();

/** Webhooks: a topic, delivered to an address of the client's (Events). */
export function webhookRoutes(api: Api, options: WebhookRoutesOptions): void {
  const { topic, base, read, write } = options;
  const route = tableOf(api, webhookTexts(topic, base), handlers(options));
  // Who subscribes is sent events, and so must be allowed to read them.
  const change = `${read} ${write}`;
  route('POST', '/subscriptions', 'createSubscription', change, ['quota-exceeded'], { body: 'json' });
  route('GET', '/subscriptions', 'listSubscriptions', read, ['validation-error']);
  route('GET', '/subscriptions/:subscriptionId', 'readSubscription', read, ['subscription-not-found']);
  route('DELETE', '/subscriptions/:subscriptionId', 'deleteSubscription', change, ['subscription-not-found']);
  const testProblems = [
    'validation-error',
    'subscription-not-found',
    'subscription-disabled',
    'quota-exceeded',
  ] as const;
  route('POST', '/subscriptions/:subscriptionId/test', 'testSubscription', change, testProblems, {
    body: 'json-if-any',
  });
  route('POST', '/subscriptions/:subscriptionId/enable', 'enableSubscription', change, [
    'validation-error',
    'subscription-not-found',
  ]);
  route('POST', '/subscriptions/:subscriptionId/check-signature', 'checkSignature', read, ['subscription-not-found'], {
    body: 'json',
  });
  route('POST', '/subscriptions/:subscriptionId/secret', 'renewSecret', change, ['subscription-not-found']);
  route('GET', '/subscriptions/:subscriptionId/deliveries', 'listDeliveries', read, [
    'validation-error',
    'subscription-not-found',
  ]);
  route('POST', '/subscriptions/:subscriptionId/deliveries/:number/redeliver', 'redeliver', change, [
    'validation-error',
    'subscription-not-found',
    'delivery-not-found',
    'subscription-disabled',
    'quota-exceeded',
  ]);
}

function handlers(options: WebhookRoutesOptions): Handlers<ReturnType<typeof webhookTexts>> {
  const { subscriptions, deliveries, deliveryLog, renewal, deliver, isForeign, topic, base } = options;

  /** Refuses a request of a web page of another origin where the subscription calls what is not public. */
  async function checkOrigin(request: FastifyRequest, subscriptionId: string): Promise<void> {
    if (isForeign(request)) {
      await subscriptions.checkForeign(callerOf(request).clientId, subscriptionId);
    }
  }

  /** The event that the client made up, if it sent one. The schema has seen it. */
  function ownEvent({ body, server }: FastifyRequest): EventPayload | undefined {
    const { payload } = body as { payload?: EventPayload };
    if (payload === undefined) return undefined;
    const isSecret = server.secretFinder.isIn(JSON.stringify(payload));
    const faults = isSecret ? [{ pointer: '', detail: keptSecret }] : topic.faultsOf(payload);
    if (faults.length === 0) return payload;
    throw invalid(faults.map(({ pointer, detail }) => ({ pointer: `/payload${pointer}`, detail })));
  }

  return {
    async createSubscription(request, reply) {
      const { clientId } = callerOf(request);
      const subscription = await subscriptions.create(topic, clientId, request.body, isForeign(request));
      const location = absoluteUrl(request, `${base}/subscriptions/${subscription.id}`);
      return reply.code(201).header('Location', location).send(subscription);
    },

    async listSubscriptions(request, reply) {
      const page = pageOf(request.query);
      const { items, total } = await subscriptions.list(topic, callerOf(request).clientId, page);
      reply.header('Link', links(absoluteUrl(request, `${base}/subscriptions`), page, total));
      return asPage(items, total, page);
    },

    readSubscription(request) {
      return subscriptions.read(callerOf(request).clientId, request.params.subscriptionId);
    },

    async deleteSubscription(request, reply) {
      await subscriptions.remove(callerOf(request).clientId, request.params.subscriptionId);
      return reply.code(204).send();
    },

    async testSubscription(request, reply) {
      const { clientId } = callerOf(request);
      const { subscriptionId } = request.params;
      await checkOrigin(request, subscriptionId);
      const payload = ownEvent(request);
      const number = await deliveries.test(topic, clientId, subscriptionId, { trace: traceOfCall(request), payload });
      const delivery = await deliveryLog.read(topic, clientId, subscriptionId, number);
      deliver();
      return reply.code(202).send(delivery);
    },

    async enableSubscription(request) {
      const { clientId } = callerOf(request);
      const { subscriptionId } = request.params;
      await checkOrigin(request, subscriptionId);
      await deliveries.enable(clientId, subscriptionId);
      deliver();
      return subscriptions.read(clientId, subscriptionId);
    },

    async checkSignature(request) {
      const secrets = await subscriptions.secrets(callerOf(request).clientId, request.params.subscriptionId);
      return checkSignatures(secrets, request.body, sha256);
    },

    async renewSecret(request, reply) {
      const { clientId } = callerOf(request);
      const renew = () => subscriptions.renewSecret(clientId, request.params.subscriptionId);
      return reply.code(201).send(await renewal(clientId, reply, renew));
    },

    async listDeliveries(request, reply) {
      const page = pageOf(request.query);
      const { subscriptionId } = request.params;
      const { items, total } = await deliveryLog.list(topic, callerOf(request).clientId, subscriptionId, page);
      const list = absoluteUrl(request, `${base}/subscriptions/${subscriptionId}/deliveries`);
      reply.header('Link', links(list, page, total));
      return asPage(items, total, page);
    },

    async redeliver(request, reply) {
      const { clientId } = callerOf(request);
      const { subscriptionId, number: text } = request.params;
      await subscriptions.read(clientId, subscriptionId);
      await checkOrigin(request, subscriptionId);
      const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : deliveryNotFound(text);
      await deliveries.redeliver(clientId, subscriptionId, number);
      const delivery = await deliveryLog.read(topic, clientId, subscriptionId, number);
      deliver();
      return reply.code(202).send(delivery);
    },
  };
}
