import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Running } from './app.ts';
import { classLines } from './class-mode.ts';
import { systemClock } from './clock.ts';
import { type Config, help, listenUrl, readConfig, withPort } from './config.ts';
import { standardLog } from './log.ts';
import { networkAddresses } from './networks.ts';
import { Output } from './output.ts';
import { givenSecrets, type Secrets } from './secrets.ts';
import { StartupError } from './startup-error.ts';
import { disconnectWorker, sendReady, startWorkers } from './workers.ts';

/** The command line: reads the settings, starts, prints the banner, stops at SIGTERM or SIGINT. */
export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const standardError = new Output(2);
  printErrors(standardError);
  try {
    const config = readConfig(args, environment);
    if (config === 'help') return await printText(help(), standardError);
    if (config === 'version') return await printText(`${version()}\n`, standardError);
    const log = standardLog(systemClock, standardError);
    if (config.workers > 1 && cluster.isPrimary) return await serveByWorkers(config, log, standardError);
    // The service itself is loaded only where it starts.
    const { start } = await import('./app.ts');
    const running = await start(config, { log });
    stopOnSignal(running, { log, standardError, within: gracePeriod });
    if (cluster.isWorker) {
      const { addresses, presets } = running;
      sendReady({ servesOn: running.config.port, addresses, presets });
    } else log.print(banner(running.config, running));
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    if (error.message) standardError.print(`L-Plate can't start. ${error.message}\n`);
    process.exitCode = error.exitCode;
    disconnectWorker();
    await standardError.flush(flushTimeout);
  }
}

async function serveByWorkers(settings: Config, log: Output, standardError: Output): Promise<void> {
  // Said once, by this process, if any is missing.
  const secrets = givenSecrets(settings);
  const workers = await startWorkers(settings.workers);
  stopOnSignal(workers, { log, standardError, within: workersGracePeriod });
  const { servesOn, addresses, presets } = workers.ready;
  const config = withPort(settings, servesOn);
  log.print(banner(config, { url: listenUrl(config), secrets, addresses, presets }));
}

/** Prints a text. A reader that closes the pipe early has what it wanted. */
async function printText(text: string, standardError: Output): Promise<void> {
  const standardOutput = new Output(1);
  standardOutput.print(text);
  await standardOutput.flush(Number.POSITIVE_INFINITY);
  const { failure } = standardOutput;
  if (!failure || failure.code === 'EPIPE') return;
  process.exitCode = 1;
  standardError.print(`L-Plate: standard output can't be written: ${failure.message}\n`);
  await standardError.flush(flushTimeout);
}

/**
 * Node.js itself prints warnings and fatal errors, and waits until standard error has taken them: with a reader that
 * has stopped it would wait for ever.
 */
function printErrors(standardError: Output): void {
  // Without the default listener they were switched off.
  if (process.listenerCount('warning') > 0) {
    process.removeAllListeners('warning');
    process.on('warning', ({ name, message }) => standardError.print(`(node:${process.pid}) ${name}: ${message}\n`));
  }
  process.on('uncaughtException', (error) => {
    standardError.print(
      `${inspect(error)}\n\nL-Plate exits because of an error in its code. Node.js ${process.version}\n`,
    );
    exitNow(1);
  });
}

/** What a start prints on the terminal. It contains secrets, so it never goes through the log. */
function banner(
  config: Config,
  { url, secrets, addresses, presets }: Pick<Running, 'url' | 'secrets' | 'addresses' | 'presets'>,
): string {
  const lines = addresses.map(({ what, path }) => `  ${what.padEnd(28)}${config.publicUrl}${path}`);
  const others = config.publicUrlGiven ? [] : networkOrigins(config);
  return [
    '',
    `L-Plate ${version()} is ready and listens on ${url}`,
    ...(others.length > 0 && config.class === 'off'
      ? [`Other machines in the network reach it at ${others.join(' or ')}`]
      : []),
    '',
    ...lines,
    '',
    'Secrets, which a real insurer would send you separately:',
    `  ${'read-only client'.padEnd(28)}${presets.reader}  ${secrets.readerClientSecret}`,
    `  ${'client with 75 policies'.padEnd(28)}${presets.fleet}  ${secrets.fleetClientSecret}`,
    `  ${'HMAC_SECRET'.padEnd(28)}${secrets.hmacSecret}`,
    ...(config.range === 'on' ? [`  ${'TRAINER_TOKEN'.padEnd(28)}${secrets.trainerToken ?? trainerOff}`] : []),
    '',
    ...(config.workers > 1 && config.redisUrl === undefined
      ? [`Each of the ${config.workers} workers counts calls by itself. Set REDIS_URL to share the rate limits.`, '']
      : []),
    ...invitation(config, others, secrets),
    '',
    '',
  ].join('\n');
}

/** In place of the trainer's token: no word of it is one. */
const trainerOff = '(not set: /range/v1/trainer is off)';

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

/** Milliseconds within which a second signal is a duplicate of the first one. */
const duplicateSignalMs = 500;

/** Milliseconds from the signal to the end, even if something hangs: requests get 8 s, many tools kill after 10 s. */
const gracePeriod = 9_000;

/** The same for the process that waits for the workers. */
const workersGracePeriod = 9_400;

/** Milliseconds that the outputs, and what other threads do, get at the end. */
const flushTimeout = 500;

interface Stop {
  readonly log: Output;
  readonly standardError: Output;
  /** Milliseconds. */
  readonly within: number;
}

function stopOnSignal(running: Pick<Running, 'close'>, { log, standardError, within }: Stop): void {
  let askedAt: number | undefined;
  const stop = async () => {
    let closed = false;
    setTimeout(() => {
      if (!closed) {
        standardError.print(`L-Plate did not stop within ${within / 1000} seconds: it exits with code 1 now\n`);
        process.exitCode = 1;
      }
      exitNow(process.exitCode);
    }, within).unref();
    try {
      await running.close();
    } catch (error) {
      standardError.print(`L-Plate did not stop cleanly: ${(error as Error).message}\n`);
      process.exitCode = 1;
    }
    closed = true;
    disconnectWorker();
    await Promise.all([log.flush(flushTimeout), standardError.flush(flushTimeout)]);
  };
  const onSignal = () => {
    const now = systemClock.elapsed();
    if (askedAt === undefined) {
      askedAt = now;
      void stop();
    } else if (now - askedAt > duplicateSignalMs) {
      // A second signal: the user has waited long enough. (Ctrl+C comes from the terminal and again from npm.)
      exitNow(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (process.env.npm_lifecycle_event === 'start') stopWithParent(() => askedAt ?? onSignal());
}

/** What other threads do for Node.js, which waits for them before it exits: files, names of hosts. */
const threadWork = /^(FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** Ends the process, also when another thread hangs, such as in a write to a file on a server that is away. */
function exitNow(code: typeof process.exitCode, milliseconds = flushTimeout): void {
  if (!process.getActiveResourcesInfo().some((name) => threadWork.test(name))) process.exit(code);
  if (milliseconds <= 0) process.kill(process.pid, 'SIGKILL');
  setTimeout(() => exitNow(code, milliseconds - 20), 20);
}

/** npm gives a signal to the shell between us; some shells die of it and don't hand it on. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || stop(), 250).unref();
}

/** Who is to open what. */
function invitation(config: Config, others: readonly string[], { trainerToken }: Secrets): string[] {
  const origins = config.publicUrlGiven ? [config.publicUrl] : others;
  if (config.class === 'on') return classLines({ ...config, trainerToken, origins });
  return [`Open ${config.publicUrl} for the console. Stop with Ctrl+C.`];
}

/** Where other machines reach a service that listens on every address of this one. */
function networkOrigins({ host, port }: Config): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [];
  return networkAddresses().map(({ address }) => `http://${address}:${port}`);
}
