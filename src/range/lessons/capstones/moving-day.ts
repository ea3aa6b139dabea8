import { coverageOptions, type HeldPolicy, isInForce, newPolicy, vehicleKey } from '../../../insurer/index.ts';
import { minute } from '../../../time/units.ts';
import { findVehicle } from '../../../vehicle-registry/index.ts';
import { newToken, startImport } from '../calls.ts';
import { type Entry, ownTime } from '../entry.ts';
import {
  type Capstone,
  drill,
  type Evidence,
  type Fault,
  idsOf,
  isTextList,
  isTextMap,
  type Plan,
  type ScheduledStep,
} from './capstone.ts';
import { eventFaults } from './event-faults.ts';

interface Row {
  readonly regNumber: string;
  readonly holder: string;
  readonly coverageOption: string;
}

interface Given {
  readonly rows: readonly Row[];
  /** What the codes of the old system are now. */
  readonly codes: Readonly<Record<string, string>>;
  readonly claims: readonly string[];
}

interface Report {
  readonly policies: Readonly<Record<string, string>>;
  readonly makes: Readonly<Record<string, string>>;
  readonly refused: readonly string[];
  readonly events: readonly string[];
}

const count = 40;

/** The places of the rows whose vehicle is insured already, some on each page of 20. */
const insured = [6, 17, 31];

/** The places of the rows with a code of the old system. */
const old = [3, 12, 24, 36];

const codes = { 'FULL-YEAR': 'MTPL-12M', 'HALF-YEAR': 'MTPL-6M' } as const;

/** Minutes between two moves of each claim. All are closed at minute 42. */
const paces = [7, 11, 14];

const seconds = 150;

/** The second at which the clock is moved last. */
const lastMove = 35;

/** Minutes after which a token from the start of the run has expired. The last move goes beyond them. */
const tokenMinutes = 60;

/** Texts that a report has of one kind at the most. */
const most = 1000;

const clock = (at: number, clockMinutes: number, more = ''): ScheduledStep => ({
  at,
  clockMinutes,
  what: `Your clock is moved to minute ${clockMinutes} of the run.${more}`,
});

export const movingDay: Capstone<Given, Report> = {
  id: 'moving-day',
  title: 'Moving day',
  goal: 'Forty policies move to the insurer. Import the rows of this run: put right what is refused for a code of the old system (`codes` has the new one), and leave a vehicle that is insured already as it is. Look up the make of each vehicle that you insured. Meanwhile your secret has leaked, so get a new one without an outage, and process each event of the claims of this run once. Then report.',
  why: 'A move brings all at once what was planned for different days: a bulk load, new credentials, the end of the old service, a newer version.',
  conditions: [
    'An import takes five seconds for each 20 rows.',
    'At first a quarter of the connections is cut in the middle of the answer, when the work is done.',
    'SOAP v1 ends after eight seconds, and 410 is final: REST v2 goes on. Send your token or your prefix with each lookup.',
    'Each event comes twice or more, and later on with a member more.',
    `Your clock is moved on. At minute ${tokenMinutes} your token has expired; from then on no token may be got with the secret before. No request for a token may be refused for its secret.`,
  ],
  report:
    'An object: `policies` has the id of the policy and `makes` the make of each vehicle that you insured, by its registration number as it was given; `refused` lists the registration numbers of the rows that can’t become policies; `events` is the list of the eventIds of the claims of the run, in the order in which you processed them.',
  example: {
    given: {
      rows: [{ regNumber: 'AB-1234', holder: 'Mover 1-01', coverageOption: 'MTPL-1M' }],
      codes,
      claims: ['CLM-2026-000042'],
    },
    report: {
      policies: { 'AB-1234': 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f' },
      makes: { 'AB-1234': 'Dovrelan' },
      refused: ['CD-5678'],
      events: ['01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'],
    },
  },
  sections: [
    'Endpoints, 3',
    'Endpoints, 4',
    'Legacy SOAP operation',
    'Events, delivery rule 1',
    'Versioning',
    'The range',
  ],
  buildsOn: [],
  seconds,
  reportFrom: lastMove + 5,
  schedule: [
    drill([0, seconds], 'slow-imports', { groupSeconds: 5 }, 'Imports take five seconds for each 20 rows.'),
    drill([0, seconds], 'duplicate-events', { times: 2 }, 'Each event comes twice.'),
    drill(
      [0, 20],
      'cut-connections',
      { share: 0.25, when: 'middle', seed: 4 },
      'A quarter of the connections is cut in the middle of the answer.',
    ),
    drill([8, seconds], 'sunset', {}, 'SOAP v1 has ended.'),
    clock(15, 15),
    drill([20, seconds], 'newer-events', {}, 'Events have a member more.'),
    clock(25, 30),
    clock(lastMove, tokenMinutes + 2, ' Your token has expired.'),
  ],
  crash: { at: 9 },

  async prepare({ number, now, randomness, givePolicies, freeNumbers, registerClaim }) {
    const depot = () => newPolicy({ regNumber: '', holder: `Depot ${number}` }, now, randomness);
    const there = await givePolicies(insured.map(depot));
    const claims: string[] = [];
    for (const [at, minutes] of paces.entries()) {
      const { id: policyNumber } = there[at] as (typeof there)[number];
      const draft = { policyNumber, outcome: 'APPROVED', paceSeconds: minutes * 60 } as const;
      claims.push((await registerClaim(draft)).claimId);
    }
    const free = await freeNumbers(count - insured.length);
    const rows = Array.from({ length: count }, (_, at) => ({
      regNumber: (insured.includes(at) ? there[insured.indexOf(at)]?.regNumber : free.shift()) as string,
      holder: `Mover ${number}-${String(at + 1).padStart(2, '0')}`,
      coverageOption: optionAt(at),
    }));
    return { given: { rows, codes, claims }, plan: { due: there.map(({ id }) => id) } };
  },

  shapeFault(report) {
    const { policies, makes, refused, events } = (report ?? {}) as Partial<Report>;
    if (
      [policies, makes].every((each) => isTextMap(each, most)) &&
      [refused, events].every((each) => isTextList(each, most))
    )
      return undefined;
    return 'The report is an object with the members policies and makes, such as {"AB-1234":"pol-…"}, and refused and events, which are lists of texts.';
  },

  faults(report, { given, plan }, evidence) {
    const changes = evidence.changes.filter(({ claimId }) => given.claims.includes(claimId));
    return [
      ...policyFaults(report, given, plan, evidence),
      ...eventFaults(report.events, changes, evidence),
      ...secretFaults(plan, evidence),
      ...registryFaults(plan, evidence),
    ];
  },

  // Each row and event, the secret and the registry.
  parts: ({ given }, { changes }) =>
    given.rows.length + changes.filter(({ claimId }) => given.claims.includes(claimId)).length + 2,
};

function optionAt(at: number): string {
  const names = Object.keys(codes);
  const place = old.indexOf(at);
  if (place >= 0) return names[place % names.length] as string;
  return (coverageOptions[at % coverageOptions.length] as (typeof coverageOptions)[number]).code;
}

function policyFaults(report: Report, given: Given, { due = [] }: Plan, { policies, entries }: Evidence): Fault[] {
  const refused = new Set(report.refused);
  const byVehicle = (those: readonly HeldPolicy[]) => new Map(those.map((each) => [vehicleKey(each.regNumber), each]));
  const there = byVehicle(policies.filter(({ id }) => due.includes(id)));
  const made = byVehicle(policies.filter((each) => !due.includes(each.id) && isInForce(each)));
  const exchanges = idsOf(entries, ({ call }) => call === startImport);
  const faults = given.rows.flatMap((row) => {
    const { regNumber: subject } = row;
    const [before, policy] = [there.get(vehicleKey(subject)), made.get(vehicleKey(subject))];
    made.delete(vehicleKey(subject));
    const wrong = before
      ? thereFault(before, subject, report, refused)
      : rowFault(policy, { ...row, ...newOption(row, given) }, report, refused);
    return wrong ? [{ ...wrong, subject, exchanges }] : [];
  });
  const extra = [...made.values()].map(({ id: subject, regNumber }) => {
    const detail = `No row has its vehicle: ${regNumber}.`;
    return { kind: 'extra' as const, subject, detail, exchanges };
  });
  return [...faults, ...extra];
}

type What = Pick<Fault, 'kind' | 'detail'>;

const wrongReport = (detail: string): What => ({ kind: 'wrong-report', detail });

const newOption = ({ coverageOption }: Row, { codes: now }: Given) => ({
  coverageOption: now[coverageOption] ?? coverageOption,
});

/** Of a row whose vehicle was insured before the run. */
function thereFault(
  policy: HeldPolicy,
  regNumber: string,
  { policies }: Report,
  refused: ReadonlySet<string>,
): What | undefined {
  if (policy.version > 1 || !isInForce(policy))
    return { kind: 'touched', detail: 'The vehicle was insured before, and you changed that policy.' };
  if (refused.has(regNumber) && policies[regNumber] === undefined) return undefined;
  return wrongReport('The vehicle was insured before, so this row belongs into refused, and nowhere else.');
}

function rowFault(
  policy: HeldPolicy | undefined,
  { regNumber, holder, coverageOption }: Row,
  { policies, makes }: Report,
  refused: ReadonlySet<string>,
): What | undefined {
  if (!policy) return { kind: 'missing', detail: 'No policy in force has this vehicle.' };
  if (policy.holder !== holder || policy.coverageOption !== coverageOption)
    return { kind: 'wrong', detail: `Its policy does not have the holder ${holder} and ${coverageOption}.` };
  if (policies[regNumber] !== policy.id || refused.has(regNumber))
    return wrongReport('There is a policy, and your report has another id for it, or none, or has it as refused.');
  if (makes[regNumber] === findVehicle(regNumber)?.make) return undefined;
  return wrongReport('Your report has another make for the vehicle, or none.');
}

function secretFaults({ clockAtStart }: Plan, { secretRenewedAt, entries }: Evidence): Fault[] {
  const requests = (fits: (entry: Entry) => boolean, fromMinute = 0) =>
    idsOf(
      entries,
      (entry) => entry.call === newToken && ownTime(entry) >= clockAtStart + fromMinute * minute && fits(entry),
    );
  const fault = (kind: Fault['kind'], detail: string, exchanges: string[]): Fault[] => [
    { kind, subject: 'secret', detail, exchanges },
  ];
  const refused = requests(({ problem }) => problem === 'invalid-client');
  const outage = fault('outage', 'A request for a token was refused, since its secret did not hold.', refused);
  const late = requests(({ status, secretUsed }) => status === 200 && secretUsed === 'before', tokenMinutes);
  const isRenewed = secretRenewedAt !== undefined && secretRenewedAt >= clockAtStart;
  return [
    ...(refused.length > 0 ? outage : []),
    ...(isRenewed ? [] : fault('old-secret', 'Your client got no new secret in this run.', [])),
    ...(isRenewed && late.length > 0
      ? fault('old-secret', `After minute ${tokenMinutes} you got a token with the secret before.`, late)
      : []),
  ];
}

function registryFaults({ clockAtStart }: Plan, { entries }: Evidence): Fault[] {
  const lookups = entries.filter(
    (entry) =>
      entry.call.startsWith('POST ') && entry.path === '/vehicle-registry/v1' && ownTime(entry) >= clockAtStart,
  );
  // An answer that was cut told nobody.
  const told = lookups.find(({ status, end }) => status === 410 && end === 'answered');
  const after = idsOf(lookups, ({ at }) => told !== undefined && at > told.endedAt);
  if (after.length === 0) return [];
  const detail = 'You called SOAP v1 again after it had answered 410, which is final.';
  return [{ kind: 'after-the-end', subject: 'registry', detail, exchanges: after }];
}
