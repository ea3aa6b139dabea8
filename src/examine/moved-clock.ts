import type { Clock } from '../time/clock.ts';

/** The time of both sides: that of a clock, later by as much as they were moved ahead. */
export class MovedClock implements Clock {
  readonly #clock: Clock;
  #ahead = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now() + this.#ahead;
  }

  elapsed(): number {
    return this.#clock.elapsed();
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
}
