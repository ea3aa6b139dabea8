import type { EndpointText } from '../../http/endpoint.ts';
import { streamType } from '../../http/requests/accepted-type.ts';
import { OptionalPageQuery } from '../../http/requests/paging.ts';
import { LearnerId } from '../learner-endpoints.ts';
import { nextPage, ofClient, ofTrainer, onePage } from '../texts.ts';
import {
  AnswerDraft,
  AnswerResult,
  Badge,
  BadgeInFull,
  BadgePng,
  BadgeSvg,
  Board,
  CertificatePage,
  CompactCertificate,
  Lesson,
  LessonEvents,
  LessonId,
  LessonList,
  MyLesson,
  MyLessonInFull,
  MyLessonList,
  OpenLesson,
  OpenLessonDraft,
  SignedCertificate,
  Solution,
} from './schemas.ts';

const tags = ['Lessons'];

/** The shapes and texts of lessons. */
export const texts = {
  listLessons: {
    schema: {
      operationId: 'listLessons',
      tags,
      summary: 'List the lessons',
      description: 'In the order of the path, topic by topic. No token is needed.',
      querystring: OptionalPageQuery,
      response: { 200: LessonList },
    },
    success: onePage,
    headers: nextPage('/lessons'),
    guesses: ['exercises', 'challenges', 'tasks'],
  },
  readLesson: {
    schema: {
      operationId: 'readLesson',
      tags,
      summary: 'Read a lesson',
      description: 'No token is needed.',
      params: LessonId,
      response: { 200: Lesson },
    },
    success: 'The lesson.',
  },
  listMyLessons: {
    schema: {
      operationId: 'listMyLessons',
      tags,
      summary: 'List the lessons, and how far you got',
      description:
        'A lesson is solved by what you call, with whatever tool; a few ask for an answer besides. What you called before is taken into account by then. With `Accept: text/event-stream` you get the lessons that you started or solved, and each one again when it changes.',
      security: ofClient,
      querystring: OptionalPageQuery,
      response: {
        200: { content: { 'application/json': { schema: MyLessonList }, [streamType]: { schema: LessonEvents } } },
      },
    },
    success: 'One page, or a stream. A page after the last one has no items.',
    optionalHeaders: ['Link', 'X-Accel-Buffering'],
  },
  readMyLesson: {
    schema: {
      operationId: 'readMyLesson',
      tags,
      summary: 'Read a lesson, and how far you got',
      description:
        'What you called before is taken into account by then. Calls from your address that count for nobody are told as well.',
      security: ofClient,
      params: LessonId,
      response: { 200: MyLessonInFull },
    },
    success: 'The lesson.',
  },
  openLesson: {
    schema: {
      operationId: 'openLesson',
      tags,
      summary: 'Open a lesson',
      description:
        'Says which lesson you work on: each call of yours gets a word for it then, `lastWord` of `GET /me/lessons/{lessonId}`, and other lessons are silent. It takes the place of the one that was open. It closes when it is solved, or after two hours without a call.',
      security: ofClient,
      body: OpenLessonDraft,
      response: { 200: OpenLesson },
    },
    success: 'The lesson is open.',
    instead: { POST: 'A client has one open lesson. To open another one: PUT.' },
    guesses: ['open-lesson', 'me/current-lesson', 'me/lessons/:lessonId/open'],
  },
  readOpenLesson: {
    schema: {
      operationId: 'readOpenLesson',
      tags,
      summary: 'Read which lesson is open',
      description: 'A lesson is closed once it is solved, or after two hours without a call.',
      security: ofClient,
      response: { 200: OpenLesson },
    },
    success: 'The lesson, or null.',
  },
  closeLesson: {
    schema: {
      operationId: 'closeLesson',
      tags,
      summary: 'Close the lesson that is open',
      description: 'What you did of it stays. Closing where none is open changes nothing.',
      security: ofClient,
      response: { 204: {} },
    },
    success: 'No lesson is open. There is no body.',
  },
  takeHint: {
    schema: {
      operationId: 'takeHint',
      tags,
      summary: 'Take the next hint',
      description:
        'The hints go from a nudge to nearly the answer. When you have taken all, nothing changes any more. The lesson is open then, unless it is solved. In their commands `ROOT` is the address of L-Plate, `TOKEN` your token, `CLIENT_ID` your client_id and `CLIENT_SECRET` your client_secret.',
      security: ofClient,
      params: LessonId,
      response: { 200: MyLesson },
    },
    success: 'The lesson, with the hint as the last of `hintsTaken`.',
    instead: { GET: 'GET /me/lessons/{lessonId} has the hints that you took. To take the next one: POST.' },
  },
  takeLessonAgain: {
    schema: {
      operationId: 'takeLessonAgain',
      tags,
      summary: 'Take a lesson again',
      description:
        'Forgets what you did of it, also that you solved it: what you called before does not count any more. Your hints stay, and the lesson is open.',
      security: ofClient,
      params: LessonId,
      response: { 204: {} },
    },
    success: 'The lesson can be solved anew. There is no body.',
  },
  readSolution: {
    schema: {
      operationId: 'readSolution',
      tags,
      summary: 'Read what to remember of a lesson that you solved, and its code',
      description: 'The code is in JavaScript, Python, Java and curl, as far as a language has this lesson.',
      security: ofClient,
      params: LessonId,
      response: { 200: Solution },
    },
    success: 'What to remember, what goes wrong without it, and the code.',
    guesses: ['lessons/:lessonId/solution', 'me/solutions/:lessonId'],
  },
  sendAnswer: {
    schema: {
      operationId: 'sendAnswer',
      tags,
      summary: 'Answer the question of a lesson, or report a capstone',
      description:
        'You can try as often as you like. A wrong answer is told what to look at. The report of a capstone ends its run, unless it comes too early or has another shape. A body may have 512 KiB.',
      security: ofClient,
      body: AnswerDraft,
      response: { 200: AnswerResult },
    },
    success: 'Whether the answer is right.',
    guesses: ['answers', 'solutions', 'me/solutions', 'me/lessons/:lessonId/answers', 'lessons/:lessonId/answers'],
  },
  readCertificate: {
    schema: {
      operationId: 'readCertificate',
      tags,
      summary: 'Get a certificate of what you solved',
      description:
        'Signed with the key of the tokens, so that others can check it. With `Accept: text/html` it is a page to print, with `application/jose` the JWS alone.',
      security: ofClient,
      response: {
        200: {
          content: {
            'application/json': { schema: SignedCertificate },
            'application/jose': { schema: CompactCertificate },
            'text/html; charset=utf-8': { schema: CertificatePage },
          },
        },
      },
    },
    success: 'The certificate.',
    optionalHeaders: ['Content-Security-Policy'],
    guesses: ['certificate'],
  },
  readBadge: {
    schema: {
      operationId: 'readBadge',
      tags,
      summary: 'Get a badge of what you solved',
      description:
        'The certificate as a credential by Open Badges 3.0 (JWT, ES256). Its header has the key, so that it is checked without this server; its issuer is the `did:key` of that key, or `ISSUER_URL`. With `Accept: image/svg+xml` or `image/png` it is in a picture, with `application/json` beside what it says.',
      security: ofClient,
      response: {
        200: {
          content: {
            'application/vc+jwt': { schema: Badge },
            'image/svg+xml': { schema: BadgeSvg },
            'image/png': { schema: BadgePng },
            'application/json': { schema: BadgeInFull },
          },
        },
      },
    },
    success: 'The badge.',
    guesses: ['badge', 'badges', 'me/badges'],
  },
  listMonthLater: {
    schema: {
      operationId: 'listMonthLater',
      tags,
      summary: 'List the lessons that you take again a month later',
      description: 'As `GET /me/lessons`, those alone that the last `POST /me/month-later` gave you.',
      security: ofClient,
      querystring: OptionalPageQuery,
      response: { 200: MyLessonList },
    },
    success: onePage,
    headers: nextPage('/me/month-later'),
    guesses: ['month-later'],
  },
  beginMonthLater: {
    schema: {
      operationId: 'beginMonthLater',
      tags,
      summary: 'Take ten lessons again, a month later',
      description:
        'Picks ten of the lessons that you solved, at random, and lets you take them again: each is open, and counts anew. Those of the time before that you have not solved again stay, and fewer are added. Your certificate keeps them all.',
      security: ofClient,
      response: { 204: {} },
    },
    success: 'They are open: `GET /me/month-later` lists them. There is no body.',
  },
} satisfies Record<string, EndpointText>;

/** The shapes and texts of lessons, for the trainer. */
export const trainerTexts = {
  readLearnerCertificate: {
    schema: {
      operationId: 'readLearnerCertificate',
      tags: ['Trainer'],
      summary: 'Get the certificate of a client',
      description: 'As `GET /me/certificate` for the client: to print those of a whole class.',
      security: ofTrainer,
      params: LearnerId,
      response: { 200: SignedCertificate },
    },
    success: 'The certificate.',
    guesses: ['trainer/certificates'],
  },
  listStandings: {
    schema: {
      operationId: 'listStandings',
      tags: ['Trainer'],
      summary: 'List who solved what, and who is stuck',
      description: 'Each client that called, with the lessons that it started or solved, and the one that it works at.',
      security: ofTrainer,
      querystring: OptionalPageQuery,
      response: { 200: Board },
    },
    success: onePage,
    headers: nextPage('/trainer/lessons'),
    guesses: ['trainer/board', 'trainer/progress', 'board'],
  },
} satisfies Record<string, EndpointText>;
