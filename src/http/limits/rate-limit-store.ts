import type { Clock } from '../../time/clock.ts';
import { CoarseWindow, type Taken } from './coarse-window.ts';
import { type Decision, SlidingWindow } from './sliding-window.ts';

/** Counts the calls of each key, and admits at most so many in any window of time. */
export interface Window {
  /** No promise when the count is kept in this process. */
  admit(key: string): Decision | Promise<Decision>;
}

/** The same over a long time, counted in steps (see `CoarseWindow`). What comes to nothing can be given back. */
export interface LongWindow {
  /** No promise when the count is kept in this process. */
  take(key: string): Taken | Promise<Taken>;
}

export interface LongWindowOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly stepMs: number;
}

/** Where calls are counted: in this process, or for all nodes together. */
export interface RateLimitStore {
  /** `name` tells one limit from another; nodes that share counts share those of the same name. */
  open(name: string, limit: number, windowMs: number): Window;
  openLong(name: string, options: LongWindowOptions): LongWindow;
  /** Whether counts are shared among nodes now; undefined when nobody asked for that. */
  readonly shared: boolean | undefined;
  /** Forgets the calls that were counted in this process. */
  forget(): void;
  close(): Promise<void>;
}

/** Counts kept in the memory of this process. */
export class LocalRateLimitStore implements RateLimitStore {
  readonly shared = undefined;
  readonly #clock: Clock;
  readonly #windows: (SlidingWindow | CoarseWindow)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(_name: string, limit: number, windowMs: number): Window {
    const window = new SlidingWindow({ limit, windowMs });
    this.#windows.push(window);
    return { admit: (key) => window.admit(key, this.#clock.elapsed()) };
  }

  openLong(_name: string, options: LongWindowOptions): LongWindow {
    const window = new CoarseWindow(options);
    this.#windows.push(window);
    return { take: (key) => window.take(key, this.#clock.elapsed()) };
  }

  forget(): void {
    for (const window of this.#windows) window.forget();
  }

  async close(): Promise<void> {}
}
