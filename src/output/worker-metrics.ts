import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { atMostEvery } from '../time/at-most-every.ts';
import { systemClock } from '../time/clock.ts';

/*
 * Any worker may be asked for `/metrics`, and answers for all of them: it asks the first process, which asks every
 * worker for its figures and adds them up.
 */

/** The question of a worker. The answer is a `{ metrics }`. */
const metricsRequest = 'metrics';

interface Answer {
  /** Null when a worker did not tell its own in time. */
  readonly metrics: string | null;
}

/** Milliseconds between two computations of `/metrics`: its text grows with the routes, and anybody may ask for it. */
export const metricsInterval = 1000;

/** Milliseconds; the first process itself waits for five seconds. */
const answerTimeout = 6000;

/** In the first process: answers the workers. */
export function answerForMetrics(): void {
  const registry = new AggregatorRegistry();
  const all = atMostEvery(metricsInterval, systemClock, () => registry.clusterMetrics());
  cluster.on('message', (worker, message) => {
    if (message !== metricsRequest) return;
    all()
      .catch(() => null)
      // One that has gone meanwhile needs no answer.
      .then((metrics) => worker.isConnected() && worker.send({ metrics } satisfies Answer, () => {}));
  });
}

/** In a worker: how to get the text of all workers' metrics, given its own. Rejects when they are not all told. */
export function metricsOfAllWorkers(own: Registry): () => Promise<string> {
  // Its own are asked for in turn, which takes one of these to be there.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(own);
  return requestMetrics;
}

function requestMetrics(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const late = setTimeout(() => reject(new Error('The workers did not all send their metrics in time')), answerTimeout);
  const listen = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('metrics' in message)) return;
    const { metrics } = message as Answer;
    if (metrics === null) reject(new Error('A worker did not send its metrics'));
    else resolve(metrics);
  };
  process.on('message', listen);
  process.send?.(metricsRequest);
  return promise.finally(() => {
    clearTimeout(late);
    process.off('message', listen);
  });
}
