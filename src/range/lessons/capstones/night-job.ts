import { coverageOptions, newPolicy, type Policy, statusOn } from '../../../insurer/index.ts';
import type { Randomness } from '../../../randomness.ts';
import { shownValue } from '../../../text/shown-value.ts';
import { day } from '../../../time/clock.ts';
import { minute, second } from '../../../time/units.ts';
import { maxPerClient } from '../../exchanges/log.ts';
import { listPolicies } from '../calls.ts';
import {
  type Capstone,
  drill,
  type Evidence,
  type Fault,
  isTextMap,
  type Plan,
  type ScheduledStep,
} from './capstone.ts';

interface Given {
  /** How many were made for the run. */
  readonly policies: number;
  /** Within which seconds of the run each night has to be read. */
  readonly nights: readonly { readonly fromSecond: number; readonly untilSecond: number }[];
  /** What is to be sent to make the statement. */
  readonly statement: { readonly month: string; readonly format: 'csv-1252'; readonly currency: 'EUR' };
}

interface Report {
  /** `updatedAt` and `status` of each policy, with a space between, by its id. */
  readonly policies: Readonly<Record<string, string>>;
  /** The sum of the premiums of each coverage, as decimal text. */
  readonly statement: { readonly id: string; readonly premiums: Readonly<Record<string, string>> };
}

const count = 2000;

/** The first of them, made a year ago: they end on the day on which a run begins. */
const ending = 10;

/** Between two changes of the others, at the start. Made at once, all would have changed in one millisecond. */
const apart = 1.5 * minute;

const nights = 3;
const secondsOfNight = 40;

/** Policies that change in each night, and those of the first two whose change comes late. */
const changing = 20;
const late = 5;

/** Seconds of a night: when the policies of the day change, and within which seconds it has to be read. */
const changedAt = 2;
const [from, until] = [3, 11];

/** By how much what comes late, when the night was read, was held up: it bears an instant before what was read. */
const heldUp = 10 * second;

const seconds = nights * secondsOfNight;

/** Policies that a report has at the most, with those that were there before the run. */
const most = 5000;

const begins = (night: number) => (night - 1) * secondsOfNight;

const windowOf = (night: number) => ({ fromSecond: begins(night) + from, untilSecond: begins(night) + until });

export const nightJob: Capstone<Given, Report> = {
  id: 'night-job',
  title: 'The night job',
  goal: `You get ${count} policies, and your system keeps a copy of them over three nights, each of ${secondsOfNight} seconds. Read in each night what has changed, within the seconds that \`given\` has. Make the statement that it describes, fetch its file, and add up the premiums of each coverage. At the end report what your system has: the score is what differs between the two systems.`,
  why: 'Two systems that are to be the same differ by the few rows that no run has seen. Nobody finds them until somebody counts.',
  conditions: [
    'Others change policies in each night. Some of these changes become visible only when you have read the night, up to ten seconds after the instant that they bear.',
    'In the second night half of the connections is cut in the middle of the answer.',
    'Each file that is asked for as a whole ends early.',
    'Your clock is moved on by a day from night to night. Tokens expire, and so do policies.',
    `A list of your policies has to be read whole in each night, from second ${from} to ${until} of it. The rate limit is the usual one.`,
  ],
  report:
    'An object: `policies` has `updatedAt` and `status` of each policy of the run as they are at the end, with a space between, by its id; others may be in it, too. `statement` has the `id` of the statement and `premiums`, the sum of the premiums of each coverage in its file, as decimal text with a point.',
  example: {
    given: {
      policies: count,
      nights: [{ fromSecond: from, untilSecond: until }],
      statement: { month: '2026-03', format: 'csv-1252', currency: 'EUR' },
    },
    report: {
      policies: { 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f': '2026-03-02T10:15:30.000Z updated' },
      statement: { id: 'stm-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', premiums: { 'MTPL-1M': '123.45' } },
    },
  },
  sections: [
    'Endpoints, 5',
    'Policy',
    'States and transitions, Policy',
    'RFC 4180',
    'RFC 9110, section 14',
    'The range',
  ],
  buildsOn: [],
  seconds,
  reportFrom: begins(nights) + until + 1,
  schedule: [
    drill([0, seconds], 'short-file', { share: 1, seed: 4 }, 'Each file that is asked for as a whole ends early.'),
    ...nightSteps(1),
    ...nightSteps(2),
    ...nightSteps(3),
  ],
  crash: { at: begins(2) + 5 },

  async prepare({ now, randomness, givePolicies }) {
    const ids = (await givePolicies(fleet(now, randomness))).map(({ id }) => id);
    const others = ids.slice(ending);
    const each = Math.floor(others.length / (nights * changing + (nights - 1) * late));
    const left = others.filter((_, at) => at % each === 0);
    // Those of a night, and before the next one those that come late.
    const changes = Array.from({ length: 2 * nights - 1 }, (_, at) =>
      at % 2 === 0 ? { ids: left.splice(0, changing), heldUp: 0 } : { ids: left.splice(0, late), heldUp },
    );
    return {
      given: {
        policies: count,
        nights: Array.from({ length: nights }, (_, at) => windowOf(at + 1)),
        statement: { month: day(now).slice(0, 7), format: 'csv-1252', currency: 'EUR' },
      },
      plan: { changes },
    };
  },

  statementOf: ({ statement }) => statement.id,

  shapeFault(report) {
    const { policies, statement } = (report ?? {}) as Partial<Report>;
    const isWhole = typeof statement?.id === 'string' && isTextMap(statement.premiums, most);
    if (isWhole && isTextMap(policies, most)) return undefined;
    return `The report has the members policies, such as {"pol-…":"2026-03-02T10:15:30.000Z updated"}, at most ${most}, and statement, such as {"id":"stm-…","premiums":{"MTPL-1M":"123.45"}}.`;
  },

  faults: (report, { given, plan }, evidence) => [
    ...rowFaults(report.policies, plan, evidence),
    ...sumFaults(report.statement.premiums, given, plan, evidence),
    ...nightFaults(given, evidence),
  ],

  // What becomes another, each sum, each night. A policy that nobody changed and that is wrong counts, too.
  parts: ({ plan: { changes = [] } }) =>
    changes.flatMap(({ ids }) => ids).length + ending + coverageOptions.length + nights,
};

function nightSteps(night: number): ScheduledStep[] {
  const begin = begins(night);
  const clock = {
    at: begin,
    clockMinutes: (night - 1) * 24 * 60,
    what: `Your clock is moved to night ${night}: tokens have expired.`,
  };
  const cuts = drill(
    [begin + 1, begin + until],
    'cut-connections',
    { share: 0.5, when: 'middle', seed: 11 },
    'Half of the connections is cut in the middle of the answer.',
  );
  return [
    ...(night > 1 ? [clock] : []),
    ...(night === 2 ? [cuts] : []),
    { at: begin + changedAt, changes: 2 * night - 2, what: `Others change ${changing} policies.` },
    ...(night < nights
      ? [{ at: begin + until, changes: 2 * night - 1, what: 'What was held up becomes visible.' }]
      : []),
  ];
}

/** In the order of their changes; none of two at once. They have no vehicles yet. */
function fleet(now: number, randomness: Randomness): Omit<Policy, 'regNumber'>[] {
  const begun = Temporal.PlainDate.from(day(now)).add({ days: 1 }).subtract({ years: 1 }).toString();
  return Array.from({ length: count }, (_, at) => {
    const { code } = coverageOptions[at % coverageOptions.length] as (typeof coverageOptions)[number];
    const isEnding = at < ending;
    const when = isEnding ? Date.parse(begun) + (at + 1) * minute : now - (count - at) * apart;
    const coverageOption = isEnding ? 'MTPL-12M' : code;
    return newPolicy({ regNumber: '', coverageOption, holder: 'Night Job Ltd.' }, when, randomness);
  });
}

type Found = Pick<Fault, 'kind' | 'detail'>;

function rowFaults(reported: Report['policies'], plan: Plan, { policies, today }: Evidence): Fault[] {
  const lateIds = new Set(plan.changes?.flatMap(({ ids, heldUp: ago }) => (ago > 0 ? ids : [])));
  return policies.slice(0, count).flatMap((policy) => {
    const { id: subject, updatedAt, endDate } = policy;
    const status = statusOn(today, policy.status, endDate);
    const said = Object.hasOwn(reported, subject) ? reported[subject] : undefined;
    if (said === `${updatedAt} ${status}`) return [];
    const found = rowFault(said, { ...policy, status }, lateIds.has(subject));
    return [{ ...found, subject, exchanges: [] }];
  });
}

function rowFault(
  said: string | undefined,
  { updatedAt, endDate, status }: Pick<Policy, 'updatedAt' | 'endDate' | 'status'>,
  isLate: boolean,
): Found {
  if (said === undefined) return { kind: 'missing', detail: 'Your system does not have it.' };
  const differs = `Here it is ${updatedAt} ${status}, and your system has ${shownValue(said)}.`;
  if (isLate && !said.startsWith(updatedAt)) {
    const detail = `${differs} This change came late, behind what you had read. Begin each run a minute before the watermark.`;
    return { kind: 'late-change', detail };
  }
  if (status === 'expired' && said.startsWith(updatedAt)) {
    const detail = `${differs} It ended on ${endDate}, which nobody writes and no list of changes tells. Compare endDate with today.`;
    return { kind: 'stale', detail };
  }
  return { kind: 'stale', detail: differs };
}

function sumFaults(
  reported: Report['statement']['premiums'],
  given: Given,
  { clockAtStart }: Plan,
  { statement: found }: Evidence,
): Fault[] {
  const isAsked =
    found !== undefined &&
    Date.parse(found.createdAt) >= clockAtStart &&
    found.month === given.statement.month &&
    found.currency === given.statement.currency;
  return coverageOptions.flatMap(({ code: subject }) => {
    const sum = found?.sums.get(subject);
    const said = Object.hasOwn(reported, subject) ? reported[subject] : undefined;
    if (isAsked && said === sum) return [];
    const detail = isAsked
      ? `The premiums of its rows add up to ${sum ?? 'nothing'}, and your report says ${said === undefined ? 'nothing' : shownValue(said)}. Was the file whole?`
      : 'Your report has the id of no completed statement of this run of this month and currency.';
    return [{ kind: 'wrong-sum' as const, subject, detail, exchanges: [] }];
  });
}

function nightFaults({ nights: windows }: Given, { startedAt, entries }: Evidence): Fault[] {
  // Of a log that is full the beginning may be gone.
  if (entries.length >= maxPerClient) return [];
  const reads = entries.filter(
    ({ call, status, end }) => call === listPolicies && status === 200 && end === 'answered',
  );
  return windows.flatMap(({ fromSecond, untilSecond }, at) => {
    const [begin, end] = [fromSecond, untilSecond].map((each) => startedAt + each * second) as [number, number];
    if (reads.some((entry) => entry.endedAt >= begin && entry.at <= end)) return [];
    const detail = `No list of your policies came whole between second ${fromSecond} and ${untilSecond}.`;
    return [{ kind: 'skipped-night' as const, subject: `night ${at + 1}`, detail, exchanges: [] }];
  });
}
