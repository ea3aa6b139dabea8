import { newPolicy } from '../../../insurer/index.ts';
import { shownValue } from '../../../text/shown-value.ts';
import {
  type Capstone,
  drill,
  type Evidence,
  type Fault,
  isTextList,
  isTextMap,
  type Prepared,
  type ScheduledStep,
} from './capstone.ts';
import { eventFaults, sentIn } from './event-faults.ts';

interface Given {
  readonly claims: readonly string[];
}

interface Report {
  readonly claims: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

/** Policies that the claims are on. */
const policies = 3;

/**
 * Minutes between two moves of each claim, and its outcome. The last move of the shift is at minute 66, and the next one
 * after it would be at 87: in the minutes in which reports come, nothing moves.
 */
const claims = [
  { minutes: 7, outcome: 'APPROVED' },
  { minutes: 11, outcome: 'REJECTED' },
  { minutes: 14, outcome: 'APPROVED' },
  { minutes: 19, outcome: 'REJECTED' },
  { minutes: 22, outcome: 'APPROVED' },
  { minutes: 29, outcome: 'APPROVED' },
  { minutes: 31, outcome: 'REJECTED' },
  { minutes: 44, outcome: 'APPROVED' },
] as const;

const seconds = 120;

const clock = (at: number, clockMinutes: number): ScheduledStep => ({
  at,
  clockMinutes,
  what: `Your clock is moved to minute ${clockMinutes} of the shift.`,
});

/** Events and claims that a report has at the most. */
const most = 2000;

export const nightShift: Capstone<Given, Report> = {
  id: 'night-shift',
  title: 'The night shift',
  goal: 'Eight claims go their way while you are on duty. Your clock is moved on 68 minutes in 42 seconds, so the events come fast. Let your consumer follow them by events, process each event once, and per claim in order. When the shift is over, report what it has.',
  why: 'A consumer that runs unwatched at night meets everything at once: duplicates, breaks, an outage and the end of its token.',
  conditions: [
    'Each event comes three times or more.',
    'Streams are cut, and for some seconds all calls are refused with 503 and Retry-After.',
    'Your clock is moved on several times. After the hour is over, your token has expired.',
    'Streams, batches and webhooks are all fine. The first event comes six seconds after the start.',
  ],
  report:
    'An object: `claims` has the status that each claim of the run has at the end, by its claimId; `events` is the list of the eventIds of these claims in the order in which you processed them.',
  example: {
    given: { claims: ['CLM-2026-000042', 'CLM-2026-000043'] },
    report: {
      claims: { 'CLM-2026-000042': 'CLOSED', 'CLM-2026-000043': 'UNDER_REVIEW' },
      events: ['01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', '01938c5e-9a10-7f4e-8d2b-0c1a2b3c4d5e'],
    },
  },
  sections: [
    'Events, delivery rule 1',
    'Events, delivery rule 2',
    'Payload',
    'States and transitions, Claim',
    'Authentication, 1',
    'The range',
  ],
  buildsOn: [],
  seconds,
  reportFrom: 50,
  schedule: [
    drill([0, seconds], 'duplicate-events', { times: 3 }, 'Each event comes three times.'),
    clock(6, 15),
    drill([12, 17], 'unavailable', { share: 0.5, retryAfter: 1, seed: 3 }, 'Half of your calls are refused with 503.'),
    clock(14, 30),
    drill([20, 28], 'cut-streams', { seconds: 1 }, 'Streams are cut after a second.'),
    drill([21, 27], 'unavailable', { share: 1, retryAfter: 2, seed: 3 }, 'All your calls are refused with 503.'),
    clock(24, 45),
    clock(34, 64),
    clock(42, 68),
  ],
  crash: { at: 25 },

  async prepare({ now, randomness, givePolicies, registerClaim }) {
    const drafts = Array.from({ length: policies }, () =>
      newPolicy({ regNumber: '', holder: 'Night Shift Ltd.' }, now, randomness),
    );
    const insured = await givePolicies(drafts);
    const registered: string[] = [];
    for (const [at, { minutes, outcome }] of claims.entries()) {
      const { id: policyNumber } = insured[at % policies] as (typeof insured)[number];
      registered.push((await registerClaim({ policyNumber, outcome, paceSeconds: minutes * 60 })).claimId);
    }
    return { given: { claims: registered } };
  },

  claimsOf: ({ claims }) => claims,

  shapeFault(report) {
    const { claims, events } = (report ?? {}) as Partial<Report>;
    if (isTextMap(claims, most) && isTextList(events, most)) return undefined;
    return 'The report is an object with the members claims, such as {"CLM-2026-000042":"CLOSED"}, and events, a list of eventIds.';
  },

  faults(report, { given }, evidence) {
    const ours = new Set(given.claims);
    const changes = evidence.changes.filter(({ claimId }) => ours.has(claimId));
    return [...eventFaults(report.events, changes, evidence), ...stateFaults(report.claims, given, evidence)];
  },

  parts: ({ given }, { changes }) =>
    given.claims.length + changes.filter(({ claimId }) => given.claims.includes(claimId)).length,
};

function stateFaults(
  reported: Report['claims'],
  given: Prepared<Given>['given'],
  { claims, changes, entries }: Evidence,
): Fault[] {
  return given.claims.flatMap((subject) => {
    const [status, said] = [claims.get(subject), reported[subject]];
    if (status === said) return [];
    const last = changes.findLast(({ claimId }) => claimId === subject);
    const what = said === undefined ? 'you did not report it' : `you reported ${shownValue(said)}`;
    const detail = `${what}. Read the claim, and compare it with the last event that you processed of it.`;
    return [{ kind: 'wrong-state' as const, subject, detail, exchanges: last ? sentIn(entries, last) : [] }];
  });
}
