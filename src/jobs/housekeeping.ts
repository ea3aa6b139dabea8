import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { HousekeepingTask } from '../component.ts';
import type { Role } from '../database/database.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Clock } from '../time/clock.ts';
import { StepsAhead } from '../time/clock-steps.ts';

/*
 * Housekeeping removes what is kept no longer, and renews what is to stay. Each task does its work in steps: a step is
 * one short transaction over a bounded number of rows, and other work gets its turn between two steps. Tasks take turns
 * of bounded time, so that one with much to do delays none; one that fails is left until the next round. What a step has
 * done is committed, so a task continues where it stopped, also after a crash or on another node.
 */

export interface HousekeepingOptions {
  readonly tasks: readonly HousekeepingTask[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Tells whether this node still has the role: another one may have taken over. */
  readonly mayContinue: () => boolean;
}

export const housekeepingRole: Role = { name: 'housekeeping', lock: 3 };

/** Milliseconds of one turn. */
const turn = 1000;

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #stepsAhead: StepsAhead;
  readonly #failures: Counter<'task'>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #stopped = false;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#stepsAhead = new StepsAhead(options.clock);
    this.#failures = new Counter({
      name: 'lplate_housekeeping_failures_total',
      help: 'Failures of tasks of housekeeping',
      labelNames: ['task'],
      registers: [options.metrics.registry],
    });
  }

  /** Resolves when a round is over that began after this call. Never rejects. */
  run(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#round()
        .catch((error: Error) => this.#options.log.warn({ error: error.name }, 'housekeeping failed'))
        .finally(() => (this.#running = undefined));
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.run();
    });
    return this.#next;
  }

  /** Resolves when the step under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  get #over(): boolean {
    return this.#stopped || !this.#options.mayContinue();
  }

  /** Until no task has more to do. */
  async #round(): Promise<void> {
    // Asked at each round: it compares with the time before. A clock that stands still is only ahead when it was moved.
    const mayRemove = !this.#stepsAhead.recent || this.#options.clock.stands;
    const tasks = this.#options.tasks.filter(({ removes }) => mayRemove || !removes);
    for (let left = tasks; left.length > 0 && !this.#over; ) {
      const unfinished: HousekeepingTask[] = [];
      for (const task of left) if (await this.#turn(task)) unfinished.push(task);
      left = unfinished;
    }
  }

  /** Tells whether the task has more to do. */
  async #turn(task: HousekeepingTask): Promise<boolean> {
    const { clock, log } = this.#options;
    try {
      const began = clock.elapsed();
      while (!this.#over && clock.elapsed() - began < turn) {
        if (!(await task.step())) return false;
        await nextTurn();
      }
      return true;
    } catch (error) {
      this.#failures.inc({ task: task.name });
      log.warn({ task: task.name, error: (error as Error).name }, 'housekeeping failed; it is retried in a minute');
      return false;
    }
  }
}
