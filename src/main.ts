import cluster from 'node:cluster';
import { nearName } from './http/requests/near-name.ts';
import { standardLog } from './output/log.ts';
import type { LogFile } from './output/log-file.ts';
import { Output } from './output/output.ts';
import { type Announced, banner } from './process/banner.ts';
import { classLogFile, type ShownOn, showClass } from './process/class-terminal.ts';
import { tellNetworks } from './process/network-news.ts';
import { ReadyFile, readyLine, version } from './process/ready.ts';
import { flushTimeout, gracePeriod, printErrors, stopOnSignal } from './process/stopping.ts';
import { disconnectParent, sendReady, startWorkers } from './process/workers.ts';
import { type Config, help, listenUrl, readConfig, startLine, withPort } from './settings/config.ts';
import { givenSecrets } from './settings/secrets.ts';
import { StartupError } from './settings/startup-error.ts';
import { systemClock } from './time/clock.ts';
import { checkGivenFiles } from './tls/tls.ts';

/** The command line: reads the settings, starts, prints the banner, stops at SIGTERM or SIGINT. */
export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const standardError = new Output(2);
  printErrors(standardError);
  const startWith = (changed: Readonly<Record<string, string>>) => startLine(args, changed);
  let failed = "L-Plate can't start.";
  try {
    const config = readConfig(args, environment, nearName);
    if (config === 'help') return await printText(help(), standardError);
    if (config === 'version') return await printText(`${version()}\n`, standardError);
    if ('checkLessons' in config) {
      const { checkLessons } = await import('./process/check-lessons.ts');
      const { text, exitCode } = await checkLessons(config.checkLessons, config.withCertificates);
      process.exitCode = exitCode;
      return await printText(text, standardError);
    }
    if ('report' in config) {
      failed = 'Nothing was examined.';
      const { runExamination } = await import('./examine/command.ts');
      const standardOutput = new Output(1);
      process.exitCode = await runExamination(config, { standardOutput, standardError });
      return await flushed(standardOutput, standardError);
    }
    if ('backup' in config) {
      failed = 'The backup was not made.';
      const { backUp } = await import('./process/backup.ts');
      return await printText(await backUp(config.backup, config.config, startWith), standardError);
    }
    // A program that reads standard output for its one line must not meet others there.
    const logFile = classLogFile(config, environment);
    const log = standardLog(systemClock, standardError, logFile ?? (config.ready === 'json' ? 2 : 1));
    const standardOutput = logFile || config.ready === 'json' ? new Output(1) : log;
    const readyFile = new ReadyFile(cluster.isPrimary ? config.readyFile : undefined);
    const outputs = { log, logFile, standardError, standardOutput, readyFile };
    if (config.workers > 1 && cluster.isPrimary) return await serveByWorkers(config, outputs);
    // The service itself is loaded only where it starts.
    const { start } = await import('./app.ts');
    const running = await start(config, { log });
    const withStdin = cluster.isPrimary && config.endWithStdin === 'on';
    stopOnSignal(running, { log, standardError, within: gracePeriod, withStdin });
    if (cluster.isWorker) {
      const { addresses, presets, secondTaken, going } = running;
      sendReady({ servesOn: running.config.port, addresses, presets, secondTaken, going });
    } else await announce(running.config, running, outputs);
    if (logFile && running.overview) showClass(running.overview, outputs);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const { message, instead } = error;
    if (message) standardError.print(`${failed} ${message}${instead ? `: ${startWith(instead)}` : ''}\n`);
    process.exitCode = error.exitCode;
    disconnectParent();
    await standardError.flush(flushTimeout);
  }
}

/** Milliseconds that all workers get from a signal on. */
const workersGracePeriod = 9_400;

interface Outputs extends ShownOn {
  /** Of a class on a terminal. Else the log is the standard output, unless a program reads that. */
  readonly logFile: LogFile | undefined;
  readonly readyFile: ReadyFile;
}

interface Listening extends Announced {
  close(): Promise<void>;
}

/** Tells people, or programs, that it listens. */
async function announce(config: Config, listening: Listening, outputs: Outputs): Promise<void> {
  const { standardOutput, readyFile, logFile } = outputs;
  const line = readyLine(listening.url, config, listening.secrets);
  try {
    readyFile.write(line);
  } catch (error) {
    await listening.close();
    throw error;
  }
  process.on('exit', () => readyFile.remove());
  standardOutput.print(config.ready === 'json' ? line : banner(config, { ...listening, logFile: logFile?.path }));
  if (config.ready === 'text') tellNetworks(config, (text) => standardOutput.print(text));
}

async function serveByWorkers(settings: Config, outputs: Outputs): Promise<void> {
  const { log, standardError } = outputs;
  // Said once, by this process, if any is missing or can't be used.
  const secrets = givenSecrets(settings);
  checkGivenFiles(settings);
  const workers = await startWorkers(settings.workers);
  const withStdin = settings.endWithStdin === 'on';
  stopOnSignal(workers, { log, standardError, within: workersGracePeriod, withStdin });
  const { servesOn, addresses, presets, secondTaken, going } = workers.ready;
  const config = withPort(settings, servesOn);
  const url = listenUrl(config);
  await announce(
    config,
    { url, secrets, addresses, presets, secondTaken, going, close: () => workers.close() },
    outputs,
  );
}

/** Prints a text. A reader that closes the pipe early has what it wanted. */
async function printText(text: string, standardError: Output): Promise<void> {
  const standardOutput = new Output(1);
  standardOutput.print(text);
  await flushed(standardOutput, standardError);
}

async function flushed(standardOutput: Output, standardError: Output): Promise<void> {
  await standardOutput.flush(Number.POSITIVE_INFINITY);
  const { failure } = standardOutput;
  if (!failure || failure.code === 'EPIPE') return;
  process.exitCode = 1;
  standardError.print(`L-Plate: standard output can't be written: ${failure.message}\n`);
  await standardError.flush(flushTimeout);
}
