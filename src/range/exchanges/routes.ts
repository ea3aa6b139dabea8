import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { live } from '../../http/answers/event-stream.ts';
import { unsentBody } from '../../http/answers/unsent-body.ts';
import { type Api, endpoint, type Handlers } from '../../http/endpoint.ts';
import type { ProblemIdentifier } from '../../http/problems/problem.ts';
import { absoluteUrl, originOf } from '../../http/requests/absolute-url.ts';
import { streamType, wantsStream } from '../../http/requests/accepted-type.ts';
import { type Caller, callerOf, isClientId } from '../../http/requests/bearer.ts';
import { asPage, links, pageOf } from '../../http/requests/paging.ts';
import { invalid } from '../../http/requests/validation.ts';
import { shownValue } from '../../text/shown-value.ts';
import type { LiveStreams } from '../live-streams.ts';
import { anyScope, clientTokenProblems, tokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import { nobody, trainerId } from './attribution.ts';
import { curlCommand } from './curl.ts';
import { harOf, harParts } from './har.ts';
import { type ExchangeLog, logReader } from './log.ts';
import type { ExchangeQuery } from './queries.ts';
import type { Recorder } from './recorder.ts';
import { texts, trainerTexts } from './texts.ts';

export interface ExchangeRoutesOptions {
  readonly exchanges: ExchangeLog;
  readonly recorder: Recorder;
  readonly liveLog: LiveStreams;
}

const listProblems: ProblemIdentifier[] = ['validation-error'];
const itemProblems: ProblemIdentifier[] = ['exchange-not-found'];

/** The log of the caller. */
export function exchangeRoutes(api: Api, options: ExchangeRoutesOptions): void {
  const handle = handlers(options);
  const item = { scope: anyScope, problems: [...clientTokenProblems, ...itemProblems] };
  const { readExchange, readExchangeAsHar, readExchangeAsCurl } = handle;
  endpoint(api, 'GET', '/me/exchanges', texts.listExchanges, {
    handler: handle.listExchanges,
    scope: anyScope,
    problems: [...clientTokenProblems, ...listProblems, 'quota-exceeded'],
  });
  endpoint(api, 'GET', '/me/exchanges.har', texts.listExchangesAsHar, {
    handler: handle.listExchangesAsHar,
    scope: anyScope,
    problems: [...clientTokenProblems, ...listProblems],
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
}

/** The logs of all, for the trainer. */
export function trainerExchangeRoutes(api: Api, options: ExchangeRoutesOptions): void {
  const handle = trainerHandlers(options);
  const list = { scope: anyScope, problems: [...tokenProblems, ...listProblems] };
  const item = { scope: anyScope, problems: [...tokenProblems, ...itemProblems] };
  endpoint(api, 'GET', '/learners/:clientId/exchanges', trainerTexts.listLearnerExchanges, {
    handler: handle.listLearnerExchanges,
    ...list,
  });
  endpoint(api, 'GET', '/calls', trainerTexts.listTrainerCalls, { handler: handle.listTrainerCalls, ...list });
  endpoint(api, 'GET', '/exchanges', trainerTexts.listUnclaimedExchanges, {
    handler: handle.listUnclaimedExchanges,
    ...list,
  });
  endpoint(api, 'GET', '/exchanges/:exchangeId', trainerTexts.readAnyExchange, {
    handler: handle.readAnyExchange,
    ...item,
  });
}

/** @throws {ProblemError} `validation-error` */
function lastExchange({ headers }: FastifyRequest): number | undefined {
  const text = headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,15}$/.test(String(text))) return Number(text);
  const detail = `must be the id of an exchange that this stream sent, not ${shownValue(text)}. Leave the header out to start with what comes.`;
  throw invalid([{ header: 'Last-Event-ID', detail }]);
}

type ReadPages = Pick<ExchangeRoutesOptions, 'exchanges' | 'recorder'>;

/** Lists the log of an owner. What was called before is in it by then. */
async function listLog(
  { exchanges, recorder }: ReadPages,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, owner }: { readonly path: string; readonly owner: string },
) {
  const query = request.query as ExchangeQuery;
  const page = pageOf(query);
  const { status, path: begin, problem, kind, traceId } = query;
  await recorder.settle(owner);
  const { items, total } = await exchanges.list(owner, { status, path: begin, problem, kind, traceId }, page);
  const filters = {
    ...(status && { status }),
    ...(begin && { path: begin }),
    ...(problem && { problem }),
    ...(kind && { kind }),
    ...(traceId && { traceId }),
  };
  reply.header('Link', links(absoluteUrl(request, base + path), page, total, filters));
  return asPage(items, total, page);
}

function handlers(options: ExchangeRoutesOptions): Handlers<typeof texts> {
  const { exchanges, recorder, liveLog } = options;

  async function openLog(caller: Caller, ip: string, filter: ExchangeQuery, after: number | undefined) {
    const read = await logReader(exchanges, caller.clientId, filter, after);
    return liveLog.open(caller, ip, 'what is kept from now on follows', read);
  }

  async function readOwn(request: FastifyRequest, id: string) {
    const { clientId } = callerOf(request);
    await recorder.settle(clientId);
    return exchanges.read(id, clientId);
  }

  return {
    async listExchanges(request, reply) {
      const caller = callerOf(request);
      if (!wantsStream(request)) {
        return listLog(options, request, reply, { path: '/me/exchanges', owner: caller.clientId });
      }
      const after = lastExchange(request);
      // HEAD asks for the headers only, and would leave a stream open that nobody reads.
      const stream = request.method === 'HEAD' ? unsentBody() : await openLog(caller, request.ip, request.query, after);
      return reply.type(streamType).headers(live).send(stream);
    },

    async listExchangesAsHar(request, reply) {
      const { clientId } = callerOf(request);
      await recorder.settle(clientId);
      reply.type('application/json').headers({
        'Content-Disposition': 'attachment; filename="exchanges.har"',
      });
      // HEAD asks for the headers only.
      if (request.method === 'HEAD') return reply.send(unsentBody());
      const found = exchanges.whole(clientId, request.query);
      return reply.send(Readable.from(harParts(found, originOf(request))));
    },

    readExchange(request) {
      return readOwn(request, request.params.exchangeId);
    },

    async readExchangeAsHar(request) {
      return harOf(await readOwn(request, request.params.exchangeId), originOf(request));
    },

    async readExchangeAsCurl(request, reply) {
      const command = curlCommand(await readOwn(request, request.params.exchangeId), originOf(request));
      return reply.type('text/plain; charset=utf-8').send(command);
    },
  };
}

function trainerHandlers(options: ReadPages): Handlers<typeof trainerTexts> {
  return {
    async listLearnerExchanges(request, reply) {
      const { clientId } = request.params;
      // Another text is no client; one with a NUL could not even be looked for.
      const owner = isClientId(clientId) ? clientId : 'none';
      const path = `/trainer/learners/${encodeURIComponent(clientId)}/exchanges`;
      return listLog(options, request, reply, { path, owner });
    },

    listTrainerCalls(request, reply) {
      return listLog(options, request, reply, { path: '/trainer/calls', owner: trainerId });
    },

    listUnclaimedExchanges(request, reply) {
      return listLog(options, request, reply, { path: '/trainer/exchanges', owner: nobody });
    },

    async readAnyExchange(request) {
      await options.recorder.flush();
      return options.exchanges.read(request.params.exchangeId);
    },
  };
}
