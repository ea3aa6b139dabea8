import type { Topic } from '../events/topic.ts';
import type { EndpointText } from '../http/endpoint.ts';
import { OptionalPageQuery, PageOf } from '../http/requests/paging.ts';
import {
  DeliveryNumber,
  deliveryOf,
  Subscription,
  SubscriptionDraft,
  SubscriptionId,
  SubscriptionList,
  SubscriptionSecret,
  SubscriptionWithSecret,
  testOf,
} from './schemas.ts';
import { SignatureFinding, SignatureQuestion } from './signature-schemas.ts';

const tags = ['Webhooks'];

const itsId = { parameters: { subscriptionId: '$response.body#/id' } };

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
        description: `Events published from now on are posted to the URL, signed as the Standard Webhooks specification says. A call that does not return 2xx is retried for a day, after growing intervals. After 429, 502, 504, or 503 with Retry-After, no call is made to the URL for as long as Retry-After asks: at least 5 seconds, at most an hour. The events of a ${noun} arrive in order. Redirects are not followed. Addresses that are not public are refused, and those that the service allows besides if a web page of another origin sent the request. If all calls of a day fail, or one is answered with 410, the subscription is disabled until you enable it.`,
        body: SubscriptionDraft,
        response: { 201: SubscriptionWithSecret },
      },
      success: 'The subscription. The secret is not shown again.',
      headers: {
        Location: `${base}/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f`,
      },
      links: {
        readSubscription: { operationId: 'readSubscription', ...itsId, description: 'The subscription can be read.' },
        testSubscription: { operationId: 'testSubscription', ...itsId, description: 'A test event can be sent to it.' },
        checkSignature: {
          operationId: 'checkSignature',
          ...itsId,
          description: 'A signature that a receiver got or computed can be checked.',
        },
        listDeliveries: { operationId: 'listDeliveries', ...itsId, description: 'Its deliveries can be listed.' },
        enableSubscription: {
          operationId: 'enableSubscription',
          ...itsId,
          description: 'It can be enabled, should it have been disabled.',
        },
        renewSubscriptionSecret: {
          operationId: 'renewSubscriptionSecret',
          ...itsId,
          description: 'It can get a new secret, beside the one that it has.',
        },
        deleteSubscription: { operationId: 'deleteSubscription', ...itsId, description: 'It can be deleted.' },
      },
      guesses: ['webhooks', 'hooks', 'subscribe', 'webhooks/subscriptions'],
    },
    listSubscriptions: {
      schema: {
        operationId: 'listSubscriptions',
        tags,
        summary: 'List your subscriptions',
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
      instead: {
        PUT: 'A subscription can’t be changed. Delete it, and create another one with POST /subscriptions.',
        PATCH: 'A subscription can’t be changed. Delete it, and create another one with POST /subscriptions.',
        POST: 'To try it: POST /subscriptions/{subscriptionId}/test. To create one: POST /subscriptions.',
      },
    },
    deleteSubscription: {
      schema: {
        operationId: 'deleteSubscription',
        tags,
        summary: 'Delete a subscription',
        description: 'Open deliveries are cancelled, and the delivery log is removed.',
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
        description: `Delivers an event to this subscription, signed and retried like any other: the one that you send as \`payload\`, or, without a body, a sample. ${topic.sampleNote}`,
        params: SubscriptionId,
        body: testOf(topic),
        response: { 202: Delivery },
      },
      success: 'The delivery, which has started.',
      guesses: [
        'subscriptions/:subscriptionId/ping',
        'subscriptions/:subscriptionId/try',
        'subscriptions/:subscriptionId/send-test',
        'subscriptions/:subscriptionId/test-event',
      ],
      links: {
        redeliver: {
          operationId: 'redeliver',
          description: 'It can be sent again.',
          parameters: { subscriptionId: '$request.path.subscriptionId', number: '$response.body#/number' },
        },
      },
    },
    enableSubscription: {
      schema: {
        operationId: 'enableSubscription',
        tags,
        summary: 'Enable a subscription',
        description:
          'Enables a subscription that was disabled because all calls of a day failed, or because one was answered with 410. Open deliveries are sent at once, then the events since then, as long as they are kept. An active subscription is not changed.',
        params: SubscriptionId,
        response: { 200: Subscription },
      },
      success: 'The subscription, which is active.',
    },
    checkSignature: {
      schema: {
        operationId: 'checkSignature',
        tags,
        summary: 'Check a signature',
        description:
          'For the author of a receiver. Says whether a signature fits an id, a timestamp and a body with the secret of this subscription, and if not, which of the common mistakes it comes from. Send the signature that arrived, or the one that your code computed.',
        params: SubscriptionId,
        body: SignatureQuestion,
        response: { 200: SignatureFinding },
      },
      success: 'The finding.',
      guesses: [
        'subscriptions/:subscriptionId/check',
        'subscriptions/:subscriptionId/verify',
        'subscriptions/:subscriptionId/signature',
        'subscriptions/:subscriptionId/verify-signature',
      ],
    },
    renewSecret: {
      schema: {
        operationId: 'renewSubscriptionSecret',
        tags,
        summary: 'Get a new secret for a subscription',
        description:
          'For 24 hours of your clock each call is signed with the new secret and with the one before, so that no delivery is refused while your receiver changes over: webhook-signature then has two signatures with a space between them, and a receiver takes the call if one of them fits. After that the new one signs alone. Only two sign: one that was before these ends at once. Thirty times an hour at the most, for all subscriptions together. There is no `Location`: the secret is shown only here.',
        params: SubscriptionId,
        response: { 201: SubscriptionSecret },
      },
      success: 'The new secret.',
      guesses: [
        'subscriptions/:subscriptionId/rotate',
        'subscriptions/:subscriptionId/rotate-secret',
        'subscriptions/:subscriptionId/secrets',
        'subscriptions/:subscriptionId/renew',
      ],
      instead: { GET: 'A secret is shown once, when it is made. To get a new one: POST.' },
    },
    listDeliveries: {
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
      success: 'One page. A page after the last one has no items.',
      guesses: [
        'subscriptions/:subscriptionId/attempts',
        'subscriptions/:subscriptionId/log',
        'subscriptions/:subscriptionId/history',
        'subscriptions/:subscriptionId/events',
        'subscriptions/:subscriptionId/calls',
      ],
      headers: {
        Link: `<${base}/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f/deliveries?page=2&pageSize=20>; rel="next"`,
      },
    },
    redeliver: {
      schema: {
        operationId: 'redeliver',
        tags,
        summary: 'Redeliver an event',
        description: `Sends a delivery again at once, whether it was delivered, has failed or waits for its next attempt. A delivery that waits for an earlier one of its ${noun} keeps waiting.`,
        params: DeliveryNumber,
        response: { 202: Delivery },
      },
      success: 'The delivery, which has started.',
    },
  } satisfies Record<string, EndpointText>;
}
