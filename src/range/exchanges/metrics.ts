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
  // To count in the registry at each call would cost more than all the rest of a call that is dropped.
  const counts = Object.fromEntries(dropReasons.map((why) => [why, 0])) as Record<DropReason, number>;
  new Counter({
    name: 'lplate_range_exchanges_dropped_total',
    help: 'Exchanges that were not written: more of one client than are kept, memory was full, writing failed, or their client is gone',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(counts)) this.inc({ reason }, count);
    },
  });
  const written = new Counter({
    name: 'lplate_range_exchanges_written_total',
    help: 'Exchanges that were written to the database',
    registers: [registry],
  });
  new Gauge({
    name: 'lplate_range_waiting_bytes',
    help: 'Bytes of exchanges that wait to be written, at most 48 MB',
    registers: [registry],
    collect() {
      this.set(bytes());
    },
  });
  return {
    dropped(reason) {
      counts[reason] += 1;
    },
    written: (count) => written.inc(count),
  };
}

/** Shows the bytes of the exchanges that are stored, and returns what counts those that were removed to make room. */
export function storedMetrics(registry: Registry, bytes: () => number): (count: number) => void {
  new Gauge({
    name: 'lplate_range_stored_bytes',
    help: 'Bytes of exchanges in the database, as counted in the last second',
    // Each process tells the same of one database.
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(bytes());
    },
  });
  const removed = new Counter({
    name: 'lplate_range_exchanges_removed_total',
    help: 'Exchanges that were removed since all took too many bytes, or those of one address did',
    registers: [registry],
  });
  return (count) => removed.inc(count);
}
