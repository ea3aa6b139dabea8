import { Counter, Gauge, type Registry } from 'prom-client';

/** Shows how many streams are open, as `count` tells it whenever it is asked for. */
export function showStreams(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'lplate_event_streams',
    help: 'Open event streams',
    registers: [registry],
    collect() {
      this.set(count());
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
