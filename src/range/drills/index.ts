import type { ClientsPart } from '../../clients/index.ts';
import type { Context } from '../../context.ts';
import type { Faults } from '../../http/faults.ts';
import { Delays } from './delays.ts';
import { Drills, removeDrills } from './drills.ts';
import { CallFaults } from './faults.ts';
import { drillMetrics } from './metrics.ts';

/** Opens the drills, for calls to `systems`. `faults` are for the server. */
export async function openDrills(
  context: Context,
  { tokens, registerRows }: ClientsPart,
  systems: readonly string[],
): Promise<{ drills: Drills; faults: Faults; close(): Promise<void> }> {
  const { database, clock, randomness, log, drills: active } = context;
  const delays = new Delays();
  const metrics = drillMetrics(context.metrics.registry, () => active.count, delays.pool);
  context.metrics.pool('delays', delays.pool);
  const drills = await Drills.open({ database, clock, randomness, log, tokens, active });
  registerRows({ name: 'drills', remove: removeDrills });
  const { apply } = new CallFaults({ drills: active, delays, tokens, systems });
  return {
    drills,
    faults: { apply, count: (name) => metrics.hit(name) },
    async close() {
      delays.close();
      await drills.close();
    },
  };
}
