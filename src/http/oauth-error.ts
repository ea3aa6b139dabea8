import type { ProblemError } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On the token endpoint: problems carry the members that OAuth 2.0 tools read, too. */
    oauthErrors?: boolean;
  }
}

/** The error codes of RFC 6749 that are used; sections 5.2 and, for the last two, 4.1.2.1. */
export const oauthErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
  'server_error',
  'temporarily_unavailable',
] as const;

/** What every answer of the token endpoint carries, tokens and refusals alike. */
export const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** The members `error` and `error_description` of RFC 6749, section 5.2, for any problem. */
export function oauthMembers(problem: ProblemError): { error: string; error_description: string } {
  // The RFC allows printable ASCII there, without quotation mark and backslash.
  const description = problem.message
    .replaceAll('’', "'")
    .replaceAll('"', "'")
    .replace(/[^\x20-\x7e]|\\/g, '?');
  return { error: problem.extras.oauthError ?? code(problem), error_description: description };
}

function code({ identifier, status }: ProblemError): (typeof oauthErrors)[number] {
  if (identifier === 'invalid-client') return 'invalid_client';
  if (identifier === 'invalid-scope') return 'invalid_scope';
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
