import type { FastifyInstance } from 'fastify';
import type { ClientsPart } from '../clients/index.ts';
import type { Context } from '../context.ts';
import type { Sql } from '../database/database.ts';
import { type Events, type Published, topicRoutes } from '../events/index.ts';
import { retention } from '../events/retention.ts';
import { StoredAnswers } from '../http/answers/stored-answers.ts';
import { describeInterface } from '../http/descriptions/description.ts';
import { restInterface } from '../http/rest.ts';
import { TimesAheadTask } from '../jobs/times-ahead.ts';
import type { System } from '../system.ts';
import { clocksMoved } from '../time/client-clocks.ts';
import { type Webhooks, webhookRoutes } from '../webhooks/index.ts';
import type { ClaimStatus } from './claim.ts';
import { Claims, countClientClaims, removeClientClaims } from './claims.ts';
import { fleetClaimsAhead, movesAhead } from './claims-ahead.ts';
import { ClaimsDesk, deskRole, moveDueClaims } from './desk.ts';
import type { ClaimDocument } from './documents/document.ts';
import { Documents, ownedDocuments } from './documents/documents.ts';
import { documentRoutes, sentMembers } from './documents/routes.ts';
import { FleetClaims } from './fleet.ts';
import { showDocumentBytes } from './metrics.ts';
import { openApiInfo } from './openapi-info.ts';
import { problems } from './problems.ts';
import { routes, topicDescription } from './routes.ts';
import { type Claim, ClaimDraft, type ClaimStatusChanged } from './schemas.ts';
import { claimStatusChanged as topic } from './status-changed.ts';

export { type ClaimStatus, claimStages } from './claim.ts';
export type { Claim } from './schemas.ts';
export { claimStatusChanged } from './status-changed.ts';

/** What the claims system works with besides what all components share. */
export interface ClaimsParts {
  readonly clients: ClientsPart;
  readonly events: Events;
  readonly webhooks: Webhooks;
}

const base = '/claims/v1';

/** Changes that are told at once of those that were published. */
const maxChanges = 1000;

/** Milliseconds between two runs of the desk. */
const deskEveryMs = 250;

/** Milliseconds between two checks whether a claim of the fleet is due. */
const fleetEveryMs = 5000;

/** What the range may ask of claims, for exercises with them. */
export interface GivenClaims {
  /** Registers a claim within a transaction. @throws {ProblemError} as `Claims.register` */
  register(sql: Sql, clientId: string, draft: ClaimDraft): Promise<Claim>;
  /** Undefined if none of the client's claims has this id. */
  status(clientId: string, claimId: string): Promise<ClaimStatus | undefined>;
  /** The number of the last event there was. */
  lastEvent(sql: Sql): Promise<number>;
  /** The changes of the client's claims that were published after the event with this number, oldest first, at most 1,000. */
  changesSince(clientId: string, number: number): Promise<PublishedChange[]>;
}

/** A change of status that was published. */
export interface PublishedChange {
  readonly eventId: string;
  readonly claimId: string;
  readonly previousStatus: ClaimStatus;
  readonly newStatus: ClaimStatus;
  /** Milliseconds since 1970, in real time. */
  readonly at: number;
}

export interface ClaimsSystem extends System {
  readonly given: GivenClaims;
}

/** The claims system: claims, the desk that moves them, and the topic that tells of it. */
export function openClaims(context: Context, { clients, events, webhooks }: ClaimsParts): ClaimsSystem {
  const { config, database, clock, clocks, randomness, metrics } = context;
  const claims = new Claims(database, clocks, webhooks.stored, config.claimsPerClient);
  const registered = new StoredAnswers<Claim>(database, clocks, 'POST /claims/v1/claims', ClaimDraft);
  const documents = new Documents(database, clocks, randomness);
  const addDocument = 'POST /claims/v1/claims/{claimId}/documents';
  const added = new StoredAnswers<ClaimDocument>(database, clocks, addDocument, sentMembers);
  showDocumentBytes(metrics.registry, () => documents.bytes());
  const fleet = new FleetClaims(database, clock);
  const desk = new ClaimsDesk(database, clock, events.log, randomness);
  clients.registerRows({ name: 'claims', remove: removeClientClaims, count: countClientClaims, move: moveDueClaims });
  clients.registerRows(ownedDocuments);

  async function register(server: FastifyInstance): Promise<void> {
    await server.register(
      async (api) => {
        restInterface(api, context, clients.tokens);
        const describe = describeInterface(api, openApiInfo(config.publicUrl, webhooks.callsThisMachine), clock);
        routes(api, { claims, registered });
        documentRoutes(api, { documents, added });
        const allRemoved = (clientId: string) => claims.changedLastBefore(clientId, retention);
        topicRoutes(api, { ...events, topic, scope: 'claims:read', allRemoved });
        topicDescription(api, { publicUrl: config.publicUrl, clock });
        webhookRoutes(api, { ...webhooks, topic, base, read: 'claims:read', write: 'claims:write' });
        describe('Descriptions');
      },
      { prefix: base },
    );
  }

  return {
    name: 'claims',
    problems,
    roles: [deskRole],
    addresses: [
      { what: 'Claims, REST interface v1', path: base, page: false },
      { what: 'its description', path: `${base}/openapi.yaml` },
      { what: 'Topic of claims events', path: `${base}/topics/${topic.name}`, page: false },
      { what: 'its description', path: `${base}/asyncapi.yaml` },
    ],
    documents: [
      { title: 'Claims v1', path: `${base}/openapi.yaml` },
      { title: 'Claims topic', path: `${base}/asyncapi.yaml` },
    ],
    jobs: [
      {
        name: 'the registration of fleet claims',
        role: deskRole,
        everyMs: fleetEveryMs,
        atStart: true,
        run: () => fleet.registerDueClaim(),
      },
      {
        name: 'the claims desk',
        role: deskRole,
        everyMs: deskEveryMs,
        signals: [clocksMoved],
        run: () => desk.round(),
      },
    ],
    given: {
      register: (sql, clientId, draft) => claims.registerIn(sql, clientId, draft),
      status: (clientId, claimId) => claims.status(clientId, claimId),
      lastEvent: (sql) => events.log.head(sql),
      changesSince: async (clientId, number) =>
        (await events.log.published(topic, clientId, number, maxChanges)).map(changeOf),
    },
    housekeeping: [
      new TimesAheadTask('claims ahead of the clock', database, clock, [movesAhead, fleetClaimsAhead]),
      { name: 'claims of the fleet', removes: true, step: () => fleet.removeOld() },
    ],
    register,
  };
}

function changeOf({ eventId, payload, publishedAt }: Published): PublishedChange {
  const { claimId, previousStatus, newStatus } = (JSON.parse(payload) as ClaimStatusChanged).data;
  return { eventId, claimId, previousStatus, newStatus, at: Date.parse(publishedAt) };
}
