import Type, { type Static } from 'typebox';
import { PageOf } from '../../../http/requests/paging.ts';
import { enumeration } from '../../../text/enumeration.ts';
import { anyMembers, moment, momentOrNull, whole, wholeOrNull } from '../../shapes.ts';
import { type Level, levels, runStates } from './runs.ts';

const example = {
  id: 'night-shift',
  from: '2026-03-02T10:16:20.000Z',
  end: '2026-03-02T10:17:30.000Z',
  event: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
};

const state = enumeration(
  'CapstoneRunState',
  runStates,
  '`on`: it goes on. `completed`: reported, without a fault. `reported`: reported, with faults. `over`: not reported in time. `ended`: by you, or by another start.',
);

/** The worst first: what is lost, what is there twice, what is wrong. A score tells them in this order. */
export const faultKinds = [
  'lost',
  'missing',
  'late-change',
  'skipped-night',
  'unserved',
  'doubled',
  'overwritten',
  'wrong',
  'wrong-state',
  'wrong-sum',
  'stale',
  'out-of-order',
  'extra',
  'touched',
  'without-if-match',
  'outage',
  'old-secret',
  'after-the-end',
  'asked-again',
  'not-dropped',
  'one-worker',
  'wrong-report',
  'no-report',
] as const;

const kind = enumeration(
  'CapstoneFaultKind',
  faultKinds,
  'The worst first. `lost`, `doubled`, `out-of-order`: of events; `doubled` also of policies, updates, codes and refresh tokens. `wrong-state`: of a claim. `missing`, `wrong`, `extra`: of policies. `overwritten`: the change of a colleague. `late-change`, `stale`: of a policy in your copy, where a change that came late is missing, or another. `wrong-sum`: of a statement. `skipped-night`: it was not read in time. `touched`: a policy that was to stay as it was. `without-if-match`: an update. `outage`: a request for a token that was refused. `old-secret`: no new secret, or a token by the one before. `after-the-end`: calls of a service, or by a consent, that has ended. `unserved`: a person who let your app in. `asked-again`: one who had decided. `not-dropped`: policies of one who does not let it in. `one-worker`: on level 2, no two tokens at once. `wrong-report`, `no-report`: of the report.',
);

const level = (description: string) =>
  Type.Unsafe<Level>({ type: 'integer', enum: [...levels], description, examples: [1] });

export const LevelQuery = Type.Object({
  level: Type.Optional(level('1 (the default), or 2: two workers at once, and a crash in the middle.')),
});

const texts = (description: string, value: string[]) => Type.Array(Type.String(), { description, examples: [value] });

const capstone = {
  id: Type.String({ description: 'Its id.', examples: [example.id] }),
  title: Type.String({ description: 'Its title.', examples: ['The night shift'] }),
  goal: Type.String({ description: 'What to do.', examples: ['Let your consumer follow eight claims by events.'] }),
  why: Type.String({ description: 'Why it matters at work.', examples: ['At night everything comes at once.'] }),
  conditions: texts('What you work under.', ['Each event comes three times or more.']),
  report: Type.String({
    description: 'What is to be sent to `POST /me/answers` as `answer`.',
    examples: ['An object with `claims` and `events`.'],
  }),
  givenExample: anyMembers(
    'What `given` of a run looks like, shortened, so that your program can be ready before it.',
    {
      orders: [{ holder: 'Branch 1-01', coverageOption: 'MTPL-1M' }],
    },
  ),
  reportExample: anyMembers('What a report looks like.', {
    policies: { 'Branch 1-01': 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f' },
  }),
  seconds: whole('Seconds from the start of a run within which it must be reported.', 120),
  reportFromSecond: whole('Seconds from the start of a run before which it can’t be reported.', 50),
  sections: texts('The sections of the specification that it practises.', ['Events, delivery rule 1']),
  buildsOn: texts('The ids of lessons that come before.', ['duplicates']),
};

const levelTwo = {
  conditions: texts('What you work under besides.', ['At second 25 your program crashes.']),
  reportFromSecond: whole('Seconds from the start of a run before which it can’t be reported.', 50),
};

const about = 'Its second level: two workers at once, and a crash in the middle.';
const LevelTwo = Type.Object(levelTwo, { $id: 'CapstoneLevelTwo', description: about });

const Capstone = Type.Object(
  { ...capstone, levelTwo: LevelTwo },
  {
    $id: 'Capstone',
    description: 'Several lessons at once, for some minutes, with a score.',
  },
);

export const CapstoneList = PageOf(Capstone, 'CapstoneList', 'In a fixed order.');

const ScheduledStep = Type.Object(
  {
    second: whole('Seconds after the start of the run.', 20),
    what: Type.String({ description: 'What happens then.', examples: ['Streams are cut after a second.'] }),
    done: Type.Boolean({ description: 'Whether it has happened.', examples: [false] }),
  },
  { $id: 'CapstoneStep', description: 'Something that happens in a run.' },
);

const CapstoneFault = Type.Object(
  {
    kind: kind('What went wrong.', 'lost'),
    subject: Type.String({
      description:
        'What it is about: an eventId, a claimId, the id of a policy, a holder, a user name, a registration number, the code of a coverage, `night 2`, `secret`, `registry`, `workers`, or `report`.',
      examples: [example.event],
    }),
    detail: Type.String({
      description: 'More about it.',
      examples: ['It was sent to you, and you did not report it.'],
    }),
    exchanges: texts('The ids of the exchanges concerned, as far as your log has them; at most five.', [example.event]),
  },
  { $id: 'CapstoneFault', description: 'Something that went wrong in a run.' },
);

export const CapstoneRun = Type.Object(
  {
    capstone: Type.String({ description: 'The id of its capstone.', examples: [example.id] }),
    level: level('Its level.'),
    number: whole('Counts your runs of this capstone, from 1.', 1),
    state: state('How it is.', 'on'),
    startedAt: moment('When it was started.'),
    reportFrom: moment('When it can be reported from.', example.from),
    endsAt: moment('When its time is over.', example.end),
    secondsLeft: whole('Seconds until then; 0 if it is not on.', 120),
    endedAt: momentOrNull('When it ended; null if it is on.', null),
    given: anyMembers('What was made for it, and what it needs: other members for each capstone.', {
      claims: ['CLM-2026-000042'],
    }),
    schedule: Type.Array(ScheduledStep, { description: 'What happens when.' }),
    score: wholeOrNull('0 to 100; 100 has no fault. Null if it has none, since it is on or was ended.', null),
    faults: Type.Array(CapstoneFault, { description: 'What went wrong, the worst first, at most 100.' }),
  },
  { $id: 'CapstoneRun', description: 'A run of a capstone.' },
);

export const CapstoneRunList = PageOf(CapstoneRun, 'CapstoneRunList', 'Newest first. The last ten are kept.');

const achieved = {
  bestScore: wholeOrNull('The best score of your runs of this level; null if none has one.', 87),
  completedAt: momentOrNull('When you first had a run of this level without a fault; null if you have not.', null),
};

const MyLevelTwo = Type.Object({ ...levelTwo, ...achieved }, { $id: 'MyCapstoneLevelTwo', description: about });

export const MyCapstone = Type.Object(
  {
    ...capstone,
    runs: whole('How many you started, of both levels.', 2),
    ...achieved,
    levelTwo: MyLevelTwo,
    on: Type.Union([CapstoneRun, Type.Null()], {
      description: 'The run that is on; null if none is.',
      examples: [null],
    }),
  },
  { $id: 'MyCapstone', description: 'A capstone, and how far you got with it.' },
);

export const MyCapstoneList = PageOf(MyCapstone, 'MyCapstoneList', 'In a fixed order.');

const capstoneId = Type.String({ description: 'The id of the capstone.', examples: [example.id] });

export const OfCapstone = Type.Object({ capstoneId });

export const OfRun = Type.Object({
  capstoneId,
  number: Type.String({ description: 'The number of the run.' }),
});

export type CapstoneView = Static<typeof Capstone>;
export type MyCapstoneView = Static<typeof MyCapstone>;
export type CapstoneRunView = Static<typeof CapstoneRun>;
