import Type, { type Static } from 'typebox';
import { PageOf } from '../../http/paging.ts';
import { enumeration } from '../../text/enumeration.ts';
import { UnattributedCalls } from '../exchanges/unattributed.ts';
import { CapstoneRun } from './capstones/schemas.ts';
import { languages } from './code-parts.ts';
import { levels, states } from './lesson.ts';
import { signs } from './works-on.ts';

const example = {
  id: 'token-by-form',
  at: '2026-03-02T10:15:30.000Z',
  exchange: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
};

const orNull = (description: string, value: string | null, format?: 'date-time') =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...(format && { format }),
    description,
    examples: [value],
  });

const texts = (description: string, value: string[]) => Type.Array(Type.String(), { description, examples: [value] });

const state = enumeration(
  'LessonState',
  states,
  '`open`: nothing was done. `started`: you took a hint, did a step, or nearly did one.',
);

const stepTitle = Type.String({ description: 'What to do.', examples: ['Get a token for a form'] });

const lesson = {
  id: Type.String({ description: 'Its id.', examples: [example.id] }),
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
  question: orNull('What is to be sent to `POST /me/answers`; null if it is solved by calls alone.', null),
  hints: Type.Integer({ description: 'How many hints there are.', examples: [3] }),
  steps: Type.Array(Type.Object({ title: stepTitle }, { $id: 'LessonStep', description: 'A step of a lesson.' }), {
    description: 'What there is to do, in this order.',
  }),
  sections: texts('The sections of the specification that it practises.', ['Endpoints, 3']),
  buildsOn: texts('The ids of lessons that come before. You can solve them in any order.', ['token-by-json']),
};

export const Lesson = Type.Object(lesson, { $id: 'Lesson', description: 'Something to learn.' });

export const LessonList = PageOf(Lesson, 'LessonList', 'In the order of the path.');

/** An exchange that counted, or null. Under a name of its own each time: the serializer takes one that may be null only once. */
const proofOrNull = ($id: string, description: string) =>
  Type.Union(
    [
      Type.Object(
        {
          exchangeId: Type.String({
            description: 'Its id. `GET /me/exchanges/{exchangeId}` has it whole, for a day.',
            examples: [example.exchange],
          }),
          startedAt: Type.String({ format: 'date-time', description: 'When the call came.', examples: [example.at] }),
          method: Type.String({ description: 'The method.', examples: ['POST'] }),
          path: Type.String({ description: 'The path and query.', examples: ['/insurer/v1/auth/token'] }),
          status: Type.Integer({ description: 'The status of the answer.', examples: [200] }),
        },
        { $id, description },
      ),
      Type.Null(),
    ],
    {
      description,
      examples: [
        {
          exchangeId: example.exchange,
          startedAt: example.at,
          method: 'POST',
          path: '/insurer/v1/policies',
          status: 409,
        },
      ],
    },
  );

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
    misses: Type.Integer({ description: 'How many exchanges nearly solved it.', examples: [0] }),
    lastMiss: orNull(
      'What was missing in the last of them; null if there was none, or you have got further since.',
      null,
    ),
    lastMissExchange: proofOrNull('LessonMissProof', 'The exchange where it was missing.'),
    solvedAt: orNull('When you solved it; null if you have not.', example.at, 'date-time'),
    proof: proofOrNull(
      'LessonProof',
      'The exchange that solved it. Null if there is none, also where an answer needed no call.',
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
  examples: [`data: ${JSON.stringify({ id: example.id, state: 'started', misses: 1 })}\n\n`],
});

export const LessonId = Type.Object({
  lessonId: Type.String({ description: 'The id of the lesson.', examples: ['credentials'] }),
});

const language = enumeration('CodeLanguage', languages, 'A language. curl is for bash.');

export const Solution = Type.Object(
  {
    remember: orNull(
      'What to remember; null for a lesson of the class’s own. What is code in it stands between backticks, as in `without`.',
      'A client_id says who you are, and a client_secret proves it. Store the secret when you get it.',
    ),
    without: orNull(
      'What goes wrong at work without it; null for a lesson of the class’s own.',
      'The secret lands in a chat, and nobody knows later who has it.',
    ),
    code: Type.Array(
      Type.Object(
        {
          language: language('The language.', 'JavaScript'),
          file: Type.String({
            description: 'The program that it is a part of, in L-Plate’s repository.',
            examples: ['examples/path/learner.js'],
          }),
          text: Type.String({
            description: 'The code.',
            examples: ["const { json: credentials } = await call('POST', '/insurer/v1/demo-clients');"],
          }),
        },
        { $id: 'LessonCode', description: 'How a lesson is solved in a language.' },
      ),
      {
        description:
          'How programs solve it, each language at most once. They are parts of example programs, so they name what other parts define.',
      },
    ),
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
    advice: orNull('What to look at; null if the answer is right.', 'It is in the second of the three parts.'),
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

export const Certificate = Type.Object(
  {
    iss: Type.String({
      description: 'The service: PUBLIC_URL, or the first address that its start announced.',
      examples: ['http://localhost:8080'],
    }),
    sub: Type.String({ description: 'The client.', examples: ['demo-3f9a1c5e7b2d4f60a8c1'] }),
    iat: Type.Integer({ description: 'When it was made, in seconds since 1970.', examples: [1772446530] }),
    nickname: orNull('The name that the client gave itself, if any.', 'Team Blue'),
    lessons: Type.Array(
      Type.Object(
        {
          id: lesson.id,
          title: lesson.title,
          level: lesson.level,
          solvedAt: Type.String({ format: 'date-time', description: 'When it was solved.', examples: [example.at] }),
        },
        { $id: 'CertifiedLesson', description: 'A lesson that was solved.' },
      ),
      { description: 'The lessons that were solved, in the order of the path.' },
    ),
    of: Type.Integer({ description: 'How many lessons there are.', examples: [60] }),
    capstones: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Its id.', examples: ['night-shift'] }),
          title: Type.String({ description: 'Its title.', examples: ['The night shift'] }),
          completedAt: Type.String({
            format: 'date-time',
            description: 'When a run of it had no fault for the first time.',
            examples: [example.at],
          }),
        },
        { $id: 'CertifiedCapstone', description: 'A capstone that was completed.' },
      ),
      { description: 'The capstones that were completed.', examples: [[]] },
    ),
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
    solvedAt: orNull('When it was solved; null if it was not.', example.at, 'date-time'),
    hints: Type.Integer({ description: 'How many hints were taken.', examples: [1] }),
    misses: Type.Integer({ description: 'How many exchanges nearly solved it.', examples: [0] }),
  },
  { $id: 'BoardLesson', description: 'A lesson that a client started or solved.' },
);

export const workSign = enumeration(
  'WorkSign',
  signs,
  'What shows that a client works on a lesson: a near miss or a step since it solved one, a hint, that it takes the lesson again, or a call to what the topic is about. `next`: nothing does, it is only the next one of the path.',
);

const current = Type.Object(
  {
    id: lesson.id,
    title: lesson.title,
    since: Type.String({
      format: 'date-time',
      description: 'When the client solved the lesson before, or called first.',
      examples: [example.at],
    }),
    seconds: Type.Integer({ description: 'How long ago that is.', examples: [340] }),
    hints: Type.Integer({ description: 'How many hints it took.', examples: [1] }),
    misses: Type.Integer({ description: 'How many exchanges nearly solved it.', examples: [2] }),
    lastMiss: orNull('What was missing in the last of them.', 'The scheme was Bearer.'),
    sign: workSign('What shows it.', 'near-miss'),
    triedAt: orNull('When that was; null if it is only the next one of the path.', example.at, 'date-time'),
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
    nickname: orNull('The name that the client gave itself, if any.', 'Team Blue'),
    lastSeenAt: Type.String({ format: 'date-time', description: 'When it called last.', examples: [example.at] }),
    solved: Type.Integer({ description: 'How many lessons it solved.', examples: [12] }),
    lessons: Type.Array(boardLesson, { description: 'Those that it started or solved, in the order of the path.' }),
    current: Type.Union([current, Type.Null()], { description: 'What it works at; null when all are solved.' }),
  },
  { $id: 'Standing', description: 'A client, and how far it got with the lessons.' },
);

export const Board = PageOf(Standing, 'Board', 'Those that called last come first.');

export type CertificateData = Static<typeof Certificate>;
export type SignedCertificateData = Static<typeof SignedCertificate>;
export type LessonView = Static<typeof Lesson>;
export type MyLessonView = Static<typeof MyLesson>;
export type SolutionView = Static<typeof Solution>;
