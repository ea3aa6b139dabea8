import type { OauthError, ProblemEntry } from './problem-entry.ts';
import type { ProblemIdentifier } from './problem-table.ts';

export type { ProblemIdentifier } from './problem-table.ts';

/** One thing that is wrong with a request: where it is, and what to do about it. */
export type FieldError = { detail: string } & ({ pointer: string } | { parameter: string } | { header: string });

export interface ProblemExtras {
  /** Headers of the answer, such as `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For `validation-error`: each thing that is wrong. */
  readonly errors?: readonly FieldError[];
  /** For the token endpoint: the error code of RFC 6749, section 5.2, where the identifier does not settle it. */
  readonly oauthError?: OauthError;
  /** The client that is told, where it is known: an answer to it has the date of its clock. */
  readonly clientId?: string;
}

/** A refusal. Whoever throws it says what was wrong and what to do about it. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly identifier: ProblemIdentifier;
  readonly extras: ProblemExtras;

  constructor(identifier: ProblemIdentifier, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.identifier = identifier;
    this.extras = extras;
  }
}

/** A 503. `seconds` is when to try again. */
export function unavailable(detail: string, seconds = 5): ProblemError {
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': String(seconds) } });
}

/** The members of RFC 9457, and `errors` for validation problems. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  errors?: readonly FieldError[];
}

/** The body of the answer. `requestId` is the id that the header `X-Request-Id` carries too. */
export function problemBody(
  error: ProblemError,
  { status, title }: ProblemEntry,
  publicUrl: string,
  requestId: string,
): Problem {
  return {
    type: `${publicUrl}/problems/${error.identifier}`,
    title,
    status,
    detail: error.message,
    instance: `urn:uuid:${requestId}`,
    ...(error.extras.errors && { errors: error.extras.errors }),
  };
}
