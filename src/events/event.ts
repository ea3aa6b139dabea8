import { randomUUID } from 'node:crypto';
import type { Move } from '../claims/claim.ts';
import type { ClaimStatusChanged } from '../claims/schemas.ts';

/** The name of the topic (Events). */
export const topic = 'claims.status-changed';

/** Milliseconds for which events are kept (Events, rule 3). */
export const retention = 7 * 24 * 60 * 60 * 1000;

/** The event that reports a move of a claim (Events, Payload). It says nothing of persons. */
export function statusChanged(claimId: string, policyNumber: string, move: Move): ClaimStatusChanged {
  const { previousStatus, newStatus, statusReason, occurredAt } = move;
  return {
    eventId: randomUUID(),
    eventType: 'ClaimStatusChanged',
    eventVersion: '1.0',
    occurredAt,
    source: 'claims-core',
    data: { claimId, policyNumber, previousStatus, newStatus, statusReason },
  };
}

/**
 * How often an event is delivered to those who don't fail to take it: now and then twice, on purpose, so that consumers
 * learn to cope (Events, rule 1). It follows from the id, so that it is the same on every transport and at each
 * repetition. `rate` is the share of events that come twice, 0 to 1.
 */
export function copiesOf(eventId: string, rate: number): 1 | 2 {
  // The last twelve hexadecimal digits of a random UUID are random.
  return Number.parseInt(eventId.slice(-12), 16) < rate * 16 ** 12 ? 2 : 1;
}

/**
 * A place in the topic: after how many copies of which event. It is written `1042-1`. A place after all copies there
 * can be is `-2`, whether or not the event came twice.
 */
export interface Cursor {
  readonly seq: number;
  readonly copy: number;
}

export const everyCopy = 2;

export function cursorText({ seq, copy }: Cursor): string {
  return `${seq}-${copy}`;
}

/** The cursor that a text is, or undefined. */
export function parseCursor(text: string): Cursor | undefined {
  const parts = /^(0|[1-9]\d{0,14})-([12])$/.exec(text);
  return parts ? { seq: Number(parts[1]), copy: Number(parts[2]) } : undefined;
}
