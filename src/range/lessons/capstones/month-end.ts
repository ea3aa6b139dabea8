import { type HeldPolicy, isInForce, practiceFleet, practiceFleetSize } from '../../../insurer/index.ts';
import { cancelPolicy, updatePolicy } from '../calls.ts';
import type { Entry } from '../entry.ts';
import { type Capstone, drill, type Fault, idsOf, isTextList, type Plan, type ScheduledStep } from './capstone.ts';

interface Given {
  readonly holder: string;
  readonly newHolder: string;
}

interface Report {
  readonly updated: readonly string[];
}

/** Holders of the practice fleet that become the one whose policies are to be updated. */
const chosen = new Set(['Kestrel Couriers Ltd.', 'O’Hara & Daughters']);

/** How many policies the colleague changes: those that come last in a list. */
const colleagues = 3;

const seconds = 180;

const colleague = (at: number, place: number): ScheduledStep => ({
  at,
  colleague: place,
  what: 'A colleague takes one of the policies over for another holder, unless you have updated it.',
});

export const monthEnd: Capstone<Given, Report> = {
  id: 'month-end',
  title: 'Month end',
  goal: 'You get a fleet of 75 policies. A holder has a new name: update each policy of this run that has the old one and is in force, exactly once. Send `If-Match` with every update, so that you overwrite nobody’s change, and touch nothing else. Then report which ones you updated.',
  why: 'A change of many records runs while others work on them, and over a line that fails: afterwards each record has to be right, and no change of others lost.',
  conditions: [
    'A fifth of your calls is refused with 503, and a quarter of the connections is cut in the middle of the answer, when the work is done.',
    'A colleague gives some of the policies to another holder meanwhile. They are then no longer yours to change.',
    'The rate limit is the usual one.',
  ],
  report: 'An object: `updated` is the list of the ids of the policies that you updated.',
  example: {
    given: { holder: 'Kestrel Couriers 1 Ltd.', newHolder: 'Kestrel Logistics 1 Ltd.' },
    report: { updated: ['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'] },
  },
  sections: [
    'Endpoints, 5',
    'Endpoints, 6',
    'Endpoints, 7',
    'States and transitions, Policy',
    'Limits, General rate',
    'The range',
  ],
  buildsOn: [],
  seconds,
  reportFrom: 0,
  schedule: [
    drill(
      [0, seconds],
      'unavailable',
      { share: 0.2, retryAfter: 1, seed: 12 },
      'A fifth of your calls is refused with 503.',
    ),
    drill(
      [0, seconds],
      'cut-connections',
      { share: 0.25, when: 'middle', seed: 5 },
      'Connections are cut in the middle of the answer.',
    ),
    colleague(2, 0),
    colleague(5, 1),
    colleague(8, 2),
  ],
  crash: { at: 10, calls: 20 },

  async prepare({ number, now, randomness, givePolicies }) {
    const holder = `Kestrel Couriers ${number} Ltd.`;
    const newHolder = `Kestrel Logistics ${number} Ltd.`;
    const drafts = practiceFleet(now, randomness).map((policy) =>
      policy.holder !== null && chosen.has(policy.holder) ? { ...policy, holder } : policy,
    );
    const due = (await givePolicies(drafts)).filter((policy) => policy.holder === holder && isInForce(policy));
    const ids = due.map(({ id }) => id);
    const to = `Falcon Freight ${number} Ltd.`;
    return {
      given: { holder, newHolder },
      plan: { due: ids, colleague: { ids: ids.slice(-colleagues), from: holder, to } },
    };
  },

  shapeFault(report) {
    if (isTextList((report as Partial<Report> | null)?.updated, 1000)) return undefined;
    return 'The report is an object with the member updated, a list of ids of policies: {"updated":["pol-…"]}.';
  },

  faults({ updated }, { given, plan }, { policies, entries }) {
    const fleet = policies.slice(0, practiceFleetSize);
    const done = fleet.filter(({ holder }) => holder === given.newHolder).map(({ id }) => id);
    const faults = fleet.flatMap((policy) => {
      const wrong = stateFault(policy, given, plan);
      const exchanges = idsOf(entries, (entry) => changedIn(entry) === policy.id);
      return wrong ? [{ ...wrong, subject: policy.id, exchanges }] : [];
    });
    return [...faults, ...blindFaults(fleet, entries), ...reportFaults(new Set(updated), new Set(done))];
  },

  // Each of those to be updated, and the report.
  parts: ({ plan }) => (plan.due?.length ?? 0) + 1,
};

/** By the versions there have been: all begin with the first, and each change makes one more. */
function stateFault(
  policy: HeldPolicy,
  { holder, newHolder }: Given,
  { due = [], changed = [] }: Plan,
): Pick<Fault, 'kind' | 'detail'> | undefined {
  const { id, version } = policy;
  if (!due.includes(id)) {
    if (version === 1) return undefined;
    return { kind: 'touched', detail: 'You changed it. It did not have the old holder, or was not in force.' };
  }
  if (changed.includes(id)) {
    if (version === 2) return undefined;
    return {
      kind: 'overwritten',
      detail: 'A colleague had given it to another holder, and you changed it after that.',
    };
  }
  if (version === 1) return { kind: 'missing', detail: `Its holder is still ${holder}.` };
  if (policy.holder !== newHolder || !isInForce(policy))
    return { kind: 'wrong', detail: 'You changed it, but it does not have the new holder, or is no longer in force.' };
  return version === 2 ? undefined : { kind: 'doubled', detail: `You updated it ${version - 1} times.` };
}

/** The policy that a call was to change. */
function changedIn({ call, path }: Entry): string | undefined {
  const changes = call === updatePolicy || call === cancelPolicy;
  return changes ? path.split('/')[4] : undefined;
}

/** Updates that were done whatever had happened to the policy. */
function blindFaults(fleet: readonly HeldPolicy[], entries: readonly Entry[]): Fault[] {
  const isBlind = ({ status, sent }: Entry) => status === 200 && sent.headers['if-match'] === undefined;
  return fleet.flatMap(({ id: subject }) => {
    const exchanges = idsOf(entries, (entry) => changedIn(entry) === subject && isBlind(entry));
    if (exchanges.length === 0) return [];
    return [{ kind: 'without-if-match' as const, subject, detail: 'You changed it without If-Match.', exchanges }];
  });
}

function reportFaults(reported: ReadonlySet<string>, done: ReadonlySet<string>): Fault[] {
  const differing = reported.symmetricDifference(done).size;
  if (differing === 0) return [];
  const detail = `The report and the policies that have the new holder differ in ${differing} ids.`;
  return [{ kind: 'wrong-report', subject: 'report', detail, exchanges: [] }];
}
