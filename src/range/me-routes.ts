import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { absoluteUrl } from '../http/absolute-url.ts';
import { callerOf } from '../http/bearer.ts';
import { endpoint, type Handlers } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { type Belongings, fleetId, readerId } from '../insurer/index.ts';
import type { Drills } from './drills/drills.ts';
import { meTexts as texts } from './me-texts.ts';
import { tokenProblems } from './problems.ts';
import type { Recorder } from './recorder.ts';

export interface MeRoutesOptions {
  readonly belongings: Belongings;
  readonly recorder: Recorder;
  readonly drills: Drills;
}

/** What a client has made or removed for itself. */
export const meRoutes: FastifyPluginAsyncTypebox<MeRoutesOptions> = async (api, options) => {
  const handle = handlers(options);
  const scope = '';
  endpoint(api, 'POST', '/me/fleet', texts.createFleet, {
    handler: handle.createFleet,
    scope,
    problems: [...tokenProblems, 'preset-client', 'quota-exceeded'],
  });
  endpoint(api, 'POST', '/me/reset', texts.resetMe, {
    handler: handle.resetMe,
    scope,
    problems: [...tokenProblems, 'preset-client'],
  });
};

/** @throws {ProblemError} `preset-client` */
export function refusePreset(clientId: string, instead: string): void {
  if (clientId !== fleetId && clientId !== readerId) return;
  const detail = `The client ${clientId} is preconfigured, and everybody who has its secret shares it. ${instead}`;
  throw new ProblemError('preset-client', detail);
}

const createOne =
  'Do this with a demo client of your own: POST /insurer/v1/demo-clients creates one, and POST /insurer/v1/auth/token gets its token.';

function handlers({ belongings, recorder, drills }: MeRoutesOptions): Handlers<typeof texts> {
  return {
    async createFleet(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId, createOne);
      const policies = await belongings.addFleet(clientId);
      reply.code(201).header('Location', absoluteUrl(request, '/insurer/v1/policies'));
      return { policies: policies.map(({ id, regNumber, status }) => ({ id, regNumber, status })) };
    },

    async resetMe(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId, createOne);
      await recorder.forget((owner) => owner === clientId);
      await belongings.reset(clientId);
      await drills.changed();
      return reply.code(204).send();
    },
  };
}
