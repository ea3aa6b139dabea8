import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { absoluteUrl } from '../http/absolute-url.ts';
import { callerOf, type Tokens } from '../http/bearer.ts';
import { endpoint, type Handlers } from '../http/endpoint.ts';
import { asPage, links, pageOf } from '../http/paging.ts';
import type { ProblemIdentifier } from '../http/problem.ts';
import { interfaceChecks } from '../http/request-checks.ts';
import { wrongPathOrMethod } from '../http/rest.ts';
import { nobody } from './attribution.ts';
import { type ClockRoutesOptions, clockRoutes, othersClockRoutes } from './clock-routes.ts';
import { curlCommand } from './curl.ts';
import type { ExchangeLog } from './exchange-log.ts';
import { harOf } from './har.ts';
import type { Learners } from './learners.ts';
import type { Recorder } from './recorder.ts';
import { base, texts } from './route-texts.ts';
import type { ExchangeQuery } from './schemas.ts';

export interface RoutesOptions {
  readonly exchanges: ExchangeLog;
  readonly learners: Learners;
  readonly recorder: Recorder;
  readonly publicUrl: string;
  /** The one token of the trainer. */
  readonly trainer: Tokens;
  readonly clocks: ClockRoutesOptions;
}

/** Any token will do. */
const scope = '';

const tokenProblems: ProblemIdentifier[] = ['missing-token', 'invalid-token', 'unavailable'];
const listProblems: ProblemIdentifier[] = [...tokenProblems, 'validation-error'];
const itemProblems: ProblemIdentifier[] = [...tokenProblems, 'exchange-not-found'];

export const routes: FastifyPluginAsyncTypebox<RoutesOptions> = async (api, options) => {
  const handle = handlers(options);
  const { readMe, updateMe, listExchanges, readExchange, readExchangeAsHar, readExchangeAsCurl } = handle;
  const item = { scope, problems: itemProblems };
  endpoint(api, 'GET', '/me', texts.readMe, { handler: readMe, scope, problems: tokenProblems });
  endpoint(api, 'PATCH', '/me', texts.updateMe, { handler: updateMe, scope, body: 'json', problems: tokenProblems });
  endpoint(api, 'GET', '/me/exchanges', texts.listExchanges, { handler: listExchanges, scope, problems: listProblems });
  endpoint(api, 'GET', '/me/exchanges/:exchangeId', texts.readExchange, { handler: readExchange, ...item });
  endpoint(api, 'GET', '/me/exchanges/:exchangeId/har', texts.readExchangeAsHar, {
    handler: readExchangeAsHar,
    ...item,
  });
  endpoint(api, 'GET', '/me/exchanges/:exchangeId/curl', texts.readExchangeAsCurl, {
    handler: readExchangeAsCurl,
    ...item,
  });
  await api.register(clockRoutes, options.clocks);

  await api.register(
    async (trainer) => {
      interfaceChecks(trainer, { ...api.interfaceChecks, tokens: options.trainer, notServed: wrongPathOrMethod });
      const list = { scope, problems: listProblems };
      await trainer.register(othersClockRoutes, options.clocks);
      endpoint(trainer, 'GET', '/learners', texts.listLearners, { handler: handle.listLearners, ...list });
      endpoint(trainer, 'GET', '/learners/:clientId/exchanges', texts.listLearnerExchanges, {
        handler: handle.listLearnerExchanges,
        ...list,
      });
      endpoint(trainer, 'GET', '/exchanges', texts.listUnclaimedExchanges, {
        handler: handle.listUnclaimedExchanges,
        ...list,
      });
      endpoint(trainer, 'GET', '/exchanges/:exchangeId', texts.readAnyExchange, {
        handler: handle.readAnyExchange,
        ...item,
      });
    },
    { prefix: '/trainer' },
  );
};

function handlers({ exchanges, learners, recorder, publicUrl }: RoutesOptions): Handlers<typeof texts> {
  /** What was called before is in the log of a client by then. */
  async function list(request: FastifyRequest, reply: FastifyReply, path: string, owner: string, query: ExchangeQuery) {
    const page = pageOf(query);
    const { status, path: begin, problem } = query;
    await recorder.settle(owner);
    const { items, total } = await exchanges.list(owner, { status, path: begin, problem }, page);
    const filters = { ...(status && { status }), ...(begin && { path: begin }), ...(problem && { problem }) };
    reply.header('Link', links(absoluteUrl(request, base + path), page, total, filters));
    return asPage(items, total, page);
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
      return learners.read(clientId);
    },

    async updateMe(request) {
      const { clientId } = callerOf(request);
      await recorder.settle(clientId);
      return learners.rename(clientId, request.body.nickname);
    },

    listExchanges(request, reply) {
      return list(request, reply, '/me/exchanges', callerOf(request).clientId, request.query) as never;
    },

    readExchange(request) {
      return readOwn(request, request.params.exchangeId) as never;
    },

    async readExchangeAsHar(request) {
      return harOf(await readOwn(request, request.params.exchangeId), publicUrl) as never;
    },

    async readExchangeAsCurl(request, reply) {
      const command = curlCommand(await readOwn(request, request.params.exchangeId), publicUrl);
      return reply.type('text/plain; charset=utf-8').send(command as never);
    },

    async listLearners(request, reply) {
      const page = pageOf(request.query);
      await recorder.flush();
      const { items, total } = await learners.list(page);
      reply.header('Link', links(absoluteUrl(request, `${base}/trainer/learners`), page, total));
      return asPage(items, total, page);
    },

    async listLearnerExchanges(request, reply) {
      const { clientId } = request.params;
      // Another text is no client; one with a NUL could not even be looked for.
      const owner = /^[a-z0-9-]{1,64}$/.test(clientId) ? clientId : 'none';
      const path = `/trainer/learners/${encodeURIComponent(clientId)}/exchanges`;
      return list(request, reply, path, owner, request.query) as never;
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
