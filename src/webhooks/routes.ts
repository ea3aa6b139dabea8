import { createHash, createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Topic } from '../events/topic.ts';
import { absoluteUrl } from '../http/absolute-url.ts';
import { callerOf } from '../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import type { HourlyLimit } from '../http/rate-limit.ts';
import type { Sha256 } from '../text/signed-bytes.ts';
import { keptTrace, traceOf } from '../text/trace-context.ts';
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
  const handle = handlers(options);
  const texts = webhookTexts(topic, base);
  // Who subscribes is sent events, and so must be allowed to read them.
  const change = `${read} ${write}`;
  endpoint(api, 'POST', '/subscriptions', texts.createSubscription, {
    handler: handle.createSubscription,
    scope: change,
    body: 'json',
    problems: ['quota-exceeded'],
  });
  endpoint(api, 'GET', '/subscriptions', texts.listSubscriptions, {
    handler: handle.listSubscriptions,
    scope: read,
    problems: ['validation-error'],
  });
  endpoint(api, 'GET', '/subscriptions/:subscriptionId', texts.readSubscription, {
    handler: handle.readSubscription,
    scope: read,
    problems: ['subscription-not-found'],
  });
  endpoint(api, 'DELETE', '/subscriptions/:subscriptionId', texts.deleteSubscription, {
    handler: handle.deleteSubscription,
    scope: change,
    problems: ['subscription-not-found'],
  });
  endpoint(api, 'POST', '/subscriptions/:subscriptionId/test', texts.testSubscription, {
    handler: handle.testSubscription,
    scope: change,
    problems: ['validation-error', 'subscription-not-found', 'subscription-disabled', 'quota-exceeded'],
  });
  endpoint(api, 'POST', '/subscriptions/:subscriptionId/enable', texts.enableSubscription, {
    handler: handle.enableSubscription,
    scope: change,
    problems: ['validation-error', 'subscription-not-found'],
  });
  endpoint(api, 'POST', '/subscriptions/:subscriptionId/check-signature', texts.checkSignature, {
    handler: handle.checkSignature,
    scope: read,
    body: 'json',
    problems: ['subscription-not-found'],
  });
  endpoint(api, 'POST', '/subscriptions/:subscriptionId/secret', texts.renewSecret, {
    handler: handle.renewSecret,
    scope: change,
    problems: ['subscription-not-found'],
  });
  endpoint(api, 'GET', '/subscriptions/:subscriptionId/deliveries', texts.listDeliveries, {
    handler: handle.listDeliveries,
    scope: read,
    problems: ['validation-error', 'subscription-not-found'],
  });
  endpoint(api, 'POST', '/subscriptions/:subscriptionId/deliveries/:number/redeliver', texts.redeliver, {
    handler: handle.redeliver,
    scope: change,
    problems: [
      'validation-error',
      'subscription-not-found',
      'delivery-not-found',
      'subscription-disabled',
      'quota-exceeded',
    ],
  });
}

function handlers(options: WebhookRoutesOptions): Handlers<ReturnType<typeof webhookTexts>> {
  const { subscriptions, deliveries, deliveryLog, renewal, deliver, isForeign, topic, base } = options;

  /** Refuses a request of a web page of another origin where the subscription calls what is not public. */
  async function checkOrigin(request: FastifyRequest, subscriptionId: string): Promise<void> {
    if (isForeign(request)) {
      await subscriptions.checkForeign(callerOf(request).clientId, subscriptionId);
    }
  }

  return {
    async createSubscription(request, reply) {
      const { clientId } = callerOf(request);
      const subscription = await subscriptions.create(topic, clientId, request.body.url, isForeign(request));
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
      const trace = keptTrace(traceOf(request.headers.traceparent));
      const number = await deliveries.test(topic, clientId, subscriptionId, trace);
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
