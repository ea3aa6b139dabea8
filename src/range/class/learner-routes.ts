import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { ClientsPart } from '../../clients/index.ts';
import { noSuchCode } from '../../clients/transfers.ts';
import { absoluteUrl } from '../../http/absolute-url.ts';
import { callerOf } from '../../http/bearer.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import { ProblemError } from '../../http/problem.ts';
import type { WrongTries } from '../../http/wrong-tries.ts';
import type { GivenPolicies } from '../../insurer/index.ts';
import { instant } from '../../time/clock.ts';
import type { Drills } from '../drills/drills.ts';
import { trainerId } from '../exchanges/attribution.ts';
import type { Learners } from '../exchanges/learners.ts';
import type { ExchangeLog } from '../exchanges/log.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { unattributedCalls } from '../exchanges/unattributed.ts';
import { forTrainer, type LearnerEndpoints } from '../learner-endpoints.ts';
import { createOne, refusePreset, tokenProblems } from '../refusals.ts';
import type { LearnerUpdateByTrainer } from './learner-schemas.ts';
import { fleetText, learnerTexts, noteTexts, ownTexts } from './learner-texts.ts';
import type { Profiles } from './profiles.ts';

export interface LearnerRoutesOptions {
  readonly clients: ClientsPart;
  readonly givenPolicies: GivenPolicies;
  readonly recorder: Recorder;
  readonly drills: Drills;
  readonly exchanges: ExchangeLog;
  readonly learners: Learners;
  readonly profiles: Profiles;
}

export interface HelpAndTransferRoutesOptions extends Pick<LearnerRoutesOptions, 'clients' | 'learners'> {
  /** Counts codes that are of no client. */
  readonly wrongCodes: WrongTries;
}

/** Milliseconds for which a code holds: that of a client itself, and the trainer's. */
const own = 15 * 60 * 1000;
export const byTrainer = 24 * 60 * 60 * 1000;

const lockedDetail = 'Your trainer has locked your nickname. Ask your trainer to change it.';

/** Any token will do. */
const scope = '';

/** The profile, nickname and reset of a client, for itself or for the trainer. */
export function learnerRoutes(api: Api, endpoints: LearnerEndpoints, options: LearnerRoutesOptions): void {
  const { clients, recorder, drills, exchanges, learners, profiles } = options;
  const texts = learnerTexts(endpoints);
  const problems = [...tokenProblems, ...endpoints.problems];

  async function show(request: FastifyRequest, clientId: string) {
    if (endpoints.byTrainer) return (await profiles.of(clientId)) as never;
    const unattributed = unattributedCalls(recorder, request, clientId);
    const lost = recorder.lostCall(request);
    return { ...(await profiles.me(clientId, lost && instant(lost.at))), unattributed } as never;
  }

  endpoint(api, 'GET', endpoints.path, texts.read, {
    async handler(request) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      if (!endpoints.byTrainer) recorder.meet(request, clientId);
      await recorder.settle(clientId);
      return show(request, clientId);
    },
    scope,
    problems,
  });
  endpoint(api, 'PATCH', endpoints.path, texts.update, {
    async handler(request) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      if (endpoints.byTrainer) refusePreset(clientId, 'It has no nickname.');
      await recorder.settle(clientId);
      const { nickname, nicknameLocked } = request.body as Static<typeof LearnerUpdateByTrainer>;
      if (!endpoints.byTrainer && (await learners.read(clientId)).nicknameLocked)
        throw new ProblemError('nickname-locked', lockedDetail);
      if (nickname !== undefined) await learners.rename(clientId, nickname);
      if (nicknameLocked !== undefined && endpoints.byTrainer) await learners.lockNickname(clientId, nicknameLocked);
      await recorder.settle(trainerId);
      await exchanges.removeMentions(clientId);
      return show(request, clientId);
    },
    scope,
    body: 'json',
    keptTexts: ['nickname'],
    problems: [...problems, endpoints.either('nickname-locked' as const, 'preset-client' as const)],
  });
  endpoint(api, 'POST', `${endpoints.path}/reset`, texts.reset, {
    async handler(request, reply) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      refusePreset(clientId, endpoints.either(undefined, 'For preset-fleet there is POST /trainer/fleet/reset.'));
      // What was called before is judged first, since what it solved stays.
      await recorder.settle(clientId);
      await recorder.forget((owner) => owner === clientId);
      await clients.resetClient(clientId);
      await drills.changed();
      return reply.code(204).send();
    },
    scope,
    problems: [...problems, 'preset-client'],
  });
}

/** Removal, help and going on elsewhere, for a client itself or for the trainer. */
export function learnerActionRoutes(api: Api, endpoints: LearnerEndpoints, options: LearnerRoutesOptions): void {
  const { clients, recorder, drills, learners } = options;
  const texts = learnerTexts(endpoints);
  const problems = [...tokenProblems, ...endpoints.problems, 'preset-client' as const];
  const clientOf = async (request: FastifyRequest) => {
    const clientId = await endpoints.clientOf(request, clients.tokens);
    refusePreset(clientId);
    return clientId;
  };

  endpoint(api, 'DELETE', endpoints.path, texts.remove, {
    async handler(request, reply) {
      const clientId = await clientOf(request);
      await clients.removeClient(clientId);
      await recorder.forget((owner) => owner === clientId);
      await drills.changed();
      return reply.code(204).send() as never;
    },
    scope,
    problems,
  });
  endpoint(api, 'DELETE', `${endpoints.path}/help`, texts.endHelp, {
    async handler(request, reply) {
      await learners.askForHelp(await clientOf(request), null);
      return reply.code(204).send() as never;
    },
    scope,
    problems,
  });
  endpoint(api, 'POST', `${endpoints.path}/transfer`, texts.openTransfer, {
    async handler(request, reply) {
      const clientId = await clientOf(request);
      return reply.code(201).send((await clients.transfers.open(clientId, endpoints.either(own, byTrainer))) as never);
    },
    scope,
    problems,
  });
}

/** Asking for help, a new secret, and taking over a client by its code. */
export function helpAndTransferRoutes(api: Api, { clients, learners, wrongCodes }: HelpAndTransferRoutesOptions): void {
  endpoint(api, 'POST', '/me/help', ownTexts.askForHelp, {
    async handler(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      await learners.askForHelp(clientId, request.body.message);
      return (await learners.read(clientId)).help as never;
    },
    scope,
    body: 'json',
    keptTexts: ['message'],
    problems: [...tokenProblems, 'preset-client'],
  });
  endpoint(api, 'POST', '/me/secret', ownTexts.renewSecret, {
    async handler(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId, `Its secret is a setting of the service. ${createOne}`);
      const renew = () => clients.clients.renewSecret(clientId);
      const { secret, previousValidUntil } = await clients.renewal(clientId, reply, renew);
      return reply.code(201).send({ client_secret: secret, previousValidUntil });
    },
    scope,
    problems: [...tokenProblems, 'preset-client'],
  });
  endpoint(api, 'POST', '/transfers', ownTexts.useTransfer, {
    async handler(request, reply) {
      const found = wrongCodes.takes(request) ? await clients.transfers.use(request.body.code) : undefined;
      if (!found) return wrongCodes.count(request, reply, noSuchCode());
      return { client_id: found.clientId, client_secret: found.secret };
    },
    body: 'json',
    problems: ['transfer-not-found', 'unavailable'],
  });
}

/** What the trainer says to one client. */
export function noteRoutes(api: Api, { clients, learners }: LearnerRoutesOptions): void {
  const clientOf = async (request: FastifyRequest) => {
    const clientId = await forTrainer.clientOf(request, clients.tokens);
    refusePreset(clientId, 'Nobody is behind it to read a note.');
    return clientId;
  };
  const problems = [...tokenProblems, 'client-not-found' as const, 'preset-client' as const];
  endpoint(api, 'PUT', '/learners/:clientId/note', noteTexts.putNote, {
    async handler(request) {
      const clientId = await clientOf(request);
      await learners.tell(clientId, request.body.text);
      return (await learners.read(clientId)).note as never;
    },
    scope,
    body: 'json',
    keptTexts: ['text'],
    problems,
  });
  endpoint(api, 'DELETE', '/learners/:clientId/note', noteTexts.deleteNote, {
    async handler(request, reply) {
      await learners.tell(await clientOf(request), null);
      return reply.code(204).send() as never;
    },
    scope,
    problems,
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
