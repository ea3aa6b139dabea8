/*
 * How each member of each answer is compared. Where the descriptions leave something open, so does this.
 *
 * - `parts`: an object, or a list in its order; what it is made of is compared
 * - `equal`: both sides have the same value
 * - `id`: each side has its own; what is one id on one side is one on the other, and what is a new secret is new
 * - `words`: both sides have the same words, in whatever order
 * - `instant`: each side has its own; new ones are of the time of the call, others are as they were
 * - `moment`: an instant that may be that of something else on one side and not on the other
 * - `secret`: each side has its own, a text that is used and not looked at
 * - `token`: each side has its own, a JWT whose `sub`, `scope` and `exp` are compared
 * - `own`: each side has its own, of the right form, and the same each time: `vehicles.ts`
 * - `text`: free, but there
 * - `type`: a problem is known by the end of its type
 * - `faults`: places in the request; a service may name fewer of them
 * - `open`: not compared, and may be absent
 */
export type Manner =
  | 'parts'
  | 'equal'
  | 'own'
  | 'words'
  | 'id'
  | 'instant'
  | 'moment'
  | 'secret'
  | 'token'
  | 'text'
  | 'type'
  | 'faults'
  | 'open';

const paged = { items: 'parts', page: 'equal', pageSize: 'equal', totalItems: 'equal', totalPages: 'equal' } as const;

const problem: Record<string, Manner> = {
  ...{ type: 'type', title: 'text', status: 'equal', detail: 'text', instance: 'open', errors: 'faults' },
};

const subscription: Record<string, Manner> = {
  ...{ id: 'id', url: 'id', via: 'equal', answers: 'parts', createdAt: 'instant', status: 'equal' },
  ...{ disabledAt: 'instant', disabledReason: 'text', delayed: 'open', missedEvents: 'equal' },
};

/** By the names of the schemas in the descriptions. */
export const manners: Readonly<Record<string, Readonly<Record<string, Manner>>>> = {
  DemoClient: { client_id: 'id', client_secret: 'secret' },
  CoverageOptions: { options: 'parts' },
  CoverageOption: { code: 'equal', name: 'text', term: 'equal' },
  TokenResponse: {
    ...{ access_token: 'token', token_type: 'equal', expires_in: 'equal', scope: 'words', refresh_token: 'secret' },
  },
  TokenFacts: {
    ...{ active: 'equal', scope: 'words', client_id: 'id', username: 'equal', token_type: 'equal' },
    ...{ exp: 'instant', iat: 'instant', sub: 'id', aud: 'open', iss: 'open' },
  },
  Policy: {
    ...{ id: 'id', status: 'equal', regNumber: 'equal', holder: 'equal', coverageOption: 'equal' },
    ...{ startDate: 'equal', endDate: 'equal', createdAt: 'instant', updatedAt: 'instant' },
  },
  PolicyList: paged,
  PolicyImport: {
    ...{ id: 'id', status: 'equal', total: 'equal', done: 'equal', created: 'equal', refused: 'equal' },
    ...{ createdAt: 'moment', completedAt: 'moment' },
  },
  PolicyImportList: paged,
  PolicyImportRowList: paged,
  PolicyImportRow: { line: 'equal', status: 'equal', policyId: 'id', problem: 'parts' },
  Erasure: {
    ...{ id: 'id', status: 'moment', touched: 'open', kept: 'open', createdAt: 'instant', completedAt: 'moment' },
  },
  PolicyImportRowProblem: { type: 'type', title: 'text', status: 'equal', detail: 'text', errors: 'faults' },
  Statement: {
    ...{ id: 'id', status: 'equal', month: 'equal', format: 'equal', currency: 'equal', count: 'equal' },
    ...{ premiums: 'parts', commissions: 'parts', createdAt: 'moment', completedAt: 'moment' },
  },
  Money: { amount: 'equal', currency: 'equal' },
  Pong: { pong: 'equal', remaining: 'equal' },
  PolicyCheckResult: { regNumber: 'equal', insured: 'equal' },
  Claim: {
    ...{ claimId: 'id', policyNumber: 'id', status: 'equal', statusReason: 'text' },
    ...{ registeredAt: 'instant', updatedAt: 'instant' },
  },
  ClaimList: paged,
  ClaimDocument: {
    ...{ id: 'id', claimId: 'id', name: 'equal', mediaType: 'equal', size: 'equal', digest: 'equal' },
    createdAt: 'instant',
  },
  ClaimDocumentList: paged,
  EventBatch: { events: 'parts', next: 'secret', note: 'open' },
  ClaimStatusChanged: {
    ...{ eventId: 'id', eventType: 'equal', eventVersion: 'equal', occurredAt: 'instant', source: 'text' },
    ...{ data: 'parts', environment: 'open' },
  },
  ClaimStatusChange: {
    ...{ claimId: 'id', policyNumber: 'id', previousStatus: 'equal', newStatus: 'equal', statusReason: 'text' },
  },
  SubscriptionWithSecret: { ...subscription, secret: 'id' },
  Subscription: { ...subscription, lastDelivery: 'parts' },
  SubscriptionList: paged,
  SubscriptionSecret: { secret: 'id', previousValidUntil: 'instant' },
  LastDelivery: {
    ...{ number: 'equal', status: 'equal', attemptedAt: 'instant', responseStatus: 'equal', failure: 'text' },
    ...{ nextAttemptAt: 'instant' },
  },
  Delivery: {
    ...{ number: 'equal', eventId: 'id', claimId: 'id', status: 'equal', attempts: 'parts', attemptCounts: 'parts' },
    ...{ nextAttemptAt: 'instant', createdAt: 'instant' },
  },
  DeliveryAttempt: {
    ...{ attempt: 'equal', attemptedAt: 'instant', responseStatus: 'equal', responseBody: 'equal', error: 'text' },
  },
  DeliveryAttemptCounts: { total: 'equal', taken: 'equal', refused: 'equal', unanswered: 'equal' },
  DeliveryList: paged,
  SignatureFinding: { valid: 'equal', detail: 'text' },
  Vehicle: {
    ...{ reg_number: 'equal', vin_code: 'own', make: 'own', model: 'own', first_reg_date: 'own' },
    ...{ engine_capacity_ccm: 'own', fuel_type: 'own', owner_type: 'own', inspection_valid_to: 'own' },
    vehicle_status: 'own',
  },
  Problem: problem,
  TokenProblem: { ...problem, error: 'equal', error_description: 'open' },
};
