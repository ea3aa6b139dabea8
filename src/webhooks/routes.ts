import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Topic } from '../events/topic.ts';
import { callerOf } from '../http/bearer.ts';
import { asPage, links, OptionalPageQuery, PageOf, pageOf } from '../http/paging.ts';
import type { Deliveries } from './deliveries.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { isForeignOrigin } from './foreign-origin.ts';
import { deliveryNotFound } from './not-found.ts';
import {
  DeliveryNumber,
  deliveryOf,
  NewSubscription,
  Subscription,
  SubscriptionId,
  SubscriptionList,
  SubscriptionWithSecret,
} from './schemas.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface WebhookRoutesOptions {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;
  readonly deliveryLog: DeliveryLog;
  /** Called when there may be something to deliver. */
  readonly deliver: () => void;
  readonly publicUrl: string;
  readonly topic: Topic;
  /** The path of the interface that they belong to. */
  readonly base: string;
  /** The scopes that reading and changing need. */
  readonly read: string;
  readonly write: string;
}

const tags = ['Webhooks'];

/** Webhooks: a topic, delivered to an address of the client's (Events). */
export const webhookRoutes: FastifyPluginAsyncTypebox<WebhookRoutesOptions> = async (api, options) => {
  const { subscriptions, deliveries, deliveryLog, deliver, publicUrl, topic, base, read } = options;
  const { noun } = topic.key;
  const Delivery = deliveryOf(topic);
  // Who subscribes is sent events, and so must be allowed to read them.
  const change = `${read} ${options.write}`;

  /** Refuses a request of a web page of another origin where the subscription would call this machine. */
  async function checkOrigin(request: FastifyRequest, subscriptionId: string): Promise<void> {
    if (isForeignOrigin(request, publicUrl)) {
      await subscriptions.checkForeign(callerOf(request).clientId, subscriptionId);
    }
  }

  api.post(
    '/subscriptions',
    {
      schema: {
        operationId: 'createSubscription',
        tags,
        summary: 'Subscribe to the events',
        description: `Events published from now on are posted to the URL, signed as the Standard Webhooks specification says. A call that does not return 2xx is retried for a day, after growing intervals. The events of a ${noun} arrive in order. Redirects are not followed. Addresses that are not public are refused, and so is this machine if a web page of another origin sent the request. If all calls of a day fail, the subscription is disabled until you enable it.`,
        body: NewSubscription,
        response: { 201: SubscriptionWithSecret },
      },
      config: {
        body: 'json',
        scope: change,
        success: 'The subscription. The secret is not shown again.',
        headers: {
          Location: `${base}/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f`,
          'Cache-Control': 'no-store',
        },
        problems: ['quota-exceeded'],
      },
    },
    async (request, reply) => {
      const { clientId } = callerOf(request);
      const subscription = await subscriptions.create(
        topic,
        clientId,
        request.body.url,
        isForeignOrigin(request, publicUrl),
      );
      reply.headers({ Location: `${base}/subscriptions/${subscription.id}`, 'Cache-Control': 'no-store' });
      return reply.code(201).send(subscription);
    },
  );

  api.get(
    '/subscriptions',
    {
      schema: {
        operationId: 'listSubscriptions',
        tags,
        summary: 'List your subscriptions',
        description: 'Oldest first, without their secrets.',
        querystring: OptionalPageQuery,
        response: { 200: SubscriptionList },
      },
      config: {
        scope: read,
        success: 'One page.',
        headers: { Link: `<${base}/subscriptions?page=2&pageSize=20>; rel="next"` },
        problems: ['validation-error'],
      },
    },
    async (request, reply) => {
      const page = pageOf(request.query);
      const { items, total } = await subscriptions.list(topic, callerOf(request).clientId, page);
      reply.header('Link', links(`${base}/subscriptions`, page, total));
      return asPage(items, total, page);
    },
  );

  api.get(
    '/subscriptions/:subscriptionId',
    {
      schema: {
        operationId: 'readSubscription',
        tags,
        summary: 'Read a subscription',
        description: 'Without its secret.',
        params: SubscriptionId,
        response: { 200: Subscription },
      },
      config: { scope: read, success: 'The subscription.', problems: ['subscription-not-found'] },
    },
    (request) => subscriptions.read(callerOf(request).clientId, request.params.subscriptionId),
  );

  api.delete(
    '/subscriptions/:subscriptionId',
    {
      schema: {
        operationId: 'deleteSubscription',
        tags,
        summary: 'Delete a subscription',
        description: 'Open deliveries are cancelled, and the delivery log is removed.',
        params: SubscriptionId,
        response: { 204: {} },
      },
      config: { scope: change, success: 'Deleted.', problems: ['subscription-not-found'] },
    },
    async (request, reply) => {
      await subscriptions.remove(callerOf(request).clientId, request.params.subscriptionId);
      return reply.code(204).send();
    },
  );

  api.post(
    '/subscriptions/:subscriptionId/test',
    {
      schema: {
        operationId: 'testSubscription',
        tags,
        summary: 'Send a test event',
        description: `Delivers a sample event to this subscription, signed and retried like any other. ${topic.sampleNote}`,
        params: SubscriptionId,
        response: { 202: Delivery },
      },
      config: {
        scope: change,
        success: 'The delivery, which has started.',
        problems: ['validation-error', 'subscription-not-found', 'subscription-disabled', 'quota-exceeded'],
      },
    },
    async (request, reply) => {
      const { clientId } = callerOf(request);
      const { subscriptionId } = request.params;
      await checkOrigin(request, subscriptionId);
      const number = await deliveries.test(topic, clientId, subscriptionId);
      const delivery = await deliveryLog.read(topic, clientId, subscriptionId, number);
      deliver();
      return reply.code(202).send(delivery);
    },
  );

  api.post(
    '/subscriptions/:subscriptionId/enable',
    {
      schema: {
        operationId: 'enableSubscription',
        tags,
        summary: 'Enable a subscription',
        description:
          'Enables a subscription that was disabled because all calls of a day failed. Open deliveries are sent at once, then the events since then, as long as they are kept. An active subscription is not changed.',
        params: SubscriptionId,
        response: { 200: Subscription },
      },
      config: {
        scope: change,
        success: 'The subscription, which is active.',
        problems: ['validation-error', 'subscription-not-found'],
      },
    },
    async (request) => {
      const { clientId } = callerOf(request);
      const { subscriptionId } = request.params;
      await checkOrigin(request, subscriptionId);
      await deliveries.enable(clientId, subscriptionId);
      deliver();
      return subscriptions.read(clientId, subscriptionId);
    },
  );

  api.get(
    '/subscriptions/:subscriptionId/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        tags,
        summary: 'List the deliveries of a subscription',
        description:
          'Oldest first, each with its attempts and the time of the next one. A delivery is kept as long as its event.',
        params: SubscriptionId,
        querystring: OptionalPageQuery,
        response: { 200: PageOf(Delivery, 'DeliveryList') },
      },
      config: {
        scope: read,
        success: 'One page. A page after the last one has no items.',
        headers: {
          Link: `<${base}/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f/deliveries?page=2&pageSize=20>; rel="next"`,
        },
        problems: ['validation-error', 'subscription-not-found'],
      },
    },
    async (request, reply) => {
      const page = pageOf(request.query);
      const { subscriptionId } = request.params;
      const { items, total } = await deliveryLog.list(topic, callerOf(request).clientId, subscriptionId, page);
      reply.header('Link', links(`${base}/subscriptions/${subscriptionId}/deliveries`, page, total));
      return asPage(items, total, page);
    },
  );

  api.post(
    '/subscriptions/:subscriptionId/deliveries/:number/redeliver',
    {
      schema: {
        operationId: 'redeliver',
        tags,
        summary: 'Redeliver an event',
        description: `Sends a delivery again at once, whether it was delivered, has failed or waits for its next attempt. A delivery that waits for an earlier one of its ${noun} keeps waiting.`,
        params: DeliveryNumber,
        response: { 202: Delivery },
      },
      config: {
        scope: change,
        success: 'The delivery, which has started.',
        problems: [
          'validation-error',
          'subscription-not-found',
          'delivery-not-found',
          'subscription-disabled',
          'quota-exceeded',
        ],
      },
    },
    async (request, reply) => {
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
  );
};
