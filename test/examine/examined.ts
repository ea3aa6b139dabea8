import { type Running, start } from '../../src/app.ts';
import { hmacKey } from '../../src/examine/side.ts';
import { configFrom } from '../../src/settings/config.ts';
import { inMemory } from '../../src/settings/settings.ts';
import type { Engine } from '../support/engines.ts';
import { testSecrets } from '../support/test-secrets.ts';

/** L-Plate as a service to examine: in real time, and with its limits off. Without an engine, in memory. */
export async function startExamined(engine?: Engine): Promise<Running> {
  const location = await engine?.location({ migrated: true });
  const config = configFrom({
    ...(!location && { dataDir: inMemory }),
    ...(location && ('url' in location ? { databaseUrl: location.url } : { dataDir: location.directory })),
    ...{ ...testSecrets, hmacSecret: hmacKey, port: '0', logLevel: 'silent', magicPlates: 'off' },
    ...{ rateLimitPerMinute: 'off', demoClientsPerDay: '0', eventsDuplicateRate: '0' },
  });
  return start(config, { log: { write: () => {} } });
}
