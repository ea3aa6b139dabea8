import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { PresetIds } from '../app.ts';
import { answerForMetrics } from '../output/worker-metrics.ts';
import type { GoingLearners } from '../range/index.ts';
import { StartupError } from '../settings/startup-error.ts';
import type { Address } from '../system.ts';

/*
 * Several processes on one port of one machine. The first process only starts the others, which serve: the first of
 * them alone, so that what keeps the program from starting is said once, then the rest. One that dies is replaced.
 * To stop, it signals all of them and waits.
 */

/** Milliseconds before a worker that died is replaced: one that dies at once must not keep the machine busy. */
const restartDelay = 1000;

/** Milliseconds after which a worker that was told to stop is killed: it ends by itself after 9 s, unless it hangs. */
const killAfter = 9_200;

/** What a worker sends when it serves. */
export interface Ready {
  readonly servesOn: number;
  /** What the banner lists. */
  readonly addresses: readonly Address[];
  readonly presets: PresetIds;
  readonly secondTaken: boolean;
  readonly going: GoingLearners | null;
}

export interface Workers {
  /** As the first of them told it; all serve on the same port. */
  readonly ready: Ready;
  /** Resolves when all have stopped; rejects when one of them did not do so cleanly. */
  close(): Promise<void>;
}

/**
 * Starts `count` workers and resolves when they serve.
 *
 * @throws {StartupError} when the first can't start; it has said why
 */
export async function startWorkers(count: number): Promise<Workers> {
  const workers = new Set<Worker>();
  let stopping = false;
  let first: Ready | undefined;
  answerForMetrics();

  async function startOne(): Promise<boolean> {
    const worker = cluster.fork();
    workers.add(worker);
    const exited = once(worker, 'exit');
    worker.on('exit', () => workers.delete(worker));
    // A message that no longer reaches one that ends.
    worker.on('error', () => {});
    const ready = await Promise.race([waitUntilReady(worker), exited.then(() => undefined)]);
    if (ready) keepFirst(ready);
    const serves = ready !== undefined;
    void exited.then(() => (serves && !stopping ? replace() : undefined));
    return serves;
  }

  /** If the first took a free port, the next ones take the same: the last of two flags counts. */
  function keepFirst(ready: Ready): void {
    if (first) return;
    first = ready;
    cluster.setupPrimary({ args: [...process.argv.slice(2), '--port', String(ready.servesOn)] });
  }

  async function replace(): Promise<void> {
    await pause(restartDelay);
    while (!stopping && !(await startOne())) await pause(restartDelay);
  }

  async function close(): Promise<void> {
    stopping = true;
    const exited = [...workers].map((worker) => {
      const exit = once(worker, 'exit');
      worker.process.kill('SIGTERM');
      return exit;
    });
    const killing = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, killAfter);
    const codes = (await Promise.all(exited)).map(([code]) => code);
    clearTimeout(killing);
    if (codes.some((code) => code !== 0)) throw new Error('a worker was killed, or did not exit with code 0');
  }

  if (!(await startOne()) || !first) throw new StartupError(1, '');
  const others = await Promise.all(Array.from({ length: count - 1 }, startOne));
  for (const serves of others) if (!serves) void replace();
  return { ready: first, close };
}

/** In a worker: tells that it serves. */
export function sendReady(ready: Ready): void {
  process.send?.(ready);
}

/** At the end: closes the channel to the process that started this one, if there is one. It would keep this one alive. */
export function disconnectParent(): void {
  if (process.connected) process.disconnect?.();
}

/** What it tells as soon as it serves. */
async function waitUntilReady(worker: Worker): Promise<Ready> {
  for (;;) {
    const [message] = await once(worker, 'message');
    if (typeof message === 'object' && message !== null && 'servesOn' in message) return message as Ready;
  }
}
