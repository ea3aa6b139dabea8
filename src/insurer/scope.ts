import { DomainError } from '../domain-error.ts';
import { excerpt } from '../excerpt.ts';

declare module '../domain-error.ts' {
  interface DomainErrorCodes {
    'invalid-scope': true;
  }
}

/** What a token may permit. */
export const scopes = {
  'policies:read': 'List and read your policies',
  'policies:write': 'Create, update and cancel your policies',
  'claims:read': 'List and read the claims on your policies, and their events',
  'claims:write': 'Register claims on your policies; with claims:read, manage subscriptions to their events',
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

/**
 * The scopes of a token (Authentication, 3 and 4): what was asked for, or all that was granted when nothing was. The
 * order is that of `scopes`.
 *
 * @throws {DomainError} `invalid-scope`, naming the scope that does not exist or was not granted
 */
export function narrow(granted: readonly Scope[], requested: string | undefined): Scope[] {
  const names = (requested ?? '').split(/\s+/).filter((name) => name !== '');
  for (const name of names) {
    const shown = excerpt(name);
    if (!allScopes.includes(name as Scope)) {
      throw new DomainError(
        'invalid-scope',
        `The scope ${shown} does not exist. The scopes are: ${allScopes.join(', ')}.`,
      );
    }
    if (!granted.includes(name as Scope)) {
      throw new DomainError(
        'invalid-scope',
        `The scope ${shown} was not granted to this client. It can request: ${granted.join(', ')}.`,
      );
    }
  }
  return granted.filter((scope) => names.length === 0 || names.includes(scope));
}
