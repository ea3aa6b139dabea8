/*
 * The life of a delivery. Each event that follows a subscription becomes a delivery of it, once.
 *
 *   waiting → pending → delivered
 *                     → failed
 *
 * It waits while an earlier delivery of the same key (the claim, say) is open, so that events of one key arrive in order; those of
 * other keys pass it by. Then it is pending: due at a time, and tried then. An answer of the 2xx kind delivers a copy;
 * when the event is one that comes twice, the second copy is due at once, with a schedule of its own. Any other answer,
 * or none, is tried again after a pause; the intervals grow, and after a day it has failed. Delivered or failed, it lets
 * the next of its key go. Whoever owns the subscription may ask for it again: then it is pending anew.
 *
 * The life of a subscription.
 *
 *   active ⇄ disabled
 *      ↓        ↓
 *       deleted
 *
 * It is disabled when every attempt of a day has failed. Then nothing of it is called: what is open stays as it is, and
 * new events stay in the log. Enabled by its owner, it goes on with both, as far as events are kept. Deleted, it is gone
 * for every caller; its rows are removed in steps.
 */
import { randomUUIDv7 } from 'node:crypto';
import { type Attempt, isTaken } from './attempts.ts';

export type SubscriptionStatus = 'active' | 'disabled';
export const subscriptionStatuses = ['active', 'disabled'] as const satisfies SubscriptionStatus[];

export const deliveryStatuses = ['waiting', 'pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds between the tries of a delivery: eleven tries within a day. */
export const retryIntervals: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  10 * hour,
];

/** Where a delivery stands, as far as an attempt changes it. */
export interface DeliveryState {
  readonly status: DeliveryStatus;
  /** Copies that are still to be taken. */
  readonly copiesLeft: number;
  /** Failed tries of this copy. */
  readonly tries: number;
  /** Milliseconds since 1970; null when no attempt is to come. */
  readonly nextAttemptAt: number | null;
}

/** Where a pending delivery stands after an attempt that was due at `dueAt` and ended at `now`. */
export function afterAttempt(
  { copiesLeft, tries, dueAt }: Pick<DeliveryState, 'copiesLeft' | 'tries'> & { dueAt: number },
  attempt: Attempt,
  now: number,
): DeliveryState {
  if (isTaken(attempt)) {
    // The copy keeps the place of the first, so that no other delivery comes between them.
    if (copiesLeft > 1) return { status: 'pending', copiesLeft: copiesLeft - 1, tries: 0, nextAttemptAt: dueAt };
    return { status: 'delivered', copiesLeft: 0, tries: 0, nextAttemptAt: null };
  }
  const pause = retryIntervals[tries];
  if (pause === undefined) return { status: 'failed', copiesLeft, tries: tries + 1, nextAttemptAt: null };
  return { status: 'pending', copiesLeft, tries: tries + 1, nextAttemptAt: now + pause };
}

/** Since when every attempt failed, and the last of them. Milliseconds since 1970. */
export interface Failing {
  readonly since: number;
  readonly last: number;
}

/** A failure that comes longer than this after the one before it begins a new count. */
const failingGap = 24 * hour;

/** What an attempt that ended at `now` makes of it; null when it was taken. */
export function failingAfter(before: Failing | null, attempt: Attempt, now: number): Failing | null {
  if (isTaken(attempt)) return null;
  // A subscription that is seldom called has not failed for a day when a call fails now and one did last week.
  const goesOn = before !== null && now - before.last <= failingGap;
  return { since: goesOn ? before.since : now, last: now };
}

export function newSubscriptionId(): string {
  return `sub-${randomUUIDv7()}`;
}

/** Whether an id has the form of ours; no other exists. */
export function isSubscriptionId(id: string): boolean {
  return /^sub-[0-9a-f-]{36}$/.test(id);
}
