import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { ClientsPart } from '../../clients/index.ts';
import { noSuchCode } from '../../clients/transfers.ts';
import { type Api, endpoint } from '../../http/endpoint.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { callerOf } from '../../http/requests/bearer.ts';
import { lineCheck, nameIgnoredOfLines } from '../../http/requests/names.ts';
import { invalid } from '../../http/requests/validation.ts';
import type { WrongTries } from '../../http/wrong-tries.ts';
import { FleetDraft, type GivenPolicies, keptTextsOfPolicy, trimHolder } from '../../insurer/index.ts';
import { typedText } from '../../text/typed-text.ts';
import { instant } from '../../time/clock.ts';
import { day, minute } from '../../time/units.ts';
import type { Drills } from '../drills/drills.ts';
import { trainerId } from '../exchanges/attribution.ts';
import type { ExchangeLog } from '../exchanges/log.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { unattributedCalls } from '../exchanges/unattributed.ts';
import { forTrainer, type LearnerEndpoints } from '../learner-endpoints.ts';
import { anyScope, clientTokenProblems, createOne, refusePreset, tokenProblems } from '../refusals.ts';
import type { LearnerProfile, LearnerUpdateByTrainer, Me } from './learner-schemas.ts';
import { fleetText, learnerTexts, noteTexts, ownTexts } from './learner-texts.ts';
import { plainNickname } from './nickname.ts';
import type { Profiles } from './profiles.ts';
import type { Sayings } from './sayings.ts';

export interface LearnerRoutesOptions {
  readonly clients: ClientsPart;
  readonly givenPolicies: GivenPolicies;
  readonly recorder: Recorder;
  readonly drills: Drills;
  readonly exchanges: ExchangeLog;
  readonly sayings: Sayings;
  readonly profiles: Profiles;
}

export interface HelpAndTransferRoutesOptions extends Pick<LearnerRoutesOptions, 'clients' | 'sayings'> {
  /** Counts codes that are of no client. */
  readonly wrongCodes: WrongTries;
}

/** Milliseconds for which a code holds: that of a client itself, and the trainer's. */
const own = 15 * minute;
export const byTrainer = day;

const lockedDetail = 'Your trainer has locked your nickname. Ask your trainer to change it.';

/** The profile, nickname and reset of a client, for itself or for the trainer. */
export function learnerRoutes(api: Api, endpoints: LearnerEndpoints, options: LearnerRoutesOptions): void {
  const { clients, recorder, drills, exchanges, sayings, profiles } = options;
  const texts = learnerTexts(endpoints);
  const problems = [...tokenProblems, ...endpoints.problems];

  function show(request: FastifyRequest, clientId: string): Promise<LearnerProfile | Me> {
    if (endpoints.byTrainer) return profiles.of(clientId);
    const lost = recorder.lostCall(request);
    return profiles.me(clientId, unattributedCalls(recorder, request, clientId), lost && instant(lost.at));
  }

  endpoint(api, 'GET', endpoints.path, texts.read, {
    async handler(request) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      if (!endpoints.byTrainer) recorder.meet(request, clientId);
      await recorder.settle(clientId);
      return show(request, clientId);
    },
    scope: anyScope,
    problems,
  });
  endpoint(api, 'PATCH', endpoints.path, texts.update, {
    async handler(request) {
      const clientId = await endpoints.clientOf(request, clients.tokens);
      if (endpoints.byTrainer) refusePreset(clientId, 'It has no nickname.');
      await recorder.settle(clientId);
      const { nickname: sent, nicknameLocked } = request.body as Static<typeof LearnerUpdateByTrainer>;
      const nickname = sent && plainNickname(sent);
      if (nickname !== undefined && !(await sayings.rename(clientId, nickname, endpoints.byTrainer)))
        throw new ProblemError('nickname-locked', lockedDetail);
      if (nicknameLocked !== undefined && endpoints.byTrainer) await sayings.lockNickname(clientId, nicknameLocked);
      await recorder.settle(trainerId);
      await exchanges.removeMentions(clientId);
      return show(request, clientId);
    },
    scope: anyScope,
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
    scope: anyScope,
    problems: [...problems, 'preset-client'],
  });
}

/** Removal, help and going on elsewhere, for a client itself or for the trainer. */
export function learnerActionRoutes(api: Api, endpoints: LearnerEndpoints, options: LearnerRoutesOptions): void {
  const { clients, recorder, drills, sayings } = options;
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
      return reply.code(204).send();
    },
    scope: anyScope,
    problems,
  });
  endpoint(api, 'DELETE', `${endpoints.path}/help`, texts.endHelp, {
    async handler(request, reply) {
      await sayings.endHelp(await clientOf(request));
      return reply.code(204).send();
    },
    scope: anyScope,
    problems,
  });
  endpoint(api, 'POST', `${endpoints.path}/transfer`, texts.openTransfer, {
    async handler(request, reply) {
      const clientId = await clientOf(request);
      return reply
        .code(201)
        .send(await clients.transfers.open(clientId, endpoints.either(own, byTrainer), endpoints.gone));
    },
    scope: anyScope,
    problems,
  });
}

/** Asking for help, a new secret, and taking over a client by its code. */
export function helpAndTransferRoutes(api: Api, { clients, sayings, wrongCodes }: HelpAndTransferRoutesOptions): void {
  endpoint(api, 'POST', '/me/help', ownTexts.askForHelp, {
    async handler(request) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      return sayings.askForHelp(clientId, request.body.message);
    },
    scope: anyScope,
    body: 'json',
    keptTexts: ['message'],
    problems: [...clientTokenProblems, 'preset-client'],
  });
  endpoint(api, 'POST', '/me/secret', ownTexts.renewSecret, {
    async handler(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId, `Its secret is a setting of the service. ${createOne}`);
      const renew = () => clients.clients.renewSecret(clientId);
      const { secret, previousValidUntil } = await clients.renewal(clientId, reply, renew);
      return reply.code(201).send({ client_secret: secret, previousValidUntil });
    },
    scope: anyScope,
    problems: [...clientTokenProblems, 'preset-client'],
  });
  endpoint(api, 'POST', '/transfers', ownTexts.useTransfer, {
    async handler(request, reply) {
      const found = wrongCodes.takes(request) ? await clients.transfers.use(typedText(request.body.code)) : undefined;
      if (!found) return wrongCodes.count(request, reply, noSuchCode());
      return { client_id: found.clientId, client_secret: found.secret };
    },
    body: 'json',
    problems: ['transfer-not-found', 'unavailable'],
  });
}

/** What the trainer says to one client. */
export function noteRoutes(api: Api, { clients, sayings }: LearnerRoutesOptions): void {
  const clientOf = async (request: FastifyRequest) => {
    const clientId = await forTrainer.clientOf(request, clients.tokens);
    refusePreset(clientId, 'Nobody is behind it to read a note.');
    return clientId;
  };
  const problems = [...tokenProblems, 'client-not-found' as const, 'preset-client' as const];
  endpoint(api, 'PUT', '/learners/:clientId/note', noteTexts.putNote, {
    async handler(request) {
      return sayings.tell(await clientOf(request), request.body.text);
    },
    scope: anyScope,
    body: 'json',
    keptTexts: ['text'],
    problems,
  });
  endpoint(api, 'DELETE', '/learners/:clientId/note', noteTexts.deleteNote, {
    async handler(request, reply) {
      await sayings.removeNote(await clientOf(request));
      return reply.code(204).send();
    },
    scope: anyScope,
    problems,
  });
}

/** Policies that a client gets to practise with. */
export function fleetRoutes(api: Api, { givenPolicies }: LearnerRoutesOptions): void {
  const check = lineCheck(FleetDraft, keptTextsOfPolicy);
  endpoint(api, 'POST', '/me/fleet', fleetText, {
    async handler(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const { policies: drafts } = request.body;
      if (drafts) checkDrafts(request, reply, drafts);
      const policies = await (drafts ? givenPolicies.addDrafted(clientId, drafts) : givenPolicies.addFleet(clientId));
      reply.code(201).header('Location', absoluteUrl(request, '/insurer/v1/policies'));
      return { policies: policies.map(({ id, regNumber, status }) => ({ id, regNumber, status })) };
    },
    body: 'json-if-any',
    scope: anyScope,
    problems: [...clientTokenProblems, 'validation-error', 'preset-client', 'duplicate-policy', 'quota-exceeded'],
  });

  /** By names and rules that the schema of the whole can't tell, as POST /policies has them. */
  function checkDrafts(request: FastifyRequest, reply: FastifyReply, drafts: readonly FleetDraft[]): void {
    const { clientId } = callerOf(request);
    const checked = drafts.map((draft) => {
      trimHolder(draft);
      return check(request, draft, (sent) => givenPolicies.faultsOf(clientId, sent));
    });
    nameIgnoredOfLines(reply, checked);
    const faults = checked.flatMap((each, at) =>
      each.faults.map((fault) =>
        'pointer' in fault ? { ...fault, pointer: `/policies/${at}${fault.pointer}` } : fault,
      ),
    );
    if (faults.length > 0) throw invalid(faults);
  }
}
