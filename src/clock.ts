/** The only source of "now". Tests inject one that they move. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds on a scale that never goes back, for measuring how long ago something was. */
  elapsed(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

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
