/*
 * The stored attempts of a delivery: the first one and the latest, as JSON in the row of the delivery. The others are
 * only counted, so that a delivery stays small however often it is tried.
 */

/** As the interface shows it. */
export interface AttemptView {
  /** Counts from 1. */
  attempt: number;
  attemptedAt: string;
  responseStatus: number | null;
  /** The beginning of it; null if there was none. */
  responseBody: string | null;
  error: string | null;
}

/** How one attempt ended: the status of the answer and the beginning of its body, or why there was none. */
export interface Attempt {
  readonly status: number | null;
  readonly responseBody?: string;
  readonly error: string | null;
  /** Milliseconds that its Retry-After asked for. */
  readonly retryAfter?: number | undefined;
}

export type AttemptOutcome = 'taken' | 'refused' | 'unanswered';

/** Attempts of a delivery that are kept one by one. */
export const maxKept = 5;

type Kept = [attempt: number, attemptedAt: string, status: number | null, error: string | null, responseBody?: string];

export function isTaken({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function outcomeOf(attempt: Attempt): AttemptOutcome {
  if (attempt.status === null) return 'unanswered';
  return isTaken(attempt) ? 'taken' : 'refused';
}

/** The text that is kept once an attempt was added to it. */
export function addAttempt(
  kept: string,
  number: number,
  attemptedAt: string,
  { status, error, responseBody }: Attempt,
): string {
  const added: Kept = [number, attemptedAt, status, error];
  if (responseBody !== undefined) added.push(responseBody);
  const all: Kept[] = [...JSON.parse(kept), added];
  return JSON.stringify(all.length > maxKept ? [...all.slice(0, 1), ...all.slice(1 - maxKept)] : all);
}

export function readAttempts(kept: string): AttemptView[] {
  return (JSON.parse(kept) as Kept[]).map(([attempt, attemptedAt, responseStatus, error, responseBody = null]) => ({
    attempt,
    attemptedAt,
    responseStatus,
    responseBody,
    error,
  }));
}
