import type { Component } from '../component.ts';
import type { Database, Sql } from '../database/database.ts';
import { firstRows } from '../database/first-rows.ts';
import type { RateLimitStore } from '../http/limits/rate-limit-store.ts';
import type { SeededRandomness } from '../randomness.ts';
import type { StandingClock } from '../time/clock.ts';
import type { BackgroundWork } from './background-work.ts';

export interface ServiceResetOptions {
  readonly database: Database;
  /** Only where time stands still, and where all that is random follows from a seed. */
  readonly clock: StandingClock | undefined;
  readonly randomness: SeededRandomness | undefined;
  readonly rateLimits: RateLimitStore;
}

/** What takes part when it begins anew. */
export interface ResetParts {
  /** Those that keep something in memory. */
  readonly components: readonly Component[];
  readonly work: BackgroundWork;
  /** Writes what is there at the first start. */
  seed(sql: Sql): Promise<void>;
}

/** Brings a service that keeps its data in memory back to how it was when it had started. */
export class ServiceReset {
  readonly #options: ServiceResetOptions;
  readonly #restore: (sql: Sql) => Promise<void>;

  private constructor(options: ServiceResetOptions, restore: (sql: Sql) => Promise<void>) {
    this.#options = options;
    this.#restore = restore;
  }

  /** To be called before anything is written into the database. */
  static async open(options: ServiceResetOptions): Promise<ServiceReset> {
    return new ServiceReset(options, await firstRows(options.database));
  }

  /** Resolves when all is as it was then. What others write meanwhile may stay. */
  async run({ components, work, seed }: ResetParts): Promise<void> {
    const { database, clock, randomness, rateLimits } = this.#options;
    await database.write(async (sql) => {
      clock?.reset();
      randomness?.restart();
      await this.#restore(sql);
      await seed(sql);
    });
    for (const component of components) await component.forget?.();
    rateLimits.forget();
    await work.runJobs();
  }
}
