import type { Clock } from '../time/clock.ts';

/** The time of both sides: that of a clock, later by as much as they were moved ahead. */
export class MovedClock implements Clock {
  readonly #clock: Clock;
  #ahead = 0;
  #passed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.#ahead;
  }

  elapsed(): number {
    return this.#clock.elapsed() + this.#passed;
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Lets time pass for what is measured by it; the time of day stays. */
  elapse(milliseconds: number): void {
    this.#passed += milliseconds;
  }
}
