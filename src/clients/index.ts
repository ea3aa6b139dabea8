import type { FastifyInstance } from 'fastify';
import type { Component } from '../component.ts';
import type { Context } from '../context.ts';
import { absoluteUrl, originHeaders, originOf } from '../http/absolute-url.ts';
import type { Tokens } from '../http/bearer.ts';
import { noteDrill } from '../http/faults.ts';
import { KeptAnswerRemoval, removeKeptAnswers } from '../http/kept-answers.ts';
import { prefixClient } from '../http/personal-prefix.ts';
import { type DailyLimit, dailyLimit, type HourlyLimit, hourlyLimit } from '../http/rate-limit.ts';
import { TimesAheadTask } from '../jobs/times-ahead.ts';
import type { Config } from '../settings/config.ts';
import { Clients, lockClient } from './clients.ts';
import { usesAhead } from './clients-ahead.ts';
import { ClockMoves } from './clock-moves.ts';
import { refusedDemoClients, showDemoClients } from './metrics.ts';
import { jwksPath, metadataPath, oauthMetadata } from './oauth-metadata.ts';
import type { OwnedRows } from './owned-rows.ts';
import { problems } from './problems.ts';
import { ClientRemoval } from './removal.ts';
import { ClientReset } from './reset.ts';
import { randomSigning, seededSigning } from './signing.ts';
import { type SignStatement, TokenMint } from './tokens.ts';
import { removeTransfer, Transfers } from './transfers.ts';

/** Who calls: the clients with their credentials, tokens and clocks, and what becomes of the rows that they own. */
export interface ClientsPart extends Component {
  readonly clients: Clients;
  /** How many demo clients one address may create in a day. */
  readonly creation: DailyLimit;
  /** How many new secrets a client may have in an hour. */
  readonly renewal: HourlyLimit;
  readonly mint: TokenMint;
  /** For every interface that takes the tokens. */
  readonly tokens: Tokens;
  /** Signs what the service says of a client with the key of its tokens. */
  readonly sign: SignStatement;
  readonly clockMoves: ClockMoves;
  /** Adds rows that clients own. To be called before requests come. Those of the last call are removed first. */
  registerRows(rows: OwnedRows): void;
  /** How many rows of each kind a client owns, by their names. */
  countRows(clientId: string): Promise<Record<string, number>>;
  /** Removes all that the client owns. Resolves when it owns no more than at the first start. */
  resetClient(clientId: string): Promise<void>;
  /** The same of every demo client. Resolves with how many there are. */
  resetAll(): Promise<number>;
  /** Until when a client is kept if it is not used again; null for a preconfigured one. */
  keptUntil(clientId: string): Promise<string | null>;
  /** Codes by which a client goes on in another browser. */
  readonly transfers: Transfers;
  /** Removes a demo client with all that it owns. */
  removeClient(clientId: string): Promise<void>;
  /** Removes every demo client with all that it owns. Resolves with how many there were. */
  removeAll(): Promise<number>;
  /** Serves the token keys, and the metadata that name `tokenPath`, the path of the token endpoint. */
  serveMetadata(server: FastifyInstance, tokenPath: string): void;
}

/** In milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** The default of the demo clients that an address may create in a day, in minutes of its requests. */
const minutesOfClients = 200;

const defaultPerDay = (perMinute: Config['rateLimitPerMinute']) =>
  perMinute === 'off' ? 0 : minutesOfClients * perMinute;

/** New secrets that a client may have in an hour. */
const secretsPerHour = 10;

/** Opens what knows the clients: before all parts that keep something of them. */
export async function openClients(context: Context): Promise<ClientsPart> {
  const { config, database, clock, clocks, randomness, log, metrics, drills } = context;
  const { registry } = metrics;
  const rows: OwnedRows[] = [
    { name: 'kept answers', remove: removeKeptAnswers },
    // A code stays when its client is reset.
    { name: 'transfers', remove: removeTransfer, reset: async () => 0 },
  ];
  const refusedClient = refusedDemoClients(registry);
  const clockMoves = await ClockMoves.open(database, clock, clocks, rows);
  const clients = await Clients.open(database, clock, {
    randomness,
    max: config.demoClientsTotal,
    refused: () => refusedClient('total'),
  });
  showDemoClients(registry, () => clients.count());
  const perDay = config.demoClientsPerDay ?? defaultPerDay(config.rateLimitPerMinute);
  const refused = () => refusedClient('address');
  const creation = dailyLimit('demo-clients', perDay, context, { what: 'demo clients', refused });
  const renewal = hourlyLimit('client-secrets', secretsPerHour, context, 'new secrets');
  const clientsAhead = new TimesAheadTask('clients used ahead of the clock', database, clock, [usesAhead]);
  await clientsAhead.step();
  const signing = config.seed === undefined ? randomSigning : await seededSigning(randomness);
  const mint = await TokenMint.open({ database, clock, clocks, randomness, signing, drills });
  // What its public keys and their names look like is not what they are.
  for (const key of mint.publicKeys)
    context.secretFinder.exempt(Object.values(key).filter((each) => typeof each === 'string'));
  const lifetime = config.keepClientsDays * day;
  const removal = new ClientRemoval({
    database,
    clock,
    log,
    lifetime,
    rows,
    marked: (clientId) => clients.forget(clientId),
    removed: () => clients.removed(),
  });
  const reset = new ClientReset(database, rows);

  return {
    clients,
    creation,
    renewal,
    mint,
    tokens: {
      verify: (token) => mint.verify(token),
      holder: (token) => mint.holder(token),
      use: (clientId) => clients.use(clientId),
      exists: (clientId) => clients.exists(clientId),
      existed: (clientId) => clients.existed(clientId),
      lockClient,
    },
    sign: (facts, type, issuer) => mint.sign(facts, type, { issuer, issuedAt: Math.floor(clock.now() / 1000) }),
    clockMoves,
    keptUntil: (clientId) => clients.keptUntil(clientId, lifetime),
    registerRows: (more) => void rows.push(more),
    async countRows(clientId) {
      const counts: Record<string, number> = {};
      for (const { name, count } of rows) if (count) counts[name] = await count(database.sql, clientId);
      return counts;
    },
    resetClient: (clientId) => reset.reset(clientId),
    resetAll: () => reset.resetAll(),
    transfers: new Transfers(database, clock, randomness),
    removeClient: (clientId) => removal.removeOne(clientId),
    removeAll: () => removal.removeAll(),
    serveMetadata(server, tokenPath) {
      server.get(jwksPath, async (request) => {
        const jwks = await mint.jwksOf(prefixClient(request));
        if (jwks.keys.length > 1) noteDrill(request, 'rotate-key');
        return jwks;
      });
      server.get(metadataPath, (request, reply) => {
        reply.header('Vary', originHeaders);
        return oauthMetadata(originOf(request), absoluteUrl(request, ''), tokenPath);
      });
    },
    problems,
    housekeeping: [reset, clientsAhead, removal, new KeptAnswerRemoval(database, clock)],
    forget() {
      clients.forgetAll();
      clockMoves.forget();
    },
    close: () => clockMoves.close(),
  };
}
