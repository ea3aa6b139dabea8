import type { FastifyReply, FastifyRequest } from 'fastify';
import { everybody } from '../../drills.ts';
import { absoluteUrl } from '../../http/absolute-url.ts';
import { callerOf } from '../../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../../http/endpoint.ts';
import { asPage, links, type Page, pageOf } from '../../http/paging.ts';
import type { ProblemIdentifier } from '../../http/problem.ts';
import { base } from '../exchanges/texts.ts';
import { tokenProblems as tokens } from '../problems.ts';
import { catalogue, drillNames, sentParameters } from './catalogue.ts';
import type { Drills } from './drills.ts';
import { wholeParameters } from './parameters.ts';
import type { DrillDraft } from './schemas.ts';
import { texts } from './texts.ts';

export interface DrillRoutesOptions {
  readonly drills: Drills;
}

/** Any token will do. */
const scope = '';

const ofList: ProblemIdentifier[] = [...tokens, 'validation-error'];
const ofOne: ProblemIdentifier[] = [...tokens, 'drill-not-found'];
const ofLearner: ProblemIdentifier[] = ['client-not-found', 'preset-client'];

/** Drills of the caller, and the list of those there are. */
export function drillRoutes(api: Api, { drills }: DrillRoutesOptions): void {
  const { listDrillKinds, startDrill, listDrills, readDrill, endDrill } = handlers(drills);
  endpoint(api, 'GET', '/drills', texts.listDrillKinds, { handler: listDrillKinds, problems: ['validation-error'] });
  endpoint(api, 'POST', '/me/drills', texts.startDrill, {
    handler: startDrill,
    scope,
    body: 'json',
    problems: [...tokens, 'preset-client'],
  });
  endpoint(api, 'GET', '/me/drills', texts.listDrills, { handler: listDrills, scope, problems: ofList });
  endpoint(api, 'GET', '/me/drills/:name', texts.readDrill, { handler: readDrill, scope, problems: ofOne });
  endpoint(api, 'DELETE', '/me/drills/:name', texts.endDrill, { handler: endDrill, scope, problems: ofOne });
}

/** Those of one client and of all, for the trainer. */
export function trainerDrillRoutes(api: Api, { drills }: DrillRoutesOptions): void {
  const handle = handlers(drills);
  const learners = '/learners/:clientId/drills';
  endpoint(api, 'POST', learners, texts.startLearnersDrill, {
    handler: handle.startLearnersDrill,
    scope,
    body: 'json',
    problems: [...tokens, ...ofLearner],
  });
  endpoint(api, 'GET', learners, texts.listLearnersDrills, {
    handler: handle.listLearnersDrills,
    scope,
    problems: [...ofList, ...ofLearner],
  });
  endpoint(api, 'GET', `${learners}/:name`, texts.readLearnersDrill, {
    handler: handle.readLearnersDrill,
    scope,
    problems: [...ofOne, ...ofLearner],
  });
  endpoint(api, 'DELETE', `${learners}/:name`, texts.endLearnersDrill, {
    handler: handle.endLearnersDrill,
    scope,
    problems: [...ofOne, ...ofLearner],
  });
  endpoint(api, 'POST', '/drills', texts.startCommonDrill, {
    handler: handle.startCommonDrill,
    scope,
    body: 'json',
    problems: tokens,
  });
  endpoint(api, 'GET', '/drills', texts.listCommonDrills, {
    handler: handle.listCommonDrills,
    scope,
    problems: ofList,
  });
  endpoint(api, 'GET', '/drills/:name', texts.readCommonDrill, {
    handler: handle.readCommonDrill,
    scope,
    problems: ofOne,
  });
  endpoint(api, 'DELETE', '/drills/:name', texts.endCommonDrill, {
    handler: handle.endCommonDrill,
    scope,
    problems: ofOne,
  });
}

const kinds = drillNames.map((name) => {
  const { summary, description } = catalogue[name];
  return { name, summary, description, parameters: { ...sentParameters(name) } };
});

function handlers(drills: Drills): Handlers<typeof texts> {
  async function start(
    request: FastifyRequest,
    reply: FastifyReply,
    { clientId, by, path }: { clientId: string; by: 'client' | 'trainer'; path: string },
  ) {
    const { name, parameters: sent = {}, minutes = 5 } = request.body as DrillDraft;
    await drills.checkLearner(clientId);
    const parameters = wholeParameters(name, sent, request, () => drills.newSeed());
    const drill = await drills.start(clientId, { name, parameters, minutes, startedBy: by });
    return reply
      .code(201)
      .header('Location', absoluteUrl(request, `${base}${path}/${name}`))
      .send(drill as never);
  }

  /** One page of a list that is short. */
  function paged<Item>(request: FastifyRequest, reply: FastifyReply, { path, items }: { path: string; items: Item[] }) {
    const page: Page = pageOf(request.query as Partial<Page>);
    const before = (page.page - 1) * page.pageSize;
    reply.header('Link', links(absoluteUrl(request, base + path), page, items.length));
    return asPage(items.slice(before, before + page.pageSize), items.length, page) as never;
  }

  const learners = (clientId: string) => `/trainer/learners/${encodeURIComponent(clientId)}/drills`;

  return {
    async listDrillKinds(request, reply) {
      return paged(request, reply, { path: '/drills', items: kinds });
    },

    startDrill(request, reply) {
      const { clientId } = callerOf(request);
      return start(request, reply, { clientId, by: 'client', path: '/me/drills' });
    },

    async listDrills(request, reply) {
      const items = await drills.list(callerOf(request).clientId);
      return paged(request, reply, { path: '/me/drills', items });
    },

    readDrill(request) {
      return drills.read(callerOf(request).clientId, request.params.name) as never;
    },

    async endDrill(request, reply) {
      await drills.end(callerOf(request).clientId, request.params.name);
      return reply.code(204).send();
    },

    startLearnersDrill(request, reply) {
      const { clientId } = request.params;
      return start(request, reply, { clientId, by: 'trainer', path: learners(clientId) });
    },

    async listLearnersDrills(request, reply) {
      const { clientId } = request.params;
      await drills.checkLearner(clientId);
      return paged(request, reply, { path: learners(clientId), items: await drills.list(clientId) });
    },

    async readLearnersDrill(request) {
      const { clientId, name } = request.params;
      await drills.checkLearner(clientId);
      return drills.read(clientId, name) as never;
    },

    async endLearnersDrill(request, reply) {
      const { clientId, name } = request.params;
      await drills.checkLearner(clientId);
      await drills.end(clientId, name);
      return reply.code(204).send();
    },

    startCommonDrill(request, reply) {
      return start(request, reply, { clientId: everybody, by: 'trainer', path: '/trainer/drills' });
    },

    async listCommonDrills(request, reply) {
      return paged(request, reply, { path: '/trainer/drills', items: await drills.list(everybody) });
    },

    readCommonDrill(request) {
      return drills.read(everybody, request.params.name) as never;
    },

    async endCommonDrill(request, reply) {
      await drills.end(everybody, request.params.name);
      return reply.code(204).send();
    },
  };
}
