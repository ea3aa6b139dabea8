/*
 * The stored attempts of a delivery: the first one and the latest, as JSON in the row of the delivery. The others are
 * only counted, so that a delivery stays small however often it is tried.
 */
import Type, { type Static } from 'typebox';
import type { NameFinder } from '../text/name-finder.ts';

/** As the interface shows it. */
export const DeliveryAttempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'Counts from 1; sent as webhook-attempt.', examples: [1] }),
    attemptedAt: Type.String({
      format: 'date-time',
      description: 'When it was made.',
      examples: ['2026-03-02T10:15:40.000Z'],
    }),
    responseStatus: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The HTTP status of the response; null if there was none.',
      examples: [503],
    }),
    responseBody: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The first 1,024 bytes of the body of the response, as text; null if there was none.',
      examples: ['the database is away'],
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What happened instead of a response.',
      examples: [null],
    }),
  },
  { $id: 'DeliveryAttempt', description: 'One call.' },
);

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

export function readAttempts(kept: string): Static<typeof DeliveryAttempt>[] {
  return (JSON.parse(kept) as Kept[]).map(([attempt, attemptedAt, responseStatus, error, responseBody = null]) => ({
    attempt,
    attemptedAt,
    responseStatus,
    responseBody,
    error,
  }));
}

/** The text that is kept once a name was taken out of what receivers answered. */
export function eraseInAttempts(kept: string, name: NameFinder): string {
  const attempts: Kept[] = JSON.parse(kept);
  return JSON.stringify(
    attempts.map(
      ([number, attemptedAt, status, error, body]): Kept =>
        body === undefined
          ? [number, attemptedAt, status, error]
          : [number, attemptedAt, status, error, name.erase(body)],
    ),
  );
}
