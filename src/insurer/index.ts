import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { Clients, clientsBeingRemoved, holdClient, lockClient } from '../clients/clients.ts';
import { ClientsAhead } from '../clients/clients-ahead.ts';
import { Advances } from '../clients/clock-moves.ts';
import { refusedDemoClients, showDemoClients } from '../clients/metrics.ts';
import { jwksPath, metadataPath, oauthMetadata } from '../clients/oauth-metadata.ts';
import type { OwnedRows, RemoveRows } from '../clients/owned-rows.ts';
import { ClientRemoval } from '../clients/removal.ts';
import { ClientReset } from '../clients/reset.ts';
import { randomSigning, seededSigning } from '../clients/signing.ts';
import { type SignStatement, TokenMint } from '../clients/tokens.ts';
import type { Context } from '../context.ts';
import type { Sql } from '../database/database.ts';
import { absoluteUrl, originHeaders, originOf } from '../http/absolute-url.ts';
import type { Tokens } from '../http/bearer.ts';
import { describeInterface } from '../http/description.ts';
import { KeptAnswerRemoval, KeptAnswers, removeKeptAnswers } from '../http/kept-answers.ts';
import { dailyLimit } from '../http/rate-limit.ts';
import { restInterface } from '../http/rest.ts';
import { serveYaml } from '../http/served-document.ts';
import type { Config } from '../settings/config.ts';
import type { System } from '../system.ts';
import { Belongings, type CountRows, existingPolicies } from './belongings.ts';
import { FleetRenewal } from './fleet-renewal.ts';
import { openApiInfo } from './openapi-info.ts';
import { Policies, type StoredPolicy } from './policies.ts';
import { PolicyDraft } from './policy.ts';
import { practiceRoutes } from './practice-routes.ts';
import { seedPresets } from './presets.ts';
import { problems } from './problems.ts';
import { base } from './route-texts.ts';
import { routes } from './routes.ts';

/** The insurer, and what it offers to the rest of the program. */
export interface Insurer extends System {
  /** The path of the interface that issues tokens. */
  readonly base: string;
  /** For every interface that takes the insurer's tokens. */
  readonly tokens: Tokens;
  /** For systems that keep something of a client or on a policy. */
  readonly access: InsurerAccess;
  /** What clients own, as a whole. */
  readonly belongings: Belongings;
  /** Writes the preconfigured clients, unless they are there. */
  seed(sql: Sql): Promise<void>;
}

/** What other systems may ask of clients and policies, within a transaction of their own. */
export interface InsurerAccess {
  /**
   * Has rows removed that belong to a client, when it is removed and when it is reset (`reset`; default: the same). To be
   * called before housekeeping begins.
   */
  onRemoval(remove: RemoveRows, reset?: RemoveRows): void;
  /** Has rows counted that belong to a client, as what `what` names. */
  onCount(what: string, count: CountRows): void;
  /** The clients whose removal has begun: they are gone, only some of their rows are still there. */
  beingRemoved(sql: Sql): Promise<Set<string>>;
  /** Whether the client is there. Then it can't be removed until the transaction ends. */
  holdClient(sql: Sql, clientId: string): Promise<boolean>;
  /**
   * Makes sure that the client is there and owns the policy. Neither can be removed until the transaction ends.
   *
   * @throws {ProblemError} `policy-not-found`, or `invalid-token` when the client is gone
   */
  lockPolicy(sql: Sql, clientId: string, policyId: string): Promise<void>;
  /** The id of a policy of the client, by its number from 1; numbers past its last policy start over. */
  policyNumbered(sql: Sql, clientId: string, number: number): Promise<string | undefined>;
  /** Those of some texts that are ids of policies, whoever owns them. */
  existingPolicies(sql: Sql, ids: readonly string[]): Promise<Set<string>>;
  /** Signs what the service says of a client with the key of its tokens. */
  readonly sign: SignStatement;
  /** Moves the clocks of clients. */
  readonly advances: Pick<Advances, 'onMove' | 'advance' | 'advanceAll'>;
}

export { furthest, mostYearsAhead } from '../clients/clock-moves.ts';
export type { RemoveRows } from '../clients/owned-rows.ts';
export { scopes } from '../clients/scope.ts';
export type { SignStatement } from '../clients/tokens.ts';
export type { Belongings, HeldPolicy } from './belongings.ts';
export { coverageOptions } from './coverage-option.ts';
export { newPolicy, type Policy, policyStatuses } from './policy.ts';
export { practiceFleet, practiceFleetSize } from './practice-fleet.ts';
export { fleetId, readerId } from './presets.ts';

/** The default of the demo clients an address may create in a day, in requests it may make in so many minutes. */
const minutesOfClients = 200;

const defaultPerDay = (perMinute: Config['rateLimitPerMinute']) =>
  perMinute === 'off' ? 0 : minutesOfClients * perMinute;

const draft = new URL('../../contracts/insurer-v0.openapi.yaml', import.meta.url);

/** Opens the insurer: its keys, its preconfigured clients and its endpoints. */
export async function openInsurer(context: Context): Promise<Insurer> {
  const { config, database, clock, clocks, randomness, secrets, log, metrics, drills } = context;
  const { registry } = metrics;
  const refusedClient = refusedDemoClients(registry);
  const advances = await Advances.open(database, clock, clocks);
  const clients = await Clients.open(database, clock, {
    randomness,
    most: config.demoClientsTotal,
    refused: () => refusedClient('total'),
  });
  showDemoClients(registry, () => clients.count());
  const perDay = config.demoClientsPerDay ?? defaultPerDay(config.rateLimitPerMinute);
  const refused = () => refusedClient('address');
  const creation = dailyLimit('demo-clients', perDay, context, { what: 'demo clients', refused });
  const policies = new Policies(database, clock, clocks, randomness, config.policiesPerClient);
  const created = new KeptAnswers<StoredPolicy>(database, clock, clocks, 'POST /insurer/v1/policies', PolicyDraft);
  const seed = (sql: Sql) => seedPresets(sql, secrets, clock.now(), randomness);
  await database.write(seed);
  const fleetRenewal = new FleetRenewal(database, clock, randomness);
  const renewals = [fleetRenewal, new ClientsAhead(database, clock)];
  for (const task of renewals) await task.step();
  const signing = config.seed === undefined ? randomSigning : await seededSigning(randomness);
  const mint = await TokenMint.open({ database, clock, clocks, randomness, signing });
  const tokens: Tokens = {
    verify: (token) => mint.verify(token),
    holder: (token) => mint.holder(token),
    use: (clientId) => clients.use(clientId),
    exists: (clientId) => clients.exists(clientId),
    existed: (clientId) => clients.existed(clientId),
    lockClient,
  };
  // Those of other systems too: it has the clients.
  const others: OwnedRows[] = [{ remove: removeKeptAnswers, reset: removeKeptAnswers }];
  const counts = new Map<string, CountRows>();
  const removal = new ClientRemoval({
    ...{ database, clock, log, others },
    marked: (clientId) => clients.forget(clientId),
    removed: () => clients.removed(),
  });
  const reset = new ClientReset({ database, clock, randomness, others });
  const belongings = new Belongings({
    ...{ database, clock, clocks, randomness, reset, removal, counts },
    cap: config.policiesPerClient,
  });
  const access: InsurerAccess = {
    onRemoval: (remove, reset = remove) => void others.push({ remove, reset }),
    onCount: (what, count) => void counts.set(what, count),
    beingRemoved: clientsBeingRemoved,
    holdClient,
    lockPolicy: (sql, clientId, policyId) => policies.lock(sql, clientId, policyId),
    policyNumbered: (sql, clientId, number) => policies.numbered(sql, clientId, number),
    existingPolicies,
    sign: (facts, type, issuer) => mint.sign(facts, type, { issuer, issuedAt: Math.floor(clock.now() / 1000) }),
    advances,
  };

  async function register(server: FastifyInstance): Promise<void> {
    const v0 = (await readFile(draft, 'utf8')).replaceAll('http://localhost:8080', config.publicUrl);
    await server.register(
      async (scope) => {
        restInterface(scope, context, tokens);
        await scope.register(
          async (api) => {
            const describe = describeInterface(api, openApiInfo(config.publicUrl), clock);
            routes(api, { clients, creation, tokens: mint, policies, created, drills });
            practiceRoutes(api, { context, policies });
            // Endpoint 11
            describe('Range');
          },
          { prefix: '/v1' },
        );
        // After v1, which a guess at an address more likely means.
        serveYaml(scope, 'v0/openapi', v0);
      },
      { prefix: '/insurer' },
    );
    server.get(jwksPath, () => mint.jwks);
    server.get(metadataPath, (request, reply) => {
      reply.header('Vary', originHeaders);
      return oauthMetadata(originOf(request), absoluteUrl(request, ''));
    });
  }

  return {
    name: 'insurer',
    base,
    tokens,
    access,
    belongings,
    seed,
    problems,
    addresses: [
      { what: 'Insurer, REST interface v1', path: base, page: false },
      { what: 'its description', path: `${base}/openapi.yaml` },
      { what: 'its v0 draft description', path: '/insurer/v0/openapi.yaml' },
      { what: 'Token keys', path: jwksPath },
      { what: 'OAuth 2.0 metadata', path: metadataPath },
    ],
    documents: [
      { title: 'Insurer v1', path: `${base}/openapi.yaml` },
      { title: 'Insurer v0 (draft)', path: '/insurer/v0/openapi.yaml' },
    ],
    housekeeping: [reset, ...renewals, removal, new KeptAnswerRemoval(database, clock)],
    forget() {
      clients.forgetAll();
      advances.forget();
      fleetRenewal.forget();
    },
    close: () => advances.close(),
    register,
  };
}
