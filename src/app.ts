import { once } from 'node:events';
import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { ActiveDrills } from './active-drills.ts';
import { claimStatusChanged, openClaims } from './claims/index.ts';
import { type ClientsPart, openClients } from './clients/index.ts';
import type { Component } from './component.ts';
import type { Context } from './context.ts';
import { DatabaseUnavailable } from './database/database.ts';
import { groupSizes, repeats } from './database/metrics.ts';
import { openDatabase } from './database/open.ts';
import { databaseSettings } from './database/settings.ts';
import { type Events, openEvents } from './events/index.ts';
import type { Topic } from './events/topic.ts';
import { assets } from './http/assets.ts';
import { openSecondLoopback, type SecondLoopback } from './http/connections/second-loopback.ts';
import { LocalRateLimitStore, type RateLimitStore } from './http/limits/rate-limit-store.ts';
import { createMetrics } from './http/metrics.ts';
import { operations } from './http/operations.ts';
import { composeProblems } from './http/problems/problem-table.ts';
import { createServer } from './http/server.ts';
import { fleetId, base as insurerBase, openInsurer, readerId } from './insurer/index.ts';
import { type BackgroundWork, startWork } from './jobs/background-work.ts';
import { ServiceReset } from './jobs/reset-everything.ts';
import { kitPages } from './kits/index.ts';
import type { LogLines } from './output/log.ts';
import { authorityPage } from './pages/authority-page.ts';
import { addressesOf, frontPage } from './pages/front-page.ts';
import { guideFiles } from './pages/guides.ts';
import { problemPages } from './pages/problem-pages.ts';
import { reference } from './pages/reference.ts';
import { type Randomness, SeededRandomness, systemRandomness } from './randomness.ts';
import { type GoingLearners, type Overview, openRange } from './range/index.ts';
import { type Config, listenHost, listenUrl, withPort } from './settings/config.ts';
import { nextPort, reserveFreePort } from './settings/free-port.ts';
import { givenSecrets, keptSecrets, madeSecrets, type Secrets } from './settings/secrets.ts';
import { inMemory } from './settings/settings.ts';
import { StartupError } from './settings/startup-error.ts';
import type { Address, System } from './system.ts';
import { SecretFinder } from './text/secret-finder.ts';
import { ClientClocks } from './time/client-clocks.ts';
import { type Clock, instant, StandingClock, systemClock } from './time/clock.ts';
import type { ClassAuthority } from './tls/class-authority.ts';
import { openTls } from './tls/tls.ts';
import { openVehicleRegistry, vehiclesWith } from './vehicle-registry/index.ts';
import { openWebhooks, type Resolve, type Webhooks } from './webhooks/index.ts';

export interface StartOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Where log lines go. */
  readonly log: LogLines;
  /** How the names of webhooks become addresses. Default: the system's way. */
  readonly resolve?: Resolve;
  /** Systems besides those of the product, for tests. */
  readonly extraSystems?: (parts: SystemParts) => readonly System[];
}

/** What a system can work with. */
export interface SystemParts {
  readonly context: Context;
  readonly clients: ClientsPart;
  readonly events: Events;
  readonly webhooks: Webhooks;
}

export interface PresetIds {
  readonly reader: string;
  readonly fleet: string;
}

/** L-Plate, up and listening. */
export interface Running {
  readonly url: string;
  /** The settings, with the port that was taken when they leave it open. */
  readonly config: Config;
  /** Whether another program has the port of ::1, which `localhost` means as well. */
  readonly secondTaken: boolean;
  readonly secrets: Secrets;
  /** What the banner lists. */
  readonly addresses: readonly Address[];
  /** SHA-256 of the class authority's certificate, if the program has made one. */
  readonly authorityFingerprint: string | undefined;
  /** Why this start has made a new one in the place of another; the end of a sentence. */
  readonly authorityReplaced: string | undefined;
  /** The ids of the preconfigured clients. */
  readonly presets: PresetIds;
  /** How many lessons there are. */
  readonly lessonCount: number;
  /** What the class came to so far; undefined without the range. */
  readonly overview: (() => Promise<Overview>) | undefined;
  /** Learners that were about to be removed when it started; null if there were none. */
  readonly going: GoingLearners | null;
  /** Does what is done once a minute: removes what was left unused too long. */
  housekeeping(): Promise<void>;
  /** Does what is done once a second: the claims desk moves claims, webhooks that are due are called. */
  catchUp(): Promise<void>;
  /** Lets running requests get their answers, then closes the database. A second call waits for the first. */
  close(): Promise<void>;
}

/** All topics that a system serves: they are relayed to Kafka. */
export const topics: readonly Topic[] = [claimStatusChanged];

/** Milliseconds that running requests get when the program stops. */
const gracePeriod = 8_000;

/**
 * Puts the program together and starts it: config → database and secrets → systems → one server.
 *
 * @throws {StartupError} when the environment is not usable: port, data directory, database
 */
export async function start(settings: Config, options: StartOptions): Promise<Running> {
  // Of the two addresses of localhost, Fastify would open the second with a server that lacks our handlers.
  const host = listenHost(settings);
  const refuse = (error: NodeJS.ErrnoException) => {
    throw listenFailure(error, host, settings.port);
  };
  // Published addresses name the port, so it is known before anything is made.
  await using reserved = settings.port === 0 ? await reserveFreePort(host).catch(refuse) : undefined;
  const config = reserved ? withPort(settings, reserved.port) : settings;
  const { log: lines, resolve, extraSystems } = options;
  const standing = config.now === undefined ? undefined : new StandingClock(config.now);
  const clock = standing ?? options.clock ?? systemClock;
  const seeded = config.seed === undefined ? undefined : new SeededRandomness(config.seed);
  const randomness = seeded ?? systemRandomness;
  const timestamp = () => `,"time":"${instant(clock.now())}"`;
  const log = pino({ level: config.logLevel, base: null, timestamp }, lines);
  const metrics = createMetrics(clock);
  metrics.log(lines);
  const { where, options: databaseOptions, directory = '' } = databaseSettings(config);
  // With PostgreSQL nothing is kept on this machine, so the secrets must have been given. Checked before the database is
  // opened.
  const given = secretsWithoutDirectory(config, randomness);
  const database = await openDatabase(where, {
    ...{ ...databaseOptions, clock },
    // A port that is still to be taken says nothing.
    ...(config.port !== 0 && { address: config.publicUrl }),
    onGroup: groupSizes(metrics.registry),
    onRepeat: repeats(metrics.registry, log, clock),
  });
  // What is opened is closed in reverse order, also when the start fails half-way.
  const opened = new AsyncDisposableStack();
  opened.defer(() => database.close());
  try {
    const secrets = given ?? keptSecrets(config, directory);
    const rateLimits = await openRateLimits(config, clock, log);
    opened.defer(() => rateLimits.close());
    const clocks = new ClientClocks(clock);
    const drills = new ActiveDrills(clock, [readerId, fleetId]);
    const tls = await openTls(config, log);
    opened.defer(() => tls?.close());
    const secretFinder = new SecretFinder(Object.values(secrets));
    const context: Context = {
      ...{ config, secrets, secretFinder, clock, clocks, randomness, database, log, metrics, rateLimits, drills, tls },
    };
    const serviceReset =
      where === inMemory
        ? await ServiceReset.open({ database, clock: standing, randomness: seeded, rateLimits })
        : undefined;
    const clients = await openClients(context);
    const events = await openEvents(context, clients, topics);
    const webhooks = openWebhooks(context, clients, events, resolve);
    const insurer = await openInsurer(context, clients, vehiclesWith(config));
    const claims = openClaims(context, { clients, events, webhooks });
    const observed: System[] = [
      insurer,
      claims,
      openVehicleRegistry(context, clients.tokens),
      ...(extraSystems?.({ context, clients, events, webhooks }) ?? []),
    ];
    const range =
      config.range === 'on'
        ? await openRange(context, {
            clients,
            givenPolicies: insurer.givenPolicies,
            people: insurer.people,
            statements: insurer.statements,
            claims: claims.given,
            webhooks,
            systems: observed,
            service: {
              time: standing,
              resetEverything: serviceReset && (() => serviceReset.run({ components, work, seed: insurer.seed })),
              catchUp: () => catchUp(work),
            },
          })
        : undefined;
    // Before work begins, which may have all connections of the database for a moment.
    const going = (await range?.going()) ?? null;
    const systems = range ? [...observed, range] : observed;
    const components: Component[] = [clients, ...systems, webhooks, events];
    // Those that move clocks come before those that do what is due then, and those that publish before those that deliver.
    const work = await startWork([...(range ? [clients, range] : [clients]), ...observed, webhooks, events], context);
    opened.defer(() => work.stop());
    // What is due before the first call is done then, however soon it comes.
    if (standing) await catchUp(work);
    if (seeded) log.warn('seeded: all ids and secrets can be guessed. For tests only');

    const server = createServer(context, composeProblems(components), clients.tokens, range?.observe, range?.faults);
    const addresses = addressesOf(systems, tls?.authority !== undefined);
    assets(server);
    guideFiles(server);
    frontPage(server, config.publicUrl, addresses, range !== undefined);
    problemPages(server, { publicUrl: config.publicUrl, tokens: insurerBase });
    if (tls?.authority) authorityPage(server, config.publicUrl, () => tls.authority as ClassAuthority);
    operations(server, context);
    for (const system of systems) await system.register(server);
    kitPages(server);
    reference(
      server,
      systems.flatMap(({ documents }) => documents),
      log,
    );
    await server.ready();
    let second: SecondLoopback;
    opened.defer(() => closeServer(server, second, work));
    await reserved?.release();
    await server.listen({ port: config.port, host }).catch(refuse);
    if (settings.host === 'localhost') second = await openSecondLoopback(server.server, config.port);
    work.startHousekeeping();

    let closing: Promise<void> | undefined;
    return {
      url: listenUrl(config),
      config,
      secondTaken: second === 'taken',
      secrets,
      addresses,
      authorityFingerprint: tls?.authority?.fingerprint,
      authorityReplaced: tls?.authority?.replaced,
      presets: { reader: readerId, fleet: fleetId },
      lessonCount: range?.lessonCount ?? 0,
      overview: range?.overview,
      going,
      housekeeping: () => work.housekeeping(),
      catchUp: () => work.runJobs(),
      close: () => (closing ??= opened.disposeAsync()),
    };
  } catch (error) {
    await opened.disposeAsync();
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const { message = 'unknown reason' } = (error.cause ?? {}) as { message?: string };
    throw new StartupError(1, `The database is not available: ${message}`);
  }
}

/** What is due once a day comes first: jobs may need it. */
async function catchUp(work: BackgroundWork): Promise<void> {
  await work.housekeeping();
  await work.runJobs();
}

/** Those that are not kept in a data directory; undefined where there is one. */
function secretsWithoutDirectory(config: Config, randomness: Randomness): Secrets | undefined {
  if (config.databaseUrl !== undefined) return givenSecrets(config);
  return config.dataDir === inMemory ? madeSecrets(config, randomness) : undefined;
}

/** Lets running requests get their answers, up to the grace period. Other nodes need not wait for them: work ends now. */
async function closeServer(server: FastifyInstance, second: SecondLoopback, work: BackgroundWork): Promise<void> {
  const cut = setTimeout(() => server.connections.closeAll(), gracePeriod).unref();
  // A connection whose request is under way becomes idle with its answer.
  const idle = setInterval(() => {
    server.server.closeIdleConnections();
    server.connections.closeIdle();
  }, 50);
  const others = second instanceof Server ? [once(second.close(), 'close')] : [];
  await Promise.all([server.close(), ...others, work.stop()]);
  clearInterval(idle);
  clearTimeout(cut);
}

/** Where calls are counted. The library of Redis is loaded only where it is wanted: that takes time and memory. */
async function openRateLimits(config: Config, clock: Clock, log: Logger): Promise<RateLimitStore> {
  if (config.redisUrl === undefined) return new LocalRateLimitStore(clock);
  const { RedisRateLimitStore } = await import('./http/limits/redis-rate-limit-store.ts');
  return RedisRateLimitStore.open(config.redisUrl, clock, log);
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): StartupError {
  if (error.code === 'EADDRINUSE') {
    const then = 'Stop the program that uses it, or choose another port';
    return new StartupError(1, `Port ${port} on ${host} is in use. ${then}`, { port: nextPort(port) });
  }
  if (error.code === 'EACCES')
    return new StartupError(1, `You are not allowed to use port ${port}. Choose one above 1023`, { port: '8080' });
  return new StartupError(1, `Can't listen on ${host}:${port}: ${error.message}`);
}
