import type { ClientsPart } from '../../clients/index.ts';
import { absoluteUrl } from '../../http/absolute-url.ts';
import { callerOf } from '../../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../../http/endpoint.ts';
import type { GivenPolicies } from '../../insurer/index.ts';
import type { Drills } from '../drills/drills.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { tokenProblems } from '../problems.ts';
import { refusePreset } from '../refusals.ts';
import { meTexts as texts } from './me-texts.ts';

export interface MeRoutesOptions {
  readonly clients: ClientsPart;
  readonly givenPolicies: GivenPolicies;
  readonly recorder: Recorder;
  readonly drills: Drills;
}

/** What a client has made or removed for itself. */
export function meRoutes(api: Api, options: MeRoutesOptions): void {
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
}

function handlers({ clients, givenPolicies, recorder, drills }: MeRoutesOptions): Handlers<typeof texts> {
  return {
    async createFleet(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const policies = await givenPolicies.addFleet(clientId);
      reply.code(201).header('Location', absoluteUrl(request, '/insurer/v1/policies'));
      return { policies: policies.map(({ id, regNumber, status }) => ({ id, regNumber, status })) };
    },

    async resetMe(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      await recorder.forget((owner) => owner === clientId);
      await clients.resetClient(clientId);
      await drills.changed();
      return reply.code(204).send();
    },
  };
}
