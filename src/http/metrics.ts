import cluster from 'node:cluster';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { atMostEvery } from '../at-most-every.ts';
import type { Clock } from '../clock.ts';
import { metricsInterval, metricsOfAllWorkers } from '../worker-metrics.ts';

/** Limits that hold without a request that could show it. */
export type Limit = 'stored-bytes' | 'pending-deliveries' | 'webhook-calls-client' | 'webhook-calls-host';

export const cutReasons = ['unanswered', 'stalled', 'buffer-limit'] as const;

/** Why a connection was cut, as log and metrics have it. */
export type CutReason = (typeof cutReasons)[number];

/** What `/metrics` tells, in the Prometheus text format. */
export interface Metrics {
  /** Counts one answered request; `seconds` from its first byte to the end of the answer. */
  request(method: string, route: string, status: number, seconds: number): void;
  /** Counts one durable group of writes. */
  group(size: number): void;
  /** Counts one attempt to deliver a webhook. */
  webhook(outcome: 'taken' | 'refused' | 'unanswered'): void;
  /** Counts one connection that was cut. */
  connectionCut(reason: CutReason): void;
  /** Shows how many bytes wait in this process for callers, as `count` tells it whenever it is asked for. */
  bufferedBytes(count: () => number): void;
  /** Counts one call that a rate limit refused; `limit` is the limit's name. */
  rateLimited(limit: string): void;
  /** Counts that a limit refused something or made it wait. */
  limited(limit: Limit): void;
  /** Counts a subscription that was disabled because every call failed. */
  subscriptionDisabled(): void;
  /** Counts events that passed retention before a subscription could get them. */
  eventsMissed(count: number): void;
  /** Counts a failure of a task of housekeeping. */
  housekeepingFailed(task: string): void;
  /** Shows what became of log lines, as their output tells it whenever it is asked. */
  log(lines: { readonly dropped?: number; readonly waiting?: number }): void;
  /** Shows how many streams are open, as `count` tells it whenever it is asked for. */
  streams(count: () => number): void;
  /** Shows how many events are not yet relayed to Kafka, as `lag` tells it whenever it is asked for. */
  relayLag(lag: () => Promise<number>): void;
  /** Shows how many demo clients there are, as `count` tells it whenever it is asked for. */
  demoClients(count: () => Promise<number>): void;
  /** Counts a demo client that was not created, by the limit in its way. */
  demoClientRefused(limit: 'address' | 'total'): void;
  /**
   * The text of `/metrics`, up to a second old, from several workers up to two. Of several workers it tells for all;
   * rejects when one does not tell.
   */
  text(): Promise<Buffer>;
  readonly contentType: string;
}

export function createMetrics(clock: Clock): Metrics {
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
    help: 'Attempts to deliver a webhook, by outcome',
    labelNames: ['outcome'],
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
  const limits = new Counter({
    name: 'lplate_limits_reached_total',
    help: 'How often a limit refused something or made it wait',
    labelNames: ['limit'],
    registers: [registry],
  });
  const disabled = new Counter({
    name: 'lplate_webhook_subscriptions_disabled_total',
    help: 'Subscriptions that were disabled because every call failed',
    registers: [registry],
  });
  const missed = new Counter({
    name: 'lplate_webhook_events_missed_total',
    help: 'Events whose retention ended before a subscription received them',
    registers: [registry],
  });
  const housekeeping = new Counter({
    name: 'lplate_housekeeping_failures_total',
    help: 'Failures of housekeeping tasks',
    labelNames: ['task'],
    registers: [registry],
  });
  const refusedClients = new Counter({
    name: 'lplate_demo_clients_refused_total',
    help: 'Demo clients that were refused, by reason: the limit per address and day, or the limit in total',
    labelNames: ['reason'],
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
    rateLimited: (limit) => refusals.inc({ limit }),
    limited: (limit) => limits.inc({ limit }),
    subscriptionDisabled: () => disabled.inc(),
    eventsMissed: (count) => missed.inc(count),
    housekeepingFailed: (task) => housekeeping.inc({ task }),
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
    streams(count) {
      new Gauge({
        name: 'lplate_event_streams',
        help: 'Open event streams',
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
    demoClients(count) {
      new Gauge({
        name: 'lplate_demo_clients',
        help: 'Demo clients that exist now',
        // Each process tells the same of one database, give or take a minute.
        aggregator: 'max',
        registers: [registry],
        async collect() {
          this.set(await count());
        },
      });
    },
    demoClientRefused: (reason) => refusedClients.inc({ reason }),
    text: atMostEvery(metricsInterval, clock, async () => Buffer.from(await text())),
    contentType: registry.contentType,
  };
}
