import { BoundedCache } from '../../bounded-cache.ts';
import type { Decision } from './sliding-window.ts';

/** One call that was decided about. */
export interface Taken extends Decision {
  /** Gives the place back: what was to be done was not done. A second call does nothing. */
  release(): void;
}

export interface CoarseWindowOptions {
  /** A positive integer. */
  readonly limit: number;
  /** Length of the window in milliseconds. */
  readonly windowMs: number;
  /** Milliseconds of one step. A call leaves the window together with the others of its step. */
  readonly stepMs: number;
  /** Keys remembered at once. One more forgets the key that has been silent longest. Default 100,000. */
  readonly maxKeys?: number;
}

/** How many calls a key made in each step: step and count in turn, oldest first. */
type Steps = number[];

/**
 * Admits at most `limit` calls per key in any window of time, like `SlidingWindow`, for rateLimits so long that the time
 * of each call would take too much memory. It keeps one count for each step, and a call counts until `windowMs` have
 * passed since the end of its step: at most one step longer than it has to. Kept in the memory of this process.
 */
export class CoarseWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #stepMs: number;
  readonly #keys: BoundedCache<string, Steps>;

  constructor({ limit, windowMs, stepMs, maxKeys = 100_000 }: CoarseWindowOptions) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#stepMs = stepMs;
    this.#keys = new BoundedCache(maxKeys);
  }

  /** How many keys are remembered now. */
  get keys(): number {
    return this.#keys.size;
  }

  /**
   * Decides about a call of `key`, and counts it if it is admitted.
   *
   * @param elapsed milliseconds on a scale that never goes back, as `Clock.elapsed()` gives them
   */
  take(key: string, elapsed: number): Taken {
    const step = Math.floor(elapsed / this.#stepMs);
    const steps = (this.#keys.get(key) ?? []).filter((_, at, all) => this.#end(all[at & ~1] as number) > elapsed);
    let used = 0;
    for (let at = 1; at < steps.length; at += 2) used += steps[at] as number;

    const admitted = used < this.#limit;
    if (admitted) {
      if (steps.at(-2) !== step) steps.push(step, 0);
      steps[steps.length - 1] = (steps.at(-1) as number) + 1;
    }
    this.#keys.set(key, steps);
    return {
      admitted,
      limit: this.#limit,
      remaining: admitted ? this.#limit - used - 1 : 0,
      // Either this call or an older one is counted now, so there is an oldest step.
      resetSeconds: Math.max(1, Math.ceil((this.#end(steps[0] as number) - elapsed) / 1000)),
      release: once(() => admitted && this.#release(key, step)),
    };
  }

  /** Forgets all calls. */
  forget(): void {
    this.#keys.clear();
  }

  /** When the calls of a step are forgotten. */
  #end(step: number): number {
    return (step + 1) * this.#stepMs + this.#windowMs;
  }

  #release(key: string, step: number): void {
    const steps = this.#keys.peek(key) ?? [];
    const at = steps.findIndex((each, place) => place % 2 === 0 && each === step);
    if (at === -1) return;
    if (steps[at + 1] === 1) steps.splice(at, 2);
    else steps[at + 1] = (steps[at + 1] as number) - 1;
  }
}

/** A function that does its work at its first call only. */
export function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
