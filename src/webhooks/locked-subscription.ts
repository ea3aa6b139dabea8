import { alias, integer, type RowOf } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { type Failing, isSubscriptionId } from './delivery.ts';
import { subscriptionNotFound } from './not-found.ts';
import { deliveryBytes } from './stored-bytes.ts';
import { deliveries, subscriptions } from './tables.ts';

/*
 * Every change of deliveries first takes the row lock of their subscription, so that two transactions can't miss each
 * other's changes. The row also counts the open deliveries and the stored bytes.
 */

const returned = subscriptions.pick(
  'clientId',
  'topic',
  'status',
  'takenSeq',
  'deliveries',
  'openDeliveries',
  'gone',
  'pausedUntil',
);

/** A subscription that is locked until the transaction ends. */
export interface LockedSubscription extends Readonly<RowOf<typeof returned>> {
  readonly failing: Failing | null;
}

/** Undefined when it is gone. */
export async function lockSubscription(sql: Sql, id: string): Promise<LockedSubscription | undefined> {
  const row = await lock(sql, { id });
  if (!row) return undefined;
  const { failingSince: since, lastFailedAt: last, ...locked } = row;
  const failing = since === null || last === null ? null : { since: Date.parse(since), last: Date.parse(last) };
  return { ...locked, failing };
}

/** @throws {ProblemError} `subscription-not-found` */
export async function lockOwnSubscription(sql: Sql, clientId: string, id: string): Promise<LockedSubscription> {
  const locked = isSubscriptionId(id) ? await lockSubscription(sql, id) : undefined;
  return locked?.clientId === clientId ? locked : subscriptionNotFound(id);
}

/** When a delivery can be due that nobody asked for: now, or when a busy receiver may be called again. */
export function afterPause(pausedUntil: string | null, now: string): string {
  return pausedUntil !== null && pausedUntil > now ? pausedUntil : now;
}

export interface NewDelivery {
  readonly number: number;
  readonly eventId: string;
  readonly key: string;
  /** The number of its event in the log, or the payload itself where no event is in the log. */
  readonly source: number | string;
  readonly copies: number;
  /** When it is made, in its client's time. */
  readonly createdAt: string;
  /** When it is due, should none of its key be open; in real time, as each attempt is. */
  readonly dueAt: string;
  /** The trace that it is of, where no event in the log has one. */
  readonly trace?: string | null;
}

/** Adds a delivery to a subscription that is locked. Returns the bytes it takes. */
export async function openDelivery(sql: Sql, id: string, delivery: NewDelivery): Promise<number> {
  const { number, eventId, key, source, copies, createdAt, dueAt, trace = null } = delivery;
  const before = await findOpen(sql, { id, key });
  const [eventSeq, payload] = typeof source === 'number' ? [source, ''] : [null, source];
  await insert(sql, {
    subscriptionId: id,
    number,
    eventId,
    orderingKey: key,
    eventSeq,
    payload,
    status: before ? 'waiting' : 'pending',
    copiesLeft: copies,
    createdAt,
    nextAttemptAt: before ? null : dueAt,
    trace,
  });
  // Two characters for the empty list of attempts.
  return deliveryBytes + payload.length + 2;
}

const lock = statement.get`
  select ${returned}, ${subscriptions.pick('failingSince', 'lastFailedAt')} from subscriptions
  where id = ${'id'} and status <> 'deleted' ${lockRows}`;

const findOpen = statement.get`
  select 1 as ${alias('found', integer)} from deliveries
  where subscription_id = ${'id'} and ordering_key = ${'key'} and status in ('waiting', 'pending') limit 1`;

// Counts and attempts begin as the schema has them.
const opened = deliveries.omit('tries', 'attempts', 'keptAttempts', 'taken', 'refused', 'unanswered');

const insert = statement.run`insert into deliveries ${opened.values}`;

/** Makes the first open delivery of each key pending, where it waits for one that is done or gone. */
export const releaseWaiting = statement.run`
  update deliveries set status = 'pending', next_attempt_at = ${'at'}
  where subscription_id = ${'id'} and status = 'waiting' and not exists (
    select 1 from deliveries o
    where o.subscription_id = deliveries.subscription_id and o.ordering_key = deliveries.ordering_key
      and o.status in ('waiting', 'pending') and o.number < deliveries.number
  )`;
