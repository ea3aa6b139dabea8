import { BoundedCache } from '../../bounded-cache.ts';

/** What the limiter says about one call: the facts for the `RateLimit-` headers and, on a refusal, `Retry-After`. */
export interface Decision {
  admitted: boolean;
  /** Calls that one key may make in one window. */
  limit: number;
  /** Calls left at this moment, after this one. 0 on a refusal. */
  remaining: number;
  /** Whole seconds, rounded up and at least 1, until the oldest counted call leaves the window and frees its slot. */
  resetSeconds: number;
}

export interface SlidingWindowOptions {
  /** A positive integer. Costs no memory in advance, however large. */
  limit: number;
  /** Length of the window in milliseconds. Default 60,000. */
  windowMs?: number;
  /** Keys remembered at once. One more forgets the key that has been silent longest. Default 100,000. */
  maxKeys?: number;
}

/** Times of the admitted calls of one key, oldest first. Those before the index `first` have left the window. */
interface Calls {
  times: number[];
  first: number;
}

const SWEEP_EVERY_MS = 1_000;
const SWEEP_AT_MOST = 1_000;

/**
 * Admits at most `limit` calls per key in any window of time, wherever the window begins: a call counts until exactly
 * `windowMs` have passed since it. Refused calls do not count. Kept in the memory of this process.
 *
 * Specification: Limits, general rate and probe rate; endpoint 9, rule 6.
 */
export class SlidingWindow {
  readonly limit: number;
  readonly windowMs: number;
  readonly #calls: BoundedCache<string, Calls>;
  #nextSweep = 0;

  constructor({ limit, windowMs = 60_000, maxKeys = 100_000 }: SlidingWindowOptions) {
    this.limit = limit;
    this.windowMs = windowMs;
    // A Map would do as a list by age, but taking its first entry again and again costs a walk over removed ones.
    // `max` would bound the keys as well, but takes the memory for all of them at once.
    this.#calls = new BoundedCache(maxKeys);
  }

  /** How many keys are remembered now. */
  get keys(): number {
    return this.#calls.size;
  }

  /**
   * Decides about a call of `key`, and counts it if it is admitted.
   *
   * @param elapsed milliseconds on a scale that never goes back, as `Clock.elapsed()` gives them
   */
  admit(key: string, elapsed: number): Decision {
    if (elapsed >= this.#nextSweep) this.#sweep(elapsed);

    let calls = this.#calls.get(key);
    if (calls === undefined) {
      calls = { times: [], first: 0 };
      this.#calls.set(key, calls);
    } else {
      this.#expire(calls, elapsed);
    }

    const used = calls.times.length - calls.first;
    const admitted = used < this.limit;
    if (admitted) calls.times.push(elapsed);

    // Either this call or an older one is counted now, so there is an oldest.
    const free = (calls.times[calls.first] as number) + this.windowMs;
    return {
      admitted,
      limit: this.limit,
      remaining: admitted ? this.limit - used - 1 : 0,
      resetSeconds: wholeSeconds(elapsed, free),
    };
  }

  /** Whole seconds until a call of `key` would be admitted, 0 when it would be now. Counts nothing. */
  secondsUntilFree(key: string, elapsed: number): number {
    const calls = this.#calls.get(key);
    if (calls === undefined) return 0;
    this.#expire(calls, elapsed);
    if (calls.times.length - calls.first < this.limit) return 0;
    return wholeSeconds(elapsed, (calls.times[calls.first] as number) + this.windowMs);
  }

  /** Forgets all calls. */
  forget(): void {
    this.#calls.clear();
  }

  #expire(calls: Calls, elapsed: number): void {
    const { times } = calls;
    let first = calls.first;
    while (first < times.length && (times[first] as number) + this.windowMs <= elapsed) first += 1;
    // Copying what is left once half is gone costs a constant per call on average, and gives the memory back.
    if (first * 2 > times.length) {
      calls.times = times.slice(first);
      calls.first = 0;
    } else {
      calls.first = first;
    }
  }

  /** Forgets keys whose calls have all left the window, a bounded number at a time, the longest silent first. */
  #sweep(elapsed: number): void {
    this.#nextSweep = elapsed + SWEEP_EVERY_MS;
    let left = SWEEP_AT_MOST;
    for (const key of this.#calls.rkeys()) {
      const { times } = this.#calls.peek(key) as Calls;
      if (left === 0 || (times[times.length - 1] as number) + this.windowMs > elapsed) return;
      this.#calls.delete(key);
      left -= 1;
    }
  }
}

/** Seconds from `elapsed` to `free`, both in milliseconds, rounded up. */
function wholeSeconds(elapsed: number, free: number): number {
  // Tried out rather than rounded up by arithmetic, which may end a bit of the last place too early.
  const seconds = Math.floor((free - elapsed) / 1000);
  return elapsed + seconds * 1000 < free ? seconds + 1 : seconds;
}
