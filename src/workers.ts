import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from './startup-error.ts';
import { answerForMetrics } from './worker-metrics.ts';

/*
 * Several processes on one port of one machine. The first process only starts the others, which serve: the first of
 * them alone, so that what keeps the program from starting is said once, then the rest. One that dies is replaced.
 * To stop, all of them are told and waited for.
 */

/** Milliseconds before a worker that died is replaced: one that dies at once must not keep the machine busy. */
const respite = 1000;

/** Milliseconds after which a worker that was told to stop is killed: it ends by itself after 9 s, unless it hangs. */
const killAfter = 9_200;

/** What a worker sends when it serves. */
const ready = 'ready';

export interface Workers {
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
  answerForMetrics();

  async function startOne(): Promise<boolean> {
    const worker = cluster.fork();
    workers.add(worker);
    const gone = once(worker, 'exit');
    worker.on('exit', () => workers.delete(worker));
    // A message that no longer reaches one that ends.
    worker.on('error', () => {});
    const serves = await Promise.race([served(worker), gone.then(() => false)]);
    void gone.then(() => (serves && !stopping ? replace() : undefined));
    return serves;
  }

  async function replace(): Promise<void> {
    await pause(respite);
    while (!stopping && !(await startOne())) await pause(respite);
  }

  async function close(): Promise<void> {
    stopping = true;
    const gone = [...workers].map((worker) => {
      const exit = once(worker, 'exit');
      worker.process.kill('SIGTERM');
      return exit;
    });
    const killing = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, killAfter);
    const codes = (await Promise.all(gone)).map(([code]) => code);
    clearTimeout(killing);
    if (codes.some((code) => code !== 0)) throw new Error('a worker was killed, or ended with another code than 0');
  }

  if (!(await startOne())) throw new StartupError(1, '');
  const others = await Promise.all(Array.from({ length: count - 1 }, startOne));
  for (const serves of others) if (!serves) void replace();
  return { close };
}

/** In a worker: tells that it serves. */
export function tellReady(): void {
  process.send?.(ready);
}

/** In a worker that is to end: lets go of the line to the process that started it, which would keep it alive. */
export function leaveWorkers(): void {
  if (process.connected) process.disconnect?.();
}

async function served(worker: Worker): Promise<boolean> {
  for (;;) {
    const [message] = await once(worker, 'message');
    if (message === ready) return true;
  }
}
