import { isRegistered } from '../../clients/redirect-uris.ts';
import { narrow, type Scope } from '../../clients/scope.ts';
import { DomainError } from '../../domain-error.ts';
import { excerpt } from '../../text/excerpt.ts';

/*
 * An authorization request (RFC 6749, section 4.1.1; RFC 7636, section 4.3). Whose it is and where its browser may go is judged
 * first: what is wrong with that is told on the page, and the browser goes nowhere (RFC 6749, section 4.1.2.1). All
 * else is told to the app, by a redirect.
 */

/** One that a person can be asked about. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  readonly scopes: Scope[];
  /** Whom the app expects, as it says. */
  readonly loginHint: string | undefined;
}

/** What is told on the page. */
export interface Refusal {
  readonly title: string;
  readonly reason: string;
  readonly advice: string;
  /** A command that helps. */
  readonly command?: string;
}

/** What is told to the app. */
export interface ErrorRedirect {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly error: AuthorizationError;
  readonly description: string;
}

/** The error codes of RFC 6749, section 4.1.2.1, of OpenID Connect, and of RFC 9101 that are used. */
export type AuthorizationError =
  | 'access_denied'
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'request_not_supported'
  | 'temporarily_unavailable'
  | 'unsupported_response_type';

export type Judged =
  | { readonly refusal: Refusal; readonly clientId?: string }
  | { readonly redirect: ErrorRedirect }
  | { readonly request: AuthorizationRequest };

/** What is known of a client that is there. */
export interface KnownClient {
  readonly granted: readonly Scope[];
  readonly redirectUris: readonly string[];
}

/** Characters of a `state` that comes back. */
const longestState = 1000;

/** Parameters by their names. One that comes twice is a list. */
type Query = Readonly<Record<string, unknown>>;

export async function judge(
  query: Query,
  clientCalled: (clientId: string) => Promise<KnownClient | undefined>,
): Promise<Judged> {
  const { client_id: clientId, redirect_uri: redirectUri } = query;
  const client = typeof clientId === 'string' ? await clientCalled(clientId) : undefined;
  if (typeof clientId !== 'string' || !client) return { refusal: unknownClient(clientId) };
  if (typeof redirectUri !== 'string' || !isRegistered(client.redirectUris, redirectUri))
    return { clientId, refusal: wrongRedirect(redirectUri, client.redirectUris) };
  const state = typeof query.state === 'string' && query.state.length <= longestState ? query.state : undefined;
  const error = (error: AuthorizationError, description: string): Judged => ({
    redirect: { clientId, redirectUri, state, error, description },
  });
  const twice = Object.keys(query).find((name) => Array.isArray(query[name]));
  if (twice !== undefined) return error('invalid_request', `${excerpt(twice)} came twice. Send each parameter once.`);
  if (query.request !== undefined || query.request_uri !== undefined)
    return error('request_not_supported', 'Request objects are not taken here. Send the parameters in the URL.');
  if (query.response_type === undefined)
    return error('invalid_request', 'response_type is missing. Send response_type=code.');
  if (query.response_type !== 'code')
    return error('unsupported_response_type', 'response_type must be code: no token comes in a redirect here.');
  if (query.response_mode !== undefined && query.response_mode !== 'query')
    return error('invalid_request', 'response_mode must be query, or be left out.');
  if (state === undefined || state === '') return error('invalid_request', stateFault(query.state));
  const challengeFault = faultOfChallenge(query);
  if (challengeFault !== undefined) return error('invalid_request', challengeFault);
  if (query.prompt === 'none') return error('login_required', 'People sign in here each time: leave prompt=none out.');
  try {
    const scopes = narrow(client.granted, query.scope as string | undefined);
    const loginHint = typeof query.login_hint === 'string' ? query.login_hint : undefined;
    return {
      request: { clientId, redirectUri, state, challenge: query.code_challenge as string, scopes, loginHint },
    };
  } catch (fault) {
    if (fault instanceof DomainError) return error('invalid_scope', fault.message);
    throw fault;
  }
}

function stateFault(state: unknown): string {
  if (state === undefined || state === '')
    return 'state is missing. Send a random value, keep it in the session of this browser, and compare it with the one that comes back.';
  return `state has more than ${longestState} characters. Send a shorter one.`;
}

function faultOfChallenge({ code_challenge: challenge, code_challenge_method: method }: Query): string | undefined {
  if (challenge === undefined || challenge === '')
    return 'code_challenge is missing: PKCE is required (RFC 7636). Send the base64url of the SHA-256 of a random code_verifier, and code_challenge_method=S256.';
  if (method !== 'S256')
    return 'code_challenge_method must be S256. Without it the method is plain, which shows the code_verifier to all who see this URL.';
  if (!/^[\w-]{43}$/.test(challenge as string))
    return 'code_challenge must have 43 characters: the SHA-256 of the code_verifier in base64url, without =.';
  return undefined;
}

/** `clientId`: what was sent, if anything. */
export function unknownClient(clientId: unknown): Refusal {
  return {
    title: 'Nobody knows this app',
    reason:
      clientId === undefined
        ? 'The address has no client_id.'
        : 'No client has the client_id of this address: it is mistyped, or the client was removed.',
    advice:
      'Send the client_id that POST /demo-clients gave to your app. You were not sent back, since it is not known where to.',
  };
}

function wrongRedirect(redirectUri: unknown, registered: readonly string[]): Refusal {
  const reason =
    typeof redirectUri === 'string'
      ? `The redirect_uri of this address is not registered: ${excerpt(redirectUri, 200)}`
      : 'The address has no redirect_uri, or more than one.';
  // Which they are is not told here, where anybody may look.
  const known =
    registered.length === 0
      ? 'The client has registered none.'
      : 'The client has registered others: GET /range/v1/me/redirect-uris shows them to it.';
  return {
    title: 'This app may not get you back there',
    reason,
    advice: `${known} A redirect_uri is compared character by character; of http://127.0.0.1 and http://[::1] alone the port may differ. Who builds the app registers its address like this:`,
    command: `curl -X PUT "$ORIGIN/range/v1/me/redirect-uris" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"redirectUris":["http://127.0.0.1/callback"]}'`,
  };
}

/** The address to which a browser is sent with these parameters. */
export function redirectTo(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
}
