import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sql } from '../../database/database.ts';
import { ProblemError } from '../problems/problem.ts';
import { certificateThumbprint, clientCertificate } from './client-certificate.ts';
import { nearName } from './near-name.ts';

/** The `aud` of every token, by whatever address it was got (RFC 9068, section 2.2). */
export const audience = 'http://lplate.example';

/** Who calls, as a verified token tells it. */
export interface Caller {
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** When the token expires, in seconds since 1970. */
  readonly expiresAt: number;
  /** The person that let the client in, for whom it calls; absent where it calls for itself. */
  readonly person?: CallingPerson;
  /** The `x5t#S256` of the certificate without which the token is not taken (RFC 8705); absent where it is bound to none. */
  readonly boundTo?: string;
}

/** A policyholder for whom a client calls. */
export interface CallingPerson {
  readonly personId: string;
  /** As `holder` of their policies has it. */
  readonly name: string;
  readonly userName: string;
}

/** What the issuer of the tokens offers to every interface that takes them. */
export interface Tokens {
  /** Where callers get a token, if not from the token endpoint. */
  readonly source?: string;
  /**
   * Checks signature, issuer, audience and expiry. No promise when the token was seen before.
   *
   * @throws {ProblemError} `invalid-token`
   */
  verify(token: string, request?: FastifyRequest, reply?: FastifyReply): Caller | Promise<Caller>;
  /** Whose token it is, also after it has expired; undefined if it is none. */
  holder(token: string): Promise<string | undefined>;
  /** Whether the client still exists; counts the call as its use. No promise when it was seen a moment ago. */
  use(clientId: string): true | Promise<boolean>;
  /** Whether the client still exists, without counting a use: for what goes on long after its request. */
  exists(clientId: string): Promise<boolean>;
  /**
   * Makes sure, in a transaction, that the client is there. It can't be removed until the transaction ends.
   *
   * @throws {ProblemError} `gone()` when the client is gone, by default `invalid-token`
   */
  lockClient(sql: Sql, clientId: string, gone?: () => ProblemError): Promise<void>;
  /** The same, when what was known a moment ago will do. Then it is no promise. */
  existed(clientId: string): true | Promise<boolean>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a bearer endpoint needs, or several, separated by spaces; empty for any token. Absent where it is open. */
    scope?: string;
    /** Whether it takes tokens for a person, who sees what is theirs alone. */
    forPeople?: true;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
  }
}

type Done = (error?: Error) => void;

const realm = 'Bearer realm="lplate"';

/** The check of a bearer endpoint (Authentication, 2, 5 and 6): 401 when the caller is unknown, then 403. */
export function bearerCheck(tokens: Tokens, scope: string) {
  const needed = scope.split(' ').filter(Boolean);
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const proceed = (caller: Caller): void => {
      request.caller = caller;
      request.clientId = caller.clientId;
      const exists = tokens.use(caller.clientId);
      const { forPeople } = request.routeOptions.config;
      const refusal = () => refusedScope(caller, needed) ?? (caller.person && !forPeople ? notForPeople() : undefined);
      const decide = (known: boolean) => done(known ? refusal() : clientGone());
      if (exists === true) decide(true);
      else exists.then(decide, done);
    };
    const refuse = (error: unknown): void => {
      if (error instanceof ProblemError) request.clientId = error.extras.clientId;
      done(error as Error);
    };
    try {
      const caller = tokens.verify(bearerToken(request, tokens.source), request, reply);
      if (caller instanceof Promise) caller.then((each) => withCertificate(request, each)).then(proceed, refuse);
      else proceed(withCertificate(request, caller));
    } catch (error) {
      refuse(error);
    }
  };
}

/**
 * The token of the Authorization header. The scheme's name has no case.
 *
 * @throws {ProblemError} `missing-token` or `invalid-token`
 */
function bearerToken(request: FastifyRequest, source?: string): string {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw missingToken(`The request has no Authorization header.${elsewhere(request)}`, source);
  }
  if (!/^bearer(\s|$)/i.test(header)) {
    throw missingToken(`The Authorization header does not use the scheme Bearer.${schemeAdvice(header)}`, source);
  }
  const token = header.slice('bearer'.length).replace(/^[ \t]+/, '');
  if (token === '')
    throw invalidToken(
      source
        ? `There is no token after the word Bearer: was the variable with it set? Send ${source}`
        : `There is no token after the word Bearer: was the variable with it set? Add the access_token. ${getNewToken}`,
    );
  return token;
}

function missingToken(reason: string, source = 'a token from POST /auth/token'): ProblemError {
  const detail = `${reason} Send Authorization: Bearer with ${source}.`;
  return new ProblemError('missing-token', detail, { headers: { 'WWW-Authenticate': realm } });
}

/** Where a token may have been put in place of the header. */
function elsewhere({ query, headers }: FastifyRequest): string {
  const { access_token, token } = query as Record<string, unknown>;
  if (access_token !== undefined || token !== undefined) return ' A token in the URL is not read: logs would show it.';
  const other = ['x-api-key', 'api-key', 'x-auth-token', 'x-access-token', 'token', 'access_token', 'authentication'];
  const name = other.find((each) => headers[each] !== undefined);
  if (name !== undefined) return ` The header ${name} is not read.`;
  const near = Object.keys(headers).find((each) => nearName(each, ['authorization']) !== undefined);
  return near === undefined ? '' : ` The header ${near} is not read: it is spelt Authorization.`;
}

/** Says what is wrong with a scheme that is not Bearer. */
function schemeAdvice(header: string): string {
  const [scheme = ''] = header.split(/\s/, 1);
  if (nearName(scheme, ['Bearer']) !== undefined) return ` It begins with ${scheme}. Did you mean Bearer?`;
  if (/^basic\b/i.test(header)) return ' Basic, with client_id and client_secret, is for POST /auth/token alone.';
  if (/^(?:eyJ|["']?bearer["']?[^\s\w])/i.test(header)) {
    return ' The header is the word Bearer, one space and the token, without quotes, colon or equals sign.';
  }
  if (/^(?:token|jwt|apikey|oauth|digest)\b/i.test(header)) return ' The word before the token must be Bearer.';
  return '';
}

/**
 * The client of a request that has a proper token, if the client still exists: for limits that count by client. Never a
 * refusal, and no use of the client.
 */
export async function existingClient(tokens: Tokens, request: FastifyRequest): Promise<string | undefined> {
  if (request.headers.authorization === undefined) return undefined;
  try {
    const { clientId } = withCertificate(request, await tokens.verify(bearerToken(request)));
    return (await tokens.existed(clientId)) ? clientId : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text has the form of a client's id. Another one is no client; with a NUL it could not even be looked for. */
export function isClientId(text: string): boolean {
  return /^[a-z0-9-]{1,64}$/.test(text);
}

/** The end of each reason of `invalidToken`. */
export const getNewToken =
  'Get a new token from POST /auth/token with your client_id and client_secret, and send its access_token';

/**
 * A 401 for a token that can't be trusted; `reason` is plain ASCII without quotes and full stop (RFC 6750, 3). `clientId`:
 * whose it is, if that is sure.
 */
export function invalidToken(reason: string, clientId?: string): ProblemError {
  return new ProblemError('invalid-token', `${reason}.`, {
    headers: { 'WWW-Authenticate': `${realm}, error="invalid_token", error_description="${reason}"` },
    ...(clientId !== undefined && { clientId }),
  });
}

/**
 * The caller, if the certificate is there that the token is bound to. To be asked for each call, whatever is known of its
 * token: who has copied one may send it beside its owner.
 *
 * @throws {ProblemError} `invalid-token`
 */
function withCertificate(request: FastifyRequest, caller: Caller): Caller {
  const { boundTo, clientId } = caller;
  if (boundTo === undefined || boundTo === certificateThumbprint(request)) return caller;
  const seen = presented[clientCertificate(request).status];
  throw invalidToken(
    `The token is bound to a client certificate (RFC 8705), and this call came with ${seen}. Present the certificate with which you got it, or get a new token from POST /auth/token`,
    clientId,
  );
}

/** By the status of the certificate. */
const presented = { accepted: 'another one', refused: 'one that is not accepted', missing: 'none' };

/** The token outlived its client. */
export function clientGone(): ProblemError {
  return invalidToken(
    'The client of this token was removed. Create a new one with POST /demo-clients, then get a new token from POST /auth/token',
  );
}

/** Who calls a bearer endpoint. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller) return request.caller;
  throw new Error('the route has no scope in its config');
}

function refusedScope(caller: Caller, needed: readonly string[]): ProblemError | undefined {
  if (needed.every((each) => caller.scopes.has(each))) return undefined;
  const has = [...caller.scopes].join(' ');
  const what = needed.length > 1 ? `the scopes ${needed.join(' and ')}` : `the scope ${needed[0]}`;
  const wanted = needed.length > 1 ? 'both' : 'that scope';
  const advice = caller.person
    ? `Refresh for ${wanted} if the person has allowed it; otherwise send them to GET /auth/authorize again.`
    : `Request a token with ${wanted}.`;
  return new ProblemError('insufficient-scope', `This request needs ${what}, but the token has ${has}. ${advice}`, {
    headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope", scope="${needed.join(' ')}"` },
  });
}

function notForPeople(): ProblemError {
  return new ProblemError(
    'insufficient-scope',
    'This token is for a person, and can be used for what is theirs alone. Request a token of the client itself, with grant_type=client_credentials.',
    { headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope"` } },
  );
}
