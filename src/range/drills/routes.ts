import type { FastifyRequest } from 'fastify';
import { everybody } from '../../active-drills.ts';
import { absoluteUrl } from '../../http/absolute-url.ts';
import { callerOf } from '../../http/bearer.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import type { ProblemIdentifier } from '../../http/problem.ts';
import { answerPage } from '../paging.ts';
import { tokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import { catalogue, drillNames, sentParameters } from './catalogue.ts';
import type { Drills } from './drills.ts';
import { misplacedParameters, wholeParameters } from './parameters.ts';
import { commonTexts, drillKindsText, learnerTexts, ownTexts } from './texts.ts';

export interface DrillRoutesOptions {
  readonly drills: Drills;
}

/** Any token will do. */
const scope = '';

/** Drills of the caller, and the list of those there are. */
export function drillRoutes(api: Api, { drills }: DrillRoutesOptions): void {
  endpoint(api, 'GET', '/drills', drillKindsText, {
    handler: async (request, reply) => answerPage(request, reply, '/drills', kinds),
    problems: ['validation-error'],
  });
  const clientOf = (request: FastifyRequest) => callerOf(request).clientId;
  routesOf(api, drills, {
    url: '/me/drills',
    texts: ownTexts,
    startedBy: 'client',
    clientOf,
    pathOf: () => '/me/drills',
    problems: [],
    startProblems: ['preset-client'],
  });
}

/** Those of one client and of all, for the trainer. */
export function trainerDrillRoutes(api: Api, { drills }: DrillRoutesOptions): void {
  const idOf = ({ params }: FastifyRequest) => (params as { clientId: string }).clientId;
  routesOf(api, drills, {
    url: '/learners/:clientId/drills',
    texts: learnerTexts,
    startedBy: 'trainer',
    async clientOf(request) {
      const clientId = idOf(request);
      await drills.checkLearner(clientId);
      return clientId;
    },
    pathOf: (request) => `/trainer/learners/${encodeURIComponent(idOf(request))}/drills`,
    problems: ['client-not-found', 'preset-client'],
    startProblems: ['client-not-found', 'preset-client'],
  });
  routesOf(api, drills, {
    url: '/drills',
    texts: commonTexts,
    startedBy: 'trainer',
    clientOf: () => everybody,
    pathOf: () => '/trainer/drills',
    problems: [],
    startProblems: [],
  });
}

const kinds = drillNames.map((name) => {
  const { summary, description } = catalogue[name];
  return { name, summary, description, parameters: { ...sentParameters(name) } };
});

/** Whose drills some endpoints are about. */
interface DrillEndpoints {
  readonly url: string;
  readonly texts: typeof ownTexts;
  readonly startedBy: 'client' | 'trainer';
  clientOf(request: FastifyRequest): string | Promise<string>;
  /** Where the drills are, below the prefix of the interface. */
  pathOf(request: FastifyRequest): string;
  readonly problems: readonly ProblemIdentifier[];
  readonly startProblems: readonly ProblemIdentifier[];
}

function routesOf(api: Api, drills: Drills, endpoints: DrillEndpoints): void {
  const { url, texts, startedBy, clientOf, pathOf } = endpoints;
  endpoint(api, 'POST', url, texts.start, {
    async handler(request, reply) {
      const clientId = await clientOf(request);
      const { name, parameters: sent = {}, minutes = 5 } = request.body;
      await drills.checkLearner(clientId);
      const parameters = wholeParameters(name, sent, request, () => drills.newSeed());
      const drill = await drills.start(clientId, { name, parameters, minutes, startedBy });
      return reply
        .code(201)
        .header('Location', absoluteUrl(request, `${base}${pathOf(request)}/${name}`))
        .send(drill as never);
    },
    scope,
    body: 'json',
    ruleFaults: ({ body }) => misplacedParameters(body),
    problems: [...tokenProblems, ...endpoints.startProblems],
  });
  endpoint(api, 'GET', url, texts.list, {
    handler: async (request, reply) =>
      answerPage(request, reply, pathOf(request), await drills.list(await clientOf(request))) as never,
    scope,
    problems: [...tokenProblems, 'validation-error', ...endpoints.problems],
  });
  endpoint(api, 'GET', `${url}/:name`, texts.read, {
    handler: async (request) => (await drills.read(await clientOf(request), request.params.name)) as never,
    scope,
    problems: [...tokenProblems, 'drill-not-found', ...endpoints.problems],
  });
  endpoint(api, 'DELETE', `${url}/:name`, texts.end, {
    async handler(request, reply) {
      await drills.end(await clientOf(request), request.params.name);
      return reply.code(204).send();
    },
    scope,
    problems: [...tokenProblems, 'drill-not-found', ...endpoints.problems],
  });
}
