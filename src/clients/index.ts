import type { FastifyInstance } from 'fastify';
import type { Component } from '../component.ts';
import type { Context } from '../context.ts';
import type { Sql } from '../database/database.ts';
import { eraseKeptAnswers, removeKeptAnswers, StoredAnswerRemoval } from '../http/answers/stored-answers.ts';
import { type DailyLimit, dailyLimit, type HourlyLimit, hourlyLimit } from '../http/rate-limit.ts';
import { absoluteUrl, originHeaders } from '../http/requests/absolute-url.ts';
import type { Tokens } from '../http/requests/bearer.ts';
import { noteDrill } from '../http/requests/faults.ts';
import { prefixClient } from '../http/requests/personal-prefix.ts';
import { TimesAheadTask } from '../jobs/times-ahead.ts';
import type { Config } from '../settings/config.ts';
import { day } from '../time/units.ts';
import { Clients, lockClient } from './clients.ts';
import { usesAhead } from './clients-ahead.ts';
import { ClockMoves } from './clock-moves.ts';
import { Consents, countConsents, removeConsents } from './consents.ts';
import { Going } from './going.ts';
import { refusedDemoClients, showDemoClients } from './metrics.ts';
import { jwksPath, metadataPath, type OauthEndpoints, oauthMetadata } from './oauth-metadata.ts';
import { type AtEnd, type Erasing, eraseRows, type KeptName, keptRows, type OwnedRows } from './owned-rows.ts';
import { countNamed, removePeople } from './people.ts';
import { problems } from './problems.ts';
import { RedirectUris, removeRedirectUris } from './redirect-uris.ts';
import { ClientRemoval } from './removal.ts';
import { ClientReset } from './reset.ts';
import { randomSigning, seededSigning } from './signing.ts';
import { type SignCredential, type SignStatement, TokenMint } from './tokens.ts';
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
  readonly signCredential: SignCredential;
  readonly clockMoves: ClockMoves;
  /** Adds rows that clients own. To be called before requests come. Those of the last call are removed first. */
  registerRows(rows: OwnedRows): void;
  /** How many rows of each kind a client owns, by their names. */
  countRows(clientId: string): Promise<Record<string, number>>;
  /** What is taken out of the rows of a client when a name of its is erased. */
  readonly names: ErasableNames;
  /** Removes all that the client owns. Resolves when it owns no more than at the first start. */
  resetClient(clientId: string): Promise<void>;
  /** The same of every demo client. Resolves with how many there are. */
  resetAll(): Promise<number>;
  /** Who is about to be removed, and until when a client is kept if it is not used again. */
  readonly going: Going;
  /** Codes by which a client goes on in another browser. */
  readonly transfers: Transfers;
  /** Removes a demo client with all that it owns. */
  removeClient(clientId: string): Promise<void>;
  /** Removes every demo client with all that it owns. Resolves with how many there were. */
  removeAll(): Promise<number>;
  /** What people let clients do. */
  readonly consents: Consents;
  /** Where they are sent back to. */
  readonly redirectUris: RedirectUris;
  /** Serves the token keys, and the metadata that name the endpoints. */
  serveMetadata(server: FastifyInstance, endpoints: OauthEndpoints): void;
}

/** Erases a name from what all parts keep of a client. */
export interface ErasableNames {
  /** Resolves when this node has written what it had still to write of a client. */
  settle(clientId: string): Promise<void>;
  /** One step, as `eraseRows`. */
  erase(sql: Sql, erasing: Erasing, place: string, atEnd: AtEnd): ReturnType<typeof eraseRows>;
  /** What still has the name. */
  kept(sql: Sql, erasing: Erasing): Promise<KeptName[]>;
}

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
    { name: 'kept answers', remove: removeKeptAnswers, erase: eraseKeptAnswers },
    // A code stays when its client is reset.
    { name: 'transfers', remove: removeTransfer, reset: async () => 0 },
    {
      name: 'people',
      remove: removePeople,
      keeps: {
        what: 'people',
        why: 'This is one of your five people, whom the service made up. To remove them: POST /range/v1/me/reset.',
        count: countNamed,
      },
    },
    // So do the addresses that its program is at.
    { name: 'redirect URIs', remove: removeRedirectUris, reset: async () => 0 },
    { name: 'consents', remove: removeConsents, count: countConsents },
  ];
  const refusedClient = refusedDemoClients(registry);
  const clockMoves = await ClockMoves.open(database, clock, clocks, rows);
  const clients = await Clients.open(database, clock, {
    randomness,
    log,
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
  const consents = new Consents({ database, clocks, randomness });
  const isPublic = (thumbprint: string) => context.secretFinder.exempt([thumbprint]);
  const mint = await TokenMint.open({ database, clock, clocks, randomness, signing, drills, consents, isPublic });
  // What its public keys and their names look like is not what they are.
  for (const key of mint.publicKeys)
    context.secretFinder.exempt(Object.values(key).filter((each) => typeof each === 'string'));
  const lifetime = config.keepClientsDays === 'off' ? undefined : config.keepClientsDays * day;
  const going = await Going.open(database, clock, lifetime);
  const removal = new ClientRemoval({
    database,
    clock,
    log,
    going,
    rows,
    marked: (clientId, why) => clients.marked(clientId, why),
    removed: () => clients.removed(),
  });
  const reset = new ClientReset(database, rows);
  const transfers = await Transfers.open(database, clock, randomness);
  context.secretFinder.findCodes(transfers.held);

  return {
    clients,
    creation,
    renewal,
    mint,
    consents,
    redirectUris: new RedirectUris(database),
    tokens: {
      verify: (token) => mint.verify(token),
      holder: (token) => mint.holder(token),
      use: (clientId) => clients.use(clientId),
      exists: (clientId) => clients.exists(clientId),
      existed: (clientId) => clients.existed(clientId),
      lockClient,
    },
    signCredential: (make) => mint.signCredential(make, Math.floor(clock.now() / 1000)),
    sign: (facts, type, issuer) => mint.sign(facts, type, { issuer, issuedAt: Math.floor(clock.now() / 1000) }),
    clockMoves,
    going,
    registerRows: (more) => void rows.push(more),
    async countRows(clientId) {
      const counts: Record<string, number> = {};
      for (const { name, count } of rows) if (count) counts[name] = await count(database.sql, clientId);
      return counts;
    },
    names: {
      async settle(clientId) {
        for (const { settle } of rows) await settle?.(clientId);
      },
      erase: (sql, erasing, place, atEnd) => eraseRows(sql, rows, erasing, place, atEnd),
      kept: (sql, erasing) => keptRows(sql, rows, erasing),
    },
    resetClient: (clientId) => reset.reset(clientId),
    resetAll: () => reset.resetAll(),
    transfers,
    removeClient: (clientId) => removal.removeOne(clientId),
    removeAll: () => removal.removeAll(),
    serveMetadata(server, endpoints) {
      server.get(jwksPath, async (request) => {
        const jwks = await mint.jwksOf(prefixClient(request));
        if (jwks.keys.length > 1) noteDrill(request, 'rotate-key');
        return jwks;
      });
      server.get(metadataPath, (request, reply) => {
        reply.header('Vary', originHeaders);
        return oauthMetadata(absoluteUrl(request, ''), endpoints, config.tlsClientCa !== undefined);
      });
    },
    problems,
    housekeeping: [reset, clockMoves.ofClass, clientsAhead, removal, new StoredAnswerRemoval(database, clock)],
    woken: () => going.startAgain(),
    forget() {
      going.startAgain();
      clients.forgetAll();
      clockMoves.forget();
      transfers.held.clear();
    },
    async close() {
      await transfers.close();
      await clockMoves.close();
    },
  };
}
