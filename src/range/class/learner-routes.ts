import type { FastifyRequest } from 'fastify';
import type { ClientsPart } from '../../clients/index.ts';
import { absoluteUrl } from '../../http/absolute-url.ts';
import { callerOf } from '../../http/bearer.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import type { GivenPolicies } from '../../insurer/index.ts';
import { instant } from '../../time/clock.ts';
import type { Drills } from '../drills/drills.ts';
import type { Learners } from '../exchanges/learners.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import type { LearnerEndpoints } from '../learner-endpoints.ts';
import { refusePreset, tokenProblems } from '../refusals.ts';
import { fleetText, learnerTexts } from './learner-texts.ts';
import type { Profiles } from './profiles.ts';

export interface LearnerRoutesOptions {
  readonly clients: ClientsPart;
  readonly givenPolicies: GivenPolicies;
  readonly recorder: Recorder;
  readonly drills: Drills;
  readonly learners: Learners;
  readonly profiles: Profiles;
}

/** Any token will do. */
const scope = '';

/** The profile, nickname and reset of a client, for itself or for the trainer. */
export function learnerRoutes(api: Api, endpoints: LearnerEndpoints, options: LearnerRoutesOptions): void {
  const { clients, recorder, drills, learners, profiles } = options;
  const { read, update, reset } = learnerTexts(endpoints);
  const problems = [...tokenProblems, ...endpoints.problems];

  async function show(request: FastifyRequest, clientId: string) {
    if (endpoints.byTrainer) return (await profiles.of(clientId)) as never;
    const unattributed = recorder.unattributed(request).map(({ method, path, at, why }) => {
      const instead = `${method} ${absoluteUrl(request, `/for/${clientId}${path}`)}`;
      return { method, path, at: instant(at), why, instead };
    });
    return { ...(await profiles.me(clientId)), unattributed } as never;
  }

  endpoint(api, 'GET', endpoints.path, read, {
    async handler(request) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      await recorder.settle(clientId);
      return show(request, clientId);
    },
    scope,
    problems,
  });
  endpoint(api, 'PATCH', endpoints.path, update, {
    async handler(request) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      if (endpoints.byTrainer) refusePreset(clientId, 'It has no nickname.');
      await recorder.settle(clientId);
      await learners.rename(clientId, request.body.nickname);
      return show(request, clientId);
    },
    scope,
    body: 'json',
    problems: [...problems, ...endpoints.either([], ['preset-client' as const])],
  });
  endpoint(api, 'POST', `${endpoints.path}/reset`, reset, {
    async handler(request, reply) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      refusePreset(clientId, endpoints.either(undefined, 'For preset-fleet there is POST /trainer/fleet/reset.'));
      await recorder.forget((owner) => owner === clientId);
      await clients.resetClient(clientId);
      await drills.changed();
      return reply.code(204).send();
    },
    scope,
    problems: [...problems, 'preset-client'],
  });
}

/** Policies that a client gets to practise with. */
export function fleetRoutes(api: Api, { givenPolicies }: LearnerRoutesOptions): void {
  endpoint(api, 'POST', '/me/fleet', fleetText, {
    async handler(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const policies = await givenPolicies.addFleet(clientId);
      reply.code(201).header('Location', absoluteUrl(request, '/insurer/v1/policies'));
      return { policies: policies.map(({ id, regNumber, status }) => ({ id, regNumber, status })) };
    },
    scope,
    problems: [...tokenProblems, 'preset-client', 'quota-exceeded'],
  });
}
