import type { Topic } from '../events/topic.ts';
import type { EndpointText } from '../http/endpoint.ts';
import { OptionalPageQuery, PageOf } from '../http/paging.ts';
import {
  DeliveryNumber,
  deliveryOf,
  NewSubscription,
  Subscription,
  SubscriptionId,
  SubscriptionList,
  SubscriptionWithSecret,
} from './schemas.ts';

const tags = ['Webhooks'];

/** The shapes and texts of the webhooks of a topic. `base` is the path of the interface that they belong to. */
export function webhookTexts(topic: Topic, base: string) {
  const { noun } = topic.key;
  const Delivery = deliveryOf(topic);
  return {
    createSubscription: {
      schema: {
        operationId: 'createSubscription',
        tags,
        summary: 'Subscribe to the events',
        description: `Events published from now on are posted to the URL, signed after the Standard Webhooks specification. A call that is not answered with 2xx is made again, after pauses that grow, for a day. The events of a ${noun} arrive in order. Redirects are not followed. Addresses that are not public are refused; so is this machine when a web page of another origin asks for it. When every call of a day has failed, the subscription is disabled until you enable it.`,
        body: NewSubscription,
        response: { 201: SubscriptionWithSecret },
      },
      success: 'The subscription. The secret is not shown again.',
      headers: {
        Location: `${base}/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f`,
        'Cache-Control': 'no-store',
      },
    },
    listSubscriptions: {
      schema: {
        operationId: 'listSubscriptions',
        tags,
        summary: 'List own subscriptions',
        description: 'Oldest first, without their secrets.',
        querystring: OptionalPageQuery,
        response: { 200: SubscriptionList },
      },
      success: 'One page.',
      headers: { Link: `<${base}/subscriptions?page=2&pageSize=20>; rel="next"` },
    },
    readSubscription: {
      schema: {
        operationId: 'readSubscription',
        tags,
        summary: 'Read a subscription',
        description: 'Without its secret.',
        params: SubscriptionId,
        response: { 200: Subscription },
      },
      success: 'The subscription.',
    },
    deleteSubscription: {
      schema: {
        operationId: 'deleteSubscription',
        tags,
        summary: 'Delete a subscription',
        description: 'What was still to be delivered is not; neither is the record of its deliveries kept.',
        params: SubscriptionId,
        response: { 204: {} },
      },
      success: 'Deleted.',
    },
    testSubscription: {
      schema: {
        operationId: 'testSubscription',
        tags,
        summary: 'Send a test event',
        description: `Delivers a made-up event to this subscription, signed and retried like any other. ${topic.sampleNote}`,
        params: SubscriptionId,
        response: { 202: Delivery },
      },
      success: 'The delivery; it is under way.',
    },
    enableSubscription: {
      schema: {
        operationId: 'enableSubscription',
        tags,
        summary: 'Enable a subscription',
        description:
          'A subscription that was disabled, because every call of a day failed, goes on: what is open is called at once, and events since then follow as far as they are kept. An active one stays as it is.',
        params: SubscriptionId,
        response: { 200: Subscription },
      },
      success: 'The subscription; it is active.',
    },
    listDeliveries: {
      schema: {
        operationId: 'listDeliveries',
        tags,
        summary: 'List the deliveries of a subscription',
        description:
          'Oldest first, each with its attempts and when it is tried next. A delivery is kept as long as its event.',
        params: SubscriptionId,
        querystring: OptionalPageQuery,
        response: { 200: PageOf(Delivery, 'DeliveryList') },
      },
      success: 'One page. A page past the end has no items.',
      headers: {
        Link: `<${base}/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f/deliveries?page=2&pageSize=20>; rel="next"`,
      },
    },
    redeliver: {
      schema: {
        operationId: 'redeliver',
        tags,
        summary: 'Deliver again',
        description: `At once, whether it was delivered, has failed or was to be tried later. One that waits for an earlier one of its ${noun} goes on waiting.`,
        params: DeliveryNumber,
        response: { 202: Delivery },
      },
      success: 'The delivery; it is under way.',
    },
  } satisfies Record<string, EndpointText>;
}
