import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { type BackgroundWork, startWork } from './background-work.ts';
import { claimStatusChanged, openClaims } from './claims/index.ts';
import { ClientClocks } from './client-clocks.ts';
import { type Clock, instant, systemClock } from './clock.ts';
import type { Component } from './component.ts';
import { type Config, listenUrl, withPort } from './config.ts';
import type { Context } from './context.ts';
import { DatabaseUnavailable } from './database/database.ts';
import { groupSizes } from './database/metrics.ts';
import { openDatabase } from './database/open.ts';
import { databaseSettings } from './database/settings.ts';
import { ActiveDrills } from './drills.ts';
import { type Events, openEventLog, openEvents } from './events/index.ts';
import { reserveFreePort } from './free-port.ts';
import { addressesOf, frontPage } from './front-page.ts';
import { guideFiles } from './guides.ts';
import { assets } from './http/assets.ts';
import type { Tokens } from './http/bearer.ts';
import { createMetrics } from './http/metrics.ts';
import { operations } from './http/operations.ts';
import { problemPages } from './http/problem-pages.ts';
import { composeProblems } from './http/problem-table.ts';
import { LocalRateLimitStore, type RateLimitStore } from './http/rate-limit-store.ts';
import { reference } from './http/reference.ts';
import { createServer } from './http/server.ts';
import { fleetId, openInsurer, readerId } from './insurer/index.ts';
import type { LogLines } from './log.ts';
import { openRange } from './range/index.ts';
import { givenSecrets, keptSecrets, type Secrets } from './secrets.ts';
import { StartupError } from './startup-error.ts';
import type { Address, System } from './system.ts';
import { openVehicleRegistry } from './vehicle-registry/index.ts';
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
  readonly tokens: Tokens;
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
  readonly secrets: Secrets;
  /** What the banner lists. */
  readonly addresses: readonly Address[];
  /** The ids of the preconfigured clients. */
  readonly presets: PresetIds;
  /** Does what is done once a minute: removes what was left unused too long. */
  housekeeping(): Promise<void>;
  /** Does what is done once a second: the claims desk moves claims, webhooks that are due are called. */
  catchUp(): Promise<void>;
  /** Lets running requests get their answers, then closes the database. A second call waits for the first. */
  close(): Promise<void>;
}

/** Milliseconds that running requests get when the program stops. */
const gracePeriod = 8_000;

/**
 * Puts the program together and starts it: config → database and secrets → systems → one server.
 *
 * @throws {StartupError} when the environment is not usable: port, data directory, database
 */
export async function start(settings: Config, options: StartOptions): Promise<Running> {
  // For localhost with two addresses Fastify would open a second server, which lacks our handlers.
  const host = settings.host === 'localhost' ? '127.0.0.1' : settings.host;
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new StartupError(1, listenFailure(error, settings));
  };
  // Published addresses name the port, so it is known before anything is made.
  await using reserved = settings.port === 0 ? await reserveFreePort(host).catch(refuse) : undefined;
  const config = reserved ? withPort(settings, reserved.port) : settings;
  const { clock = systemClock, log: lines, resolve, extraSystems } = options;
  const timestamp = () => `,"time":"${instant(clock.now())}"`;
  const log = pino({ level: config.logLevel, base: null, timestamp }, lines);
  const metrics = createMetrics(clock);
  metrics.log(lines);
  const { where, options: databaseOptions, directory } = databaseSettings(config);
  // Without a data directory nothing is kept on this machine, so the secrets must have been given. Checked before the
  // database is opened.
  const given = directory === undefined ? { secrets: givenSecrets(config) } : { directory };
  const database = await openDatabase(where, { ...databaseOptions, onGroup: groupSizes(metrics.registry), clock });
  // What is opened is closed in reverse order, also when the start fails half-way.
  const opened = new AsyncDisposableStack();
  opened.defer(() => database.close());
  try {
    const secrets = 'secrets' in given ? given.secrets : keptSecrets(config, given.directory);
    const rateLimits = await openRateLimits(config, clock, log);
    opened.defer(() => rateLimits.close());
    const clocks = new ClientClocks(clock);
    const drills = new ActiveDrills(clock, [readerId, fleetId]);
    const context: Context = { config, secrets, clock, clocks, database, log, metrics, rateLimits, drills };
    const insurer = await openInsurer(context);
    const { tokens, access, belongings } = insurer;
    const events = await openEvents(context, openEventLog(context), tokens, [claimStatusChanged]);
    const webhooks = openWebhooks(context, tokens, events, resolve);
    const claims = openClaims(context, { tokens, access, events, webhooks });
    const observed: System[] = [
      insurer,
      claims,
      openVehicleRegistry(context, tokens),
      ...(extraSystems?.({ context, tokens, events, webhooks }) ?? []),
    ];
    const range =
      config.range === 'on'
        ? await openRange(context, { tokens, access, belongings, claims: claims.practice, webhooks, systems: observed })
        : undefined;
    const systems = range ? [...observed, range] : observed;
    // Those that publish come before those that deliver.
    const components: Component[] = [...systems, webhooks, events];
    const work = await startWork(components, context);
    opened.defer(() => work.stop());

    const server = createServer(context, composeProblems(components), tokens, range?.observe, range?.faults);
    const addresses = addressesOf(systems);
    assets(server);
    guideFiles(server);
    frontPage(server, config.publicUrl, addresses, range !== undefined);
    problemPages(server, { publicUrl: config.publicUrl, tokens: insurer.base });
    operations(server, context);
    for (const system of systems) await system.register(server);
    reference(
      server,
      systems.flatMap(({ documents }) => documents),
      log,
    );
    await server.ready();
    await reserved?.release();
    await server.listen({ port: config.port, host }).catch(refuse);
    opened.defer(() => closeServer(server, work));
    work.startHousekeeping();

    let closing: Promise<void> | undefined;
    return {
      url: listenUrl(config),
      config,
      secrets,
      addresses,
      presets: { reader: readerId, fleet: fleetId },
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

/** Lets running requests get their answers, up to the grace period. Other nodes need not wait for them: work ends now. */
async function closeServer(server: FastifyInstance, work: BackgroundWork): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), gracePeriod).unref();
  // A connection whose request is under way becomes idle with its answer.
  const idle = setInterval(() => server.server.closeIdleConnections(), 50);
  await Promise.all([server.close(), work.stop()]);
  clearInterval(idle);
  clearTimeout(cut);
}

/** Where calls are counted. The library of Redis is loaded only where it is wanted: that takes time and memory. */
async function openRateLimits(config: Config, clock: Clock, log: Logger): Promise<RateLimitStore> {
  if (config.redisUrl === undefined) return new LocalRateLimitStore(clock);
  const { RedisRateLimitStore } = await import('./http/redis-rate-limit-store.ts');
  return RedisRateLimitStore.open(config.redisUrl, clock, log);
}

function listenFailure(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port: npm start -- --port ${port + 1}`;
  if (error.code === 'EACCES')
    return `You are not allowed to use port ${port}. Choose one above 1023: npm start -- --port 8080`;
  return `Can't listen on ${host}:${port}: ${error.message}`;
}
