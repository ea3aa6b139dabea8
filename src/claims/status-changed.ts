import type { Topic } from '../events/topic.ts';
import { shownValue } from '../text/shown-value.ts';
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
  faultsOf,
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

/** As events of the claims desk are. The id of the claim is short enough for the index of what waits. */
function faultsOf({ eventVersion, occurredAt, environment, data }: ClaimStatusChanged) {
  const { claimId, newStatus, statusReason } = data;
  const hasReason = newStatus === 'REJECTED' || newStatus === 'CLOSED';
  const version = shownValue(eventVersion);
  const rules: [isBroken: boolean, pointer: string, detail: string][] = [
    [eventVersion !== '1.0' && eventVersion !== '1.1', '/eventVersion', `must be 1.0 or 1.1, not ${version}.`],
    [
      eventVersion === '1.0' && environment !== undefined,
      '/environment',
      'is of version 1.1. Leave it out, or send 1.1 as the eventVersion.',
    ],
    [!occurredAt.endsWith('Z'), '/occurredAt', 'must be in UTC and end with Z, such as 2026-03-02T10:15:30.000Z.'],
    [claimId.length > longestClaimId, '/data/claimId', `has more than ${longestClaimId} characters.`],
    [hasReason && !statusReason, '/data/statusReason', `must be a text, since the status is ${newStatus}.`],
    [!hasReason && statusReason !== null, '/data/statusReason', `must be null, since the status is ${newStatus}.`],
  ];
  return rules.flatMap(([isBroken, pointer, detail]) => (isBroken ? [{ pointer, detail }] : []));
}

const longestClaimId = 40;

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
