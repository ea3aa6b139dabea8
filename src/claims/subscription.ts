/*
 * The life of a delivery. Each event that follows a subscription becomes a delivery of it, once.
 *
 *   waiting → pending → delivered
 *                     → failed
 *
 * It waits while an earlier delivery of the same claim is open, so that the events of a claim arrive in order; those of
 * other claims pass it by. Then it is pending: due at a time, and tried then. An answer of the 2xx kind delivers a copy;
 * when the event is one that comes twice, the second copy is due at once, with a schedule of its own. Any other answer,
 * or none, is tried again after a pause; the pauses grow, and after a day it has failed. Delivered or failed, it lets
 * the next of its claim go. Whoever owns the subscription may ask for it again: then it is pending anew.
 */
import { randomUUIDv7 } from 'node:crypto';
import { instant } from '../clock.ts';
import { yearOf } from './claim.ts';
import { statusChanged } from './event.ts';
import type { ClaimStatusChanged } from './schemas.ts';

export const deliveryStatuses = ['waiting', 'pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds between the tries of a delivery: eleven tries within a day. */
export const pauses: readonly number[] = [
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

/** How one attempt ended: the status of the answer, or why there was none. */
export interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
}

/** Where a delivery stands, as far as an attempt changes it. */
export interface Standing {
  readonly status: DeliveryStatus;
  /** Copies that are still to be taken. */
  readonly copiesLeft: number;
  /** Failed tries of this copy. */
  readonly tries: number;
  /** Milliseconds since 1970; null when no attempt is to come. */
  readonly nextAttemptAt: number | null;
}

export function isTaken({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Where a pending delivery stands after an attempt that was due at `dueAt` and ended at `now`. */
export function afterAttempt(
  { copiesLeft, tries, dueAt }: Pick<Standing, 'copiesLeft' | 'tries'> & { dueAt: number },
  attempt: Attempt,
  now: number,
): Standing {
  if (isTaken(attempt)) {
    // The copy keeps the place of the first, so that no other delivery comes between them.
    if (copiesLeft > 1) return { status: 'pending', copiesLeft: copiesLeft - 1, tries: 0, nextAttemptAt: dueAt };
    return { status: 'delivered', copiesLeft: 0, tries: 0, nextAttemptAt: null };
  }
  const pause = pauses[tries];
  if (pause === undefined) return { status: 'failed', copiesLeft, tries: tries + 1, nextAttemptAt: null };
  return { status: 'pending', copiesLeft, tries: tries + 1, nextAttemptAt: now + pause };
}

export function newSubscriptionId(): string {
  return `sub-${randomUUIDv7()}`;
}

/** Whether an id has the form of ours; no other exists. */
export function isSubscriptionId(id: string): boolean {
  return /^sub-[0-9a-f-]{36}$/.test(id);
}

/** An event to try a subscription with. Its claim has the number that no claim is given. */
export function testEvent(now: number): ClaimStatusChanged {
  return statusChanged(`CLM-${yearOf(now)}-000000`, 'pol-00000000-0000-7000-8000-000000000000', {
    previousStatus: 'REGISTERED',
    newStatus: 'UNDER_REVIEW',
    statusReason: null,
    occurredAt: instant(now),
    nextDueAt: null,
  });
}
