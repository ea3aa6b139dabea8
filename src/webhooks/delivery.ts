/*
 * The life of a delivery. Each event that follows a subscription becomes a delivery of it, once.
 *
 *   waiting → pending → delivered
 *                     → failed
 *
 * It waits while an earlier delivery of the same key (such as the claim) is open, so that events of one key arrive in
 * order; deliveries of other keys don't wait. Then it is pending: due at a time, and tried then. A 2xx response delivers
 * a copy; if the event is a duplicate, the second copy is due at once, with its own retries. Any other response,
 * or none, is retried after growing intervals; after a day it has failed. A receiver that is busy (retry-after.ts) is
 * left alone for as long as it asks, by all deliveries of the subscription. When it is delivered or failed, the next one
 * of its key becomes pending. The owner of the subscription can request a redelivery: then it is pending again.
 *
 * The life of a subscription.
 *
 *   active ⇄ disabled
 *      ↓        ↓
 *       deleted
 *
 * It is disabled when all attempts of a day have failed, or the receiver answered 410. Then its URL is not called: open
 * deliveries stay open, and new events stay in the log. When its owner enables it, it continues with both, as far as events are kept. When it is
 * deleted, no caller can see it any more; its rows are removed in steps.
 */

import type { Randomness } from '../randomness.ts';
import { day } from '../time/units.ts';
import { type Attempt, isTaken } from './attempts.ts';
import { pauseAfter } from './retry-after.ts';
import { retryIntervals } from './retry-intervals.ts';

export type SubscriptionStatus = 'active' | 'disabled';
export const subscriptionStatuses = ['active', 'disabled'] as const satisfies SubscriptionStatus[];

/** How calls go out: by this service, by a program on the learner's machine, or not at all: they lie in the log. */
export const vias = ['direct', 'relay', 'inbox'] as const;
export type Via = (typeof vias)[number];

export const deliveryStatuses = ['waiting', 'pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Whether a delivery may still be attempted. */
export function isOpen(status: DeliveryStatus): boolean {
  return status === 'waiting' || status === 'pending';
}

/** The state of a delivery, as far as an attempt changes it. */
export interface DeliveryState {
  readonly status: DeliveryStatus;
  /** Copies that are not delivered yet. */
  readonly copiesLeft: number;
  /** Failed attempts of this copy. */
  readonly tries: number;
  /** Milliseconds since 1970; null when no attempt is to come. */
  readonly nextAttemptAt: number | null;
}

/** The state of a pending delivery after an attempt that was due at `dueAt` and ended at `now`. */
export function afterAttempt(
  { copiesLeft, tries, dueAt }: Pick<DeliveryState, 'copiesLeft' | 'tries'> & { dueAt: number },
  attempt: Attempt,
  now: number,
): DeliveryState {
  if (isTaken(attempt)) {
    // The copy is due at the same time as the first, so that no other delivery comes between them.
    if (copiesLeft > 1) return { status: 'pending', copiesLeft: copiesLeft - 1, tries: 0, nextAttemptAt: dueAt };
    return { status: 'delivered', copiesLeft: 0, tries: 0, nextAttemptAt: null };
  }
  const pause = retryIntervals[tries];
  if (pause === undefined) return { status: 'failed', copiesLeft, tries: tries + 1, nextAttemptAt: null };
  return { status: 'pending', copiesLeft, tries: tries + 1, nextAttemptAt: now + Math.max(pause, pauseAfter(attempt)) };
}

/** Since when all attempts failed, and the last failure. Milliseconds since 1970. */
export interface Failing {
  readonly since: number;
  readonly last: number;
}

/** A failure that comes this long after the one before it, or longer, begins a new count. */
const failingGap = day;

/** The same after an attempt that ended at `now`; null if it succeeded. */
export function failingAfter(before: Failing | null, attempt: Attempt, now: number): Failing | null {
  if (isTaken(attempt)) return null;
  // A subscription that is seldom called has not failed for a day when a call fails now and one did last week.
  const goesOn = before !== null && now - before.last < failingGap;
  return { since: goesOn ? before.since : now, last: now };
}

export function newSubscriptionId(now: number, randomness: Randomness): string {
  return `sub-${randomness.uuidV7('subscription', now)}`;
}

/** Whether an id has the form of ours; no other exists. */
export function isSubscriptionId(id: string): boolean {
  return /^sub-[0-9a-f-]{36}$/.test(id);
}
