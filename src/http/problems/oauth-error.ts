import type { ProblemError } from './problem.ts';
import type { OauthError, ProblemEntry } from './problem-entry.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On the token endpoint: problems carry the members that OAuth 2.0 tools read, too. */
    oauthErrors?: boolean;
  }
}

/** What every answer of the token endpoint carries besides, tokens and refusals alike. */
export const ofTokens = { Pragma: 'no-cache' } as const;

/** The members `error` and `error_description` of RFC 6749, section 5.2, for any problem. */
export function oauthMembers(
  { message, extras }: ProblemError,
  entry: ProblemEntry,
): { error: OauthError; error_description: string } {
  return {
    error: extras.oauthError ?? entry.oauthError ?? byStatus(entry.status),
    error_description: oauthDescription(message),
  };
}

/** A message as RFC 6749 allows it in `error_description`: printable ASCII, without quotation mark and backslash. */
export function oauthDescription(message: string): string {
  return message
    .replaceAll('’', "'")
    .replaceAll('"', "'")
    .replace(/[^\x20-\x7e]|\\/g, '?');
}

function byStatus(status: number): OauthError {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
