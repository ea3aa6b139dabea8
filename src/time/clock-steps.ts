import { type Clock, instant } from './clock.ts';
import { day, hour, minute } from './units.ts';

/*
 * The clock of a machine may be wrong and then be set right: ahead or back, by seconds or by years.
 *
 * After a step forward everything looks old, also what was used a minute ago. So removal waits for a day after such a
 * step. By then everything in use was used again; and if the clock was set back meanwhile, nothing was lost. A step while
 * the program did not run can't be distinguished from time that passed.
 *
 * After a step back, times in the database are in the future (`impossible`). What is due then would wait until the clock
 * reaches that time again, so housekeeping sets it to now. What is removed by age is not urgent: it is set to now when
 * the clock has stayed so for a day. Otherwise a clock that is set back for a minute would make it old for ever.
 */

/** Milliseconds by which clocks may differ, and times lie ahead, without anything being wrong. */
const tolerance = 10 * minute;

/** Milliseconds by which a clock has to be set ahead for removal to wait. */
const stepThreshold = hour;

/** Milliseconds of a day. */
const removalDelay = day;

/** The first instant that a correct clock can't have written, if written times are at most `ahead` in the future. */
export function impossible(now: number, ahead = 0): string {
  return instant(now + ahead + tolerance);
}

/** Tells whether something has been so for a day, however the clock was set meanwhile. */
export class DayTimer {
  readonly #clock: Clock;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be told now and then whether it is so. */
  lasts(holds: boolean): boolean {
    if (!holds) this.#since = undefined;
    else this.#since ??= this.#clock.elapsed();
    return this.#since !== undefined && this.#clock.elapsed() - this.#since >= removalDelay;
  }
}

/** Notices when the clock is set ahead while the program runs. */
export class StepsAhead {
  readonly #clock: Clock;
  #now: number;
  #elapsed: number;
  #steppedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#now = clock.now();
    this.#elapsed = clock.elapsed();
  }

  /** Whether it was set ahead by more than an hour within the last day. To be asked about once a minute. */
  get recent(): boolean {
    const now = this.#clock.now();
    const elapsed = this.#clock.elapsed();
    if (now - this.#now - (elapsed - this.#elapsed) > stepThreshold) this.#steppedAt = elapsed;
    this.#now = now;
    this.#elapsed = elapsed;
    return elapsed - this.#steppedAt < removalDelay;
  }
}
