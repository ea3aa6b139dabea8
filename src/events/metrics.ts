import { Counter, Gauge, type Registry } from 'prom-client';
import type { Streams } from './streams.ts';

/** Shows how many streams are open, and what is kept of them, as `streams` tells it whenever it is asked for. */
export function showStreams(registry: Registry, streams: Pick<Streams, 'count' | 'kept'>): void {
  new Gauge({
    name: 'lplate_event_streams',
    help: 'Open event streams',
    registers: [registry],
    collect() {
      this.set(streams.count);
    },
  });
  new Gauge({
    name: 'lplate_event_streams_kept_bytes',
    help: 'Bytes in memory of what open event streams sent first, kept for the log',
    registers: [registry],
    collect() {
      this.set(streams.kept);
    },
  });
}

/** Shows how many events are not yet relayed to Kafka, as `lag` tells it whenever it is asked for. */
export function showRelayLag(registry: Registry, lag: () => Promise<number>): void {
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
}

/** Counts events that passed retention before a subscription could get them. */
export function missedEvents(registry: Registry): (count: number) => void {
  const missed = new Counter({
    name: 'lplate_webhook_events_missed_total',
    help: 'Events whose retention ended before a subscription received them',
    registers: [registry],
  });
  return (count) => missed.inc(count);
}
