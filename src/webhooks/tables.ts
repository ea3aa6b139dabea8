import { type Fragment, integer, nullable, table, text, textOf } from '../database/columns.ts';
import type { DeliveryStatus, SubscriptionStatus, Via } from './delivery.ts';

export const subscriptions = table('subscriptions', {
  id: text,
  clientId: text,
  topic: text,
  /** Counts from 1 for its client. */
  number: integer,
  url: text,
  secret: text,
  /** The secret before, which signs as well until `previousUntil` by the clock of the client. */
  previousSecret: nullable(text),
  previousUntil: nullable(text),
  createdAt: text,
  /** Or `deleted`: then no statement reads it. */
  status: textOf<SubscriptionStatus>(),
  /** How its calls go out. */
  via: textOf<Via>(),
  /** Of an inbox: what it answers next, as JSON; null where it always answers the same. */
  answers: nullable(text),
  /** 0 when a web page of another origin created it: it may call public addresses only. */
  loopback: integer,
  /** The last event that was taken in. */
  takenSeq: integer,
  /** 1 when it may be behind events that are not new: each round of the fan-out looks at it. */
  mayBeBehind: integer,
  /** The number of its latest delivery. */
  deliveries: integer,
  /** How many deliveries wait or are pending. */
  openDeliveries: integer,
  missedEvents: integer,
  failingSince: nullable(text),
  lastFailedAt: nullable(text),
  disabledAt: nullable(text),
  /** 1 when its receiver answered 410, which disabled it. */
  gone: integer,
  /** Until when a busy receiver is left alone, in real time; past once that is over. */
  pausedUntil: nullable(text),
});

/** A call that a relay is to make, from when it is due until it was answered or is late. */
export const relayCalls = table('relay_calls', {
  id: text,
  clientId: text,
  /** In real time, as all that is told of relays. */
  createdAt: text,
  /** JSON. */
  request: text,
  /** The stream that it was handed to; null while none has it. */
  takenBy: nullable(text),
  /** JSON; null until it comes. */
  answer: nullable(text),
});

/** The stream of a client that gets its calls. */
export const relays = table('relays', { clientId: text, stream: text, connectedAt: text, seenAt: text });

export const deliveries = table('deliveries', {
  subscriptionId: text,
  /** Counts from 1 in its subscription. */
  number: integer,
  eventId: text,
  orderingKey: text,
  /** Its event in the log; null where no event is in the log. */
  eventSeq: nullable(integer),
  /** Empty where the event in the log has it. */
  payload: text,
  status: textOf<DeliveryStatus>(),
  copiesLeft: integer,
  /** Failed tries of this copy. */
  tries: integer,
  attempts: integer,
  keptAttempts: text,
  taken: integer,
  refused: integer,
  unanswered: integer,
  createdAt: text,
  /** In real time; what else is an instant is in the client's. */
  nextAttemptAt: nullable(text),
  /** The trace of the call that asked for it, where no event in the log has one. */
  trace: nullable(text),
});

/**
 * Whether there are events after the cursor of the subscription `s`. By the first of them in an order that only one index
 * has: of `exists` PostgreSQL may read all events. Compared with plain columns, SQLite would read all of the client.
 */
export const isBehind: Fragment = {
  texts: [
    `(
      select e.seq from events e
      where (e.client_id, e.topic, e.seq) > (s.client_id, coalesce(s.topic, ''), coalesce(s.taken_seq, 0))
        and (e.client_id, e.topic, e.seq) <= (s.client_id, coalesce(s.topic, ''), 9007199254740991)
      order by e.client_id, e.topic, e.seq limit 1
    ) is not null`,
  ],
  parameters: [],
  output: [],
};
