import type { Context } from '../../context.ts';
import type { Tokens } from '../../http/bearer.ts';
import type { MeetFaults } from '../../http/faults.ts';
import type { InsurerAccess } from '../../insurer/index.ts';
import { Delays } from './delays.ts';
import { Drills, removeDrills } from './drills.ts';
import { Faults } from './faults.ts';
import { type DrillMetrics, drillMetrics } from './metrics.ts';

/** Opens the drills, for calls to `systems`. `meet` is for the server. */
export async function openDrills(
  context: Context,
  tokens: Tokens,
  access: InsurerAccess,
  systems: readonly string[],
): Promise<{ drills: Drills; meet: MeetFaults; close(): Promise<void> }> {
  const { database, clock, log, drills: active } = context;
  const delays: Delays = new Delays(() => metrics.refused());
  const metrics: DrillMetrics = drillMetrics(
    context.metrics.registry,
    () => active.count,
    () => delays.count,
  );
  const drills = await Drills.open({ database, clock, log, tokens, active });
  access.onRemoval((sql, clientId) => removeDrills(sql, clientId));
  const { meet } = new Faults({ drills: active, delays, tokens, systems, count: (name) => metrics.hit(name) });
  return {
    drills,
    meet,
    async close() {
      delays.close();
      await drills.close();
    },
  };
}
