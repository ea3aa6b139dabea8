import cluster from 'node:cluster';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FairPool } from '../fair-pool.ts';
import { metricsInterval, metricsOfAllWorkers } from '../output/worker-metrics.ts';
import { atMostEvery } from '../time/at-most-every.ts';
import type { Clock } from '../time/clock.ts';

const cutReasons = ['unanswered', 'stalled', 'buffer-limit', 'protocol', 'no-place'] as const;

/**
 * Why a connection was cut, as log and metrics have it. `protocol`: it broke the rules of HTTP/2, or its limits; `no-place`: its
 * address has too many.
 */
export type CutReason = (typeof cutReasons)[number];

/**
 * What `/metrics` tells, in the Prometheus text format: of HTTP and of the process. Each part of the program adds its own
 * to the registry, in its `metrics.ts`; two metrics of one name stop the start.
 */
export interface Metrics {
  readonly registry: Registry;
  /** Counts one answered request; `seconds` from its first byte to the end of the answer. */
  request(method: string, route: string, status: number, seconds: number): void;
  /** Counts one connection that was cut. */
  connectionCut(reason: CutReason): void;
  /** Shows how many bytes wait in this process for callers, as `count` tells it whenever it is asked for. */
  bufferedBytes(count: () => number): void;
  /** Shows how many places of a pool are taken, were refused and were taken back. */
  pool(name: string, pool: FairPool): void;
  /** Counts one call that a rate limit refused; `limit` is the limit's name. */
  rateLimited(limit: string): void;
  /** Shows what became of log lines, as their output tells it whenever it is asked. */
  log(lines: { readonly dropped?: number; readonly waiting?: number }): void;
  /**
   * The text of `/metrics`, up to a second old, from several workers up to two. Of several workers it tells for all;
   * rejects when one does not tell.
   */
  text(): Promise<Buffer>;
  readonly contentType: string;
}

let ofTheProcess: Registry | undefined;

/**
 * Event loop lag, memory, garbage collection: made once, and shared by all services of the process. What observes them runs
 * until the process ends, and would keep each service that was closed in memory.
 */
function processMetrics(): Registry {
  if (!ofTheProcess) {
    ofTheProcess = new Registry();
    collectDefaultMetrics({ register: ofTheProcess });
  }
  return ofTheProcess;
}

export function createMetrics(clock: Clock): Metrics {
  const registry = Registry.merge([processMetrics()]);
  const requests = new Histogram({
    name: 'lplate_http_request_duration_seconds',
    help: 'Requests answered, by method, route and status, and how long they took',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const cuts = new Counter({
    name: 'lplate_connections_cut_total',
    help: 'Connections that were cut, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of cutReasons) cuts.inc({ reason }, 0);
  const text = cluster.isWorker ? metricsOfAllWorkers(registry) : () => registry.metrics();
  const refusals = new Counter({
    name: 'lplate_rate_limit_refusals_total',
    help: 'Calls refused by a rate limit, by the name of the limit',
    labelNames: ['limit'],
    registers: [registry],
  });
  const pools = new Map<string, FairPool>();
  showPools(registry, pools);
  // Looking up a labelled child costs more than observing: keep them.
  const children = new Map<string, { observe(value: number): void }>();
  return {
    registry,
    request(method, route, status, seconds) {
      const key = `${method} ${route} ${status}`;
      let child = children.get(key);
      if (!child) {
        child = requests.labels(method, route, String(status));
        children.set(key, child);
      }
      child.observe(seconds);
    },
    connectionCut: (reason) => cuts.inc({ reason }),
    bufferedBytes(count) {
      new Gauge({
        name: 'lplate_buffered_bytes',
        help: 'Bytes that wait in this process: responses that were not sent yet, and pipelined requests',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
    pool: (name, pool) => void pools.set(name, pool),
    rateLimited: (limit) => refusals.inc({ limit }),
    log(lines) {
      new Counter({
        name: 'lplate_log_lines_dropped_total',
        help: 'Log lines that were dropped, because standard output could not be written',
        registers: [registry],
        collect() {
          this.reset();
          this.inc(lines.dropped ?? 0);
        },
      });
      new Gauge({
        name: 'lplate_log_waiting_characters',
        help: 'Characters of log lines that wait to be written, at most 1048576',
        registers: [registry],
        collect() {
          this.set(lines.waiting ?? 0);
        },
      });
    },
    text: atMostEvery(metricsInterval, clock, async () => Buffer.from(await text())),
    contentType: registry.contentType,
  };
}

function showPools(registry: Registry, pools: ReadonlyMap<string, FairPool>): void {
  new Gauge({
    name: 'lplate_pool_taken',
    help: 'Places of each pool that are taken; of body-bytes and copies, bytes',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { taken }] of pools) this.set({ pool }, taken);
    },
  });
  new Gauge({
    name: 'lplate_pool_places',
    help: 'Places of each pool: of all, of one address, of one client',
    labelNames: ['pool', 'of'],
    registers: [registry],
    collect() {
      for (const [pool, { shares }] of pools)
        for (const whose of ['all', 'address', 'client'] as const) this.set({ pool, of: whose }, shares[whose]);
    },
  });
  const count = (name: string, help: string, of: (pool: FairPool) => number) =>
    new Counter({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [name, pool] of pools) this.inc({ pool: name }, of(pool));
      },
    });
  count('lplate_pool_refused_total', 'Who found no place in a pool: its share was taken', ({ refused }) => refused);
  count('lplate_pool_ended_total', 'What lost its place in a pool to somebody with less', ({ ended }) => ended);
}
