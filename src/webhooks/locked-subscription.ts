import type { Sql } from '../database/database.ts';
import { type Failing, isSubscriptionId, type SubscriptionStatus } from './delivery.ts';
import { subscriptionNotFound } from './not-found.ts';
import { deliveryBytes } from './stored-bytes.ts';

/*
 * Every change of deliveries first takes the row lock of their subscription, so that two transactions can't miss each
 * other's changes. The row also counts the open deliveries and the stored bytes.
 */

/** A subscription that is locked until the transaction ends. */
export interface LockedSubscription {
  readonly clientId: string;
  /** The name of its topic. */
  readonly topic: string;
  readonly status: SubscriptionStatus;
  /** The last event for which it has a delivery: its cursor. */
  readonly takenSeq: number;
  /** The number of its latest delivery. */
  readonly deliveries: number;
  /** How many deliveries wait or are pending. */
  readonly open: number;
  readonly failing: Failing | null;
}

interface LockedRow {
  client_id: string;
  topic: string;
  status: SubscriptionStatus;
  taken_seq: number;
  deliveries: number;
  open_deliveries: number;
  failing_since: string | null;
  last_failed_at: string | null;
}

/** Undefined when it is gone. */
export async function lockSubscription(sql: Sql, id: string): Promise<LockedSubscription | undefined> {
  const row = await sql.get<LockedRow>`
    update subscriptions set deliveries = deliveries where id = ${id} and status <> 'deleted'
    returning client_id, topic, status, taken_seq, deliveries, open_deliveries, failing_since, last_failed_at`;
  if (!row) return undefined;
  const { failing_since: since, last_failed_at: last } = row;
  return {
    clientId: row.client_id,
    topic: row.topic,
    status: row.status,
    takenSeq: row.taken_seq,
    deliveries: row.deliveries,
    open: row.open_deliveries,
    failing: since === null || last === null ? null : { since: Date.parse(since), last: Date.parse(last) },
  };
}

/** @throws {ProblemError} `subscription-not-found` */
export async function lockOwnSubscription(sql: Sql, clientId: string, id: string): Promise<LockedSubscription> {
  const locked = isSubscriptionId(id) ? await lockSubscription(sql, id) : undefined;
  return locked?.clientId === clientId ? locked : subscriptionNotFound(id);
}

export interface NewDelivery {
  readonly number: number;
  readonly eventId: string;
  readonly key: string;
  /** The number of its event in the log, or the payload itself where no event is in the log. */
  readonly source: number | string;
  readonly copies: number;
  readonly at: string;
}

/** Adds a delivery to a subscription that is locked. Returns the bytes it takes. */
export async function openDelivery(sql: Sql, id: string, delivery: NewDelivery): Promise<number> {
  const { number, eventId, key, source, copies, at } = delivery;
  const before = await sql.get`
    select 1 as found from deliveries
    where subscription_id = ${id} and ordering_key = ${key} and status in ('waiting', 'pending') limit 1`;
  const [seq, payload] = typeof source === 'number' ? [source, ''] : [null, source];
  await sql.run`
    insert into deliveries (subscription_id, number, event_id, ordering_key, event_seq, payload, status, copies_left,
      created_at, next_attempt_at)
    values (${id}, ${number}, ${eventId}, ${key}, ${seq}, ${payload}, ${before ? 'waiting' : 'pending'}, ${copies},
      ${at}, ${before ? null : at})`;
  // Two characters for the empty list of attempts.
  return deliveryBytes + payload.length + 2;
}

/** Makes the first open delivery of each key pending, where it waits for one that is done or gone. */
export async function releaseWaiting(sql: Sql, id: string, at: string): Promise<void> {
  await sql.run`
    update deliveries set status = 'pending', next_attempt_at = ${at}
    where subscription_id = ${id} and status = 'waiting' and not exists (
      select 1 from deliveries o
      where o.subscription_id = deliveries.subscription_id and o.ordering_key = deliveries.ordering_key
        and o.status in ('waiting', 'pending') and o.number < deliveries.number
    )`;
}
