import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { ProblemError, ProblemIdentifier } from '../http/problems/problem.ts';
import { callerOf, clientGone, type Tokens } from '../http/requests/bearer.ts';
import { noSuchClient, refuseUnknown } from './refusals.ts';
import { ofClient, ofTrainer } from './texts.ts';

/*
 * Some endpoints are there twice: below `/me` for a client itself, and below `/trainer/learners/{clientId}` for the
 * trainer. One definition makes both, and takes what differs from here.
 */

export const LearnerId = Type.Object({
  clientId: Type.String({ description: 'The id of a client, such as GET /trainer/learners lists them.' }),
});

/** The differences between the endpoints about the caller and those about a learner that the trainer names. */
export interface LearnerEndpoints {
  /** Where its endpoints are; that of the trainer is below its prefix. */
  readonly path: '/me' | '/learners/:clientId';
  /** The common part of the schemas of these endpoints. */
  readonly schema: { readonly security: typeof ofClient | typeof ofTrainer; readonly params?: typeof LearnerId };
  readonly byTrainer: boolean;
  /** Picks what is for the caller, or what is for the trainer. */
  either<Caller, Learner>(caller: Caller, learner: Learner): Caller | Learner;
  /** The refusals of each of these endpoints. */
  readonly problems: readonly ProblemIdentifier[];
  /** The refusal where the client is removed after it was looked for. */
  gone(): ProblemError;
  /** @throws {ProblemError} `client-not-found` */
  clientOf(request: FastifyRequest, tokens: Tokens): Promise<string>;
}

export const forCaller: LearnerEndpoints = {
  path: '/me',
  byTrainer: false,
  schema: { security: ofClient },
  either: (caller) => caller,
  // A token for a person.
  problems: ['insufficient-scope'],
  gone: clientGone,
  clientOf: async (request) => callerOf(request).clientId,
};

export const forTrainer: LearnerEndpoints = {
  path: '/learners/:clientId',
  byTrainer: true,
  schema: { security: ofTrainer, params: LearnerId },
  either: (_caller, learner) => learner,
  problems: ['client-not-found'],
  gone: noSuchClient,
  async clientOf(request, tokens) {
    const { clientId } = request.params as { clientId: string };
    await refuseUnknown(tokens, clientId);
    return clientId;
  },
};
