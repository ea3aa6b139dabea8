import { hour } from '../time/units.ts';
import type { Attempt } from './attempts.ts';

/** What a busy receiver answers, by the Standard Webhooks specification; and 503, if it says when to come again. */
const busy: readonly (number | null)[] = [429, 502, 504];

/** Milliseconds that a busy receiver is left alone, at least and at most. */
const shortest = 5_000;
const longest = hour;

const time = '\\d\\d:\\d\\d:\\d\\d';
/** The three forms of a date in HTTP (RFC 9110, section 5.6.7). */
const date = new RegExp(
  `^[A-Z][a-z]{2}(?:, \\d\\d [A-Z][a-z]{2} \\d{4} ${time} GMT|[a-z]+, \\d\\d-[A-Z][a-z]{2}-\\d\\d ${time} GMT| [A-Z][a-z]{2} [\\d ]\\d ${time} \\d{4})$`,
);

/**
 * Milliseconds that Retry-After asks for; undefined where it says nothing that can be read. `answered`: the headers of
 * an answer that came at `now`, names and values in turn.
 */
export function retryAfter(answered: readonly string[], now: number): number | undefined {
  const value = headerOf(answered, 'retry-after');
  if (value !== undefined && /^\d+$/.test(value)) return Number(value) * 1000;
  const until = instantOf(value);
  // By the receiver's own clock, which may differ from ours.
  return until === undefined ? undefined : until - (instantOf(headerOf(answered, 'date')) ?? now);
}

/** Milliseconds without calls to the receiver after an attempt: 0 unless it is busy. */
export function pauseAfter({ status, retryAfter }: Attempt): number {
  if (!busy.includes(status) && (status !== 503 || retryAfter === undefined)) return 0;
  return Math.min(Math.max(retryAfter ?? 0, shortest), longest);
}

/** Undefined where there is none, or more than one. */
function headerOf(answered: readonly string[], name: string): string | undefined {
  const values = answered.filter((_, at) => at % 2 === 1 && answered[at - 1]?.toLowerCase() === name);
  return values.length === 1 ? values[0]?.trim() : undefined;
}

function instantOf(value = ''): number | undefined {
  if (!date.test(value)) return undefined;
  const parsed = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(parsed) ? undefined : parsed;
}
