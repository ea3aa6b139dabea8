import { Counter, Gauge, type Registry } from 'prom-client';
import type { DrillName } from '../../active-drills.ts';
import { drillNames } from './catalogue.ts';

export interface DrillMetrics {
  /** Counts a call that a drill hit. */
  hit(name: DrillName): void;
  /** Counts a call that could not wait, since too many did. */
  refused(): void;
}

/** `on`: the drills that are on; `waiting`: the calls that wait. */
export function drillMetrics(registry: Registry, on: () => number, waiting: () => number): DrillMetrics {
  const hits = new Counter({
    name: 'lplate_range_drill_hits_total',
    help: 'Calls that a drill hit; repeat-webhooks and forged-webhooks hit none',
    labelNames: ['drill'],
    registers: [registry],
  });
  for (const drill of drillNames) hits.inc({ drill }, 0);
  const refused = new Counter({
    name: 'lplate_range_delays_refused_total',
    help: 'Calls that the drill delay refused, since too many waited',
    registers: [registry],
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
      this.set(waiting());
    },
  });
  return { hit: (drill) => hits.inc({ drill }), refused: () => refused.inc() };
}
