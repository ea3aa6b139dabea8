import { absoluteUrl } from '../../../http/absolute-url.ts';
import { callerOf } from '../../../http/bearer.ts';
import { type Api, endpoint, type Handlers } from '../../../http/endpoint.ts';
import { answerPage } from '../../paging.ts';
import { refusePreset, tokenProblems } from '../../refusals.ts';
import { base } from '../../texts.ts';
import type { Capstones } from './capstones.ts';
import { viewOf } from './run-view.ts';
import { texts } from './texts.ts';

export interface CapstoneRoutesOptions {
  readonly capstones: Capstones;
}

/** Any token will do. */
const scope = '';

/** The capstones, and the caller's runs of them. */
export function capstoneRoutes(api: Api, { capstones }: CapstoneRoutesOptions): void {
  const handle = handlers(capstones);
  const runs = '/me/capstones/:capstoneId/runs';
  endpoint(api, 'GET', '/capstones', texts.listCapstones, {
    handler: handle.listCapstones,
    problems: ['validation-error'],
  });
  endpoint(api, 'GET', '/me/capstones', texts.listMyCapstones, {
    handler: handle.listMyCapstones,
    scope,
    problems: [...tokenProblems, 'validation-error'],
  });
  endpoint(api, 'GET', '/me/capstones/:capstoneId', texts.readMyCapstone, {
    handler: handle.readMyCapstone,
    scope,
    problems: [...tokenProblems, 'capstone-not-found'],
  });
  endpoint(api, 'POST', runs, texts.startRun, {
    handler: handle.startRun,
    scope,
    problems: [...tokenProblems, 'capstone-not-found', 'preset-client', 'quota-exceeded'],
  });
  endpoint(api, 'GET', runs, texts.listRuns, {
    handler: handle.listRuns,
    scope,
    problems: [...tokenProblems, 'capstone-not-found', 'validation-error'],
  });
  endpoint(api, 'GET', `${runs}/:number`, texts.readRun, {
    handler: handle.readRun,
    scope,
    problems: [...tokenProblems, 'capstone-not-found', 'run-not-found'],
  });
  endpoint(api, 'DELETE', `${runs}/:number`, texts.endRun, {
    handler: handle.endRun,
    scope,
    problems: [...tokenProblems, 'capstone-not-found', 'run-not-found'],
  });
}

function handlers(capstones: Capstones): Handlers<typeof texts> {
  return {
    async listCapstones(request, reply) {
      return answerPage(request, reply, '/capstones', capstones.all.map(viewOf)) as never;
    },

    async listMyCapstones(request, reply) {
      const all = await capstones.ofClient(callerOf(request).clientId);
      return answerPage(request, reply, '/me/capstones', all) as never;
    },

    async readMyCapstone(request) {
      return (await capstones.one(callerOf(request).clientId, request.params.capstoneId)) as never;
    },

    async startRun(request, reply) {
      const { clientId } = callerOf(request);
      refusePreset(clientId);
      const run = await capstones.start(clientId, request.params.capstoneId);
      const path = `${base}/me/capstones/${run.capstone}/runs/${run.number}`;
      return reply
        .code(201)
        .header('Location', absoluteUrl(request, path))
        .send(run as never);
    },

    async listRuns(request, reply) {
      const { capstoneId } = request.params;
      const all = await capstones.runs(callerOf(request).clientId, capstoneId);
      return answerPage(request, reply, `/me/capstones/${capstoneId}/runs`, all) as never;
    },

    async readRun(request) {
      const { capstoneId, number } = request.params;
      return (await capstones.run(callerOf(request).clientId, capstoneId, number)) as never;
    },

    async endRun(request, reply) {
      const { capstoneId, number } = request.params;
      await capstones.end(callerOf(request).clientId, capstoneId, number);
      return reply.code(204).send();
    },
  };
}
