import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import type { Sql } from '../database/database.ts';
import type { Tokens } from '../http/bearer.ts';
import { describeInterface } from '../http/description.ts';
import { conduct } from '../http/description-text.ts';
import { dailyLimit } from '../http/rate-limit.ts';
import { restInterface } from '../http/rest.ts';
import type { System } from '../system.ts';
import { ClientRemoval, type RemoveRows } from './client-removal.ts';
import { Clients, clientsBeingRemoved, lockClient } from './clients.ts';
import { ClientsAhead } from './clients-ahead.ts';
import { FleetRenewal } from './fleet-renewal.ts';
import { refusedDemoClients, showDemoClients } from './metrics.ts';
import { Policies } from './policies.ts';
import { practiceRoutes } from './practice-routes.ts';
import { seedPresets } from './presets.ts';
import { problems } from './problems.ts';
import { routes } from './routes.ts';
import { allScopes, scopes } from './scope.ts';
import { TokenMint } from './tokens.ts';

/** The insurer, and what it offers to the rest of the program. */
export interface Insurer extends System {
  /** The path of the interface that issues tokens. */
  readonly base: string;
  /** For every interface that takes the insurer's tokens. */
  readonly tokens: Tokens;
  /** For systems that keep something of a client or on a policy. */
  readonly records: PolicyRecords;
}

/** What other systems may ask of clients and policies, within a transaction of their own. */
export interface PolicyRecords {
  /** Has rows removed that belong to a client, when it is. To be called before housekeeping begins. */
  onRemoval(remove: RemoveRows): void;
  /** The clients whose removal has begun: they are gone, only some of their rows are still there. */
  beingRemoved(sql: Sql): Promise<Set<string>>;
  /**
   * Makes sure that the client is there and owns the policy. Neither can be removed until the transaction ends.
   *
   * @throws {ProblemError} `policy-not-found`, or `invalid-token` when the client is gone
   */
  lockPolicy(sql: Sql, clientId: string, policyId: string): Promise<void>;
  /** The id of a policy of the client, by its number from 1; numbers past its last policy start over. */
  policyNumbered(sql: Sql, clientId: string, number: number): Promise<string | undefined>;
}

export { fleetId, readerId } from './presets.ts';
export { scopes } from './scope.ts';

/** The default of the demo clients an address may create in a day, in requests it may make in so many minutes. */
const minutesOfClients = 200;

const base = '/insurer/v1';
const jwksPath = '/.well-known/jwks.json';
const metadataPath = '/.well-known/oauth-authorization-server';

const draft = new URL('../../contracts/insurer-v0.openapi.yaml', import.meta.url);

/** Opens the insurer: its keys, its preconfigured clients and its endpoints. */
export async function openInsurer(context: Context): Promise<Insurer> {
  const { config, database, clock, secrets, log, metrics } = context;
  const { registry } = metrics;
  const refusedClient = refusedDemoClients(registry);
  const clients = await Clients.open(database, clock, {
    most: config.demoClientsTotal,
    refused: () => refusedClient('total'),
  });
  showDemoClients(registry, () => clients.count());
  const perDay = config.demoClientsPerDay ?? minutesOfClients * config.rateLimitPerMinute;
  const refused = () => refusedClient('address');
  const creation = dailyLimit('demo-clients', perDay, context, { what: 'demo clients', refused });
  const policies = new Policies(database, clock, config.policiesPerClient);
  await seedPresets(database, clock, secrets);
  const renewals = [new FleetRenewal(database, clock), new ClientsAhead(database, clock)];
  for (const task of renewals) await task.step();
  const mint = await TokenMint.open(database, clock, config.publicUrl);
  const tokens: Tokens = {
    verify: (token) => mint.verify(token),
    use: (clientId) => clients.use(clientId),
    exists: (clientId) => clients.exists(clientId),
    existed: (clientId) => clients.existed(clientId),
    lockClient,
  };
  const others: RemoveRows[] = [];
  const removal = new ClientRemoval({
    ...{ database, clock, log, others },
    marked: (clientId) => clients.forget(clientId),
    removed: () => clients.removed(),
  });
  const records: PolicyRecords = {
    onRemoval: (remove) => void others.push(remove),
    beingRemoved: clientsBeingRemoved,
    lockPolicy: (sql, clientId, policyId) => policies.lock(sql, clientId, policyId),
    policyNumbered: (sql, clientId, number) => policies.numbered(sql, clientId, number),
  };

  async function register(server: FastifyInstance): Promise<void> {
    const v0 = Buffer.from((await readFile(draft, 'utf8')).replaceAll('http://localhost:8080', config.publicUrl));
    await server.register(
      async (scope) => {
        restInterface(scope, context, tokens);
        scope.get('/v0/openapi.yaml', (_request, reply) => reply.type('application/yaml').send(v0));
        await scope.register(
          async (api) => {
            const describe = describeInterface(api, about(config.publicUrl));
            await api.register(routes, { clients, creation, tokens: mint, policies });
            await api.register(practiceRoutes, { context, policies });
            // Endpoint 11
            describe('Range');
          },
          { prefix: '/v1' },
        );
      },
      { prefix: '/insurer' },
    );
    server.get(jwksPath, () => mint.jwks);
    server.get(metadataPath, () => metadata(config.publicUrl));
  }

  return {
    name: 'insurer',
    base,
    tokens,
    records,
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
    housekeeping: [...renewals, removal],
    register,
  };
}

/** The document of RFC 8414, by which OAuth 2.0 tools configure themselves. */
function metadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    token_endpoint: `${publicUrl}${base}/auth/token`,
    jwks_uri: `${publicUrl}${jwksPath}`,
    scopes_supported: allScopes,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    service_documentation: `${publicUrl}/docs`,
  };
}

function about(publicUrl: string) {
  const server = `${publicUrl}${base}`;
  return {
    title: 'L-Plate insurer',
    version: '1.0.0',
    description: [
      'The REST interface of a synthetic motor insurer, to practise API integration on. Every insurer, vehicle, person and policy is fictional.',
      '',
      'Create credentials with `POST /demo-clients`, exchange them for a token with `POST /auth/token`, then manage policies. There is also a rate limit to run into, and an endpoint for signed requests.',
      '',
      ...conduct(
        publicUrl,
        'Members and query parameters that are not listed here are ignored, and so is the body if none is listed.',
        ', and nothing else that is specific to an endpoint',
      ),
    ].join('\n'),
    server,
    publicUrl,
    tags: [
      { name: 'Clients and tokens', description: 'Who calls, and what they may do.' },
      { name: 'Policies', description: 'Motor third-party liability, one policy in force for a vehicle.' },
      { name: 'Range', description: 'For practice: a rate limit, a signature, this description.' },
    ],
    securitySchemes: {
      oauth2: {
        type: 'oauth2',
        description: 'Client credentials. Exchange them for a token at the token endpoint.',
        flows: { clientCredentials: { tokenUrl: `${server}/auth/token`, scopes } },
      },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token from `POST /auth/token`.' },
      basic: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, at the token endpoint.' },
      signature: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Signature',
        description: 'HMAC-SHA256 of the exact bytes of the body, in hexadecimal.',
      },
    },
  };
}
