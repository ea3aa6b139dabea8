import type { Problem } from './types.ts';

/** The problem in the text of a refusal, as RFC 9457 has it; undefined for any other text. */
export function problemIn(text: string): Problem | undefined {
  try {
    const body = JSON.parse(text);
    return typeof body?.title === 'string' && typeof body.detail === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The page on what a call was refused with; SOAP faults have none: their names have a colon, or capital letters. */
export function problemPage(identifier: string | null): string | undefined {
  return identifier !== null && /^[a-z][a-z-]*$/.test(identifier) ? `/problems/${identifier}` : undefined;
}

/** Whether a detail is its errors in a row, so that they say the same once more. */
export function isSumOf(detail: string, errors: Problem['errors'] = []): boolean {
  return errors.length > 0 && errors.every((error) => detail.includes(error.detail));
}
