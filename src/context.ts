import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Metrics } from './http/metrics.ts';
import type { RateLimitStore } from './http/rate-limit-store.ts';
import type { Secrets } from './secrets.ts';

/** What every system stands on. Made once, in `app.ts`. */
export interface Context {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly rateLimits: RateLimitStore;
}
