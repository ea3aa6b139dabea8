import { asJson, claimsPath, form, signed, topic } from './calls.ts';
import type { Learner, Mistake } from './mistake.ts';

let vehicles = 0;

/** A registration number that nobody has yet. */
const fresh = () => {
  vehicles += 1;
  return `NM-${vehicles}`;
};

const member = (sent: string, meant: string) => `${sent}: is not a member of this request. Did you mean ${meant}?`;
const parameter = (sent: string, meant: string) =>
  `${sent}: is not a parameter of this request. Did you mean ${meant}?`;

const notInUrl = ['never in the URL, which logs keep', 'Create new ones with POST /demo-clients'];

/** Members and parameters whose names are wrong. */
export const names: readonly Mistake[] = [
  {
    title: 'a token in place of a name, which does not come back',
    send: ({ call, token }) => call('POST', `/policies?${token}`, { json: { [token]: 1, policy: {} } }),
    status: 400,
    says: [/^l-plate-ignored: body\/policy, and-more$/m, 'regNumber: is missing.'],
  },
  {
    title: 'a reason for the cancellation, which takes no body',
    send: async ({ call }) => {
      const { json } = await call('POST', '/policies', { json: { regNumber: fresh() } });
      return call('POST', `/policies/${json.id}/cancel`, { json: { reason: 'sold' } });
    },
    status: 200,
    says: [/^l-plate-ignored: body$/m],
  },
  {
    title: 'coverage_option in place of coverageOption',
    send: ({ call }) => call('POST', '/policies', { json: { regNumber: fresh(), coverage_option: 'MTPL-1M' } }),
    status: 400,
    says: [member('coverage_option', 'coverageOption')],
  },
  {
    title: 'the member that is needed is spelt reg_number, and only that is told',
    send: ({ call }) => call('POST', '/policies', { json: { reg_number: fresh() } }),
    status: 400,
    says: [member('reg_number', 'regNumber'), /^(?!.*is missing)/s],
  },
  {
    title: 'a letter is lost: regNumer',
    send: ({ call }) => call('POST', '/policies', { json: { regNumer: fresh() } }),
    status: 400,
    says: [member('regNumer', 'regNumber')],
  },
  {
    title: 'two letters are swapped: hodler',
    send: ({ call }) => call('POST', '/policies', { json: { regNumber: fresh(), hodler: 'Ada' } }),
    status: 400,
    says: [member('hodler', 'holder')],
  },
  {
    title: 'START-DATE in capitals with a dash',
    send: ({ call }) => call('POST', '/policies', { json: { regNumber: fresh(), 'START-DATE': '2030-01-01' } }),
    status: 400,
    says: [member('START-DATE', 'startDate')],
  },
  {
    title: 'a space behind a name: "holder "',
    send: ({ call }) => call('POST', '/policies', { json: { regNumber: fresh(), 'holder ': 'Ada' } }),
    status: 400,
    says: [member('holder ', 'holder')],
  },
  {
    title: 'two names are wrong and a value too: all is told at once',
    send: ({ call }) => call('POST', '/policies', { json: { regnumber: 'x', Holder: 'Ada', startDate: 'soon' } }),
    status: 400,
    says: [member('regnumber', 'regNumber'), member('Holder', 'holder'), 'startDate: is not a date that exists'],
  },
  {
    title: 'a policy with an email address, which it does not have',
    send: ({ call }) =>
      call('POST', '/policies', { json: { regNumber: fresh(), email: 'ada@example.org', 'a,b\n': 1 } }),
    status: 201,
    says: ['l-plate-ignored: body/email, body/a%2Cb%0A'],
  },
  {
    title: 'the end of cover, which follows from the option',
    send: ({ call }) => call('POST', '/policies', { json: { regNumber: fresh(), endDate: '2030-01-01' } }),
    status: 201,
    says: ['l-plate-ignored: body/endDate'],
  },
  {
    title: 'the data of a policy in the query of a POST',
    send: ({ call }) => call('POST', '/policies?regNumber=NM-0', { json: {} }),
    status: 400,
    says: ['l-plate-ignored: query/regNumber', 'regNumber: is missing.'],
  },
  {
    title: 'page_size in place of pageSize',
    send: ({ call }) => call('GET', '/policies?page_size=5'),
    status: 400,
    says: [parameter('page_size', 'pageSize')],
  },
  {
    title: 'the list of policies is to be filtered by ?holder=, which it can’t be',
    send: ({ call }) => call('GET', '/policies?holder=Ada'),
    status: 200,
    says: ['l-plate-ignored: query/holder'],
  },
  {
    title: 'limit and offset, as other lists have them',
    send: ({ call }) => call('GET', '/policies?limit=5&offset=10'),
    status: 200,
    says: ['l-plate-ignored: query/limit, query/offset'],
  },
  {
    title: 'Page in capitals, and a page that is none',
    send: ({ call }) => call('GET', '/policies?Page=2&pageSize=0'),
    status: 400,
    says: [parameter('Page', 'page'), 'pageSize: must be at least 1, not 0.'],
  },
  {
    title: 'one policy with ?fields=',
    send: ({ call, policyId }) => call('GET', `/policies/${policyId}?fields=status`),
    status: 200,
    says: ['l-plate-ignored: query/fields'],
  },
  {
    title: 'Holder in an update',
    send: ({ call, policyId }) => call('PUT', `/policies/${policyId}`, { json: { Holder: 'Ada' } }),
    status: 400,
    says: [member('Holder', 'holder')],
  },
  {
    title: 'to cancel by PUT with a status',
    send: ({ call, policyId }) =>
      call('PUT', `/policies/${policyId}`, { json: { holder: 'Ada', status: 'cancelled' } }),
    status: 400,
    says: [
      'status: can’t be set here.',
      'you sent "cancelled"',
      /To cancel: POST \/policies\/pol-[0-9a-f-]{36}\/cancel\./,
    ],
  },
  ...[
    { status: 'cancelled' },
    { status: 'cancelled', holder: null },
    { status: 'cancelled', holder: '' },
    { status: 'cancelled', holder: 'Ada \ud800' },
    { status: 'cancelled', Holder: 'Ada' },
  ].map((json) => ({
    title: `to cancel by PUT, and the holder is wrong too: ${JSON.stringify(json)}`,
    send: ({ call, policyId }: Learner) => call('PUT', `/policies/${policyId}`, { json }),
    status: 400,
    says: [
      /older: (?:is |must |has a value|is not a member|can’t be taken away)/,
      'status: can’t be set here. It is "active", and you sent "cancelled".',
      /To cancel: POST \/policies\/pol-[0-9a-f-]{36}\/cancel\./,
    ],
  })),
  {
    title: 'all of a policy read, changed and put back without a holder',
    send: ({ call, policyId }) => {
      const json = { regNumber: 'OTHER-1', coverageOption: 'MTPL-1M', startDate: '2030-01-01', endDate: 'x', id: 'x' };
      return call('PUT', `/policies/${policyId}`, { json });
    },
    status: 400,
    says: ['holder', 'regNumber', 'coverageOption', 'startDate', 'endDate', 'id'].map(
      (name) => new RegExp(`^/${name}: (?:is missing|can’t be set here)`, 'm'),
    ),
  },
  {
    title: 'to make a cancelled policy active again by PUT',
    send: async ({ lplate, call }) => {
      const { token } = await lplate.client();
      const { json } = await call('POST', '/policies', { token, json: { regNumber: fresh() } });
      await call('POST', `/policies/${json.id}/cancel`, { token });
      return call('PUT', `/policies/${json.id}`, { token, json: { status: 'active' } });
    },
    status: 400,
    says: ['holder: is missing.', 'It is "cancelled", and you sent "active". It is final: create a new policy'],
  },
  {
    title: 'a policy of which a name, a value, the start and the holder are wrong',
    send: ({ call }) => {
      const json = { reg_number: 'NM-1', coverageOption: 'none', startDate: '2001-01-01', holder: '\ud800' };
      return call('POST', '/policies', { json });
    },
    status: 400,
    says: [
      member('reg_number', 'regNumber'),
      'coverageOption: must be one of',
      'startDate: must be from',
      'half of a surrogate pair',
    ],
  },
  {
    title: 'a start in the past of a policy with half of a character',
    send: ({ call }) =>
      call('POST', '/policies', { json: { regNumber: 'NM-1', startDate: '2001-01-01', holder: '\ud800' } }),
    status: 400,
    says: ['startDate: must be from', 'half of a surrogate pair'],
  },
  {
    title: 'to move a policy to another vehicle, option and start by PUT',
    send: ({ call, policyId }) => {
      const json = { holder: 'Ada', regNumber: 'OTHER-1', coverageOption: 'MTPL-1M', startDate: '2030-01-01' };
      return call('PUT', `/policies/${policyId}`, { json });
    },
    status: 400,
    says: [
      'regNumber: can’t be set here. It is "LEARN-1", and you sent "OTHER-1".',
      'coverageOption: can’t be set here.',
      'startDate: can’t be set here.',
    ],
  },
  {
    title: 'outcomes in place of outcome of a claim',
    send: ({ call, policyId }) => {
      const json = { policyNumber: policyId, outcomes: 'REJECTED', pace_seconds: 1 };
      return call('POST', `${claimsPath}/claims`, { json });
    },
    status: 400,
    says: [member('outcomes', 'outcome'), member('pace_seconds', 'paceSeconds')],
  },
  {
    title: 'a claim with the id of its policy as policyId',
    send: ({ call, policyId }) => call('POST', `${claimsPath}/claims`, { json: { policyId } }),
    status: 400,
    says: ['policyNumber: is missing.', 'l-plate-ignored: body/policyId'],
  },
  {
    title: 'claims of a policy with policy_number',
    send: ({ call, policyId }) => call('GET', `${claimsPath}/claims?policy_number=${policyId}&Status=CLOSED`),
    status: 400,
    says: [parameter('policy_number', 'policyNumber'), parameter('Status', 'status')],
  },
  {
    title: 'URL in place of url of a subscription',
    send: ({ call }) => call('POST', `${claimsPath}/subscriptions`, { json: { URL: 'https://partner.example/' } }),
    status: 400,
    says: [member('URL', 'url')],
  },
  {
    title: 'a subscription with the secret that one wants',
    send: ({ call }) =>
      call('POST', `${claimsPath}/subscriptions`, { json: { url: 'ftp://partner.example/', secret: 'mine' } }),
    status: 400,
    says: ['l-plate-ignored: body/secret', 'it must begin with http:// or https://'],
  },
  {
    title: 'pagesize of the subscriptions',
    send: ({ call }) => call('GET', `${claimsPath}/subscriptions?pagesize=5`),
    status: 400,
    says: [parameter('pagesize', 'pageSize')],
  },
  {
    title: 'a topic from afer on, with limits',
    send: ({ call }) => call('GET', `${topic}?afer=1-1&limits=5`),
    status: 400,
    says: [parameter('afer', 'after'), parameter('limits', 'limit')],
  },
  {
    title: 'a topic with a cursor under the name of another service',
    send: ({ call }) => call('GET', `${topic}?cursor=1-1`),
    status: 200,
    says: ['l-plate-ignored: query/cursor'],
  },
  {
    title: 'a vehicle of v2 with parameters',
    send: ({ call }) => call('GET', '/vehicle-registry/v2/vehicles/AB-1234?expand=owner'),
    status: 200,
    says: ['l-plate-ignored: query/expand'],
  },
  {
    title: 'reg_number in the signed check',
    send: (learner) => signed(learner, '{"reg_number":"AB-1234"}'),
    status: 400,
    says: [member('reg_number', 'regNumber')],
  },
  {
    title: 'a date in the signed check, which is always about today',
    send: (learner) => signed(learner, '{"regNumber":"AB-1234","date":"2030-01-01"}'),
    status: 200,
    says: ['l-plate-ignored: body/date'],
  },
  {
    title: 'clientId and clientSecret in a token request',
    send: ({ lplate, id, secret }) =>
      lplate.call('POST', '/auth/token', { json: { clientId: id, clientSecret: secret } }),
    status: 400,
    says: [
      'client_id: is missing, but there is clientId. Did you mean client_id?',
      'client_secret: is missing, but there is clientSecret. Did you mean client_secret?',
    ],
  },
  {
    title: 'client-id and grantType in a form',
    send: ({ lplate, id, secret }) =>
      lplate.call(
        'POST',
        '/auth/token',
        form({ grantType: 'client_credentials', 'client-id': id, client_secret: secret }),
      ),
    status: 400,
    says: [
      'client_id: is missing, but there is client-id. Did you mean client_id?',
      'grant_type: is missing, but there is grantType. Did you mean grant_type?',
    ],
  },
  {
    title: 'scopes in place of scope, which OAuth 2.0 has every server ignore',
    send: ({ lplate, id, secret }) => {
      const json = { client_id: id, client_secret: secret, scopes: 'policies:read' };
      return lplate.call('POST', '/auth/token', { json });
    },
    status: 200,
    says: ['l-plate-ignored: body/scopes;meant=body/scope'],
  },
  {
    title: 'SCOPE and Grant-Type in a token request that has no others',
    send: ({ lplate, id, secret }) => {
      const json = { client_id: id, client_secret: secret, SCOPE: 'policies:read', 'Grant-Type': 'password' };
      return lplate.call('POST', '/auth/token', { json });
    },
    status: 200,
    says: ['l-plate-ignored: body/SCOPE;meant=body/scope, body/Grant-Type;meant=body/grant_type'],
  },
  {
    title: 'scopes beside scope, which is there',
    send: ({ lplate, id, secret }) => {
      const json = { client_id: id, client_secret: secret, scope: 'policies:read', scopes: [] };
      return lplate.call('POST', '/auth/token', { json });
    },
    status: 200,
    says: [/^l-plate-ignored: body\/scopes$/m, '"scope":"policies:read"'],
  },
  {
    title: 'the scope in the URL',
    send: ({ lplate, id, secret }) =>
      lplate.call('POST', '/auth/token?scope=policies:read', { json: { client_id: id, client_secret: secret } }),
    status: 200,
    says: ['l-plate-ignored: query/scope;meant=body/scope'],
  },
  {
    title: 'all of a token request in the URL',
    send: ({ lplate, id, secret }) =>
      lplate.call('POST', `/auth/token?grant_type=client_credentials&client_id=${id}&client_secret=${secret}`),
    status: 400,
    says: ['The request has no body.', ...notInUrl],
  },
  {
    title: 'clientId and client-secret of a token request in the URL',
    send: ({ lplate, id, secret }) =>
      lplate.call('POST', `/auth/token?clientId=${id}&client-secret=${secret}`, { json: {} }),
    status: 400,
    says: [
      'client_id: is missing, but there is clientId in the URL. It belongs in the body.',
      'client_secret: is missing, but there is client-secret in the URL.',
      ...notInUrl,
    ],
  },
  {
    title: 'the secret of a form in the URL',
    send: ({ lplate, id, secret }) =>
      lplate.call('POST', `/auth/token?grant_type=client_credentials&client_secret=${secret}`, form({ client_id: id })),
    status: 400,
    says: ['grant_type: is missing, but there is grant_type in the URL. It belongs in the body.', ...notInUrl],
  },
  {
    title: 'a token by GET with the secret in the URL',
    send: ({ lplate, id, secret }) => lplate.call('GET', `/auth/token?client_id=${id}&client_secret=${secret}`),
    status: 405,
    says: ['Get a token with POST', 'Never send them in the URL, which logs keep.'],
  },
  {
    title: 'the same name twice in one object',
    send: ({ call }) => call('POST', '/policies', asJson('{"regNumber":"NM-A",\n "regNumber":"NM-B"}')),
    status: 400,
    says: ['regNumber: occurs twice in one object, at line 1, column 2 and line 2, column 2. Send it once.'],
  },
  {
    title: 'a traceparent that is only a trace id',
    send: ({ call }) => call('GET', '/policies', { headers: { traceparent: '4bf92f3577b34da6a3ce929d0e0e4736' } }),
    status: 200,
    says: ['l-plate-ignored: header/traceparent'],
  },
  {
    title: 'a traceparent with a dash in its name',
    send: ({ call }) =>
      call('GET', '/policies', {
        headers: { 'trace-parent': '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
      }),
    status: 200,
    says: ['l-plate-ignored: header/trace-parent'],
  },
  {
    title: 'the same name twice, deep in a member that is ignored',
    send: (learner) => signed(learner, '{"regNumber":"AB-1234","more":[{"a":1,"a":2}]}'),
    status: 400,
    says: ['more/0/a: occurs twice in one object'],
  },
  {
    title: 'a member named __proto__',
    send: ({ call }) => call('POST', '/policies', asJson(`{"regNumber":"${fresh()}","__proto__":{}}`)),
    status: 201,
    says: ['l-plate-ignored: body/__proto__'],
  },
];
