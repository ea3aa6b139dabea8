/*
 * The stages of an examination, as they are told: by the program that takes them (`examine/`) and by the service, to which
 * learners send what came of them. What a stage calls is in `examine/stages/`.
 */

export interface StageText {
  /** What your service does after it: one sentence, second person. */
  readonly goal: string;
  /** Lessons that show the other side, by their names. */
  readonly lessons: readonly string[];
}

/** In the order in which a service is built. Names are in lower case, with dashes. */
export const examinationStages = {
  'coverage-options': {
    goal: 'You list the coverage options, for everybody.',
    lessons: ['coverage-options'],
  },
  'unknown-addresses': {
    goal: 'You tell an address that you do not have (404) from one that you have with other methods (405, with Allow).',
    lessons: ['unknown-policy'],
  },
  problems: {
    goal: 'You say what is wrong in application/problem+json (RFC 9457), also where you only refuse as yet: POST /auth/token and GET /policies.',
    lessons: ['unreadable-answer'],
  },
  'demo-clients': {
    goal: 'You give everybody who asks credentials of their own.',
    lessons: ['credentials'],
  },
  token: {
    goal: 'You exchange credentials for a token, a JWT that lasts an hour.',
    lessons: ['token-by-json', 'token-by-form', 'token-decoded'],
  },
  'token-refusals': {
    goal: 'You give no token to who is not known, and none without what it needs.',
    lessons: ['wrong-secret'],
  },
  scopes: {
    goal: 'You let a token do what its scopes allow, and tell who is unknown (401) from who may not (403).',
    lessons: ['scope-needed', 'scope-refused', 'no-header', 'wrong-scheme'],
  },
  create: {
    goal: 'You insure a vehicle.',
    lessons: ['create-policy'],
  },
  'refused-bodies': {
    goal: 'You refuse what you can not insure, and nothing is created.',
    lessons: [],
  },
  read: {
    goal: 'You show a policy to its client, and to nobody else.',
    lessons: ['read-policy', 'unknown-policy', 'anothers-policy'],
  },
  'one-policy-a-vehicle': {
    goal: 'You refuse a second policy in force for a vehicle, whoever asks and however its number is written.',
    lessons: ['duplicate-policy'],
  },
  'list-and-pages': {
    goal: 'You list the policies of a client, oldest first, in pages with totals and the header Link.',
    lessons: ['all-pages', 'pages-while-creating'],
  },
  update: {
    goal: 'You change the holder of a policy, whose status is updated then, and nothing else of it.',
    lessons: ['update-policy'],
  },
  cancel: {
    goal: 'You cancel a policy: it can’t be changed then, and its vehicle can be insured again.',
    lessons: ['cancel-twice', 'change-cancelled'],
  },
  filters: {
    goal: 'You list only the policies with a status or of a vehicle, and pages and links are of what was found.',
    lessons: ['find-one'],
  },
  limits: {
    goal: 'You answer five calls of the probe a minute, say by headers how many are left, and refuse the sixth with 429.',
    lessons: ['retry-after', 'paced-calls'],
  },
  preconditions: {
    goal: 'You give each state of a policy an ETag, answer 304 to who has it, and change nothing that is not as If-Match says.',
    lessons: ['lost-update', 'not-modified'],
  },
  idempotency: {
    goal: 'You carry out a creation with an Idempotency-Key once, and give its answer again to whoever repeats it.',
    lessons: ['retried-create'],
  },
  'signed-check': {
    goal: 'You say whether a vehicle is insured today to whoever signed the bytes of the body with your secret.',
    lessons: ['signed-body', 'changed-byte', 'other-white-space'],
  },
  claims: {
    goal: 'You register claims on policies, and let the client of the policy read and list them.',
    lessons: ['claim-registered'],
  },
  'claim-states': {
    goal: 'You move each claim by its pace, from REGISTERED over UNDER_REVIEW and its outcome to CLOSED, and publish each move.',
    lessons: ['claim-rejected', 'claim-followed'],
  },
  'event-batches': {
    goal: 'You tell a client the events of its claims in batches, each after the cursor of the one before.',
    lessons: ['long-poll', 'events-resumed'],
  },
  'event-stream': {
    goal: 'You send a client the events of its claims as they happen, as server-sent events that it can resume.',
    lessons: ['event-stream', 'events-in-order'],
  },
  webhooks: {
    goal: 'You post each event to the URLs that the client subscribed with, signed, in order and again until it is taken.',
    lessons: ['webhook-called', 'webhook-verified', 'webhook-retried', 'webhook-two-signatures'],
  },
  'soap-registry': {
    goal: 'You look up vehicles by SOAP 1.1, and a WSDL says how.',
    lessons: ['wsdl', 'soap-lookup', 'soap-fault', 'no-vin'],
  },
  'rest-registry': {
    goal: 'You read the same data of vehicles by REST, the successor of the SOAP service.',
    lessons: ['same-vehicle', 'no-vin'],
  },
  imports: {
    goal: 'You take many policies in one body, work them off by yourself, and tell what became of each line.',
    lessons: ['import-job', 'import-rows'],
  },
  races: {
    goal: 'You do the same for calls that come at once as for calls that come one after the other.',
    lessons: ['duplicate-policy', 'lost-update', 'retried-create'],
  },
  expiry: {
    goal: 'You let end what has its time: tokens, policies, keys of requests and imports.',
    lessons: ['token-expired', 'expired-policy'],
  },
  'sixty-a-minute': {
    goal: 'You answer sixty calls of an address a minute, say by headers how many are left, and refuse the next with 429.',
    lessons: ['retry-after', 'paced-calls'],
  },
} as const satisfies Readonly<Record<string, StageText>>;

export type StageName = keyof typeof examinationStages;

export const stageNames = Object.keys(examinationStages) as readonly StageName[];

export const isStageName = (name: string): name is StageName => Object.hasOwn(examinationStages, name);
