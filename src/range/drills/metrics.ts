import { Counter, Gauge, type Registry } from 'prom-client';
import type { DrillName } from '../../active-drills.ts';
import type { FairPool } from '../../fair-pool.ts';
import { drillNames } from './catalogue.ts';

export interface DrillMetrics {
  /** Counts a call that a drill hit. */
  hit(name: DrillName): void;
}

/** `on`: the drills that are on; `delays`: the calls that wait. */
export function drillMetrics(registry: Registry, on: () => number, delays: FairPool): DrillMetrics {
  const hits = new Counter({
    name: 'lplate_range_drill_hits_total',
    help: 'Calls that a drill hit; repeat-webhooks and forged-webhooks hit none',
    labelNames: ['drill'],
    registers: [registry],
  });
  for (const drill of drillNames) hits.inc({ drill }, 0);
  new Counter({
    name: 'lplate_range_delays_refused_total',
    help: 'Calls that the drill delay refused, since too many waited',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(delays.refused + delays.ended);
    },
  });
  new Gauge({
    name: 'lplate_range_drills',
    help: 'Drills that are on, those of all clients counted once',
    registers: [registry],
    collect() {
      this.set(on());
    },
  });
  new Gauge({
    name: 'lplate_range_delayed_calls',
    help: 'Calls that wait in the drill delay',
    registers: [registry],
    collect() {
      this.set(delays.taken);
    },
  });
  return { hit: (drill) => hits.inc({ drill }) };
}
