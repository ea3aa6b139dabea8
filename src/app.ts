import { type Logger, pino } from 'pino';
import { type ClaimsSystem, openClaims, type Resolve } from './claims/index.ts';
import { type Clock, instant, systemClock } from './clock.ts';
import { StepsAhead } from './clock-steps.ts';
import type { Config } from './config.ts';
import { DatabaseUnavailable } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import type { PostgresOptions } from './database/postgres.ts';
import { frontPage } from './front-page.ts';
import type { Ground } from './ground.ts';
import { createMetrics } from './http/metrics.ts';
import { operations } from './http/operations.ts';
import { problemPages } from './http/problem-pages.ts';
import { reference } from './http/reference.ts';
import { createServer } from './http/server.ts';
import { LocalWindows, type Windows } from './http/windows.ts';
import { openInsurer } from './insurer/index.ts';
import { givenSecrets, keptSecrets, type Secrets } from './secrets.ts';
import { StartupError } from './startup-error.ts';
import { registerVehicleRegistry } from './vehicle-registry/index.ts';

export interface Surroundings {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Where log lines go. Default: standard output. */
  readonly log?: { write(line: string): void };
  /** How the names of webhooks become addresses. Default: the system's way. */
  readonly resolve?: Resolve;
}

/** L-Plate, up and listening. */
export interface Running {
  readonly url: string;
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
export async function start(config: Config, surroundings: Surroundings = {}): Promise<Running> {
  const { clock = systemClock, log: lines, resolve } = surroundings;
  const timestamp = () => `,"time":"${instant(clock.now())}"`;
  const log = pino({ level: config.logLevel, base: null, timestamp }, lines ?? standardOutput());
  const metrics = createMetrics();
  // With PostgreSQL nothing is kept on this machine, so the secrets must have been given: told before it is opened.
  const given = config.databaseUrl === undefined ? undefined : givenSecrets(config);
  const where = config.databaseUrl === undefined ? { directory: config.dataDir } : { url: config.databaseUrl };
  const database = await openDatabase(where, { ...postgresOptions(config), onGroup: metrics.group, clock });
  let windows: Windows | undefined;
  let claims: ClaimsSystem | undefined;
  try {
    const secrets = given ?? keptSecrets(config, config.dataDir);
    const { redisUrl } = config;
    windows = redisUrl === undefined ? new LocalWindows(clock) : await sharedWindows(redisUrl, clock, log);
    const ground: Ground = { config, secrets, clock, database, log, metrics, windows };
    const insurer = await openInsurer(ground);
    const { tokens, records } = insurer;
    const claimsSystem = await openClaims(ground, { tokens, records, resolve });
    claims = claimsSystem;
    const server = createServer(ground);
    frontPage(server, config.publicUrl);
    problemPages(server, config.publicUrl);
    operations(server, ground);
    await insurer.register(server);
    await registerVehicleRegistry(server, ground, tokens);
    await claimsSystem.register(server);
    const documents = [
      { title: 'Insurer v1', url: '/insurer/v1/openapi.yaml' },
      { title: 'Insurer v0 (draft)', url: '/insurer/v0/openapi.yaml' },
      { title: 'Claims v1', url: '/claims/v1/openapi.yaml' },
      { title: 'Claims topic', url: '/claims/v1/asyncapi.yaml' },
      { title: 'Vehicle registry v2', url: '/vehicle-registry/v2/openapi.yaml' },
    ];
    reference(server, documents, config.publicUrl);
    // For localhost with two addresses Fastify would open a second server, which lacks our handlers.
    const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
    await server.listen({ port: config.port, host }).catch((error) => {
      throw new StartupError(1, listenFailure(error, config));
    });

    const keeper = await database.role('housekeeping');
    const stepsAhead = new StepsAhead(clock);
    const keepHouse = async () => {
      // Asked in any case: it compares with the time before.
      const removalWaits = stepsAhead.recent;
      if (!keeper.held) return;
      try {
        await insurer.upkeep();
        await claimsSystem.upkeep();
        if (removalWaits) return;
        const removed = await insurer.housekeeping();
        if (removed > 0) log.info({ removed }, 'idle clients removed');
        await claimsSystem.housekeeping();
      } catch (error) {
        log.warn({ error: (error as Error).name }, 'housekeeping failed; it is tried again in a minute');
      }
    };
    // What went idle while the program was not running need not wait.
    let keeping = keepHouse();
    const housekeeping = () => (keeping = keepHouse());
    const timer = setInterval(housekeeping, housekeepingInterval).unref();

    let closing: Promise<void> | undefined;
    const close = async () => {
      clearInterval(timer);
      // Other nodes need not wait for the requests that are under way here.
      const left = Promise.all([claimsSystem.close(), keeping]).then(() => database.leave());
      const cut = setTimeout(() => server.server.closeAllConnections(), farewell).unref();
      // A connection whose request is under way becomes idle with its answer.
      const idle = setInterval(() => server.server.closeIdleConnections(), 50);
      await Promise.all([server.close(), left]);
      await ground.windows.close();
      clearInterval(idle);
      clearTimeout(cut);
      await database.close();
      log.flush();
    };
    return {
      url: listenUrl(config),
      secrets,
      housekeeping,
      catchUp: () => claimsSystem.catchUp(),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await claims?.close();
    await windows?.close();
    await database.close();
    if (!(error instanceof DatabaseUnavailable)) throw error;
    const { message = 'no reason is known' } = (error.cause ?? {}) as { message?: string };
    throw new StartupError(1, `The database can't be used now: ${message}`);
  }
}

/** Its library is loaded only where it is wanted: that takes time and memory. */
async function sharedWindows(redisUrl: string, clock: Clock, log: Logger): Promise<Windows> {
  const { RedisWindows } = await import('./http/redis-windows.ts');
  return RedisWindows.open(redisUrl, clock, log);
}

/**
 * Standard output for log lines. Those of one turn of the event loop go on together, because the destination of pino
 * measures all that it holds at every write.
 */
function standardOutput() {
  let lines = '';
  const pass = () => {
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  // Before the destination writes the last of what it has, for which it waits for the same event.
  process.once('exit', pass);
  const destination = pino.destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 1000 });
  return {
    write(line: string): void {
      if (lines === '') setImmediate(pass);
      lines += line;
    },
    flush(done?: (error?: Error) => void): void {
      pass();
      destination.flush(done);
    },
  };
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
