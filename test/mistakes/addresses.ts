import { type Answer, type LPlate, sign } from '../support/lplate.ts';
import type { Mistake } from './mistake.ts';

/* Addresses, methods and ids. */

/** A request to any path of the server, with whatever it has: `call` would put it below the insurer's base. */
async function ask({ url }: LPlate, method: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { method });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

/** 404 for a path from the root. */
const nowhere = (title: string, method: string, path: string, ...says: Mistake['says']): Mistake => ({
  title,
  send: ({ lplate }) => ask(lplate, method, path),
  status: 404,
  says: [/\/problems\/not-found/, ...says],
});

/** 405 for a path below the insurer's base, or from the root. */
const noMethod = (title: string, method: string, path: string, ...says: Mistake['says']): Mistake => ({
  title,
  send: ({ call }) => call(method, path),
  status: 405,
  says: [/^allow: /m, ...says],
});

/** 404 for the id of a policy that is none. */
const noId = (title: string, id: string, ...says: Mistake['says']): Mistake => ({
  title,
  send: ({ call }) => call('GET', `/policies/${encodeURIComponent(id)}`),
  status: 404,
  says: [/\/problems\/policy-not-found/, ...says, 'GET /policies lists your policies'],
});

const policies = 'Did you mean GET /insurer/v1/policies?';
const policy = 'Did you mean GET /insurer/v1/policies/{policyId}?';
const noToken = /^(?!.*eyJ)/s;
const token = 'Did you mean POST /insurer/v1/auth/token?';
const description = /Did you mean GET \/insurer\/v1\/openapi\.(yaml|json)/;

const policyImports = 'Did you mean POST /insurer/v1/policy-imports?';
const anImport = '/insurer/v1/policy-imports/imp-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';
const itsRows = 'Did you mean GET /insurer/v1/policy-imports/{importId}/rows?';
const aSubscription = '/claims/v1/subscriptions/sub-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';

export const addresses: readonly Mistake[] = [
  ...['import', 'imports', 'bulk', 'batch', 'upload', 'Import', 'import/'].map((end) =>
    noMethod(
      `an import at /policies/${end}, which may be the id of a policy`,
      'POST',
      `/policies/${end}`,
      policyImports,
    ),
  ),
  noId(
    'an id with an en dash, from an editor',
    'pol\u201301938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
    'a dash that is no hyphen',
  ),
  noId('an id with a soft hyphen', 'pol-\u00ad01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', 'a character that is not seen'),
  noId('the imports below the policies', 'imports', 'Imports are at /policy-imports.'),
  noId('a search as a path', 'search', 'Filters stand in the query: ?status=active'),
  nowhere('imports without their prefix', 'POST', '/insurer/v1/imports', policyImports),
  nowhere(
    'how far an import is, below it',
    'GET',
    `${anImport}/status`,
    'Did you mean GET /insurer/v1/policy-imports/{importId}?',
  ),
  nowhere(
    'the progress of an import',
    'GET',
    `${anImport}/progress`,
    'Did you mean GET /insurer/v1/policy-imports/{importId}?',
  ),
  ...['refused', 'errors', 'lines', 'policies', 'rows/1'].map((end) =>
    nowhere(`${end} of an import`, 'GET', `${anImport}/${end}`, itsRows),
  ),
  noMethod('an import is to be stopped', 'DELETE', anImport, 'POST /policies/{policyId}/cancel'),
  noMethod('an import is to be sent again', 'POST', anImport, 'POST /policy-imports'),
  noMethod('rows are to be sent to an import', 'POST', `${anImport}/rows`, 'POST /policy-imports'),
  nowhere(
    'the status of a policy, below it',
    'GET',
    '/insurer/v1/policies/pol-1/status',
    /Did you mean GET \/insurer\/v1\/policies\/\{policyId\}\? The/,
  ),
  nowhere(
    'the claims of a policy, below it',
    'GET',
    '/insurer/v1/policies/pol-1/claims',
    'Did you mean GET /claims/v1/claims?',
  ),
  nowhere(
    'a claim on a policy, below it',
    'POST',
    '/insurer/v1/policies/pol-1/claims',
    'Did you mean POST /claims/v1/claims?',
  ),
  nowhere(
    'the events of a claim',
    'GET',
    '/claims/v1/claims/CLM-2026-000001/events',
    'Did you mean GET /claims/v1/topics/claims.status-changed?',
  ),
  nowhere(
    'a ping of a subscription',
    'POST',
    `${aSubscription}/ping`,
    'Did you mean POST /claims/v1/subscriptions/{subscriptionId}/test?',
  ),
  nowhere(
    'a secret is to be rotated',
    'POST',
    `${aSubscription}/rotate`,
    '/claims/v1/subscriptions/{subscriptionId}/secret?',
  ),
  nowhere(
    'a signature is to be verified',
    'POST',
    `${aSubscription}/verify`,
    '/subscriptions/{subscriptionId}/check-signature?',
  ),
  nowhere(
    'the attempts of a subscription',
    'GET',
    `${aSubscription}/attempts`,
    '/subscriptions/{subscriptionId}/deliveries?',
  ),
  nowhere(
    'a vehicle below the version',
    'GET',
    '/vehicle-registry/v2/AB-1234',
    'Did you mean GET /vehicle-registry/v2/vehicles/{reg_number}?',
  ),
  nowhere(
    'the registration number in the query, where it belongs in the path',
    'GET',
    '/vehicle-registry/v2/vehicles?reg_number=AB-1234',
    'Did you mean GET /vehicle-registry/v2/vehicles/{reg_number}?',
  ),
  nowhere('the singular of a collection', 'GET', '/insurer/v1/policy', policies),
  nowhere('the singular, to create one', 'POST', '/insurer/v1/policy', 'Did you mean POST /insurer/v1/policies?'),
  nowhere('the path without the base URL', 'GET', '/policies', policies),
  nowhere('the path below /api', 'GET', '/api/v1/policies', policies),
  nowhere('the base URL without its version', 'GET', '/insurer/policies', policies),
  nowhere('another version', 'GET', '/insurer/v2/policies', policies),
  nowhere('the version twice, from a base URL that has it', 'GET', '/insurer/v1/v1/policies', policies),
  nowhere('a double slash, from a base URL that ends in one', 'GET', '/insurer/v1//policies', policies),
  nowhere('two slashes at the end', 'GET', '/insurer/v1/policies//', policies),
  nowhere('capital letters', 'GET', '/insurer/v1/Policies', policies),
  nowhere(
    'the keys of tokens below the insurer',
    'GET',
    '/insurer/v1/jwks.json',
    'Did you mean GET /.well-known/jwks.json?',
  ),
  nowhere('policies below another interface', 'GET', '/claims/v1/policies', policies),
  nowhere('a policy below another interface', 'GET', '/claims/v1/policies/pol-1', policy),
  nowhere('a file for the WSDL', 'GET', '/vehicle-registry/v1.wsdl', 'Did you mean GET /vehicle-registry/v1?wsdl?'),
  {
    title: 'the OpenAPI description of the SOAP service',
    send: ({ call }) => call('GET', '/vehicle-registry/v1/openapi.yaml'),
    status: 404,
    says: ['Did you mean GET /vehicle-registry/v1?wsdl?'],
  },
  nowhere(
    'the answer below its lesson',
    'POST',
    '/range/v1/me/lessons/page-by-page/answers',
    'Did you mean POST /range/v1/me/answers?',
  ),
  nowhere(
    'the personal prefix behind the base URL',
    'GET',
    '/insurer/v1/for/demo-3f9a1c5e7b2d4f60a8c1/coverage-options',
    'comes first: /for/demo-3f9a1c5e7b2d4f60a8c1/insurer/v1/coverage-options.',
  ),
  nowhere('a slash that was encoded', 'GET', '/insurer/v1/policies%2Fpol-1', policy),
  nowhere('a slash that was encoded twice', 'GET', '/insurer/v1/policies%252Fpol-1', policy),
  nowhere('a token in the path, which does not come back', 'GET', '/insurer/v1/Bearer%20eyJhbGciOiJFUzI1NiJ9', noToken),
  {
    title: 'a percent sign in the path',
    send: ({ lplate }) => ask(lplate, 'GET', '/insurer/v1/policies/100%'),
    status: 400,
    says: [/\/problems\/malformed-request/, 'Write a literal % as %25.'],
  },
  nowhere('a space at the end', 'GET', '/insurer/v1/policies%20', policies),
  nowhere('& in place of the first ?', 'GET', '/insurer/v1/policies&page=2', policies),
  nowhere('.json at the end', 'GET', '/insurer/v1/policies.json', policies),
  nowhere(
    'a typing error in cancel',
    'POST',
    '/insurer/v1/policies/pol-1/cancle',
    'Did you mean POST /insurer/v1/policies/{policyId}/cancel?',
  ),
  nowhere(
    'delete as a verb in the path',
    'POST',
    '/insurer/v1/policies/pol-1/delete',
    'Did you mean POST /insurer/v1/policies/{policyId}/cancel?',
  ),
  nowhere('the token at /token', 'GET', '/token', token),
  nowhere('the token at /oauth/token', 'POST', '/oauth/token', token),
  nowhere('the token at /oauth2/v1/token', 'POST', '/oauth2/v1/token', token),
  nowhere('the token at /v1/auth/token', 'POST', '/v1/auth/token', token),
  nowhere('a login', 'POST', '/insurer/v1/auth/login', token),
  nowhere('clients without demo', 'POST', '/insurer/v1/clients', 'Did you mean POST /insurer/v1/demo-clients?'),
  nowhere('the claims at the insurer', 'POST', '/insurer/v1/claims', 'Did you mean POST /claims/v1/claims?'),
  nowhere(
    'the vehicles at the insurer',
    'GET',
    '/insurer/v1/vehicles/AB-1234',
    '/vehicle-registry/v2/vehicles/{reg_number}',
  ),
  nowhere('webhooks by that name', 'POST', '/claims/v1/webhooks', 'Did you mean POST /claims/v1/subscriptions?'),
  nowhere(
    'events by that name',
    'GET',
    '/claims/v1/events',
    'Did you mean GET /claims/v1/topics/claims.status-changed?',
  ),
  nowhere(
    'an underscore in the name of the topic',
    'GET',
    '/claims/v1/topics/claims.status_changed',
    'Did you mean GET /claims/v1/topics/claims.status-changed?',
  ),
  ...['ack', 'commit', 'offsets'].map((word) =>
    nowhere(
      `an acknowledgement of events: ${word}`,
      'POST',
      `/claims/v1/topics/claims.status-changed/${word}`,
      'The nearest address is /claims/v1/topics/claims.status-changed, which takes no POST.',
      'need no acknowledgement: your position is the cursor that you send as after.',
    ),
  ),
  nowhere(
    'an acknowledgement of a delivery',
    'POST',
    '/claims/v1/subscriptions/sub-1/deliveries/1/ack',
    'Did you mean POST /claims/v1/subscriptions/{subscriptionId}/deliveries/{number}/redeliver?',
    /^(?!.*Did you mean GET)/s,
  ),
  nowhere('a post below a page', 'POST', '/docs/x', 'The nearest address is /docs, which takes no POST. The page'),
  nowhere(
    'a claim closed',
    'POST',
    '/claims/v1/claims/CLM-2026-000001/close',
    'which takes no POST. The claims desk moves a claim',
  ),
  nowhere('the base URL itself', 'GET', '/insurer/v1', description),
  nowhere('a guess at /openapi.json', 'GET', '/openapi.json', description),
  nowhere('a guess at /insurer/v1/swagger.json', 'GET', '/insurer/v1/swagger.json', description),
  nowhere('a guess at /swagger', 'GET', '/swagger', 'Did you mean GET /docs?'),
  nowhere('a guess at /swagger-ui/index.html', 'GET', '/swagger-ui/index.html', 'Did you mean GET /docs?'),
  nowhere('a guess at /soap', 'POST', '/soap', 'Did you mean POST /vehicle-registry/v1?'),
  nowhere('a guess at /wsdl', 'GET', '/wsdl', 'Did you mean GET /vehicle-registry/v1?wsdl?'),
  nowhere('a problem with an underscore', 'GET', '/problems/validation_error', 'Did you mean validation-error?'),
  nowhere('a guess at /health', 'GET', '/health', 'Did you mean GET /healthz?'),
  noMethod(
    'a policy deleted',
    'DELETE',
    '/policies/pol-1',
    'A policy is never deleted. To cancel it: POST /policies/{policyId}/cancel.',
  ),
  noMethod('a policy patched', 'PATCH', '/policies/pol-1', 'send it with PUT: {\\"holder\\":\\"Ada Example\\"}'),
  noMethod('a post to a policy', 'POST', '/policies/pol-1', 'To create a policy: POST /policies.'),
  noMethod('a put to the list', 'PUT', '/policies', 'To change a policy: PUT /policies/{policyId}.'),
  noMethod('the list deleted', 'DELETE', '/policies', 'To cancel one: POST /policies/{policyId}/cancel.'),
  noMethod('a policy cancelled by GET', 'GET', '/policies/pol-1/cancel', 'so it is a POST, without a body'),
  noMethod('a policy cancelled by PUT', 'PUT', '/policies/pol-1/cancel', 'To cancel: POST, without a body.'),
  noMethod('a token by GET', 'GET', '/auth/token', 'Get a token with POST: client_id and client_secret as JSON'),
  noMethod('a token revoked', 'DELETE', '/auth/token', 'POST /auth/revoke', 'it expires after 60 minutes.'),
  noMethod('credentials by GET', 'GET', '/demo-clients', 'POST, without a body, creates new ones'),
  noMethod('a post where one reads', 'POST', '/coverage-options', 'GET: List the coverage options.'),
  noMethod('a claim changed', 'PUT', '/claims/v1/claims/CLM-2026-000001', 'The claims desk moves a claim'),
  noMethod('a subscription changed', 'PUT', '/claims/v1/subscriptions/sub-1', 'Delete it, and create another one'),
  noMethod('an event published', 'POST', '/claims/v1/topics/claims.status-changed', 'To read them: GET.'),
  noMethod('a vehicle registered', 'POST', '/vehicle-registry/v2/vehicles/AB-1234', 'The registry is only read: GET'),
  {
    title: 'patch in small letters, which fetch sends as it is',
    send: ({ lplate }) => ask(lplate, 'patch', '/insurer/v1/policies/pol-1'),
    status: 400,
    says: [/\/problems\/malformed-request/, 'Write methods in capital letters, such as GET or POST.'],
  },
  {
    title: 'SOAP by PUT',
    send: ({ call }) => call('PUT', '/vehicle-registry/v1', { body: '<a/>' }),
    status: 405,
    says: ['Call the SOAP service with POST; GET shows how.'],
  },
  {
    title: 'REST below the SOAP service',
    send: ({ call }) => call('GET', '/vehicle-registry/v1/vehicles/AB-1234'),
    status: 404,
    says: ['Did you mean GET /vehicle-registry/v2/vehicles/{reg_number}?'],
  },
  {
    title: 'the WSDL as a path',
    send: ({ call }) => call('GET', '/vehicle-registry/v1/wsdl'),
    status: 404,
    says: ['its WSDL at /vehicle-registry/v1?wsdl'],
  },
  noId(
    'a registration number in place of the id',
    'AB-1234',
    'It looks like a registration number.',
    'begins with pol-',
  ),
  noId(
    'the id of a claim in place of that of a policy',
    'CLM-2026-000001',
    'whose policyNumber is the id of its policy',
  ),
  noId('the parameter as the description writes it', '{policyId}', 'That is a placeholder: put the id in its place.'),
  noId('the parameter as a router writes it', ':policyId', 'That is a placeholder'),
  noId('a shell variable in single quotes', '$POLICY', 'That is a placeholder'),
  noId('undefined', 'undefined', 'the variable with the id had no value'),
  noId('null', 'null', 'the variable with the id had no value'),
  ...[
    '[object Object]',
    '[object Map]',
    '<Policy object at 0x7f3a5c0b1e40>',
    '<Response [200]>',
    'com.x.Policy@1b2c3d',
  ].map((id) => noId(`an object: ${id}`, id, 'That is an object that was made into a text: send its id.')),
  ...[
    '[object Promise]',
    '<coroutine object create at 0x7f3a5c0b1e40>',
    'System.Threading.Tasks.Task`1[System.String]',
  ].map((id) => noId(`what was not waited for: ${id}`, id, 'That is a promise that was made into a text: await it.')),
  noId('the whole URL', 'http://localhost:8080/insurer/v1/policies/pol-1', 'Send the id alone'),
  noId('a number', '1', 'Ids are no numbers: they begin with pol-'),
  noId('an id in quotes', '"pol-1"', 'Send the id without the quotes.'),
  noId('an id without its beginning', '01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f', 'It lacks its beginning, pol-'),
  noId('an id that was cut', 'pol-01938c5e-7d2a', 'It is too short: was its end cut off?'),
  noId('an id in capitals', 'POL-01938C5E-7D2A-7C31-9B1E-5F0C2A4D6E8F', 'Ids have small letters.'),
  noId('a token in place of the id, which does not come back', 'Bearer eyJhbGciOiJFUzI1NiJ9', noToken),
  noId('a line end behind the id', 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f\n', 'white space around it'),
  {
    title: 'a token in place of a plate, which does not come back',
    send: ({ call, token }) => call('GET', `/vehicle-registry/v2/vehicles/${token}`),
    status: 404,
    says: ['No vehicle has the registration number that you sent.'],
  },
  {
    title: 'a number that is no plate',
    send: ({ call }) => call('GET', '/vehicle-registry/v2/vehicles/AB%201234'),
    status: 404,
    says: [/\/problems\/vehicle-not-found/, 'two letters and four digits, such as AB-1234'],
  },
  {
    title: 'a delivery of another subscription',
    send: async ({ lplate }) => {
      const { token } = await lplate.client();
      const json = { url: 'http://127.0.0.1:9/hooks' };
      const created = await lplate.call('POST', '/claims/v1/subscriptions', { token, json });
      const path = `/claims/v1/subscriptions/${created.json.id}/deliveries/7/redeliver`;
      return lplate.call('POST', path, { token });
    },
    status: 404,
    says: [/\/problems\/delivery-not-found/, /\/deliveries lists/],
  },
  {
    title: 'a claim on a registration number',
    send: ({ call }) => call('POST', '/claims/v1/claims', { json: { policyNumber: 'AB-1234' } }),
    status: 404,
    says: ['It looks like a registration number.', 'GET /policies lists your policies'],
  },
  {
    title: 'the id of a policy in place of that of a claim',
    send: ({ call, policyId }) => call('GET', `/claims/v1/claims/${policyId}`),
    status: 404,
    says: ['It is the id of a policy. GET /claims?policyNumber=… lists its claims.'],
  },
  {
    title: 'the secret of a subscription in place of its id',
    send: ({ call }) => call('GET', `/claims/v1/subscriptions/whsec_${btoa(sign(''))}`),
    status: 404,
    says: ['It is the secret of a subscription, not its id.', 'with the id whs…'],
  },
];
