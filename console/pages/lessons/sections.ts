/** A section of the specification, in words, and where to read about it here. */
export interface Section {
  readonly means: string;
  readonly href: string;
}

const insurer = (place: string) => `/docs#insurer-v1/tag/${place}`;
const claims = (place: string) => `/docs#claims-v1/tag/${place}`;
const tokens = insurer('clients-and-tokens');
const newToken = `${tokens}/POST/auth/token`;
const policies = insurer('policies');
const probe = insurer('range/GET/limited/ping');
const signed = insurer('range/POST/signed/policy-check');
const topic = claims('events/GET/topics/claims.status-changed');
const payload = '/docs#claims-v1-topic/channel/claimsstatus-changed';
const events = '#/guides/events';
const registry = '#/guides/vehicle-registry';
const rfc = (number: number, section = '') => `https://www.rfc-editor.org/rfc/rfc${number}${section}`;

const explained: Readonly<Record<string, readonly [means: string, href: string]>> = {
  'Demo client': ['What you get with new credentials', `${tokens}/POST/demo-clients`],
  'Coverage option': ['The terms that a policy can have', `${policies}/GET/coverage-options`],
  'Token response': ['What the token endpoint answers', newToken],
  Policy: ['The members of a policy', `${policies}/POST/policies`],
  'Vehicle data (legacy SOAP)': ['The elements of a vehicle by SOAP', registry],
  Claim: ['The members of a claim', claims('claims/POST/claims')],
  'States and transitions, Policy': ['Active, updated, cancelled, expired', policies],
  'States and transitions, Claim': ['From REGISTERED to CLOSED', claims('claims')],
  'Endpoints, 1': ['Create credentials', `${tokens}/POST/demo-clients`],
  'Endpoints, 2': ['List the coverage options', `${policies}/GET/coverage-options`],
  'Endpoints, 3': ['Get a token', newToken],
  'Endpoints, 4': ['Create a policy', `${policies}/POST/policies`],
  'Endpoints, 5': ['List your policies', `${policies}/GET/policies`],
  'Endpoints, 6': ['Read a policy', `${policies}/GET/policies/{policyId}`],
  'Endpoints, 7': ['Change the holder of a policy', `${policies}/PUT/policies/{policyId}`],
  'Endpoints, 8': ['Cancel a policy', `${policies}/POST/policies/{policyId}/cancel`],
  'Endpoints, 9': ['The probe with its own rate limit', probe],
  'Endpoints, 10': ['The check with a signed body', signed],
  'Endpoints, 11': ['The description of the interface', insurer('range/GET/openapi.yaml')],
  'Endpoints, rule 1': ['One policy in force per vehicle: else 409', '/problems/duplicate-policy'],
  'Endpoints, rule 2': ['To create needs its scope: else 403', '/problems/insufficient-scope'],
  'Endpoints, rule 3': ['You see only your own policies', `${policies}/GET/policies`],
  'Endpoints, rule 4': ['An unknown policy is 404', '/problems/policy-not-found'],
  'Endpoints, rule 5': ['A wrong signature is 401, with an explanation', '/problems/invalid-signature'],
  'Endpoints, rule 6': ['Too many calls are 429, with Retry-After', '/problems/rate-limit-exceeded'],
  'Legacy SOAP operation': ['The operation GetVehicleData', registry],
  'Claims interface': ['List claims, and read one', claims('claims/GET/claims')],
  'Authentication, 1': ['A token is a JWT, good for an hour', newToken],
  'Authentication, 2': ['The token goes into the header Authorization', tokens],
  'Authentication, 3': ['The scope of a token can be made narrower', newToken],
  'Authentication, 4': ['No scope that is wider than what was granted', newToken],
  'Authentication, 5': ['No header is 401: the caller is unknown', '/problems/missing-token'],
  'Authentication, 6': ['A missing scope is 403: known, but refused', '/problems/insufficient-scope'],
  'Authentication, 7': ['The endpoints that need no token', '/docs#insurer-v1/description/introduction'],
  'Authentication, 8': ['The signature is of the exact bytes of the body', signed],
  'Authentication, 9': ['Where credentials come from', `${tokens}/POST/demo-clients`],
  Payload: ['The members of an event', payload],
  'Events, delivery rule 1': ['The same event can come twice', topic],
  'Events, delivery rule 2': ['Events are in order per claim, and only so', topic],
  'Events, delivery rule 3': ['Events are kept for seven days', topic],
  'Events, delivery rule 4': ['Events contain no personal data', payload],
  Errors: ['What a refusal looks like', '/problems'],
  'Errors, 1': ['A refusal is a problem after RFC 9457', '/problems'],
  'Errors, 2': ['The fault of an unknown vehicle', registry],
  'Limits, General rate': ['60 calls a minute, and how they are told', '/problems/rate-limit-exceeded'],
  'Limits, Probe rate': ['Five calls a minute to the probe', probe],
  'Limits, Token lifetime': ['3600 seconds', newToken],
  'Limits, Active policies per vehicle': ['One in the whole register', '/problems/duplicate-policy'],
  'Limits, Event retention': ['Seven days', events],
  Versioning: ['Versions of interfaces, and what a draft is', '#/guides/versions'],
  'The range': ['Your clock, your drills, your log', '#/guides/range'],
  'RFC 2104': ['HMAC', rfc(2104)],
  'RFC 3339': ['Instants as texts', rfc(3339)],
  'RFC 4180': ['CSV: lines, fields and quotes', rfc(4180)],
  'RFC 6749, section 3.3': ['Scopes in OAuth 2.0', rfc(6749, '#section-3.3')],
  'RFC 6749, section 4.1': ['The authorization code grant', rfc(6749, '#section-4.1')],
  'RFC 6749, section 5.2': ['Refusals of the token endpoint', rfc(6749, '#section-5.2')],
  'RFC 6749, section 6': ['Refreshing a token', rfc(6749, '#section-6')],
  'RFC 6749, section 10.12': ['Forged redirects, and state', rfc(6749, '#section-10.12')],
  'RFC 7009': ['Revocation of tokens', rfc(7009)],
  'RFC 7636': ['PKCE: verifier and challenge', rfc(7636)],
  'RFC 7662': ['Introspection of tokens', rfc(7662)],
  'RFC 8288': ['Links in headers', rfc(8288)],
  'RFC 8705, section 3': ['Tokens that are bound to a certificate', rfc(8705, '#section-3')],
  'RFC 9110, section 13.1.1': ['If-Match', rfc(9110, '#section-13.1.1')],
  'RFC 9110, section 13.1.2': ['If-None-Match', rfc(9110, '#section-13.1.2')],
  'RFC 9110, section 14': ['Range, If-Range and Content-Range', rfc(9110, '#section-14')],
  'RFC 9110, section 15.3.3': ['202 Accepted', rfc(9110, '#section-15.3.3')],
  'RFC 9530': ['Content-Digest and Repr-Digest', rfc(9530)],
  'RFC 9700, section 4.5': ['Codes that are injected', rfc(9700, '#section-4.5')],
  'RFC 9700, section 4.7': ['Requests that are forged', rfc(9700, '#section-4.7')],
  'RFC 9700, section 4.14': ['Refresh tokens that are used twice', rfc(9700, '#section-4.14')],
};

const sections = new Map(Object.entries(explained).map(([name, [means, href]]) => [name, { means, href }]));

/** The call that some sections are about: that of the first one which has one; undefined if none has. */
export function callOf(names: readonly string[]): { readonly method: string; readonly path: string } | undefined {
  for (const name of names) {
    const found = /^\/docs#(\w+)-(v\d)\/tag\/[\w-]+\/([A-Z]+)(\/.+)$/.exec(sections.get(name)?.href ?? '');
    const [, system, version, method, path] = found ?? [];
    if (method !== undefined) return { method, path: `/${system}/${version}${path}` };
  }
  return undefined;
}

/** Undefined for one that only a trainer’s own lesson names. */
export function sectionOf(name: string): Section | undefined {
  return sections.get(name);
}
