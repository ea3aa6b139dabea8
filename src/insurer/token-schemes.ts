import { allScopes, type Scope, scopes } from '../clients/scope.ts';
import { tokenText } from '../http/descriptions/text.ts';
import { base } from './route-texts.ts';

/** How a token is got, for the description of an interface that takes those with some scopes. */
export function tokenFlow(publicUrl: string, taken: readonly Scope[]) {
  return {
    tokenUrl: `${publicUrl}${base}/auth/token`,
    scopes: Object.fromEntries(taken.map((scope) => [scope, scopes[scope]])),
  };
}

/**
 * The security schemes of an interface that takes tokens: how to get one, or to send one that is there. `words` name the
 * token endpoint, and where a token comes from.
 */
export function tokenSchemes(
  publicUrl: string,
  taken: readonly Scope[] = allScopes,
  words = { endpoint: 'the token endpoint of the insurer', source: 'the insurer' },
) {
  return {
    oauth2: {
      type: 'oauth2',
      description: `Client credentials. Exchange them for a token at ${words.endpoint}.`,
      flows: { clientCredentials: tokenFlow(publicUrl, taken) },
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: `A token from ${words.source}. ${tokenText(publicUrl)}`,
    },
  };
}
