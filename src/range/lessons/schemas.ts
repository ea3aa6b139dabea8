import Type, { type Static } from 'typebox';
import { enumeration } from '../../enumeration.ts';
import { PageOf } from '../../http/paging.ts';
import { CapstoneRun } from './capstones/schemas.ts';
import { levels } from './lesson.ts';
import { states } from './standing.ts';

const example = {
  id: 'duplicate-policy',
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
  '`open`: nothing was done. `started`: you took a hint, or an exchange nearly solved it.',
);

const lesson = {
  id: Type.String({ description: 'Its id.', examples: [example.id] }),
  title: Type.String({ description: 'Its title.', examples: ['One policy for each vehicle'] }),
  topic: Type.String({ description: 'The title of its topic.', examples: ['Policies'] }),
  level: Type.Unsafe<(typeof levels)[number]>({
    type: 'integer',
    enum: [...levels],
    description:
      '1: single calls. 2: several that belong together. 3: what goes wrong, and how a program gets over it.',
    examples: [1],
  }),
  goal: Type.String({ description: 'What to do.', examples: ['Create a policy for a vehicle that has one.'] }),
  why: Type.String({ description: 'Why it matters at work.', examples: ['A 409 says what is in the way.'] }),
  question: orNull('What is to be sent to `POST /me/answers`; null if it is solved by calls alone.', null),
  hints: Type.Integer({ description: 'How many hints there are.', examples: [3] }),
  sections: texts('The sections of the specification that it practises.', ['Endpoints, rule 1']),
  buildsOn: texts('The ids of lessons that come before. You can solve them in any order.', ['first-policy']),
};

export const Lesson = Type.Object(lesson, { $id: 'Lesson', description: 'Something to learn.' });

export const LessonList = PageOf(Lesson, 'LessonList', 'In the order of the path.');

const Proof = Type.Object(
  {
    exchangeId: Type.String({
      description: 'Its id. `GET /me/exchanges/{exchangeId}` has it whole, for a day.',
      examples: [example.exchange],
    }),
    startedAt: Type.String({ format: 'date-time', description: 'When the call came.', examples: [example.at] }),
    method: Type.String({ description: 'The method.', examples: ['POST'] }),
    path: Type.String({ description: 'The path and query.', examples: ['/insurer/v1/policies'] }),
    status: Type.Integer({ description: 'The status of the answer.', examples: [409] }),
  },
  { $id: 'LessonProof', description: 'The exchange that solved a lesson.' },
);

export const MyLesson = Type.Object(
  {
    ...lesson,
    state: state('How far you got.', 'solved'),
    hintsTaken: texts('The hints that you took.', ['Which vehicle has a policy already?']),
    misses: Type.Integer({ description: 'How many exchanges nearly solved it.', examples: [0] }),
    lastMiss: orNull('What was missing in the last of them; null if there was none.', null),
    solvedAt: orNull('When you solved it; null if you have not.', example.at, 'date-time'),
    proof: Type.Union([Proof, Type.Null()], {
      description: 'The exchange that solved it. Null if there is none, also where an answer needed no call.',
      examples: [
        {
          exchangeId: example.exchange,
          startedAt: example.at,
          method: 'POST',
          path: '/insurer/v1/policies',
          status: 409,
        },
      ],
    }),
  },
  { $id: 'MyLesson', description: 'A lesson, and how far you got with it.' },
);

export const MyLessonList = PageOf(MyLesson, 'MyLessonList', 'In the order of the path.');

export const LessonEvents = Type.String({
  description:
    'Server-sent events. The data of each is a lesson as the list has it: first those that you started or solved, then each one again when it changes.',
});

export const LessonId = Type.Object({
  lessonId: Type.String({ description: 'The id of the lesson.', examples: [example.id] }),
});

export const AnswerDraft = Type.Object(
  {
    lesson: Type.String({
      description: 'The id of the lesson, or of the capstone.',
      examples: ['missing-in-the-draft'],
    }),
    answer: Type.Unknown({
      description: 'What its question asks for: a text, a number, a list or an object. For a capstone, its report.',
      examples: [['holder']],
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
    advice: orNull('What to look at; null if the answer is right.', 'There are three of them.'),
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

export type LessonView = Static<typeof Lesson>;
export type MyLessonView = Static<typeof MyLesson>;
