const list = 'GET /insurer/v1/policies';
const create = 'POST /insurer/v1/policies';
const readPolicy = 'GET /insurer/v1/policies/:policyId';
const update = 'PUT /insurer/v1/policies/:policyId';
const cancel = 'POST /insurer/v1/policies/:policyId/cancel';
const register = 'POST /claims/v1/claims';
const listClaims = 'GET /claims/v1/claims';
const readClaim = 'GET /claims/v1/claims/:claimId';
const topic = 'GET /claims/v1/topics/claims.status-changed';
const subscribe = 'POST /claims/v1/subscriptions';
const test = 'POST /claims/v1/subscriptions/:subscriptionId/test';
const delivery = 'POST (webhook)';
const soap = 'POST /vehicle-registry/v1';
const rest = 'GET /vehicle-registry/v2/vehicles/:reg_number';
const ping = 'GET /insurer/v1/limited/ping';
const signed = 'POST /insurer/v1/signed/policy-check';
const deliveries = 'GET /claims/v1/subscriptions/:subscriptionId/deliveries';
const importAll = 'POST /insurer/v1/policy-imports';
const readImport = 'GET /insurer/v1/policy-imports/:importId';
const readRows = 'GET /insurer/v1/policy-imports/:importId/rows';
const letIn = ['GET /insurer/v1/auth/authorize', 'POST /insurer/v1/auth/authorize'];
const refusedGrant = 'POST /insurer/v1/auth/token 400';

/**
 * The calls on the way through each lesson, by its id: method and route, with the status if the call is to be refused. Those
 * that make a client or get a token are on the way of all.
 */
export const ways: Readonly<Record<string, readonly string[]>> = {
  'scope-needed': [create, `${create} 403`],
  'token-expired': ['GET /insurer/v1/coverage-options', list, `${list} 401`],
  'unknown-key': ['GET /.well-known/jwks.json', list],
  'mutual-tls': [list, `${list} 401`],
  'claim-registered': [register, create],
  'claim-rejected': [readClaim, register, create],
  'event-without-name': [topic, readPolicy, register, create, update],
  'claim-followed': [topic, register, create],
  'coverage-options': ['GET /insurer/v1/coverage-options'],
  'token-decoded': [list],
  'token-key': ['GET /.well-known/jwks.json', 'GET /.well-known/oauth-authorization-server'],
  'wrong-secret': ['POST /insurer/v1/auth/token 401'],
  'no-header': [`${list} 401`],
  'wrong-scheme': [`${list} 401`],
  'draft-and-version': [
    'GET /insurer/v0/openapi.yaml',
    'GET /insurer/v1/openapi.yaml',
    'GET /insurer/v0/openapi.json',
    'GET /insurer/v1/openapi.json',
  ],
  'long-poll': [topic, register, create],
  'event-stream': [topic, register, create],
  'event-twice': [topic, register, create],
  'events-resumed': [topic, register, create],
  'events-in-order': [listClaims, topic, register, create],
  'newer-events': [topic, register, create],
  'events-resync': [listClaims, topic, `${topic} 410`, register, create],
  'retry-unavailable': [listClaims, 'any 503'],
  'late-answer': [listClaims, 'any 499'],
  'retry-html': [listClaims, 'any 502'],
  'retry-cut': [create],
  'unreadable-answer': [list, readPolicy, create],
  'stream-cut': [topic, register, create],
  'import-job': [readImport, readRows, importAll],
  'import-rows': [readImport, readRows, importAll],
  'retry-after': [ping, `${ping} 429`],
  'paced-calls': [ping, `${ping} 429`],
  'all-pages': [list],
  'pages-while-creating': [list, create],
  'find-one': [list, create],
  'create-policy': [create],
  'duplicate-policy': [create, `${create} 409`],
  'read-policy': [readPolicy, create],
  'unknown-policy': [`${readPolicy} 404`],
  'anothers-policy': [`${readPolicy} 404`],
  'update-policy': [readPolicy, create, update],
  'cancel-twice': [create, cancel],
  'change-cancelled': [create, cancel, `${update} 409`],
  'expired-policy': [readPolicy, create],
  'soap-lookup': [soap],
  'soap-fault': [soap, `${soap} 500`],
  'same-vehicle': [rest, soap],
  'no-vin': [rest],
  'old-service-ends': [rest, `${soap} 410`],
  'retried-create': [create],
  'lost-update': [readPolicy, create, update, `${update} 412`],
  'not-modified': [readPolicy, create],
  'signed-body': [signed],
  'changed-byte': [signed, `${signed} 401`],
  'other-white-space': [signed],
  'webhook-called': [deliveries, delivery, `${delivery} 503`, subscribe, test],
  'webhook-verified': [delivery, `${delivery} 401`, subscribe, test],
  'webhook-old': [delivery, subscribe, test],
  'webhook-two-signatures': [delivery, subscribe, 'POST /claims/v1/subscriptions/:subscriptionId/secret', test],
  'webhook-retried': [deliveries, delivery, `${delivery} 503`, subscribe, test],
  'webhook-in-time': [delivery, subscribe, test],
  'webhook-redelivered': [
    deliveries,
    delivery,
    subscribe,
    'POST /claims/v1/subscriptions/:subscriptionId/deliveries/:number/redeliver',
    test,
  ],
  'webhook-repeats': [delivery, `${delivery} 503`, subscribe, test],
  'webhook-traced': [delivery, register, subscribe, create],
  'let-somebody-in': [...letIn, list],
  'state-not-yours': letIn,
  'verifier-fits': [...letIn, refusedGrant],
  'ask-for-less': [...letIn, list],
  'token-renews-itself': [...letIn, list, `${list} 401`],
  'refresh-token-twice': [...letIn, refusedGrant, list, `${list} 401`],
  'they-changed-their-mind': [...letIn, refusedGrant, list, `${list} 401`],
  'log-out-for-real': [
    ...letIn,
    'POST /insurer/v1/auth/introspect',
    'POST /insurer/v1/auth/revoke',
    list,
    `${list} 401`,
  ],
  wsdl: ['GET /vehicle-registry/v1'],
};
