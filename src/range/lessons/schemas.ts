import Type, { type Static } from 'typebox';
import { PageOf } from '../../http/requests/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { UnattributedCalls } from '../exchanges/unattributed.ts';
import { anyMembers, moment, momentOrNull, textOrNull, whole, wholeOrNull } from '../shapes.ts';
import { CapstoneRun } from './capstones/schemas.ts';
import { LessonCode } from './code-parts.ts';
import { answerTypes, levels, states } from './lesson.ts';
import { proofOrNull } from './proof.ts';
import { wordOrNull } from './word.ts';

const texts = (description: string, value: string[]) => Type.Array(Type.String(), { description, examples: [value] });

const state = enumeration(
  'LessonState',
  states,
  '`open`: nothing was done. `started`: you took a hint, did a step, or nearly did one.',
);

const stepTitle = Type.String({ description: 'What to do.', examples: ['Get a token for a form'] });

const lesson = {
  id: Type.String({ description: 'Its id.', examples: ['token-by-form'] }),
  title: Type.String({ description: 'Its title.', examples: ['A token for a form'] }),
  topic: Type.String({ description: 'The title of its topic.', examples: ['Credentials and tokens'] }),
  level: Type.Unsafe<(typeof levels)[number]>({
    type: 'integer',
    enum: [...levels],
    description:
      '1: single calls. 2: several that belong together. 3: what goes wrong, and how a program gets over it.',
    examples: [1],
  }),
  goal: Type.String({
    description: 'What to do. What is code in it stands between backticks.',
    examples: ['Get a token as OAuth 2.0 has it: send a form, not JSON.'],
  }),
  why: Type.String({ description: 'Why it matters at work.', examples: ['This is what OAuth libraries send.'] }),
  question: textOrNull('What is to be sent to `POST /me/answers`; null if it is solved by calls alone.', null),
  answerType: Type.Unsafe<(typeof answerTypes)[number] | null>({
    type: ['string', 'null'],
    enum: [...answerTypes, null],
    description:
      'What the answer to `question` is; null without one. `json`: a list or an object, in the form that the question has.',
    examples: [null],
  }),
  hints: whole('How many hints there are.', 3),
  steps: Type.Array(Type.Object({ title: stepTitle }, { $id: 'LessonStep', description: 'A step of a lesson.' }), {
    description: 'What there is to do, in this order.',
  }),
  sections: texts('The sections of the specification that it practises.', ['Endpoints, 3']),
  buildsOn: texts('The ids of lessons that come before. You can solve them in any order.', ['token-by-json']),
};

export const Lesson = Type.Object(lesson, { $id: 'Lesson', description: 'Something to learn.' });

export const LessonList = PageOf(Lesson, 'LessonList', 'In the order of the path.');

export const MyLesson = Type.Object(
  {
    ...lesson,
    steps: Type.Array(
      Type.Object(
        {
          title: stepTitle,
          done: Type.Boolean({ description: 'Whether you did it in this attempt.', examples: [true] }),
          exchange: proofOrNull(
            'LessonStepProof',
            'The exchange that did it. Null if it is not done, or an answer did it.',
          ),
        },
        { $id: 'MyLessonStep', description: 'A step of a lesson, and whether you did it.' },
      ),
      {
        description:
          'What there is to do, in this order. The lesson is solved when all is done. Where an attempt can’t succeed any more, none is done, and `lastMiss` says why.',
      },
    ),
    state: state('How far you got.', 'solved'),
    hintsTaken: texts(
      'The hints that you took. What is code in them stands between backticks. In commands `ROOT` is the address of L-Plate, `TOKEN` your token, `CLIENT_ID` your client_id and `CLIENT_SECRET` your client_secret.',
      ['`Content-Type: application/x-www-form-urlencoded`, and grant_type is client_credentials.'],
    ),
    misses: whole('How many exchanges nearly solved it.', 0),
    lastMiss: textOrNull(
      'What was missing in the last of them; null if there was none, or you have got further since.',
      null,
    ),
    lastMissExchange: proofOrNull('LessonMissProof', 'The exchange where it was missing.'),
    lastWord: wordOrNull,
    solvedAt: momentOrNull('When you solved it; null if you have not.'),
    proof: proofOrNull(
      'LessonProof',
      'The exchange that solved it. Null if there is none, also where an answer needed no call.',
    ),
    calls: wholeOrNull(
      'How many calls it took: since you took it again, else since the call that solved a lesson before it; of the last 150. Null if it is not solved, or was solved with an older version.',
      3,
    ),
    shortestWay: wholeOrNull(
      'How many calls the shortest way takes, with a token at hand. Null if it is not solved, and for a lesson of the class’s own.',
      1,
    ),
    solvedBefore: momentOrNull(
      'When you had solved it, if it is one of those that you take again a month later (`POST /me/month-later`); else null.',
      null,
    ),
  },
  { $id: 'MyLesson', description: 'A lesson, and how far you got with it.' },
);

export const MyLessonInFull = Type.Object(
  { ...MyLesson.properties, unattributed: UnattributedCalls },
  {
    $id: 'MyLessonInFull',
    description: 'A lesson, how far you got with it, and calls of yours that may not count for it.',
  },
);

export const MyLessonList = PageOf(MyLesson, 'MyLessonList', 'In the order of the path.');

export const LessonEvents = Type.String({
  description:
    'Server-sent events. The data of each is a lesson as the list has it: first those that you started or solved, then each one again when it changes.',
  examples: [`data: ${JSON.stringify({ id: 'token-by-form', state: 'started', misses: 1 })}\n\n`],
});

export const LessonId = Type.Object({
  lessonId: Type.String({ description: 'The id of the lesson.', examples: ['credentials'] }),
});

export const OpenLessonDraft = Type.Object(
  { lessonId: lesson.id },
  { $id: 'OpenLessonDraft', description: 'The lesson to open.' },
);

export const OpenLesson = Type.Object(
  {
    lessonId: textOrNull('The lesson that is open; null if none is.', 'token-by-form'),
    openedAt: Type.Optional(moment('When you opened it, or took a hint of it, last. Absent if none is open.')),
  },
  { $id: 'OpenLesson', description: 'The lesson that you have open.' },
);

export const Solution = Type.Object(
  {
    remember: textOrNull(
      'What to remember; null for a lesson of the class’s own. What is code in it stands between backticks, as in `without`.',
      'A client_id says who you are, and a client_secret proves it. Store the secret when you get it.',
    ),
    without: textOrNull(
      'What goes wrong at work without it; null for a lesson of the class’s own.',
      'The secret lands in a chat, and nobody knows later who has it.',
    ),
    code: Type.Array(LessonCode, {
      description:
        'How programs solve it, each language at most once. They are parts of example programs, so they name what other parts define.',
    }),
  },
  { $id: 'LessonSolution', description: 'What stays of a lesson that was solved.' },
);

export const AnswerDraft = Type.Object(
  {
    lesson: Type.String({
      description: 'The id of the lesson, or of the capstone.',
      examples: ['token-decoded'],
    }),
    answer: Type.Unknown({
      description: 'What its question asks for: a text, a number, a list or an object. For a capstone, its report.',
      examples: ['demo-3f9a1c5e7b2d4f60a8c1'],
    }),
  },
  { $id: 'AnswerDraft', description: 'An answer to the question of a lesson, or the report of a capstone.' },
);

export const AnswerResult = Type.Object(
  {
    correct: Type.Boolean({
      description: 'Whether it is right: then the lesson is solved, or the run of the capstone has the score 100.',
      examples: [false],
    }),
    advice: textOrNull('What to look at; null if the answer is right.', 'It is in the second of the three parts.'),
    lesson: Type.Union([MyLesson, Type.Null()], {
      description: 'The lesson; null for a capstone.',
      examples: [null],
    }),
    run: Type.Union([CapstoneRun, Type.Null()], {
      description: 'The run of a capstone; null for a lesson.',
      examples: [null],
    }),
  },
  { $id: 'AnswerResult', description: 'What became of an answer.' },
);

const circumstances = Type.Object(
  {
    calls: whole('How many calls the solved lessons took together, as far as they were counted.', 312),
    hints: whole('How many hints were taken for them.', 7),
    medianSeconds: wholeOrNull(
      'Seconds from one solved lesson to the next, at the median. Null with fewer than two.',
      240,
    ),
    tenInSeconds: wholeOrNull(
      'Seconds from the first to the last of the quickest ten in a row. Null with fewer than ten.',
      1860,
    ),
    compared: whole('How many have both `calls` and a `shortestWay`.', 58),
    byShortestWay: whole('How many of these took no more calls than `shortestWay`.', 12),
    words: texts('The same in words. Empty if nothing is solved.', ['It took 312 calls and 7 hints.']),
  },
  {
    $id: 'Circumstances',
    description: 'How it came about: numbers for others to weigh. They don’t say who wrote the program.',
  },
);

const Certificate = Type.Object(
  {
    iss: Type.String({
      description: 'The service: PUBLIC_URL, or the first address that its start announced.',
      examples: ['http://localhost:8080'],
    }),
    sub: Type.String({ description: 'The client.', examples: ['demo-3f9a1c5e7b2d4f60a8c1'] }),
    iat: whole('When it was made, in seconds since 1970.', 1772446530),
    nickname: textOrNull('The name that the client gave itself, if any.', 'Team Blue'),
    lessons: Type.Array(
      Type.Object(
        {
          id: lesson.id,
          title: lesson.title,
          level: lesson.level,
          solvedAt: moment('When it was solved.'),
        },
        { $id: 'CertifiedLesson', description: 'A lesson that was solved.' },
      ),
      { description: 'The lessons that were solved, in the order of the path.' },
    ),
    of: whole('How many lessons there are.', 60),
    capstones: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Its id.', examples: ['night-shift'] }),
          title: Type.String({ description: 'Its title.', examples: ['The night shift'] }),
          level: Type.Integer({ description: 'The highest level that was completed: 1 or 2.', examples: [1] }),
          completedAt: moment('When a run of that level had no fault for the first time.'),
        },
        { $id: 'CertifiedCapstone', description: 'A capstone that was completed.' },
      ),
      {
        description: 'The capstones that were completed, on the seeds that are the same for everybody.',
        examples: [[]],
      },
    ),
    circumstances,
  },
  { $id: 'Certificate', description: 'What a client learned.' },
);

const compact = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJkZW1vLTNmOWExYzVlN2IyZDRmNjBhOGMxIn0.c2lnbmF0dXJl';

export const SignedCertificate = Type.Object(
  {
    certificate: Certificate,
    jws: Type.String({
      description: 'The same, signed: a JWS in its compact form. `/.well-known/jwks.json` has the key.',
      examples: [compact],
    }),
  },
  { $id: 'SignedCertificate', description: 'What a client learned, as data and signed.' },
);

export const CompactCertificate = Type.String({
  description: 'The JWS alone, in its compact form.',
  examples: [compact],
});

export const Badge = Type.String({
  description: 'A credential by Open Badges 3.0: a JWS in its compact form, whose header has the key.',
  examples: [compact],
});

export const BadgeSvg = Type.String({
  description: 'The same in a picture, in an element `openbadges:credential`.',
  examples: ['<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
});

export const BadgePng = Type.Unsafe<Buffer>({
  type: 'string',
  format: 'binary',
  description: 'The same in a picture, in a chunk `iTXt`.',
  examples: ['%89PNG'],
});

export const BadgeInFull = Type.Object(
  {
    credential: anyMembers('What the badge says (`OpenBadgeCredential` of 1EdTech), with the claims of the JWT.', {
      type: ['VerifiableCredential', 'OpenBadgeCredential'],
      name: 'L-Plate: API integration',
    }),
    jwt: Type.String({ description: 'The same, signed.', examples: [compact] }),
  },
  { $id: 'BadgeInFull', description: 'A badge, as data and signed.' },
);

export const CertificatePage = Type.String({
  description: 'A page to print.',
  examples: ['<!doctype html><title>Certificate</title>'],
});

export const boardLesson = Type.Object(
  {
    id: lesson.id,
    state: Type.Unsafe<'started' | 'solved'>({
      type: 'string',
      enum: ['started', 'solved'],
      description: 'How far it got.',
      examples: ['solved'],
    }),
    solvedAt: momentOrNull('When it was solved; null if it was not.'),
    hints: whole('How many hints were taken.', 1),
    misses: whole('How many exchanges nearly solved it.', 0),
  },
  { $id: 'BoardLesson', description: 'A lesson that a client started or solved.' },
);

export const workSign = enumeration(
  'WorkSign',
  ['open', 'near-miss', 'step', 'hint', 'taken-again', 'call', 'next'],
  'What shows that a client works on a lesson: it has it open, or a near miss or a step since it solved one, a hint, that it takes the lesson again, or a call to what the topic is about. `next`: nothing does, it is only the next one of the path.',
);

const current = Type.Object(
  {
    id: lesson.id,
    title: lesson.title,
    since: moment('When the client solved the lesson before, or called first.'),
    seconds: whole('How long ago that is.', 340),
    hints: whole('How many hints it took.', 1),
    misses: whole('How many exchanges nearly solved it.', 2),
    lastMiss: textOrNull('What was missing in the last of them.', 'The scheme was Bearer.'),
    sign: workSign('What shows it.', 'near-miss'),
    triedAt: momentOrNull('When that was; null if it is only the next one of the path.'),
  },
  {
    $id: 'CurrentLesson',
    description:
      'What a client works on: the lesson that its last calls and near misses aimed at, else the next one of the path after what it solved last. `worksOn` of the client has it too.',
  },
);

export const Standing = Type.Object(
  {
    clientId: Type.String({ description: 'Identifies the client.', examples: ['demo-3f9a1c5e7b2d4f60a8c1'] }),
    nickname: textOrNull('The name that the client gave itself, if any.', 'Team Blue'),
    lastSeenAt: moment('When it called last.'),
    solved: whole('How many lessons it solved.', 12),
    lessons: Type.Array(boardLesson, { description: 'Those that it started or solved, in the order of the path.' }),
    current: Type.Union([current, Type.Null()], { description: 'What it works at; null when all are solved.' }),
    stagesPassed: whole('How many stages its own insurer passed, as its machine reported.', 5),
    circumstances,
  },
  { $id: 'Standing', description: 'A client, and how far it got with the lessons.' },
);

export const Board = PageOf(Standing, 'Board', 'Those that called last come first.');

export type CertificateData = Static<typeof Certificate>;
export type SignedCertificateData = Static<typeof SignedCertificate>;
export type CircumstancesData = Static<typeof circumstances>;
export type LessonView = Static<typeof Lesson>;
export type MyLessonView = Static<typeof MyLesson>;
export type OpenLesson = Static<typeof OpenLesson>;
export type SolutionView = Static<typeof Solution>;
export type AnswerResult = Static<typeof AnswerResult>;
export type Standing = Static<typeof Standing>;
export type Sign = NonNullable<Standing['current']>['sign'];
