import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { absoluteUrl, originOf } from '../http/absolute-url.ts';
import { type Caller, callerOf, isClientId, type Tokens } from '../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import { live, streamType, wantsStream } from '../http/event-stream.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import type { ProblemIdentifier } from '../http/problem.ts';
import { interfaceChecks } from '../http/request-checks.ts';
import { wrongPathOrMethod } from '../http/rest.ts';
import { invalid } from '../http/validation.ts';
import { shownValue } from '../text/shown-value.ts';
import { type MeRoutesOptions, meRoutes } from './class/me-routes.ts';
import type { Profiles } from './class/profiles.ts';
import { type ClassRoutesOptions, classRoutes, trainerClassRoutes } from './class/routes.ts';
import { type TrainerRoutesOptions, trainerRoutes } from './class/trainer-routes.ts';
import { trainerId } from './class/trainer-tokens.ts';
import { type ClockRoutesOptions, clockRoutes, othersClockRoutes } from './clocks/routes.ts';
import type { Drills } from './drills/drills.ts';
import { drillRoutes, trainerDrillRoutes } from './drills/routes.ts';
import { nobody } from './exchanges/attribution.ts';
import { curlCommand } from './exchanges/curl.ts';
import { harOf, harParts } from './exchanges/har.ts';
import type { Learners } from './exchanges/learners.ts';
import { logReader } from './exchanges/live-log.ts';
import type { ExchangeLog } from './exchanges/log.ts';
import type { ExchangeQuery } from './exchanges/queries.ts';
import type { Recorder } from './exchanges/recorder.ts';
import { base, texts } from './exchanges/texts.ts';
import type { Capstones } from './lessons/capstones/capstones.ts';
import { capstoneRoutes } from './lessons/capstones/routes.ts';
import type { Lessons } from './lessons/lessons.ts';
import { lessonRoutes, trainerLessonRoutes } from './lessons/routes.ts';
import type { LiveStreams } from './live-streams.ts';
import { tokenProblems } from './problems.ts';

export interface RoutesOptions {
  readonly exchanges: ExchangeLog;
  readonly learners: Learners;
  readonly recorder: Recorder;
  readonly liveLog: LiveStreams;
  /** The one token of the trainer. */
  readonly trainer: Tokens;
  readonly profiles: Profiles;
  readonly mine: MeRoutesOptions;
  readonly training: TrainerRoutesOptions;
  readonly drills: Drills;
  readonly lessons: Lessons;
  readonly capstones: Capstones;
  readonly class: ClassRoutesOptions;
  readonly clocks: ClockRoutesOptions;
}

/** Any token will do. */
const scope = '';

const listProblems: ProblemIdentifier[] = [...tokenProblems, 'validation-error'];
const itemProblems: ProblemIdentifier[] = [...tokenProblems, 'exchange-not-found'];

export async function routes(api: Api, options: RoutesOptions): Promise<void> {
  const handle = handlers(options);
  const { readMe, updateMe, listExchanges, listExchangesAsHar } = handle;
  const { readExchange, readExchangeAsHar, readExchangeAsCurl } = handle;
  const item = { scope, problems: itemProblems };
  endpoint(api, 'GET', '/me', texts.readMe, { handler: readMe, scope, problems: tokenProblems });
  endpoint(api, 'PATCH', '/me', texts.updateMe, { handler: updateMe, scope, body: 'json', problems: tokenProblems });
  endpoint(api, 'GET', '/me/exchanges', texts.listExchanges, {
    handler: listExchanges,
    scope,
    problems: [...listProblems, 'quota-exceeded'],
  });
  endpoint(api, 'GET', '/me/exchanges.har', texts.listExchangesAsHar, {
    handler: listExchangesAsHar,
    scope,
    problems: listProblems,
  });
  endpoint(api, 'GET', '/me/exchanges/:exchangeId', texts.readExchange, { handler: readExchange, ...item });
  endpoint(api, 'GET', '/me/exchanges/:exchangeId/har', texts.readExchangeAsHar, {
    handler: readExchangeAsHar,
    ...item,
  });
  endpoint(api, 'GET', '/me/exchanges/:exchangeId/curl', texts.readExchangeAsCurl, {
    handler: readExchangeAsCurl,
    ...item,
  });
  meRoutes(api, options.mine);
  classRoutes(api, options.class);

  drillRoutes(api, options);
  clockRoutes(api, options.clocks);
  lessonRoutes(api, options);
  capstoneRoutes(api, options);

  await api.register(
    async (trainer) => {
      interfaceChecks(trainer, { ...api.interfaceChecks, tokens: options.trainer, notServed: wrongPathOrMethod });
      const list = { scope, problems: listProblems };
      othersClockRoutes(trainer, options.clocks);
      endpoint(trainer, 'GET', '/learners', texts.listLearners, { handler: handle.listLearners, ...list });
      endpoint(trainer, 'GET', '/learners/:clientId/exchanges', texts.listLearnerExchanges, {
        handler: handle.listLearnerExchanges,
        ...list,
      });
      endpoint(trainer, 'GET', '/calls', texts.listTrainerCalls, { handler: handle.listTrainerCalls, ...list });
      endpoint(trainer, 'GET', '/exchanges', texts.listUnclaimedExchanges, {
        handler: handle.listUnclaimedExchanges,
        ...list,
      });
      endpoint(trainer, 'GET', '/exchanges/:exchangeId', texts.readAnyExchange, {
        handler: handle.readAnyExchange,
        ...item,
      });
      trainerRoutes(trainer, options.training);
      trainerDrillRoutes(trainer, options);
      trainerClassRoutes(trainer, options.class);
      trainerLessonRoutes(trainer, { ...options, tokens: options.training.tokens });
    },
    { prefix: '/trainer' },
  );
}

/** @throws {ProblemError} `validation-error` */
function lastExchange({ headers }: FastifyRequest): number | undefined {
  const text = headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(String(text))) return Number(text);
  const detail = `must be the id of an exchange that this stream sent, not ${shownValue(text)}. Leave the header out to start with what comes.`;
  throw invalid([{ header: 'Last-Event-ID', detail }]);
}

function handlers({ exchanges, learners, profiles, recorder, liveLog }: RoutesOptions): Handlers<typeof texts> {
  /** What was called before is in the log of a client by then. */
  async function list(request: FastifyRequest, reply: FastifyReply, path: string, owner: string, query: ExchangeQuery) {
    const page = pageOf(query);
    const { status, path: begin, problem, kind } = query;
    await recorder.settle(owner);
    const { items, total } = await exchanges.list(owner, { status, path: begin, problem, kind }, page);
    const filters = {
      ...(status && { status }),
      ...(begin && { path: begin }),
      ...(problem && { problem }),
      ...(kind && { kind }),
    };
    reply.header('Link', links(absoluteUrl(request, base + path), page, total, filters));
    return asPage(items, total, page);
  }

  async function openLog(caller: Caller, filter: ExchangeQuery, after: number | undefined) {
    const read = await logReader(exchanges, caller.clientId, filter, after);
    return liveLog.open(caller, 'what is kept from now on follows', read);
  }

  async function readOwn(request: FastifyRequest, id: string) {
    const { clientId } = callerOf(request);
    await recorder.settle(clientId);
    return exchanges.read(id, clientId);
  }

  return {
    async readMe(request) {
      const { clientId } = callerOf(request);
      await recorder.settle(clientId);
      return profiles.me(clientId);
    },

    async updateMe(request) {
      const { clientId } = callerOf(request);
      await recorder.settle(clientId);
      await learners.rename(clientId, request.body.nickname);
      return profiles.me(clientId);
    },

    async listExchanges(request, reply) {
      const caller = callerOf(request);
      if (!wantsStream(request)) {
        return list(request, reply, '/me/exchanges', caller.clientId, request.query) as never;
      }
      const after = lastExchange(request);
      // HEAD asks for the headers only, and would leave a stream open that nobody reads.
      const stream = request.method === 'HEAD' ? '' : await openLog(caller, request.query, after);
      return reply
        .type(streamType)
        .headers(live)
        .send(stream as never);
    },

    async listExchangesAsHar(request, reply) {
      const { clientId } = callerOf(request);
      await recorder.settle(clientId);
      reply.type('application/json').headers({
        'Cache-Control': 'no-store',
        'Content-Disposition': 'attachment; filename="exchanges.har"',
      });
      // HEAD asks for the headers only.
      if (request.method === 'HEAD') return reply.send('' as never);
      const found = exchanges.whole(clientId, request.query);
      return reply.send(Readable.from(harParts(found, originOf(request))) as never);
    },

    readExchange(request) {
      return readOwn(request, request.params.exchangeId) as never;
    },

    async readExchangeAsHar(request) {
      return harOf(await readOwn(request, request.params.exchangeId), originOf(request)) as never;
    },

    async readExchangeAsCurl(request, reply) {
      const command = curlCommand(await readOwn(request, request.params.exchangeId), originOf(request));
      return reply.type('text/plain; charset=utf-8').send(command as never);
    },

    async listLearners(request, reply) {
      const page = pageOf(request.query);
      await recorder.flush();
      const { items, total } = await learners.list(page);
      reply.header('Link', links(absoluteUrl(request, `${base}/trainer/learners`), page, total));
      return asPage(
        items.map((each) => profiles.treated(each)),
        total,
        page,
      );
    },

    async listLearnerExchanges(request, reply) {
      const { clientId } = request.params;
      // Another text is no client; one with a NUL could not even be looked for.
      const owner = isClientId(clientId) ? clientId : 'none';
      const path = `/trainer/learners/${encodeURIComponent(clientId)}/exchanges`;
      return list(request, reply, path, owner, request.query) as never;
    },

    listTrainerCalls(request, reply) {
      return list(request, reply, '/trainer/calls', trainerId, request.query) as never;
    },

    listUnclaimedExchanges(request, reply) {
      return list(request, reply, '/trainer/exchanges', nobody, request.query) as never;
    },

    async readAnyExchange(request) {
      await recorder.flush();
      return exchanges.read(request.params.exchangeId) as never;
    },
  };
}
