import cluster from 'node:cluster';
import { finished } from 'node:stream';
import { inspect } from 'node:util';
import type { Running } from '../app.ts';
import type { Output } from '../output/output.ts';
import { systemClock } from '../time/clock.ts';
import { disconnectParent } from './workers.ts';

/* How the process ends: at a signal, with the process that started it, by an error in the code. */

/**
 * Node.js itself prints warnings and fatal errors, and waits until standard error has taken them: with a reader that
 * has stopped it would wait for ever.
 */
export function printErrors(standardError: Output): void {
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

/** Milliseconds within which a second signal is a duplicate of the first one. */
const duplicateSignalMs = 500;

/** Milliseconds from the signal to the end, even if something hangs: requests get 8 s, many tools kill after 10 s. */
export const gracePeriod = 9_000;

/** Milliseconds that the outputs, and what other threads do, get at the end. */
export const flushTimeout = 500;

interface Stop {
  readonly log: Output;
  readonly standardError: Output;
  /** Milliseconds. */
  readonly within: number;
  /** Whether the end of standard input stops it too. */
  readonly withStdin?: boolean;
}

/**
 * Stops what runs at SIGTERM or SIGINT, or when the process ends that started this one. Returns what stops it as a first
 * signal does.
 */
export function stopOnSignal(running: Pick<Running, 'close'>, options: Stop): () => void {
  const { log, standardError, within, withStdin } = options;
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
    disconnectParent();
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
  const stopOnce = () => askedAt ?? onSignal();
  if (startedByNpm.has(process.env.npm_lifecycle_event ?? '')) stopWithParent(stopOnce);
  // A worker has a channel too, which is cluster's own.
  if (!cluster.isWorker) process.once('disconnect', stopOnce);
  if (withStdin)
    onEndOfStdin(() => {
      if (askedAt !== undefined) return;
      standardError.print('L-Plate stops: its standard input has ended (--end-with-stdin)\n');
      onSignal();
    });
  return stopOnce;
}

/** Reads what comes and drops it. An input that can't be read has ended, and none keeps the process alive. */
function onEndOfStdin(ended: () => void): void {
  const { stdin } = process;
  finished(stdin, { writable: false }, ended);
  stdin.resume();
  // A file has no `unref`: it is read to its end at once.
  stdin.unref?.();
}

const startedByNpm = new Set(['start', 'npx']);

/** What other threads do for Node.js, which waits for them before it exits: files, names of hosts. */
const threadWork = /^(FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** Ends the process, also when another thread hangs, such as in a write to a file on a server that is away. */
function exitNow(code: typeof process.exitCode, milliseconds = flushTimeout): void {
  if (!process.getActiveResourcesInfo().some((name) => threadWork.test(name))) process.exit(code);
  if (milliseconds <= 0) process.kill(process.pid, 'SIGKILL');
  setTimeout(() => exitNow(code, milliseconds - 20), 20);
}

/** As early as this is loaded: the parent may end while the program starts. */
const parent = process.ppid;

/** npm gives a signal to the shell between us; some shells die of it and don't hand it on. */
function stopWithParent(stop: () => void): void {
  setInterval(() => process.ppid === parent || stop(), 250).unref();
}
