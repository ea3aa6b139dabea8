import type { Clock } from '../../src/time/clock.ts';

/** Time that stands still until a test moves it. */
export class TestClock implements Clock {
  #now: number;
  #elapsed = 0;

  constructor(start = '2026-03-02T10:15:30.000Z') {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    this.#elapsed += milliseconds;
  }

  /** Lets time pass for what is measured by it; the time of day stays. */
  elapse(milliseconds: number): void {
    this.#elapsed += milliseconds;
  }

  /** Sets the clock ahead, or back, while no time passes. */
  step(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
