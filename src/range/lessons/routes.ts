import { absoluteUrl } from '../../http/absolute-url.ts';
import { acceptedType } from '../../http/accepted-type.ts';
import { callerOf, type Tokens } from '../../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../../http/endpoint.ts';
import { live, streamType, wantsStream } from '../../http/event-stream.ts';
import { sendOwnPage } from '../../http/page.ts';
import { asPage, links, pageOf } from '../../http/paging.ts';
import { unsentBody } from '../../http/unsent-body.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { unattributedCalls } from '../exchanges/unattributed.ts';
import { answerPage } from '../paging.ts';
import { refusePreset, refuseUnknown, tokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import type { Capstones } from './capstones/capstones.ts';
import { certificatePage } from './certificate.ts';
import type { Lessons } from './lessons.ts';
import { viewOf } from './standing.ts';
import { texts, trainerTexts } from './texts.ts';

export interface LessonRoutesOptions {
  readonly lessons: Lessons;
  /** Their reports are answers, too. */
  readonly capstones: Capstones;
  readonly recorder: Recorder;
}

/** For the trainer. */
export interface TrainerLessonRoutesOptions extends LessonRoutesOptions {
  /** Those of clients. */
  readonly tokens: Tokens;
}

/** Any token will do. */
const scope = '';

/** The lessons, and what the caller has done of them. */
export function lessonRoutes(api: Api, options: LessonRoutesOptions): void {
  const handle = handlers(options);
  endpoint(api, 'GET', '/lessons', texts.listLessons, {
    handler: handle.listLessons,
    problems: ['validation-error'],
  });
  endpoint(api, 'GET', '/lessons/:lessonId', texts.readLesson, {
    handler: handle.readLesson,
    problems: ['lesson-not-found'],
  });
  endpoint(api, 'GET', '/me/lessons', texts.listMyLessons, {
    handler: handle.listMyLessons,
    scope,
    problems: [...tokenProblems, 'validation-error', 'quota-exceeded'],
  });
  endpoint(api, 'GET', '/me/lessons/:lessonId', texts.readMyLesson, {
    handler: handle.readMyLesson,
    scope,
    problems: [...tokenProblems, 'lesson-not-found'],
  });
  endpoint(api, 'POST', '/me/lessons/:lessonId/hints', texts.takeHint, {
    handler: handle.takeHint,
    scope,
    problems: [...tokenProblems, 'lesson-not-found', 'preset-client'],
  });
  endpoint(api, 'DELETE', '/me/lessons/:lessonId', texts.takeLessonAgain, {
    handler: handle.takeLessonAgain,
    scope,
    problems: [...tokenProblems, 'lesson-not-found', 'preset-client'],
  });
  endpoint(api, 'GET', '/me/lessons/:lessonId/solution', texts.readSolution, {
    handler: handle.readSolution,
    scope,
    problems: [...tokenProblems, 'lesson-not-found', 'lesson-not-solved'],
  });
  endpoint(api, 'POST', '/me/answers', texts.sendAnswer, {
    handler: handle.sendAnswer,
    scope,
    body: 'json',
    problems: [...tokenProblems, 'lesson-not-found', 'no-question', 'no-run', 'preset-client'],
  });
  endpoint(api, 'GET', '/me/certificate', texts.readCertificate, {
    handler: handle.readCertificate,
    scope,
    problems: tokenProblems,
  });
}

/** The certificates of clients and the board, for the trainer. */
export function trainerLessonRoutes(api: Api, options: TrainerLessonRoutesOptions): void {
  const { lessons, tokens } = options;
  endpoint(api, 'GET', '/learners/:clientId/certificate', trainerTexts.readLearnerCertificate, {
    async handler(request) {
      const { clientId } = request.params;
      await refuseUnknown(tokens, clientId);
      return (await lessons.certificate(clientId)) as never;
    },
    scope,
    problems: [...tokenProblems, 'client-not-found'],
  });
  endpoint(api, 'GET', '/lessons', trainerTexts.listStandings, {
    async handler(request, reply) {
      const page = pageOf(request.query);
      const { items, total } = await lessons.standings(page);
      reply.header('Link', links(absoluteUrl(request, `${base}/trainer/lessons`), page, total));
      return asPage(items, total, page) as never;
    },
    scope,
    problems: [...tokenProblems, 'validation-error'],
  });
}

function handlers({ lessons, capstones, recorder }: LessonRoutesOptions): Handlers<typeof texts> {
  return {
    async listLessons(request, reply) {
      return answerPage(request, reply, '/lessons', lessons.catalogue.lessons.map(viewOf)) as never;
    },

    readLesson: async (request) => viewOf(lessons.find(request.params.lessonId)) as never,

    async listMyLessons(request, reply) {
      const caller = callerOf(request);
      if (wantsStream(request)) {
        // HEAD asks for the headers only, and would leave a stream open that nobody reads.
        const stream = request.method === 'HEAD' ? unsentBody() : lessons.watch(caller, request.ip);
        return reply
          .type(streamType)
          .headers(live)
          .send(stream as never);
      }
      return answerPage(request, reply, '/me/lessons', await lessons.ofClient(caller.clientId)) as never;
    },

    async readMyLesson(request) {
      const { clientId } = callerOf(request);
      const lesson = await lessons.one(clientId, request.params.lessonId);
      return { ...lesson, unattributed: unattributedCalls(recorder, request, clientId) } as never;
    },

    async takeHint(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      return (await lessons.takeHint(clientId, request.params.lessonId)) as never;
    },

    async takeLessonAgain(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      await lessons.beginAgain(clientId, request.params.lessonId);
      return reply.code(204).send() as never;
    },

    async readSolution(request) {
      return (await lessons.solution(callerOf(request).clientId, request.params.lessonId)) as never;
    },

    async sendAnswer(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const { lesson, answer } = request.body;
      const capstone = capstones.named(lesson);
      if (capstone) return (await capstones.report(clientId, capstone, answer)) as never;
      return (await lessons.answer(clientId, lesson, answer)) as never;
    },

    async readCertificate(request, reply) {
      const type = acceptedType(request, ['application/json', 'application/jose', 'text/html']);
      const certificate = await lessons.certificate(callerOf(request).clientId);
      if (type === 'text/html')
        return sendOwnPage(reply, certificatePage(reply.server, certificate, absoluteUrl(request, '/'))) as never;
      if (type === 'application/jose') return reply.type(type).send(certificate.jws as never);
      return certificate as never;
    },
  };
}
