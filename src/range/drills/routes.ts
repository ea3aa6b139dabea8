import type { FastifyRequest } from 'fastify';
import { everybody } from '../../active-drills.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import type { ProblemError, ProblemIdentifier } from '../../http/problems/problem.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { callerOf, clientGone } from '../../http/requests/bearer.ts';
import { answerPage } from '../paging.ts';
import { anyScope, noSuchClient, refusePreset, tokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import { catalogue, drillNames, sentParameters } from './catalogue.ts';
import type { Drills } from './drills.ts';
import { misplacedInQuery, misplacedParameters, wholeParameters } from './parameters.ts';
import { commonTexts, drillKindsText, learnerTexts, ownTexts } from './texts.ts';

export interface DrillRoutesOptions {
  readonly drills: Drills;
}

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
    gone: clientGone,
    pathOf: () => '/me/drills',
    // A token for a person.
    problems: ['insufficient-scope'],
    startProblems: ['insufficient-scope', 'preset-client'],
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
    gone: noSuchClient,
    pathOf: (request) => `/trainer/learners/${encodeURIComponent(idOf(request))}/drills`,
    problems: ['client-not-found', 'preset-client'],
    startProblems: ['client-not-found', 'preset-client'],
  });
  routesOf(api, drills, {
    url: '/drills',
    texts: commonTexts,
    startedBy: 'trainer',
    clientOf: () => everybody,
    gone: noSuchClient,
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
  /** The refusal where the client is removed after it was looked for. */
  readonly gone: () => ProblemError;
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
      if (clientId !== everybody) refusePreset(clientId);
      const parameters = wholeParameters(name, sent, request, drills);
      const drill = await drills.start(clientId, { name, parameters, minutes, startedBy }, endpoints.gone);
      return reply
        .code(201)
        .header('Location', absoluteUrl(request, `${base}${pathOf(request)}/${name}`))
        .send(drill);
    },
    scope: anyScope,
    body: 'json',
    ruleFaults: ({ body, query }) => [...misplacedParameters(body), ...misplacedInQuery(query)],
    problems: [...tokenProblems, ...endpoints.startProblems],
  });
  endpoint(api, 'GET', url, texts.list, {
    handler: async (request, reply) =>
      answerPage(request, reply, pathOf(request), await drills.list(await clientOf(request))),
    scope: anyScope,
    problems: [...tokenProblems, 'validation-error', ...endpoints.problems],
  });
  endpoint(api, 'GET', `${url}/:name`, texts.read, {
    handler: async (request) => await drills.read(await clientOf(request), request.params.name),
    scope: anyScope,
    problems: [...tokenProblems, 'drill-not-found', ...endpoints.problems],
  });
  endpoint(api, 'DELETE', `${url}/:name`, texts.end, {
    async handler(request, reply) {
      await drills.end(await clientOf(request), request.params.name);
      return reply.code(204).send();
    },
    scope: anyScope,
    problems: [...tokenProblems, 'drill-not-found', ...endpoints.problems],
  });
}
