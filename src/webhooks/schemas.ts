import Type, { type Static } from 'typebox';
import { retentionDays } from '../events/retention.ts';
import type { Topic } from '../events/topic.ts';
import { PageOf } from '../http/requests/paging.ts';
import { enumeration } from '../text/enumeration.ts';
import { DeliveryAttempt, maxKept } from './attempts.ts';
import { deliveryStatuses, subscriptionStatuses, vias } from './delivery.ts';

/** A receiver on this machine: an example that can be sent, where webhooks may call it. */
export const exampleReceiver = 'http://127.0.0.1:9000/claims';

const subscriptionStatus = enumeration('SubscriptionStatus', subscriptionStatuses, 'The states of a subscription.');
const deliveryStatus = enumeration('DeliveryStatus', deliveryStatuses, 'The states of a delivery.');

const via = enumeration(
  'SubscriptionVia',
  vias,
  'direct: the service calls the URL. relay: a program on your machine does, which GET /range/v1/me/relay hands each call. inbox: nobody is called; each call lies in the log of your calls as answered.',
);

/** What an inbox may be told to answer. */
const maxAnswers = 20;
const answers = (description: string) =>
  Type.Array(Type.Integer({ minimum: 200, maximum: 599, examples: [503] }), {
    maxItems: maxAnswers,
    description,
    examples: [[503, 204]],
  });

const example = {
  id: 'sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
  url: 'https://partner.example/webhooks/claims',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwEXAMPLEONLY=',
  instant: '2026-03-02T10:15:40.000Z',
};

const moment = (description: string) => Type.String({ format: 'date-time', description, examples: [example.instant] });

const url = (description: string, at = example.url) => Type.String({ description, examples: [at] });

const lastDelivery = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Its number in the list of deliveries.', examples: [7] }),
    status: deliveryStatus('As in the list of deliveries.', 'pending'),
    attemptedAt: moment('When its latest attempt was made.'),
    responseStatus: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The HTTP status of the response; null if there was none.',
      examples: [404],
    }),
    failure: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why this attempt failed; null if it succeeded.',
      examples: ['The receiver answered 404, and only 2xx counts as delivered: it takes no POST at this URL.'],
    }),
    nextAttemptAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the next attempt is made; null if there is none.',
      examples: ['2026-03-02T10:15:45.000Z'],
    }),
  },
  { $id: 'LastDelivery', description: 'The latest delivery that was attempted, with its latest attempt.' },
);

const members = {
  id: Type.String({ pattern: '^sub-', description: 'Identifies the subscription.', examples: [example.id] }),
  url: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Where events are sent; null with an inbox.',
    examples: [example.url],
  }),
  via: via('How its calls go out.', 'direct'),
  answers: Type.Optional(answers('Of an inbox: the statuses that it answers next; 204 after them.')),
  createdAt: moment('When it was created. Events from then on are sent.'),
  status: subscriptionStatus(
    'disabled if all calls of a day failed, or one was answered with 410: the URL is not called until you enable the subscription.',
    'active',
  ),
  disabledAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was disabled; null while it is active.',
    examples: [null],
  }),
  disabledReason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why it was disabled; null while it is active.',
    examples: [null],
  }),
  delayed: Type.Unsafe<'pending-deliveries' | 'stored-bytes' | null>({
    type: ['string', 'null'],
    enum: ['pending-deliveries', 'stored-bytes', null],
    description:
      'Why events are not delivered for now: too many deliveries are open, or too many bytes are stored. Otherwise null.',
    examples: [null],
  }),
  missedEvents: Type.Integer({
    minimum: 0,
    description: `How many events could not be delivered within their ${retentionDays} days. If the number grows, read the list of claims again.`,
    examples: [0],
  }),
};

export const SubscriptionDraft = Type.Object(
  {
    url: Type.Optional(
      url(
        'Where to send events: http or https, without user and password, to an address that webhooks may call; with a relay any that its machine can call. Not with an inbox.',
        exampleReceiver,
      ),
    ),
    via: Type.Optional(via('How its calls go out; direct if it is absent.', 'direct')),
    answers: Type.Optional(
      answers(`With an inbox alone: the statuses that it answers, one a call, at most ${maxAnswers}; 204 after them.`),
    ),
  },
  {
    $id: 'SubscriptionDraft',
    description: 'The data of a new subscription: `url`, but for an inbox.',
    examples: [{ url: exampleReceiver, via: 'direct' }],
  },
);

/** What a test sends: an event of the client's own. */
export const testOf = ({ name, schema }: Topic) =>
  Type.Object(
    { payload: Type.Optional(schema) },
    {
      $id: 'SubscriptionTest',
      description: `An event of your own, as the topic ${name} has them. It is sent as it is, members that are not described included.`,
      examples: [{ payload: (schema as { examples?: unknown[] }).examples?.[0] }],
    },
  );

export const Subscription = Type.Object(
  // Absent until the first call, so that it is an object wherever it is.
  { ...members, lastDelivery: Type.Optional(lastDelivery) },
  { $id: 'Subscription', description: 'A URL that events are posted to when they are published.' },
);

const secret = Type.String({
  pattern: '^whsec_',
  description: 'The key of the signatures (Standard Webhooks specification). Shown only in this response.',
  examples: [example.secret],
});

export const SubscriptionWithSecret = Type.Object(
  {
    ...members,
    secret,
  },
  { $id: 'SubscriptionWithSecret', description: 'A new subscription, with the key of its signatures.' },
);

export const SubscriptionSecret = Type.Object(
  {
    secret,
    previousValidUntil: moment('Until when the secret before signs as well, by your clock.'),
  },
  { $id: 'SubscriptionSecret', description: 'A new key of the signatures, beside the one before.' },
);

export const SubscriptionList = PageOf(Subscription, 'SubscriptionList');

export const SubscriptionId = Type.Object({
  subscriptionId: Type.String({ description: 'The id of one of your subscriptions; it begins with sub-.' }),
});

export const DeliveryNumber = Type.Object({
  ...SubscriptionId.properties,
  number: Type.String({ description: 'The number of a delivery of the subscription.' }),
});

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });

const counts = Type.Object(
  {
    total: count('All of them.', 2),
    taken: count('Answered with 2xx.', 0),
    refused: count('Answered with another status.', 2),
    unanswered: count('Not answered.', 0),
  },
  { $id: 'DeliveryAttemptCounts', description: 'How many attempts there were, by how they ended.' },
);

/** The member that the topic names: `claimId`. What it is called is not known to the compiler. */
const keyOf = ({ member, schema }: Topic['key']): object => ({ [member]: schema });

/** A delivery as the interface shows it. */
export const deliveryOf = ({ key }: Topic) =>
  Type.Object(
    {
      number: Type.Integer({ minimum: 1, description: 'Counts from 1 in its subscription.', examples: [1] }),
      eventId: Type.String({
        format: 'uuid',
        description: 'The event; sent as webhook-id.',
        examples: ['6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11'],
      }),
      ...keyOf(key),
      status: deliveryStatus(
        `waiting for an earlier delivery of the same ${key.noun}, pending until nextAttemptAt, delivered, or failed after all attempts.`,
        'pending',
      ),
      attempts: Type.Array(DeliveryAttempt, {
        description: `Oldest first: the first attempt and the latest ones, at most ${maxKept}. attemptCounts counts all attempts.`,
      }),
      attemptCounts: counts,
      nextAttemptAt: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'date-time',
        description:
          'When the next attempt is made; null if there is none, or if the delivery is waiting. It is made later while its client or host has had its calls of the minute, while the subscription is disabled, and during the drill stop-events.',
        examples: ['2026-03-02T10:15:45.000Z'],
      }),
      createdAt: moment('When the delivery was created.'),
    },
    { $id: 'Delivery', description: 'The delivery of one event to a subscription.' },
  );

export type SubscriptionDraft = Static<typeof SubscriptionDraft>;
export type Subscription = Static<typeof Subscription>;
export type SubscriptionWithSecret = Static<typeof SubscriptionWithSecret>;
export type SubscriptionSecret = Static<typeof SubscriptionSecret>;
export type Delivery = Static<ReturnType<typeof deliveryOf>>;
