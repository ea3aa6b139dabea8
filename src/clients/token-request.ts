import { type FieldError, ProblemError } from '../http/problems/problem.ts';
import { nearName } from '../http/requests/near-name.ts';
import { invalid } from '../http/requests/validation.ts';
import { kindOf } from '../text/shown-value.ts';
import { afterBasic, basicAdvice } from './credential-advice.ts';

/** The credentials of a client, whichever way they were sent. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a token request comes down to, whichever way it was sent. */
export type TokenRequest = Credentials & Grant;

type Grant =
  | { readonly grant: 'client_credentials'; readonly scope: string | undefined }
  | {
      readonly grant: 'authorization_code';
      readonly code: string;
      readonly redirectUri: string;
      readonly verifier: string;
    }
  | { readonly grant: 'refresh_token'; readonly refreshToken: string; readonly scope: string | undefined };

type Fields = Readonly<Record<string, unknown>>;

/** The members of a body, with what is told of those that are missing or no text. */
class Members {
  readonly #sent: Fields;
  readonly #query: Fields;
  readonly faults: FieldError[] = [];

  constructor(sent: Fields, query: Fields) {
    this.#sent = sent;
    this.#query = query;
  }

  text(name: string, needed: boolean): string | undefined {
    const value = this.#sent[name];
    if (typeof value === 'string') return value;
    const noText = name === 'scope' ? scopeNoText : `must be a string, not ${kindOf(value)}.`;
    if (value !== undefined) this.faults.push({ pointer: `/${name}`, detail: noText });
    else if (needed) this.faults.push({ pointer: `/${name}`, detail: missing(name, this.#sent, this.#query) });
    return undefined;
  }

  /** @throws {ProblemError} `validation-error`, if anything was wrong so far */
  check(): void {
    if (this.faults.length > 0) throw invalid(this.faults);
  }
}

/** What was sent to an endpoint that clients sign in at. `query` is ignored, but for what is told of it. */
export interface SentRequest {
  readonly authorization: string | undefined;
  readonly body: unknown;
  readonly isForm: boolean;
  readonly query: Fields;
}

/**
 * Reads the request of endpoint 3: JSON as the specification has it, or what OAuth 2.0 tools send, a form
 * (`isForm`) and HTTP Basic (RFC 6749, section 2.3.1). Another scheme of Authorization is ignored.
 *
 * @throws {ProblemError} `validation-error`, or `invalid-client` for a Basic header that can't be read
 */
export function readTokenRequest(sent: SentRequest): TokenRequest {
  return readRequest(sent, (members) => {
    const grant = members.text('grant_type', sent.isForm) ?? 'client_credentials';
    // Before what is missing: another grant is asked for with other members.
    if (grant === 'authorization_code') {
      const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
        members.text(name, true),
      ) as [string, string, string];
      return { grant, code, redirectUri, verifier };
    }
    const scope = members.text('scope', false);
    if (grant === 'refresh_token') return { grant, refreshToken: members.text('refresh_token', true) as string, scope };
    if (grant === 'client_credentials') return { grant, scope };
    // It may be a secret at the wrong place.
    const shown = /^[a-z_]{1,30}$/i.test(grant) ? `, not ${grant}` : '';
    const advice = /^client_credentials[\s;,]/.test(grant) ? fieldsAdvice : (grantAdvice.get(grant) ?? '');
    const detail = `must be client_credentials, authorization_code or refresh_token${shown}.${advice}`;
    throw invalid([{ pointer: '/grant_type', detail }], { oauthError: 'unsupported_grant_type' });
  });
}

/**
 * Reads a request about a token: to revoke it (RFC 7009, section 2.1), or to be told of it (RFC 7662, section 2.1).
 *
 * @throws {ProblemError} as `readTokenRequest`
 */
export function readTokenQuestion(sent: SentRequest): Credentials & { readonly token: string } {
  return readRequest(sent, (members) => ({ token: members.text('token', true) as string }));
}

function readRequest<Rest extends object>(
  { authorization, body, query }: SentRequest,
  readRest: (members: Members) => Rest,
): Credentials & Rest {
  const basic = isBasic(authorization) ? readBasic(authorization) : undefined;
  if (body === undefined && !basic) {
    const inUrl = ['client_id', 'client_secret'].some((name) => nearOf(name, query) !== undefined);
    const detail = 'The request has no body. Send a JSON object with client_id and client_secret.';
    throw invalid([{ pointer: '', detail: inUrl ? `${detail} ${notInUrl}` : detail }]);
  }
  const members = new Members(asObject(body === undefined ? {} : body), query);
  const clientId = members.text('client_id', !basic);
  const clientSecret = members.text('client_secret', !basic);
  const rest = readRest(members);
  members.check();
  if (!basic) return { clientId: clientId as string, clientSecret: clientSecret as string, ...rest };
  if (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
    throw invalid([
      {
        pointer: '/client_id',
        detail: 'The credentials were sent twice, in the Authorization header and in the body. Send them once.',
      },
    ]);
  }
  return { ...basic, ...rest };
}

const grantMissing =
  'is missing. Add grant_type=client_credentials; for a person it is authorization_code or refresh_token.';

const scopeNoText =
  'must be a string: the scopes, separated by spaces, such as "policies:read claims:read". Leave it out to get all.';

const fieldsAdvice = ' Something follows it: the fields of a form are separated by &.';

/** For those who want another grant. */
const grantAdvice = new Map([
  ['password', ' An app never sees a password: send the person to GET /auth/authorize, and exchange the code.'],
  ['implicit', ' A token never comes in a redirect: send the person to GET /auth/authorize with response_type=code.'],
]);

/**
 * Unknown client and wrong secret are answered the same, to the letter. What is `wrong` with the form of the credentials
 * may be told, since it follows from what was sent alone.
 */
export function invalidClient(wrong?: string): ProblemError {
  const advice = wrong === undefined ? '' : `${wrong} `;
  const detail = `No client has this client_id and client_secret. ${advice}Check both, or create new credentials with POST /demo-clients.`;
  return new ProblemError('invalid-client', detail, { headers: { 'WWW-Authenticate': 'Basic realm="lplate"' } });
}

/** Members that are looked at for one that was meant. */
const maxSeen = 100;

/** Unknown parameters are ignored (RFC 6749, section 3.2), but one of them may be the one that is missing. */
function missing(name: string, members: Fields, query: Fields): string {
  const near = nearOf(name, members);
  if (near !== undefined) return `is missing, but there is ${near}. Did you mean ${name}?`;
  const inUrl = nearOf(name, query);
  if (inUrl !== undefined) {
    const advice = name === 'client_secret' ? notInUrl : 'It belongs in the body.';
    return `is missing, but there is ${inUrl} in the URL. ${advice}`;
  }
  return name === 'grant_type' ? grantMissing : 'is missing.';
}

/** The URL is written to logs, of proxies too, and RFC 6749, section 2.3.1, forbids credentials in it. */
const notInUrl =
  'Credentials belong in the body or in the header Authorization: Basic, never in the URL, which logs keep. Create new ones with POST /demo-clients if others can read those logs.';

/** A name that was sent and is the known one, or nearly. */
function nearOf(name: string, sent: Fields): string | undefined {
  return Object.keys(sent)
    .slice(0, maxSeen)
    .find((each) => nearName(each, [name]) !== undefined);
}

function isBasic(authorization: string | undefined): authorization is string {
  return /^basic(\s|$)/i.test(authorization ?? '');
}

function readBasic(header: string): { clientId: string; clientSecret: string } {
  const wrong = basicAdvice(header);
  if (wrong !== undefined) throw invalidClient(wrong);
  const decoded = Buffer.from(afterBasic(header), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  // Both parts are form-encoded before they are joined.
  const [clientId, clientSecret] = [decoded.slice(0, colon), decoded.slice(colon + 1)].map((part) =>
    decodeURIComponent(part.replaceAll('+', ' ')),
  ) as [string, string];
  return { clientId, clientSecret };
}

function asObject(body: unknown): Record<string, unknown> {
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>;
  const detail = `The body must be a JSON object with client_id and client_secret, not ${kindOf(body)}.`;
  throw invalid([{ pointer: '', detail }]);
}
