/**
 * Why a rule refuses something. What that means to a caller, the HTTP layer knows: http/answers/error-mapping.ts. A rule that has
 * a reason of its own adds it here by declaration merging; it needs an entry of that name in the `problems.ts` beside it.
 */
export interface DomainErrorCodes {
  'validation-error': true;
}

export type DomainErrorCode = keyof DomainErrorCodes;

/** Thrown by rules, which know neither HTTP nor SQL. The message says what was wrong and what to do about it. */
export class DomainError extends Error {
  override name = 'DomainError';
  readonly code: DomainErrorCode;
  /** The member of the request that breaks the rule. */
  readonly field: string | undefined;

  constructor(code: DomainErrorCode, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}
