import { Counter, Gauge, type Registry } from 'prom-client';
import { type DropReason, dropReasons } from './pending-calls.ts';

export interface RangeMetrics {
  /** Counts one exchange that was dropped before it was written. */
  dropped(reason: DropReason): void;
  /** Counts exchanges that were written. */
  written(count: number): void;
}

/** `bytes`: what waits in memory. */
export function rangeMetrics(registry: Registry, bytes: () => number): RangeMetrics {
  const dropped = new Counter({
    name: 'lplate_range_exchanges_dropped_total',
    help: 'Exchanges that were not written: more of one client than are kept, memory was full, or writing failed',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Looking up a labelled child costs more than counting.
  const children = new Map(dropReasons.map((reason) => [reason, dropped.labels(reason)]));
  for (const child of children.values()) child.inc(0);
  const written = new Counter({
    name: 'lplate_range_exchanges_written_total',
    help: 'Exchanges that were written to the database',
    registers: [registry],
  });
  new Gauge({
    name: 'lplate_range_waiting_bytes',
    help: 'Bytes of exchanges that wait to be written, at most 64 MB',
    registers: [registry],
    collect() {
      this.set(bytes());
    },
  });
  return { dropped: (reason) => children.get(reason)?.inc(), written: (count) => written.inc(count) };
}
