import cluster from 'node:cluster';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { metricsOfAllWorkers } from '../worker-metrics.ts';

/** What `/metrics` tells, in the Prometheus text format. */
export interface Metrics {
  /** Counts one answered request; `seconds` from its first byte to the end of the answer. */
  request(method: string, route: string, status: number, seconds: number): void;
  /** Counts one durable group of writes. */
  group(size: number): void;
  /** Counts one attempt to deliver a webhook. */
  webhook(outcome: 'taken' | 'refused' | 'unanswered'): void;
  /** Shows what became of log lines, as their output tells it whenever it is asked. */
  log(lines: { readonly dropped?: number; readonly waiting?: number }): void;
  /** Shows how many streams are open, as `count` tells it whenever it is asked for. */
  streams(count: () => number): void;
  /** Shows how many events are not yet relayed to Kafka, as `lag` tells it whenever it is asked for. */
  relayLag(lag: () => Promise<number>): void;
  /** The text of `/metrics` and its content type. Of several workers it tells for all; rejects when one does not tell. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  // Event loop lag, memory, garbage collection.
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'lplate_http_request_duration_seconds',
    help: 'Requests answered, by method, route and status, and how long they took',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const groups = new Histogram({
    name: 'lplate_database_group_size',
    help: 'Writes that shared one commit',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  const webhooks = new Counter({
    name: 'lplate_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by what came of it',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // Looking up a labelled child costs more than observing: keep them.
  const children = new Map<string, { observe(value: number): void }>();
  return {
    request(method, route, status, seconds) {
      const key = `${method} ${route} ${status}`;
      let child = children.get(key);
      if (!child) {
        child = requests.labels(method, route, String(status));
        children.set(key, child);
      }
      child.observe(seconds);
    },
    group: (size) => groups.observe(size),
    webhook: (outcome) => webhooks.inc({ outcome }),
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
        help: 'Characters of log lines that wait to be written, 1048576 at the most',
        registers: [registry],
        collect() {
          this.set(lines.waiting ?? 0);
        },
      });
    },
    streams(count) {
      new Gauge({
        name: 'lplate_event_streams',
        help: 'Streams of events that are open',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
    relayLag(lag) {
      new Gauge({
        name: 'lplate_kafka_relay_lag',
        help: 'Events that are not yet relayed to Kafka',
        // Each process tells the same of one database.
        aggregator: 'max',
        registers: [registry],
        async collect() {
          // While the database is away nobody knows; the other metrics are told all the same.
          this.set(await lag().catch(() => Number.NaN));
        },
      });
    },
    text: cluster.isWorker ? metricsOfAllWorkers(registry) : () => registry.metrics(),
    contentType: registry.contentType,
  };
}
