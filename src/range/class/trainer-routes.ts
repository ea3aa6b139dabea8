import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientsPart } from '../../clients/index.ts';
import { absoluteUrl } from '../../http/absolute-url.ts';
import { acceptedType } from '../../http/accepted-type.ts';
import { type Api, endpoint, type Handlers } from '../../http/endpoint.ts';
import { asPage, links, pageOf } from '../../http/paging.ts';
import { unsentBody } from '../../http/unsent-body.ts';
import { invalid } from '../../http/validation.ts';
import { fleetId, readerId } from '../../insurer/index.ts';
import type { Secrets } from '../../settings/secrets.ts';
import type { Drills } from '../drills/drills.ts';
import { nobody, trainerId } from '../exchanges/attribution.ts';
import type { ExchangeLog } from '../exchanges/log.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { tokenProblems } from '../refusals.ts';
import type { Service } from '../service.ts';
import { base } from '../texts.ts';
import type { Announcements } from './announcements.ts';
import type { ClassEnds } from './ends.ts';
import type { Exporter, ExportForm } from './export.ts';
import { byTrainer } from './learner-routes.ts';
import type { Profiles } from './profiles.ts';
import type { ExportQuery } from './trainer-schemas.ts';
import { csvType, trainerTexts as texts } from './trainer-texts.ts';

export interface TrainerRoutesOptions {
  readonly announcements: Announcements;
  readonly clients: ClientsPart;
  readonly classEnds: ClassEnds;
  readonly exchanges: ExchangeLog;
  readonly exporter: Exporter;
  readonly secrets: Secrets;
  readonly profiles: Profiles;
  readonly recorder: Recorder;
  readonly drills: Drills;
  readonly service: Pick<Service, 'resetEverything'>;
}

/** The endpoints of the trainer about all clients and the class. */
export function trainerRoutes(api: Api, options: TrainerRoutesOptions): void {
  const handle = handlers(options);
  const scope = '';
  const plain = { scope, problems: tokenProblems };
  const list = { scope, problems: [...tokenProblems, 'validation-error' as const] };
  endpoint(api, 'GET', '/learners', texts.listLearners, { handler: handle.listLearners, ...list });
  endpoint(api, 'GET', '/secrets', texts.readSecrets, { handler: handle.readSecrets, ...plain });
  endpoint(api, 'POST', '/transfers', texts.openTransfers, { handler: handle.openTransfers, ...plain });
  endpoint(api, 'DELETE', '/learners', texts.removeLearners, { handler: handle.removeLearners, ...plain });
  endpoint(api, 'PUT', '/announcement', texts.publishAnnouncement, {
    handler: handle.publishAnnouncement,
    scope,
    body: 'json',
    keptTexts: ['text'],
    problems: tokenProblems,
  });
  endpoint(api, 'GET', '/announcement', texts.readAnnouncement, {
    handler: handle.readAnnouncement,
    scope,
    problems: [...tokenProblems, 'announcement-not-found'],
  });
  endpoint(api, 'DELETE', '/announcement', texts.deleteAnnouncement, { handler: handle.deleteAnnouncement, ...plain });
  endpoint(api, 'GET', '/export', texts.exportLearners, { handler: handle.exportLearners, ...list });
  endpoint(api, 'GET', '/export.csv', texts.exportLearnersAsCsv, { handler: handle.exportLearnersAsCsv, ...list });
  endpoint(api, 'POST', '/reset', texts.resetAll, { handler: handle.resetAll, ...list });
  endpoint(api, 'POST', '/fleet/reset', texts.resetFleet, { handler: handle.resetFleet, ...plain });
}

function handlers(options: TrainerRoutesOptions): Handlers<typeof texts> {
  const { announcements, clients, classEnds, exchanges, exporter, secrets, profiles, recorder } = options;
  const { drills, service } = options;

  async function send(request: FastifyRequest, reply: FastifyReply, form: ExportForm, { content }: ExportQuery) {
    await recorder.flush();
    reply.headers({
      'Content-Disposition': `attachment; filename="${content ?? 'learners'}.${form}"`,
    });
    reply.type(form === 'csv' ? csvType : 'application/json');
    // HEAD asks for the headers only.
    if (request.method === 'HEAD') return reply.send(unsentBody());
    return reply.send(Readable.from(exporter.parts(form, content ?? 'learners')));
  }

  async function resetEverything(): Promise<{ clients: number }> {
    if (!service.resetEverything) {
      const detail =
        'is only for a service that keeps nothing, started with --data-dir memory: here it would remove the data of everybody for good. Leave it out to remove what all clients own.';
      throw invalid([{ parameter: 'what', detail }]);
    }
    await recorder.forget(() => true);
    await service.resetEverything();
    return { clients: 0 };
  }

  return {
    async listLearners(request, reply) {
      const page = pageOf(request.query);
      await recorder.flush();
      const { items, total } = await profiles.list(page);
      reply.header('Link', links(absoluteUrl(request, `${base}/trainer/learners`), page, total));
      return asPage(items, total, page);
    },

    async readSecrets() {
      const { hmacSecret, readerClientSecret, fleetClientSecret } = secrets;
      return {
        hmacSecret,
        clients: [
          { clientId: readerId, clientSecret: readerClientSecret },
          { clientId: fleetId, clientSecret: fleetClientSecret },
        ],
      };
    },

    async openTransfers(_request, reply) {
      await recorder.flush();
      const { items, total } = await profiles.list({ page: 1, pageSize: mostCodes });
      const names = new Map(items.map(({ clientId, shownName }) => [clientId, shownName]));
      const ids = [...names.keys()].filter((id) => !presets.has(id));
      const codes = await clients.transfers.openAll(ids, byTrainer);
      const named = codes.map((each) => ({ ...each, shownName: names.get(each.clientId) as string }));
      return reply.code(201).send({ items: named, left: total - items.length });
    },

    async removeLearners() {
      // First, so that whoever finds its client gone is told why.
      await classEnds.record();
      // The last step makes sure that what was removed is in no file.
      await recorder.forget((owner) => !presets.has(owner));
      await exchanges.removeUnowned();
      await announcements.remove();
      const removed = await clients.removeAll();
      await recorder.forget((owner) => !kept.has(owner));
      await drills.changed();
      return { clients: removed };
    },

    async resetAll(request) {
      if (request.query.what === 'everything') return resetEverything();
      await recorder.forget((owner) => !kept.has(owner));
      const reset = await clients.resetAll();
      await drills.changed();
      return { clients: reset };
    },

    async resetFleet(_request, reply) {
      await recorder.forget((owner) => owner === fleetId);
      await clients.resetClient(fleetId);
      return reply.code(204).send();
    },

    readAnnouncement: () => announcements.read() as never,

    publishAnnouncement: (request) => announcements.publish(request.body.text, request.body.minutes) as never,

    async deleteAnnouncement(_request, reply) {
      await announcements.remove();
      return reply.code(204).send();
    },

    exportLearners(request, reply) {
      const csv = acceptedType(request, ['application/json', 'text/csv']) === 'text/csv';
      return send(request, reply, csv ? 'csv' : 'json', request.query) as never;
    },

    exportLearnersAsCsv: (request, reply) => send(request, reply, 'csv', request.query) as never,
  };
}

/** Learners that get a code at once. */
const mostCodes = 500;

/** Whose calls the end of a class leaves, and a reset of all. */
const presets = new Set([fleetId, readerId]);
const kept = new Set([nobody, trainerId, ...presets]);
