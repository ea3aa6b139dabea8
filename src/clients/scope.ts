import { DomainError } from '../domain-error.ts';
import { excerpt } from '../text/excerpt.ts';
import { mayBeSecret } from '../text/shown-value.ts';

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

/** The same for a person: what an app may do that they let in. */
export const permissions: Readonly<Record<Scope, string>> = {
  'policies:read': 'See your policies',
  'policies:write': 'Take out, change and cancel policies for you',
  'claims:read': 'See the claims on your policies',
  'claims:write': 'Register claims on your policies',
};

export const allScopes = Object.keys(scopes) as Scope[];

/** What is told of a scope that exists, by the scopes that there are. */
type NotGranted = (scope: string, granted: readonly Scope[]) => string;

const notOfClient: NotGranted = (scope, granted) =>
  `The scope ${scope} was not granted to this client. It can request: ${granted.join(' ')} (separated by spaces).`;

/**
 * The scopes of a token (Authentication, 3 and 4): what was asked for, or all that was granted when nothing was. The
 * order is that of `scopes`.
 *
 * @throws {DomainError} `invalid-scope`, naming the scope that does not exist or was not granted
 */
export function narrow(
  granted: readonly Scope[],
  requested: string | undefined,
  notGranted: NotGranted = notOfClient,
): Scope[] {
  const names = (requested ?? '').split(/\s+/).filter((name) => name !== '');
  for (const name of names) {
    const shown = mayBeSecret(name) ? 'that you sent' : excerpt(name);
    if (!allScopes.includes(name as Scope)) {
      const detail = `The scope ${shown} does not exist.${separatorAdvice(name)} The scopes, as they are to be sent: ${allScopes.join(' ')} (separated by spaces, as many of them as you need).`;
      throw new DomainError('invalid-scope', detail);
    }
    if (!granted.includes(name as Scope)) throw new DomainError('invalid-scope', notGranted(shown, granted));
  }
  return granted.filter((scope) => names.length === 0 || names.includes(scope));
}

function separatorAdvice(name: string): string {
  if (/^[["']/.test(name)) return ' Send plain text, not a JSON list, and no quotes around the scopes.';
  if (name.includes(',')) return ' Separate scopes by spaces, not by commas.';
  if (name.includes('+'))
    return ' Separate scopes by spaces, not by plus signs: a plus sign means a space only in a form.';
  if (/[;|&]/.test(name)) return ' Separate scopes by spaces, by nothing else.';
  if (name.includes('%')) return ' The scope is URL-encoded once too often.';
  if (/^(?:openid|profile|email|offline_access)$/.test(name))
    return ' People can sign in at GET /auth/authorize, but there is no OpenID Connect.';
  return '';
}
