import type { Topic } from '../events/topic.ts';
import { instant } from '../time/clock.ts';
import { defaultPaceSeconds, type Move, yearOf } from './claim.ts';
import { ClaimStatusChanged } from './schemas.ts';

/** The topic on which each change of a claim's status is published (Events). */
export const claimStatusChanged: Topic<ClaimStatusChanged> = {
  name: 'claims.status-changed',
  reports: 'the status changes of the claims on your policies',
  schema: ClaimStatusChanged,
  key: {
    member: 'claimId',
    noun: 'claim',
    schema: ClaimStatusChanged.properties.data.properties.claimId,
    of: ({ data }) => data.claimId,
  },
  firstEvent: `A claim’s first event comes about ${defaultPaceSeconds} seconds after it was registered (its paceSeconds).`,
  catchUp: 'read the claims list again with GET /claims',
  sample,
  sampleNote: 'Its claim has the number 000000, which no claim has.',
};

/** The event that reports a move of a claim (Events, Payload). It says nothing of persons. */
export function statusChanged(eventId: string, claimId: string, policyNumber: string, move: Move): ClaimStatusChanged {
  const { previousStatus, newStatus, statusReason, occurredAt } = move;
  return {
    eventId,
    eventType: 'ClaimStatusChanged',
    eventVersion: '1.0',
    occurredAt,
    source: 'claims-core',
    data: { claimId, policyNumber, previousStatus, newStatus, statusReason },
  };
}

/** Its claim has the number that no claim is given. */
function sample(eventId: string, now: number): ClaimStatusChanged {
  return statusChanged(eventId, `CLM-${yearOf(now)}-000000`, 'pol-00000000-0000-7000-8000-000000000000', {
    previousStatus: 'REGISTERED',
    newStatus: 'UNDER_REVIEW',
    statusReason: null,
    occurredAt: instant(now),
    nextDueAt: null,
  });
}
