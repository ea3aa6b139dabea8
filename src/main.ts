import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { listenUrl, type Running, start } from './app.ts';
import { systemClock } from './clock.ts';
import { type Config, help, readConfig, withPort } from './config.ts';
import { addresses } from './front-page.ts';
import { fleetId, readerId } from './insurer/index.ts';
import { givenSecrets } from './secrets.ts';
import { StartupError } from './startup-error.ts';
import { leaveWorkers, startWorkers, tellReady } from './workers.ts';

/** The command line: reads the settings, starts, prints the banner, stops at SIGTERM or SIGINT. */
export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const config = readConfig(args, environment);
    if (config === 'help') return void process.stdout.write(help());
    if (config === 'version') return void process.stdout.write(`${version()}\n`);
    if (config.workers > 1 && cluster.isPrimary) return await serveByWorkers(config);
    const running = await start(config);
    stopOnSignal(running);
    if (cluster.isWorker) tellReady(running.config.port);
    else process.stdout.write(banner(running.config, running));
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    if (error.message) process.stderr.write(`L-Plate can't start. ${error.message}\n`);
    process.exitCode = error.exitCode;
    leaveWorkers();
  }
}

async function serveByWorkers(settings: Config): Promise<void> {
  // Said once, by this process, if any is missing.
  const secrets = givenSecrets(settings);
  const workers = await startWorkers(settings.workers);
  stopOnSignal(workers);
  const config = withPort(settings, workers.port);
  process.stdout.write(banner(config, { url: listenUrl(config), secrets }));
}

/** What a start shows on the terminal. It holds secrets, so it never goes through the log. */
function banner(config: Config, { url, secrets }: Pick<Running, 'url' | 'secrets'>): string {
  const lines = addresses(config.publicUrl).map(({ what, url }) => `  ${what.padEnd(28)}${url}`);
  return [
    '',
    `L-Plate ${version()} is ready and listens on ${url}`,
    '',
    ...lines,
    '',
    'Given out of band:',
    `  ${'client, read only'.padEnd(28)}${readerId}  ${secrets.readerClientSecret}`,
    `  ${'client with 75 policies'.padEnd(28)}${fleetId}  ${secrets.fleetClientSecret}`,
    `  ${'HMAC_SECRET'.padEnd(28)}${secrets.hmacSecret}`,
    '',
    ...(config.workers > 1 && config.redisUrl === undefined
      ? [
          `Each of the ${config.workers} workers counts calls for itself; with REDIS_URL they share the rate limits.`,
          '',
        ]
      : []),
    `Open ${config.publicUrl} for a quick start. Stop with Ctrl+C.`,
    '',
    '',
  ].join('\n');
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

/** Milliseconds within which a second signal is the first one come by another way. */
const echo = 500;

function stopOnSignal(running: Pick<Running, 'close'>): void {
  let askedAt: number | undefined;
  const stop = () => {
    const now = systemClock.elapsed();
    if (askedAt === undefined) {
      askedAt = now;
      running
        .close()
        .catch((error) => {
          process.stderr.write(`L-Plate did not stop cleanly: ${error.message}\n`);
          process.exitCode = 1;
        })
        .finally(leaveWorkers);
    } else if (now - askedAt > echo) {
      // Asked twice: whoever asks has waited long enough. (Ctrl+C comes from the terminal and again from npm.)
      process.exit(1);
    }
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.env.npm_lifecycle_event === 'start') stopWithParent(() => askedAt ?? stop());
}

/** npm gives a signal to the shell between us; some shells die of it and don't hand it on. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || stop(), 250).unref();
}
