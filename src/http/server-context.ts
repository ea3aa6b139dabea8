import type { Logger } from 'pino';
import type { ActiveDrills } from '../active-drills.ts';
import type { Randomness } from '../randomness.ts';
import type { Config } from '../settings/config.ts';
import type { SecretFinder } from '../text/secret-finder.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import type { Clock } from '../time/clock.ts';
import type { Tls } from '../tls/tls.ts';
import type { RateLimitStore } from './limits/rate-limit-store.ts';
import type { Metrics } from './metrics.ts';

/** What the HTTP server and all interfaces behind it share. */
export interface ServerContext {
  readonly config: Config;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly rateLimits: RateLimitStore;
  readonly drills: ActiveDrills;
  /** Knows the secrets of the settings. */
  readonly secretFinder: SecretFinder;
  /** Where the port speaks HTTPS. */
  readonly tls: Tls | undefined;
}
