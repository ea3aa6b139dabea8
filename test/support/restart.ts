import type { DatabaseLocation } from '../../src/database/open.ts';
import type { Config } from '../../src/settings/config.ts';
import type { TestClock } from './clock.ts';
import type { Engine } from './engines.ts';
import { type LPlate, startLPlate } from './lplate.ts';

/** Starts on one and the same database each time, as a program that is started again, or on several nodes. */
export interface Restartable {
  readonly location: DatabaseLocation;
  /** The public URL is the same each time, so that tokens outlive a restart. */
  start(settings?: Partial<Config>, clock?: TestClock): Promise<LPlate>;
}

export async function restartable(engine: Engine): Promise<Restartable> {
  const location = await engine.location({ migrated: true });
  const settled = { ...engine, location: async () => location };
  return {
    location,
    start: (settings, clock) => startLPlate(settled, { publicUrl: 'http://localhost:8080', ...settings }, clock),
  };
}
