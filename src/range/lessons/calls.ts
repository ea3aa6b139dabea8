/*
 * The calls that lessons are about: method and pattern of the route, as `Entry.call` has them.
 */

export const newClient = 'POST /insurer/v1/demo-clients';
export const newToken = 'POST /insurer/v1/auth/token';
export const revoke = 'POST /insurer/v1/auth/revoke';
export const introspect = 'POST /insurer/v1/auth/introspect';
export const openPage = 'GET /insurer/v1/auth/authorize';
export const sendForm = 'POST /insurer/v1/auth/authorize';
export const readKeys = 'GET /.well-known/jwks.json';
export const listOptions = 'GET /insurer/v1/coverage-options';
export const listPolicies = 'GET /insurer/v1/policies';
export const headOfPolicies = 'HEAD /insurer/v1/policies';
export const createPolicy = 'POST /insurer/v1/policies';
export const readPolicy = 'GET /insurer/v1/policies/:policyId';
export const headOfPolicy = 'HEAD /insurer/v1/policies/:policyId';
export const updatePolicy = 'PUT /insurer/v1/policies/:policyId';
export const cancelPolicy = 'POST /insurer/v1/policies/:policyId/cancel';
export const startImport = 'POST /insurer/v1/policy-imports';
export const listImports = 'GET /insurer/v1/policy-imports';
export const readImport = 'GET /insurer/v1/policy-imports/:importId';
export const readRows = 'GET /insurer/v1/policy-imports/:importId/rows';
export const headOfRows = 'HEAD /insurer/v1/policy-imports/:importId/rows';
export const makeStatement = 'POST /insurer/v1/statements';
export const readStatement = 'GET /insurer/v1/statements/:statementId';
export const readFile = 'GET /insurer/v1/statements/:statementId/content';
export const headOfFile = 'HEAD /insurer/v1/statements/:statementId/content';
export const eraseHolder = 'POST /insurer/v1/erasures';
export const readErasure = 'GET /insurer/v1/erasures/:erasureId';
export const readMe = 'GET /range/v1/me';
export const ping = 'GET /insurer/v1/limited/ping';
export const signedCheck = 'POST /insurer/v1/signed/policy-check';
export const registerClaim = 'POST /claims/v1/claims';
export const listClaims = 'GET /claims/v1/claims';
export const readClaim = 'GET /claims/v1/claims/:claimId';
export const readTopic = 'GET /claims/v1/topics/claims.status-changed';
export const subscribe = 'POST /claims/v1/subscriptions';
export const unsubscribe = 'DELETE /claims/v1/subscriptions/:subscriptionId';
export const sendTest = 'POST /claims/v1/subscriptions/:subscriptionId/test';
export const enable = 'POST /claims/v1/subscriptions/:subscriptionId/enable';
export const renewSecret = 'POST /claims/v1/subscriptions/:subscriptionId/secret';
export const listDeliveries = 'GET /claims/v1/subscriptions/:subscriptionId/deliveries';
export const redeliver = 'POST /claims/v1/subscriptions/:subscriptionId/deliveries/:number/redeliver';
export const readWsdl = 'GET /vehicle-registry/v1';
export const lookUpBySoap = 'POST /vehicle-registry/v1';
export const lookUpByRest = 'GET /vehicle-registry/v2/vehicles/:reg_number';

/** Of a receiver, by L-Plate. */
export const callReceiver = 'POST (webhook)';
