import type { Consent } from '../../../clients/consents.ts';
import { newPolicy } from '../../../insurer/index.ts';
import { minute } from '../../../time/units.ts';
import { maxPerClient } from '../../exchanges/log.ts';
import { listPolicies, readPolicy, sendForm } from '../calls.ts';
import { type Entry, ownTime } from '../entry.ts';
import { type Capstone, drill, type Evidence, type Fault, idsOf, isTextList, type Prepared } from './capstone.ts';

interface GivenPerson {
  readonly personId: string;
  readonly name: string;
  readonly userName: string;
  readonly password: string;
}

interface Given {
  readonly people: readonly GivenPerson[];
}

interface Report {
  readonly policies: Readonly<Record<string, readonly string[]>>;
  readonly refused: readonly string[];
}

const names = [
  ...['Amara Okafor', 'Bruno Salgado', 'Chiara Conti', 'Dmitri Volkov', 'Elif Yildiz'],
  ...['Farid Haddad', 'Greta Holm', 'Hiro Tanaka', 'Ines Duarte', 'Kofi Mensah'],
];

/** By their user names: those who refuse, who changes their mind, and whose refresh token a thief uses. */
const refusing: readonly string[] = ['bruno', 'elif', 'ines'];
const withdraws = 'greta';
const robbed = 'dmitri';

const policiesEach = 2;

const seconds = 120;

/** The second by which all have to have decided. */
const decidedBy = 20;

/** The last move of the clock: its second, and the minute to which it goes, at which no token from before holds. */
const lastMove = 30;
const lastMinute = 62;

/** People of a report, and policies of one of them, at the most. */
const most = 1000;

export const brokersApp: Capstone<Given, Report> = {
  id: 'brokers-app',
  title: 'The broker’s app',
  goal: 'Ten policyholders are asked whether your app may read their policies. Send each through `GET /insurer/v1/auth/authorize`, and decide for them there: three refuse, whatever you press. Read the policies of all others, and go on with refresh tokens. One of them changes their mind: stop, and drop what you have of theirs. A thief uses a refresh token of another one: notice it, and ask that person anew. Then report.',
  why: 'An app with users has all of this on one day, and each of them has to be told from the others: who refused, who left, whose token was stolen, and who is only due for a refresh.',
  conditions: [
    `By second ${decidedBy} all ten have to have decided. Register a redirect URI before the run.`,
    'Nobody is asked again who refused or changed their mind, or whose consent still holds.',
    'Each code and each refresh token is used once. `error_description` says why one brought nothing, and so does `endedBy` of `GET /range/v1/me/consents`.',
    `Your clock is moved to minute ${lastMinute}, when all access tokens have expired. Read the policies of each person after that, too.`,
    'The rate limit is the usual one, so begin after a quiet minute. The ten people are gone when the run ends.',
  ],
  report:
    'An object: `policies` has the ids of the policies of each person that your app still has and may have, by user name; `refused` lists the user names of those who refused.',
  example: {
    given: {
      people: [
        {
          personId: 'per-5f0c2a4d-6e8f-4c31-9b1e-01938c5e7d2a',
          name: 'Amara Okafor 1',
          userName: 'amara',
          password: 'amara-4711',
        },
      ],
    },
    report: { policies: { amara: ['pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f'] }, refused: ['kofi'] },
  },
  sections: [
    'RFC 6749, section 4.1',
    'RFC 7636',
    'RFC 6749, section 6',
    'RFC 6749, section 5.2',
    'RFC 9700, section 4.14',
    'The range',
  ],
  buildsOn: [],
  seconds,
  reportFrom: lastMove + 5,
  schedule: [
    drill([0, seconds], 'denied', { share: 1, seed: 6, people: refusing }, 'Three of the ten refuse.'),
    { at: decidedBy, withdraws, what: 'One of those who let your app in changes their mind.' },
    { at: 25, robbed, what: 'A thief uses a refresh token of another one.' },
    {
      at: lastMove,
      clockMinutes: lastMinute,
      what: `Your clock is moved to minute ${lastMinute} of the run. Access tokens have expired.`,
    },
  ],
  crash: { at: 12 },

  async prepare({ number, now, randomness, givePolicies, makePeople }) {
    // With the number of the run: the policies of one before stay, and are not theirs.
    const made = await makePeople(names.map((name) => `${name} ${number}`));
    const people = made.map(({ id: personId, name, userName, password }) => ({ personId, name, userName, password }));
    const held = people.flatMap(({ name: holder }) =>
      Array.from({ length: policiesEach }, () => newPolicy({ regNumber: '', holder }, now, randomness)),
    );
    await givePolicies(held);
    return {
      given: { people },
      plan: { people: Object.fromEntries(people.map(({ userName, personId }) => [userName, personId])) },
    };
  },

  shapeFault(report) {
    const { policies, refused } = (report ?? {}) as Partial<Report>;
    if (isListMap(policies) && isTextList(refused, most)) return undefined;
    return 'The report is an object with the members policies, such as {"amara":["pol-…"]}, and refused, a list of user names.';
  },

  faults(report, run, evidence) {
    const faults = run.given.people.flatMap((person) => faultsOf(person, report, run, evidence));
    const differing = new Set(report.refused).symmetricDifference(new Set(refusing)).size;
    if (differing === 0) return faults;
    const detail = `Who refused and refused of your report differ in ${differing} people.`;
    return [...faults, { kind: 'wrong-report', subject: 'report', detail, exchanges: [] }];
  },

  // Each person, and the report.
  parts: ({ given }) => given.people.length + 1,
};

function isListMap(value: unknown): value is Report['policies'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const lists = Object.values(value);
  return lists.length <= most && lists.every((each) => isTextList(each, most));
}

type Run = Prepared<Given>;
type Found = Omit<Fault, 'subject'>;

const fault = (kind: Fault['kind'], detail: string, exchanges: string[] = []): Found => ({ kind, detail, exchanges });

function faultsOf(person: GivenPerson, report: Report, { plan }: Run, evidence: Evidence): Fault[] {
  const { personId, name, userName } = person;
  const { entries } = evidence;
  const reported = Object.hasOwn(report.policies, userName) ? report.policies[userName] : undefined;
  const decisions = entries.filter(
    ({ call, status, signedIn }) => call === sendForm && status === 303 && signedIn === personId,
  );
  if (refusing.includes(userName))
    return refusalFaults(name, decisions, reported, entries.length).map((each) => ({ ...each, subject: userName }));

  const own = evidence.consents.filter((each) => each.personId === personId);
  const withdrawn = own.findLast(({ endedBy }) => endedBy === 'withdrawn');
  const held = evidence.policies.filter(({ holder }) => holder === name).map(({ id }) => id);
  const served = userName === withdraws || withdrawn ? leftFaults : stayedFaults;
  const found = [
    ...askedFaults(name, own, entries),
    ...reuseFaults(name, own, plan.stolen),
    ...served({ ...person, own, withdrawn, held, reported, decisions, plan, entries }),
  ];
  return found.map((each) => ({ ...each, subject: userName }));
}

/** Of a person who refuses. */
function refusalFaults(
  name: string,
  decisions: readonly Entry[],
  reported: readonly string[] | undefined,
  logged: number,
): Found[] {
  const exchanges = idsOf(decisions, () => true);
  return [
    // Of a log that is full the beginning may be gone.
    ...(decisions.length === 0 && logged < maxPerClient
      ? [fault('unserved', `${name} was not asked: no decision of theirs is in your log.`)]
      : []),
    ...(decisions.length > 1 ? [fault('asked-again', `${name} refused, and you asked them again.`, exchanges)] : []),
    ...(reported
      ? [fault('not-dropped', `${name} did not let your app in, and your report has policies of theirs.`)]
      : []),
  ];
}

const isOf =
  (consent: Consent) =>
  ({ token }: Entry) =>
    token?.consent_id === consent.consentId;

/** Where somebody was asked while a consent of theirs brought tokens and held. */
function askedFaults(name: string, own: readonly Consent[], entries: readonly Entry[]): Found[] {
  const needless = own.find((consent, at) => {
    const next = own[at + 1];
    const held = next !== undefined && (consent.endedAt === null || consent.endedAt > next.createdAt);
    return held && entries.some(isOf(consent));
  });
  if (!needless) return [];
  const detail = `${name} had let your app in, and you asked them again while that held. Refresh in its place.`;
  return [fault('asked-again', detail, idsOf(entries, isOf(needless)))];
}

/** Where the app itself used something twice. */
function reuseFaults(name: string, own: readonly Consent[], stolen: string | undefined): Found[] {
  return own.flatMap(({ consentId, endedBy }) => {
    if (endedBy === 'code-reused') return [fault('doubled', `You exchanged a code of ${name} twice, which ended all.`)];
    if (endedBy !== 'token-reused' || consentId === stolen) return [];
    return [fault('doubled', `You used a refresh token of ${name} twice, which ended all.`)];
  });
}

interface Served extends GivenPerson {
  readonly own: readonly Consent[];
  readonly withdrawn: Consent | undefined;
  /** The ids of their policies. */
  readonly held: readonly string[];
  readonly reported: readonly string[] | undefined;
  readonly decisions: readonly Entry[];
  readonly plan: Run['plan'];
  readonly entries: readonly Entry[];
}

const hasRead = (consent: Consent) => (entry: Entry) =>
  isOf(consent)(entry) && entry.status === 200 && [listPolicies, readPolicy].includes(entry.call);

/** Of a person who changes their mind. */
function leftFaults({ name, withdrawn, reported, decisions, entries }: Served): Found[] {
  if (!withdrawn)
    return [
      fault('unserved', `${name} had not let your app in by second ${decidedBy}, so nothing could be withdrawn.`),
    ];
  const left = Date.parse(withdrawn.endedAt as string);
  const isRefused = (entry: Entry) => isOf(withdrawn)(entry) && entry.problem === 'invalid-token';
  const told = entries.find((entry) => isRefused(entry) && ownTime(entry) >= left && entry.end === 'answered');
  const late = idsOf(entries, (entry) => isRefused(entry) && told !== undefined && entry.at > told.endedAt);
  const again = idsOf(decisions, (entry) => ownTime(entry) >= left);
  const isUnread = entries.length < maxPerClient && !entries.some(hasRead(withdrawn));
  return [
    ...(isUnread ? [fault('unserved', `You did not read the policies of ${name} while they let you.`)] : []),
    ...(late.length > 0
      ? [fault('after-the-end', `${name} changed their mind, and you called on with their token after 401.`, late)]
      : []),
    ...(again.length > 0 ? [fault('asked-again', `${name} changed their mind, and you asked them again.`, again)] : []),
    ...(reported
      ? [fault('not-dropped', `${name} changed their mind, and your report still has their policies.`)]
      : []),
  ];
}

/** Of a person who lets the app in until the end. */
function stayedFaults({ name, userName, own, held, reported, plan, entries }: Served): Found[] {
  const last = own.at(-1);
  if (!last) return [fault('unserved', `${name} would let your app in, and has not: no consent of theirs is there.`)];
  if (userName === robbed && plan.stolen === undefined)
    return [fault('unserved', `You had no refresh token of ${name} by second 25, so nothing could be stolen.`)];
  if (last.endedBy !== null) {
    if (last.consentId === plan.stolen) {
      const detail = `A thief used a refresh token of ${name}. That ended all, and you did not ask them anew.`;
      return [fault('unserved', detail, idsOf(entries, isOf(last)))];
    }
    const detail = `What ${name} allowed has ended (${last.endedBy}), and you did not ask them anew.`;
    return [fault('unserved', detail, idsOf(entries, isOf(last)))];
  }
  // A token from before holds no more by then. The log knows times by the second.
  const end = plan.clockAtStart + (lastMinute - 1) * minute;
  const isServed = entries.some((entry) => hasRead(last)(entry) && ownTime(entry) >= end);
  const isRight = reported !== undefined && new Set(reported).symmetricDifference(new Set(held)).size === 0;
  return [
    ...(isServed
      ? []
      : [
          fault(
            'unserved',
            `You did not read the policies of ${name} after minute ${lastMinute}, when tokens had expired.`,
            idsOf(entries, isOf(last)),
          ),
        ]),
    ...(isRight ? [] : [fault('wrong-report', `Your report has other policies of ${name} than they have, or none.`)]),
  ];
}
