/** The only source of "now". Tests inject one that they move. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds on a scale that never goes back, for measuring how long ago something was. */
  elapsed(): number;
  /** Present where `now` stands still until it is moved: a call then takes no time. */
  readonly stands?: true;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

/** A clock that stands still until it is moved ahead. What is measured goes on in real time. */
export class StandingClock implements Clock {
  readonly stands = true;
  readonly #start: number;
  #ahead = 0;

  /** `start` in milliseconds since 1970. */
  constructor(start: number) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#ahead;
  }

  elapsed(): number {
    return systemClock.elapsed();
  }

  /** Milliseconds by which it was moved. */
  get ahead(): number {
    return this.#ahead;
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Goes back to its start. */
  reset(): void {
    this.#ahead = 0;
  }
}

/** `2026-11-21T10:15:00.000Z`: the form of every instant in answers and in the database. */
export function instant(milliseconds: number): string {
  if (milliseconds !== latest.milliseconds) latest = { milliseconds, text: new Date(milliseconds).toISOString() };
  return latest.text;
}

// Under load many requests fall into one millisecond, and each asks for its text several times.
let latest = { milliseconds: 0, text: new Date(0).toISOString() };

/** `2026-11-21`: the day in UTC, the form of every date. */
export function day(milliseconds: number): string {
  return instant(milliseconds).slice(0, 10);
}
