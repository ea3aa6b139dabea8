import { live } from '../../http/answers/event-stream.ts';
import { sendOwnPage } from '../../http/answers/page.ts';
import { unsentBody } from '../../http/answers/unsent-body.ts';
import { type Api, endpoint, type Handlers, tableOf } from '../../http/endpoint.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { acceptedType, streamType, wantsStream } from '../../http/requests/accepted-type.ts';
import { callerOf, type Tokens } from '../../http/requests/bearer.ts';
import { asPage, links, pageOf } from '../../http/requests/paging.ts';
import { bakedPng, bakedSvg } from '../../text/badge-file.ts';
import { badgePictures } from '../badge-pictures.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { unattributedCalls } from '../exchanges/unattributed.ts';
import { answerPage } from '../paging.ts';
import { anyScope, clientTokenProblems, refusePreset, refuseUnknown, tokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import { maxReport } from './capstones/capstone.ts';
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

/** The lessons, and what the caller has done of them. */
export function lessonRoutes(api: Api, options: LessonRoutesOptions): void {
  const route = tableOf(api, texts, handlers(options), clientTokenProblems);
  route('GET', '/lessons', 'listLessons', undefined, ['validation-error']);
  route('GET', '/lessons/:lessonId', 'readLesson', undefined, ['lesson-not-found']);
  route('GET', '/me/lessons', 'listMyLessons', anyScope, ['validation-error', 'quota-exceeded']);
  route('GET', '/me/lessons/:lessonId', 'readMyLesson', anyScope, ['lesson-not-found']);
  route('PUT', '/me/open-lesson', 'openLesson', anyScope, ['lesson-not-found', 'lesson-solved', 'preset-client'], {
    body: 'json',
  });
  route('GET', '/me/open-lesson', 'readOpenLesson', anyScope);
  route('DELETE', '/me/open-lesson', 'closeLesson', anyScope, ['preset-client']);
  route('POST', '/me/lessons/:lessonId/hints', 'takeHint', anyScope, ['lesson-not-found', 'preset-client']);
  route('DELETE', '/me/lessons/:lessonId', 'takeLessonAgain', anyScope, ['lesson-not-found', 'preset-client']);
  route('GET', '/me/lessons/:lessonId/solution', 'readSolution', anyScope, ['lesson-not-found', 'lesson-not-solved']);
  route('POST', '/me/answers', 'sendAnswer', anyScope, ['lesson-not-found', 'no-question', 'no-run', 'preset-client'], {
    body: 'json',
    maxBody: maxReport,
  });
  route('GET', '/me/certificate', 'readCertificate', anyScope);
  route('GET', '/me/badge', 'readBadge', anyScope);
  route('GET', '/me/month-later', 'listMonthLater', anyScope, ['validation-error']);
  route('POST', '/me/month-later', 'beginMonthLater', anyScope, ['lesson-not-solved', 'preset-client']);
}

/** The certificates of clients and the board, for the trainer. */
export function trainerLessonRoutes(api: Api, options: TrainerLessonRoutesOptions): void {
  const { lessons, tokens } = options;
  endpoint(api, 'GET', '/learners/:clientId/certificate', trainerTexts.readLearnerCertificate, {
    async handler(request) {
      const { clientId } = request.params;
      await refuseUnknown(tokens, clientId);
      return lessons.certificate(clientId);
    },
    scope: anyScope,
    problems: [...tokenProblems, 'client-not-found'],
  });
  endpoint(api, 'GET', '/lessons', trainerTexts.listStandings, {
    async handler(request, reply) {
      const page = pageOf(request.query);
      const { items, total } = await lessons.standings(page);
      reply.header('Link', links(absoluteUrl(request, `${base}/trainer/lessons`), page, total));
      return asPage(items, total, page);
    },
    scope: anyScope,
    problems: [...tokenProblems, 'validation-error'],
  });
}

function handlers({ lessons, capstones, recorder }: LessonRoutesOptions): Handlers<typeof texts> {
  return {
    async listLessons(request, reply) {
      return answerPage(request, reply, '/lessons', lessons.catalogue.lessons.map(viewOf));
    },

    readLesson: async (request) => viewOf(lessons.find(request.params.lessonId)),

    async listMyLessons(request, reply) {
      const caller = callerOf(request);
      if (wantsStream(request)) {
        // HEAD asks for the headers only, and would leave a stream open that nobody reads.
        const stream = request.method === 'HEAD' ? unsentBody() : lessons.watch(caller, request.ip);
        return reply.type(streamType).headers(live).send(stream);
      }
      return answerPage(request, reply, '/me/lessons', await lessons.ofClient(caller.clientId));
    },

    async readMyLesson(request) {
      const { clientId } = callerOf(request);
      const lesson = await lessons.one(clientId, request.params.lessonId);
      return { ...lesson, unattributed: unattributedCalls(recorder, request, clientId) };
    },

    async openLesson(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      return lessons.open(clientId, request.body.lessonId);
    },

    async readOpenLesson(request) {
      return lessons.readOpen(callerOf(request).clientId);
    },

    async closeLesson(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      await lessons.close(clientId);
      return reply.code(204).send();
    },

    async takeHint(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      return lessons.takeHint(clientId, request.params.lessonId);
    },

    async takeLessonAgain(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      await lessons.beginAgain(clientId, request.params.lessonId);
      return reply.code(204).send();
    },

    async readSolution(request) {
      return lessons.solution(callerOf(request).clientId, request.params.lessonId);
    },

    async sendAnswer(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const { lesson, answer } = request.body;
      const capstone = capstones.named(lesson);
      if (capstone) return capstones.report(clientId, capstone, answer);
      return lessons.answer(clientId, lesson, answer);
    },

    async readCertificate(request, reply) {
      const type = acceptedType(request, ['application/json', 'application/jose', 'text/html']);
      const certificate = await lessons.certificate(callerOf(request).clientId);
      if (type === 'text/html')
        return sendOwnPage(reply, certificatePage(reply.server, certificate, absoluteUrl(request, '/')));
      if (type === 'application/jose') return reply.type(type).send(certificate.jws);
      return certificate;
    },

    async readBadge(request, reply) {
      const types = ['application/vc+jwt', 'image/svg+xml', 'image/png', 'application/json'] as const;
      const type = acceptedType(request, types) ?? types[0];
      const { credential, jwt } = await lessons.badge(callerOf(request).clientId);
      if (type === 'application/json') return { credential, jwt };
      reply.type(type);
      if (type === 'application/vc+jwt') return reply.send(jwt);
      const { svg, png } = await badgePictures();
      return reply.send(type === 'image/png' ? Buffer.from(bakedPng(png, jwt)) : bakedSvg(svg, jwt));
    },

    async listMonthLater(request, reply) {
      return answerPage(request, reply, '/me/month-later', await lessons.monthLater(callerOf(request).clientId));
    },

    async beginMonthLater(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      await lessons.beginMonthLater(clientId);
      return reply.code(204).send();
    },
  };
}
