import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ClientsPart } from '../../clients/index.ts';
import { unsentBody } from '../../http/answers/unsent-body.ts';
import { type Api, type Handlers, tableOf } from '../../http/endpoint.ts';
import { absoluteUrl } from '../../http/requests/absolute-url.ts';
import { acceptedType } from '../../http/requests/accepted-type.ts';
import { asPage, links, pageOf } from '../../http/requests/paging.ts';
import { invalid } from '../../http/requests/validation.ts';
import { fleetId, readerId } from '../../insurer/index.ts';
import type { Secrets } from '../../settings/secrets.ts';
import type { Drills } from '../drills/drills.ts';
import { nobody, trainerId } from '../exchanges/attribution.ts';
import type { ExchangeLog } from '../exchanges/log.ts';
import type { Recorder } from '../exchanges/recorder.ts';
import { anyScope, tokenProblems } from '../refusals.ts';
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
  const route = tableOf(api, texts, handlers(options), tokenProblems);
  route('GET', '/learners', 'listLearners', anyScope, ['validation-error']);
  route('GET', '/secrets', 'readSecrets', anyScope);
  route('POST', '/transfers', 'openTransfers', anyScope);
  route('DELETE', '/learners', 'removeLearners', anyScope);
  route('PUT', '/announcement', 'publishAnnouncement', anyScope, [], { body: 'json', keptTexts: ['text'] });
  route('GET', '/announcement', 'readAnnouncement', anyScope, ['announcement-not-found']);
  route('DELETE', '/announcement', 'deleteAnnouncement', anyScope);
  route('GET', '/export', 'exportLearners', anyScope, ['validation-error']);
  route('GET', '/export.csv', 'exportLearnersAsCsv', anyScope, ['validation-error']);
  route('POST', '/reset', 'resetAll', anyScope, ['validation-error']);
  route('POST', '/fleet/reset', 'resetFleet', anyScope);
}

function handlers(options: TrainerRoutesOptions): Handlers<typeof texts> {
  const { announcements, clients, classEnds, exchanges, exporter, secrets, profiles, recorder } = options;
  const { drills, service } = options;

  async function exported(
    { method, query: { content = 'learners' } }: { readonly method: string; readonly query: ExportQuery },
    reply: FastifyReply,
    form: ExportForm,
  ): Promise<Readable> {
    await recorder.flush();
    reply.header('Content-Disposition', `attachment; filename="${content}.${form}"`);
    reply.type(form === 'csv' ? csvType : 'application/json');
    // HEAD asks for the headers only.
    return method === 'HEAD' ? unsentBody() : Readable.from(exporter.parts(form, content));
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
      return reply.code(201).send({ items: named, left: total - items.length + ids.length - codes.length });
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

    readAnnouncement: () => announcements.read(),

    publishAnnouncement: (request) => announcements.publish(request.body.text, request.body.minutes),

    async deleteAnnouncement(_request, reply) {
      await announcements.remove();
      return reply.code(204).send();
    },

    exportLearners(request, reply) {
      const csv = acceptedType(request, ['application/json', 'text/csv']) === 'text/csv';
      return exported(request, reply, csv ? 'csv' : 'json');
    },

    exportLearnersAsCsv: (request, reply) => exported(request, reply, 'csv'),
  };
}

/** Learners that get a code at once. */
const mostCodes = 500;

/** Whose calls the end of a class leaves, and a reset of all. */
const presets = new Set([fleetId, readerId]);
const kept = new Set([nobody, trainerId, ...presets]);
