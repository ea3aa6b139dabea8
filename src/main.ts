import cluster from 'node:cluster';
import type { Running } from './app.ts';
import { classLines } from './class-mode.ts';
import { instant, systemClock } from './clock.ts';
import { type Config, help, listenUrl, readConfig, scheme, withPort } from './config.ts';
import { standardLog } from './log.ts';
import { networkAddresses } from './networks.ts';
import { Output } from './output.ts';
import { ReadyFile, readyLine, version } from './ready.ts';
import { givenSecrets, type Secrets } from './secrets.ts';
import { inMemory } from './settings.ts';
import { StartupError } from './startup-error.ts';
import { flushTimeout, gracePeriod, printErrors, stopOnSignal } from './stopping.ts';
import { checkGivenFiles } from './tls/tls.ts';
import { disconnectParent, sendReady, startWorkers } from './workers.ts';

/** The command line: reads the settings, starts, prints the banner, stops at SIGTERM or SIGINT. */
export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const standardError = new Output(2);
  printErrors(standardError);
  try {
    const config = readConfig(args, environment);
    if (config === 'help') return await printText(help(), standardError);
    if (config === 'version') return await printText(`${version()}\n`, standardError);
    // A program that reads standard output for its one line must not meet others there.
    const log = standardLog(systemClock, standardError, config.ready === 'json' ? 2 : 1);
    const standardOutput = config.ready === 'json' ? new Output(1) : log;
    const readyFile = new ReadyFile(cluster.isPrimary ? config.readyFile : undefined);
    const outputs = { log, standardError, standardOutput, readyFile };
    if (config.workers > 1 && cluster.isPrimary) return await serveByWorkers(config, outputs);
    // The service itself is loaded only where it starts.
    const { start } = await import('./app.ts');
    const running = await start(config, { log });
    stopOnSignal(running, { log, standardError, within: gracePeriod });
    if (cluster.isWorker) {
      const { addresses, presets } = running;
      sendReady({ servesOn: running.config.port, addresses, presets });
    } else await announce(running.config, running, outputs);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    if (error.message) standardError.print(`L-Plate can't start. ${error.message}\n`);
    process.exitCode = error.exitCode;
    disconnectParent();
    await standardError.flush(flushTimeout);
  }
}

/** Milliseconds that all workers get from a signal on. */
const workersGracePeriod = 9_400;

interface Outputs {
  readonly log: Output;
  readonly standardError: Output;
  /** The log, unless a program reads it. */
  readonly standardOutput: Output;
  readonly readyFile: ReadyFile;
}

type Listening = Pick<Running, 'url' | 'secrets' | 'addresses' | 'presets' | 'close'> &
  Partial<Pick<Running, 'authorityFingerprint'>>;

/** Tells people, or programs, that it listens. */
async function announce(config: Config, listening: Listening, { standardOutput, readyFile }: Outputs): Promise<void> {
  const line = readyLine(listening.url, config, listening.secrets);
  try {
    readyFile.write(line);
  } catch (error) {
    await listening.close();
    throw error;
  }
  process.on('exit', () => readyFile.remove());
  standardOutput.print(config.ready === 'json' ? line : banner(config, listening));
}

async function serveByWorkers(settings: Config, outputs: Outputs): Promise<void> {
  const { log, standardError } = outputs;
  // Said once, by this process, if any is missing or can't be used.
  const secrets = givenSecrets(settings);
  checkGivenFiles(settings);
  const workers = await startWorkers(settings.workers);
  stopOnSignal(workers, { log, standardError, within: workersGracePeriod });
  const { servesOn, addresses, presets } = workers.ready;
  const config = withPort(settings, servesOn);
  const url = listenUrl(config);
  await announce(config, { url, secrets, addresses, presets, close: () => workers.close() }, outputs);
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

/** What a start prints on the terminal. It contains secrets, so it never goes through the log. */
function banner(config: Config, { url, secrets, addresses, presets, authorityFingerprint }: Listening): string {
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
    ...(authorityFingerprint
      ? ['Fingerprint of the class authority (SHA-256), to compare:', `  ${authorityFingerprint}`, '']
      : []),
    'Secrets, which a real insurer would send you separately:',
    `  ${'read-only client'.padEnd(28)}${presets.reader}  ${secrets.readerClientSecret}`,
    `  ${'client with 75 policies'.padEnd(28)}${presets.fleet}  ${secrets.fleetClientSecret}`,
    `  ${'HMAC_SECRET'.padEnd(28)}${secrets.hmacSecret}`,
    ...(config.range === 'on' ? [`  ${'TRAINER_TOKEN'.padEnd(28)}${secrets.trainerToken ?? trainerOff}`] : []),
    '',
    ...warnings(config).flatMap((line) => [line, '']),
    ...(config.workers > 1 && config.redisUrl === undefined
      ? [`Each of the ${config.workers} workers counts calls by itself. Set REDIS_URL to share the rate limits.`, '']
      : []),
    ...invitation(config, others.length > 0 ? others : [url], secrets),
    '',
    '',
  ].join('\n');
}

/** In place of the trainer's token: no word of it is one. */
const trainerOff = '(not set: /range/v1/trainer is off)';

/** What differs from a service for learners. */
function warnings({ dataDir, databaseUrl, seed, now }: Config): string[] {
  return [
    ...(databaseUrl === undefined && dataDir === inMemory ? ['Nothing is kept: all data are gone when it stops.'] : []),
    ...(now === undefined ? [] : [`Time stands still at ${instant(now)} until it is moved.`]),
    ...(seed === undefined ? [] : [`FOR TESTS ONLY: seed ${seed}. Anybody can compute its ids and secrets.`]),
  ];
}

/** Addresses that lead each machine to itself. */
const onlyHere = /\/\/(?:127\.|0\.0\.0\.0|localhost|\[::1?\])/;

/** Who is to open what. */
function invitation(config: Config, others: readonly string[], { trainerToken }: Secrets): string[] {
  const origins = config.publicUrlGiven ? [config.publicUrl] : others.filter((each) => !onlyHere.test(each));
  if (config.class === 'on') return classLines({ ...config, trainerToken, origins });
  return [`Open ${config.publicUrl} for the console. Stop with Ctrl+C.`];
}

/** Where other machines reach a service that listens on every address of this one. */
function networkOrigins(config: Config): string[] {
  const { host, port } = config;
  if (host !== '0.0.0.0' && host !== '::') return [];
  return networkAddresses().map(({ address }) => `${scheme(config)}://${address}:${port}`);
}
