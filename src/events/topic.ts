import type { TSchema } from 'typebox';

/** What every event has; the rest of a payload is the publisher's. */
export interface EventPayload {
  /** A random UUID. It stays the same on every transport and at each repetition. */
  readonly eventId: string;
}

/**
 * A topic as data. The system that publishes it defines it, and serves it by `topicRoutes` and `webhookRoutes`; this
 * folder and the webhooks work for any topic. `app.ts` lists those that are relayed to Kafka.
 */
export interface Topic<Payload extends EventPayload = EventPayload> {
  /** Such as `claims.status-changed`. Also its name in Kafka. */
  readonly name: string;
  /** What an event reports, as the end of a sentence: `the status changes of the claims on your policies`. */
  readonly reports: string;
  /** The schema of the payload, with its name as `$id`. */
  readonly schema: TSchema;
  /** Events with the same key stay in order. */
  readonly key: OrderingKey<Payload>;
  /** When a first event comes, as a sentence: `A claim’s first event comes about 10 seconds after it was registered.` */
  readonly firstEvent: string;
  /** What a reader does whose cursor is older than events are kept, such as `read the claims list again with GET /claims`. */
  readonly catchUp: string;
  /** What a client's own event has wrong by rules that the schema can't tell: pointers into the payload. */
  faultsOf(payload: Payload): { readonly pointer: string; readonly detail: string }[];
  /** A made-up event, for trying a webhook. `now` is in milliseconds since 1970. */
  sample(eventId: string, now: number): Payload;
  /** How a reader knows such an event: `Its claim has the number 000000, which no claim has.` */
  readonly sampleNote: string;
}

interface OrderingKey<Payload> {
  /** The member of the payload's `data`, and of a delivery, that holds the key: `claimId`. */
  readonly member: string;
  /** What the key names, in a word: `claim`. */
  readonly noun: string;
  /** The schema of that member. */
  readonly schema: TSchema;
  of(payload: Payload): string;
}
