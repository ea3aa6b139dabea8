import { start } from '../app.ts';
import { configFrom } from '../settings/config.ts';
import { inMemory } from '../settings/settings.ts';
import type { Clock } from '../time/clock.ts';
import { hmacKey } from './side.ts';

export interface Reference {
  readonly url: string;
  close(): Promise<void>;
}

/** L-Plate itself, as it is measured by: with its data in memory, and without what would let two equal calls differ. */
export async function startReference(clock: Clock, rateLimitPerMinute = 'off'): Promise<Reference> {
  const config = configFrom({
    ...{ port: '0', host: 'localhost', dataDir: inMemory, logLevel: 'silent', range: 'off', magicPlates: 'off' },
    ...{ rateLimitPerMinute, demoClientsPerDay: '0', eventsDuplicateRate: '0', hmacSecret: hmacKey },
  });
  return start(config, { clock, log: { write: () => {} } });
}
