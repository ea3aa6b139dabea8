import { type Logger, pino } from 'pino';
import { type ClaimsSystem, openClaims, type Resolve } from './claims/index.ts';
import { type Clock, instant, systemClock } from './clock.ts';
import { type Config, withPort } from './config.ts';
import { DatabaseUnavailable } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import type { PostgresOptions } from './database/postgres.ts';
import { takeFreePort } from './free-port.ts';
import { frontPage } from './front-page.ts';
import type { Context } from './context.ts';
import { Housekeeping } from './housekeeping.ts';
import { createMetrics } from './http/metrics.ts';
import { operations } from './http/operations.ts';
import { problemPages } from './http/problem-pages.ts';
import { reference } from './http/reference.ts';
import { createServer } from './http/server.ts';
import { LocalRateLimitStore, type RateLimitStore } from './http/rate-limit-store.ts';
import { openInsurer } from './insurer/index.ts';
import type { LogLines } from './log.ts';
import { givenSecrets, keptSecrets, type Secrets } from './secrets.ts';
import { StartupError } from './startup-error.ts';
import { registerVehicleRegistry } from './vehicle-registry/index.ts';

export interface StartOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Where log lines go. */
  readonly log: LogLines;
  /** How the names of webhooks become addresses. Default: the system's way. */
  readonly resolve?: Resolve;
}

/** L-Plate, up and listening. */
export interface Running {
  readonly url: string;
  /** The settings, with the port that was taken when they leave it open. */
  readonly config: Config;
  readonly secrets: Secrets;
  /** Does what is done once a minute: removes what was left unused too long. */
  housekeeping(): Promise<void>;
  /** Does what is done once a second: the claims desk moves claims, webhooks that are due are called. */
  catchUp(): Promise<void>;
  /** Lets running requests get their answers, then closes the database. A second call waits for the first. */
  close(): Promise<void>;
}

/** Milliseconds between two rounds of housekeeping. */
const housekeepingInterval = 60_000;

/** Milliseconds that requests under way get when the program is told to stop. */
const farewell = 8_000;

/**
 * Puts the program together and starts it: config → database and secrets → systems → one server.
 *
 * @throws {StartupError} when the surroundings refuse: port, data directory, database
 */
export async function start(settings: Config, surroundings: StartOptions): Promise<Running> {
  // For localhost with two addresses Fastify would open a second server, which lacks our handlers.
  const host = settings.host === 'localhost' ? '127.0.0.1' : settings.host;
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new StartupError(1, listenFailure(error, settings));
  };
  // Published addresses name the port, so it is known before anything is made.
  await using taken = settings.port === 0 ? await takeFreePort(host).catch(refuse) : undefined;
  const config = taken ? withPort(settings, taken.port) : settings;
  const { clock = systemClock, log: lines, resolve } = surroundings;
  const timestamp = () => `,"time":"${instant(clock.now())}"`;
  const log = pino({ level: config.logLevel, base: null, timestamp }, lines);
  const metrics = createMetrics(clock);
  metrics.log(lines);
  // With PostgreSQL nothing is kept on this machine, so the secrets must have been given: told before it is opened.
  const given = config.databaseUrl === undefined ? undefined : givenSecrets(config);
  const where = config.databaseUrl === undefined ? { directory: config.dataDir } : { url: config.databaseUrl };
  const database = await openDatabase(where, { ...postgresOptions(config), onGroup: metrics.group, clock });
  let rateLimits: RateLimitStore | undefined;
  let claims: ClaimsSystem | undefined;
  try {
    const secrets = given ?? keptSecrets(config, config.dataDir);
    const { redisUrl } = config;
    rateLimits = redisUrl === undefined ? new LocalRateLimitStore(clock) : await sharedRateLimitStore(redisUrl, clock, log);
    const context: Context = { config, secrets, clock, database, log, metrics, rateLimits };
    const insurer = await openInsurer(context);
    const { tokens, records } = insurer;
    const claimsSystem = await openClaims(context, { tokens, records, resolve });
    claims = claimsSystem;
    const server = createServer(context);
    frontPage(server, config.publicUrl);
    problemPages(server, config.publicUrl);
    operations(server, context);
    await insurer.register(server);
    await registerVehicleRegistry(server, context, tokens);
    await claimsSystem.register(server);
    const documents = [
      { title: 'Insurer v1', url: '/insurer/v1/openapi.yaml' },
      { title: 'Insurer v0 (draft)', url: '/insurer/v0/openapi.yaml' },
      { title: 'Claims v1', url: '/claims/v1/openapi.yaml' },
      { title: 'Claims topic', url: '/claims/v1/asyncapi.yaml' },
      { title: 'Vehicle registry v2', url: '/vehicle-registry/v2/openapi.yaml' },
    ];
    reference(server, documents, config.publicUrl, log);
    await server.ready();
    await taken?.release();
    await server.listen({ port: config.port, host }).catch(refuse);

    const keeper = await database.role('housekeeping');
    const tasks = [...insurer.housekeeping, ...claimsSystem.housekeeping];
    const housekeeping = new Housekeeping({ tasks, clock, log, metrics, mayGoOn: () => keeper.held });
    // What went idle while the program was not running need not wait.
    void housekeeping.run();
    const timer = setInterval(() => void housekeeping.run(), housekeepingInterval).unref();

    let closing: Promise<void> | undefined;
    const close = async () => {
      clearInterval(timer);
      // Other nodes need not wait for the requests that are under way here.
      const left = Promise.all([claimsSystem.close(), housekeeping.stop()]).then(() => database.leave());
      const cut = setTimeout(() => server.server.closeAllConnections(), farewell).unref();
      // A connection whose request is under way becomes idle with its answer.
      const idle = setInterval(() => server.server.closeIdleConnections(), 50);
      await Promise.all([server.close(), left]);
      await context.rateLimits.close();
      clearInterval(idle);
      clearTimeout(cut);
      await database.close();
    };
    return {
      url: listenUrl(config),
      config,
      secrets,
      housekeeping: () => housekeeping.run(),
      catchUp: () => claimsSystem.catchUp(),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await claims?.close();
    await rateLimits?.close();
    await database.close();
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const { message = 'no reason is known' } = (error.cause ?? {}) as { message?: string };
    throw new StartupError(1, `The database can't be used now: ${message}`);
  }
}

/** Its library is loaded only where it is wanted: that takes time and memory. */
async function sharedRateLimitStore(redisUrl: string, clock: Clock, log: Logger): Promise<RateLimitStore> {
  const { RedisRateLimitStore } = await import('./http/redis-rate-limit-store.ts');
  return RedisRateLimitStore.open(redisUrl, clock, log);
}

/** Where it listens, as a URL. */
export function listenUrl({ host, port }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The settings of the connections to PostgreSQL. */
function postgresOptions(config: Config): PostgresOptions {
  const { databasePoolSize, databaseTimeoutSeconds, databaseTls, databaseTlsCa } = config;
  const ca = databaseTlsCa === undefined ? {} : { ca: databaseTlsCa };
  const tls: Record<Config['databaseTls'], PostgresOptions['tls']> = {
    url: undefined,
    off: false,
    on: { rejectUnauthorized: false },
    verify: { rejectUnauthorized: true, ...ca },
  };
  return {
    max: databasePoolSize,
    statementTimeoutMillis: databaseTimeoutSeconds * 1000,
    tls: tls[databaseTls],
  };
}

function listenFailure(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop what listens there, or choose another port: npm start -- --port ${port + 1}`;
  if (error.code === 'EACCES')
    return `Port ${port} is not open to this user. Choose one above 1023: npm start -- --port 8080`;
  return `Can't listen on ${host}:${port}: ${error.message}`;
}
