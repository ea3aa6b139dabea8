import Type, { type Static } from 'typebox';
import { updatedSince, updatedSinceNames } from '../http/requests/changed-since.ts';
import { PageOf, PageQuery } from '../http/requests/paging.ts';
import { enumeration } from '../text/enumeration.ts';

import {
  claimIdPattern,
  claimStatuses,
  defaultOutcome,
  defaultPaceSeconds,
  maxPaceSeconds,
  outcomes,
} from './claim.ts';

// The descriptions stand in the published documents and, where a value breaks a rule, in the problem's detail.

const example = {
  claimId: 'CLM-2026-000042',
  policyNumber: 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
  registeredAt: '2026-03-02T10:15:30.000Z',
  updatedAt: '2026-03-02T10:15:40.000Z',
};

const exampleEvent = {
  eventId: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  eventType: 'ClaimStatusChanged',
  eventVersion: '1.0',
  occurredAt: example.updatedAt,
  source: 'claims-core',
  data: {
    claimId: example.claimId,
    policyNumber: example.policyNumber,
    previousStatus: 'REGISTERED',
    newStatus: 'UNDER_REVIEW',
    statusReason: null,
  },
};

const moment = (description: string, at: string) => Type.String({ format: 'date-time', description, examples: [at] });

const status = enumeration(
  'ClaimStatus',
  claimStatuses,
  'The states of a claim, in the order in which it goes through them.',
);
const outcome = enumeration('ClaimOutcome', outcomes, 'How the review of a claim can end.');
const eventType = enumeration('ClaimEventType', ['ClaimStatusChanged'], 'What events tell of a claim.');

const statusReason = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The reason in words for REJECTED and CLOSED; otherwise null.',
  examples: [null],
});

export const Claim = Type.Object(
  {
    claimId: Type.String({
      pattern: claimIdPattern,
      description: 'CLM, the year of registration and a number of six digits, or more after 999,999 claims in a year.',
      examples: [example.claimId],
    }),
    policyNumber: Type.String({ description: 'The id of the policy.', examples: [example.policyNumber] }),
    status: status('The status of the claim.', 'UNDER_REVIEW'),
    statusReason,
    registeredAt: moment('When the claim was registered.', example.registeredAt),
    updatedAt: moment('When the status last changed.', example.updatedAt),
  },
  { $id: 'Claim', description: 'A claim on a policy. It contains no personal data.' },
);

export const ClaimList = PageOf(Claim, 'ClaimList');

export const ClaimDraft = Type.Object(
  {
    policyNumber: Type.String({
      description: 'The id of one of your policies; it begins with pol-.',
      examples: [example.policyNumber],
    }),
    outcome: Type.Optional(outcome('How the review ends.', 'REJECTED', { default: defaultOutcome })),
    paceSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxPaceSeconds,
        default: defaultPaceSeconds,
        description: 'Seconds between two changes of status: a whole number from 1 to 3,600.',
        examples: [2],
      }),
    ),
  },
  { $id: 'ClaimDraft', description: 'The data of a new claim.' },
);

export const ClaimQuery = Type.Object({
  ...Type.Partial(PageQuery).properties,
  status: Type.Optional(status('Only claims that have this status now.', 'CLOSED')),
  policyNumber: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only claims on this policy: its id, at most 100 characters.',
      examples: [example.policyNumber],
    }),
  ),
  updatedSince,
});

/** What people call the filters. */
export const claimFilterNames = {
  ...{ policyid: 'policyNumber', policy: 'policyNumber', policyno: 'policyNumber', policyref: 'policyNumber' },
  ...{ state: 'status', claimstatus: 'status' },
  ...updatedSinceNames,
};

export const ClaimId = Type.Object({
  claimId: Type.String({ description: 'The id of a claim on one of your policies, such as GET /claims lists them.' }),
});

/** The payload of the topic `claims.status-changed` (Events, Payload). */
export const ClaimStatusChanged = Type.Object(
  {
    eventId: Type.String({
      format: 'uuid',
      description: 'Unique per event. The same event can arrive twice: process each eventId once.',
      examples: [exampleEvent.eventId],
    }),
    eventType: eventType('What happened.', 'ClaimStatusChanged'),
    eventVersion: Type.String({
      description: 'Version of this schema. 1.1 only adds members: read what you know, and ignore the rest.',
      examples: ['1.0'],
    }),
    occurredAt: moment('When the status changed, not when the event was delivered; UTC.', example.updatedAt),
    source: Type.String({ description: 'The system that published the event.', examples: ['claims-core'] }),
    data: Type.Object(
      {
        claimId: Type.String({
          pattern: claimIdPattern,
          description: 'The claim, as in the claims interface.',
          examples: [example.claimId],
        }),
        policyNumber: Type.String({ description: 'The id of its policy.', examples: [example.policyNumber] }),
        previousStatus: status('The status before the change.', 'REGISTERED'),
        newStatus: status('The status since the change.', 'UNDER_REVIEW'),
        statusReason,
      },
      { $id: 'ClaimStatusChange', description: 'The change.' },
    ),
    environment: Type.Optional(
      Type.String({
        description: 'Since version 1.1: what the event is for; training, since all of it is made up.',
        examples: ['training'],
      }),
    ),
  },
  {
    $id: 'ClaimStatusChanged',
    description: 'A claim changed status. The event contains no personal data.',
    // Of version 1.0, so without what 1.1 adds.
    examples: [exampleEvent],
  },
);

export type Claim = Static<typeof Claim>;
export type ClaimDraft = Static<typeof ClaimDraft>;
export type ClaimQuery = Static<typeof ClaimQuery>;
export type ClaimStatusChanged = Static<typeof ClaimStatusChanged>;
