import { nearName } from '../http/near-name.ts';
import { type FieldError, ProblemError } from '../http/problem.ts';
import { invalid } from '../http/validation.ts';
import { kindOf } from '../text/shown-value.ts';
import { afterBasic, basicAdvice } from './credential-advice.ts';

/** What a token request comes down to, whichever way it was sent. */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  scope: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the request of endpoint 3: JSON as the specification has it, or what OAuth 2.0 tools send, a form
 * (`isForm`) and HTTP Basic (RFC 6749, section 2.3.1). Another scheme of Authorization is ignored. So is the `query`, but for
 * what is told of it.
 *
 * @throws {ProblemError} `validation-error`, or `invalid-client` for a Basic header that can't be read
 */
export function readTokenRequest(
  authorization: string | undefined,
  body: unknown,
  isForm: boolean,
  query: Fields,
): TokenRequest {
  const basic = isBasic(authorization) ? readBasic(authorization) : undefined;
  if (body === undefined && !basic) {
    const inUrl = ['client_id', 'client_secret'].some((name) => nearOf(name, query) !== undefined);
    const detail = 'The request has no body. Send a JSON object with client_id and client_secret.';
    throw invalid([{ pointer: '', detail: inUrl ? `${detail} ${notInUrl}` : detail }]);
  }
  const members = asObject(body === undefined ? {} : body);
  const faults: FieldError[] = [];
  const text = (name: string, needed: boolean): string | undefined => {
    const value = members[name];
    if (typeof value === 'string') return value;
    const noText = name === 'scope' ? scopeNoText : `must be a string, not ${kindOf(value)}.`;
    if (value !== undefined) faults.push({ pointer: `/${name}`, detail: noText });
    else if (needed) faults.push({ pointer: `/${name}`, detail: missing(name, members, query) });
    return undefined;
  };
  const clientId = text('client_id', !basic);
  const clientSecret = text('client_secret', !basic);
  const scope = text('scope', false);
  const grant = text('grant_type', isForm);
  // Before what is missing: another grant is asked for with other members.
  if (grant !== undefined && grant !== 'client_credentials') {
    // It may be a secret at the wrong place.
    const sent = /^[a-z_]{1,30}$/i.test(grant) ? `, not ${grant}` : '';
    const advice = /^client_credentials[\s;,]/.test(grant) ? fieldsAdvice : (grantAdvice.get(grant) ?? '');
    const detail = `must be client_credentials, the only grant here${sent}.${advice}`;
    throw invalid([{ pointer: '/grant_type', detail }], { oauthError: 'unsupported_grant_type' });
  }
  if (faults.length > 0) throw invalid(faults);
  if (!basic) return { clientId: clientId as string, clientSecret: clientSecret as string, scope };
  if (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
    throw invalid([
      {
        pointer: '/client_id',
        detail: 'The credentials were sent twice, in the Authorization header and in the body. Send them once.',
      },
    ]);
  }
  return { ...basic, scope };
}

const grantMissing = 'is missing. Add grant_type=client_credentials: the only grant here is client_credentials.';

const scopeNoText =
  'must be a string: the scopes, separated by spaces, such as "policies:read claims:read". Leave it out to get all.';

const fieldsAdvice = ' Something follows it: the fields of a form are separated by &.';

/** For those who want another grant. */
const grantAdvice = new Map([
  ['password', ' There are no users here: send client_id and client_secret.'],
  ['authorization_code', ' There are no users here: send client_id and client_secret.'],
  ['refresh_token', ' There are no refresh tokens: get a new token with the same client_id and client_secret.'],
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
