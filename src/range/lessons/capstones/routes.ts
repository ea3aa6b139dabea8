import { type Api, type Handlers, tableOf } from '../../../http/endpoint.ts';
import { absoluteUrl } from '../../../http/requests/absolute-url.ts';
import { callerOf } from '../../../http/requests/bearer.ts';
import { answerPage } from '../../paging.ts';
import { anyScope, clientTokenProblems, refusePreset } from '../../refusals.ts';
import { base } from '../../texts.ts';
import type { Capstones } from './capstones.ts';
import { viewOf } from './run-view.ts';
import { texts } from './texts.ts';

export interface CapstoneRoutesOptions {
  readonly capstones: Capstones;
}

/** The capstones, and the caller's runs of them. */
export function capstoneRoutes(api: Api, { capstones }: CapstoneRoutesOptions): void {
  const route = tableOf(api, texts, handlers(capstones), clientTokenProblems);
  const runs = '/me/capstones/:capstoneId/runs';
  route('GET', '/capstones', 'listCapstones', undefined, ['validation-error']);
  route('GET', '/me/capstones', 'listMyCapstones', anyScope, ['validation-error']);
  route('GET', '/me/capstones/:capstoneId', 'readMyCapstone', anyScope, ['capstone-not-found']);
  route('POST', runs, 'startRun', anyScope, [
    ...(['capstone-not-found', 'preset-client', 'quota-exceeded', 'validation-error'] as const),
  ]);
  route('GET', runs, 'listRuns', anyScope, ['capstone-not-found', 'validation-error']);
  route('GET', `${runs}/:number`, 'readRun', anyScope, ['capstone-not-found', 'run-not-found']);
  route('DELETE', `${runs}/:number`, 'endRun', anyScope, ['capstone-not-found', 'run-not-found']);
}

function handlers(capstones: Capstones): Handlers<typeof texts> {
  return {
    async listCapstones(request, reply) {
      return answerPage(request, reply, '/capstones', capstones.all.map(viewOf));
    },

    async listMyCapstones(request, reply) {
      const all = await capstones.ofClient(callerOf(request).clientId);
      return answerPage(request, reply, '/me/capstones', all);
    },

    async readMyCapstone(request) {
      return capstones.one(callerOf(request).clientId, request.params.capstoneId);
    },

    async startRun(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const run = await capstones.start(clientId, request.params.capstoneId, request.query.level);
      const path = `${base}/me/capstones/${run.capstone}/runs/${run.number}`;
      return reply.code(201).header('Location', absoluteUrl(request, path)).send(run);
    },

    async listRuns(request, reply) {
      const { capstoneId } = request.params;
      const all = await capstones.runs(callerOf(request).clientId, capstoneId);
      return answerPage(request, reply, `/me/capstones/${capstoneId}/runs`, all);
    },

    async readRun(request) {
      const { capstoneId, number } = request.params;
      return capstones.run(callerOf(request).clientId, capstoneId, number);
    },

    async endRun(request, reply) {
      const { capstoneId, number } = request.params;
      await capstones.end(callerOf(request).clientId, capstoneId, number);
      return reply.code(204).send();
    },
  };
}
