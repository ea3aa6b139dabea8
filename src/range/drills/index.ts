import type { ClientsPart } from '../../clients/index.ts';
import type { Context } from '../../context.ts';
import type { Faults } from '../../http/requests/faults.ts';
import { Delays } from './delays.ts';
import { Drills, removeDrills } from './drills.ts';
import { CallFaults } from './faults.ts';
import { MetPlates, removeMetPlates } from './met-plates.ts';
import { drillMetrics } from './metrics.ts';

/** Opens the drills, for calls to `systems`. `faults` are for the server. */
export async function openDrills(
  context: Context,
  { tokens, consents, registerRows }: ClientsPart,
  systems: readonly string[],
): Promise<{ drills: Drills; plates: MetPlates; faults: Faults; close(): Promise<void> }> {
  const { config, database, clock, clocks, randomness, log, drills: active } = context;
  const delays = new Delays();
  const metrics = drillMetrics(context.metrics.registry, () => active.count, delays.pool);
  context.metrics.pool('delays', delays.pool);
  const drills = await Drills.open({ database, clock, clocks, randomness, log, tokens, consents, active, systems });
  registerRows({ name: 'drills', remove: removeDrills });
  const plates = new MetPlates(database, clock);
  registerRows({ name: 'met plates', remove: removeMetPlates });
  const { apply, meetPlate, wait } = new CallFaults({
    ...{ drills: active, delays, tokens, systems },
    plates: config.magicPlates === 'on' ? plates : undefined,
  });
  return {
    drills,
    plates,
    faults: { apply, meetPlate, wait, count: (name) => metrics.hit(name) },
    async close() {
      delays.close();
      await drills.close();
    },
  };
}
