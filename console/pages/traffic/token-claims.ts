import type { Exchange } from '../../api/types.ts';

export interface Claim {
  readonly name: string;
  readonly value: string;
  /** The instant that it says, in the ISO form. */
  readonly at?: string;
}

/** Claims of a token whose values are seconds since 1970. */
const times = new Set(['exp', 'iat', 'nbf', 'auth_time']);

export function claimsOf(part: Record<string, unknown>): Claim[] {
  return Object.entries(part).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const at = times.has(name) && typeof value === 'number' ? instantOf(value) : undefined;
    return { name, value: text, ...(at !== undefined && { at }) };
  });
}

function instantOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** What time it was for the client when the call came, in milliseconds since 1970: by its own clock. */
export function timeOfCall({ startedAt, aheadSeconds = 0 }: Pick<Exchange, 'startedAt' | 'aheadSeconds'>): number {
  return Date.parse(startedAt) + aheadSeconds * 1000;
}

export interface Validity {
  readonly state: 'valid' | 'expired' | 'not-yet';
  readonly text: string;
}

/** Whether a token was valid at a time. Undefined if it does not tell when it ends. */
export function validityAt(claims: Record<string, unknown>, now: number): Validity | undefined {
  const { exp, nbf } = claims;
  if (typeof nbf === 'number' && now < nbf * 1000)
    return { state: 'not-yet', text: `Valid only ${durationText(nbf * 1000 - now)} after this call` };
  if (typeof exp !== 'number') return undefined;
  const left = exp * 1000 - now;
  if (left <= 0) return { state: 'expired', text: `Expired ${durationText(-left)} before this call` };
  return { state: 'valid', text: `Valid for ${durationText(left)} after this call` };
}

/** Days from which on nobody counts. */
const maxDays = 36_500;

/** `40 s`, `59 min`, `3 h 20 min`, `12 days`, `more than 100 years`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.round(hours / 24);
  return days < maxDays ? `${days} days` : 'more than 100 years';
}
