export interface Check {
  /** Such as `items[0].id`. */
  readonly member: string;
  /** Perhaps with a variable. */
  readonly is: string | number | boolean;
}

/** Whose credentials a kit uses: those that its first request makes, or some that are filled in. */
export type Credentials = 'new' | 'own';

/** Each has a description. */
export type Interface = 'insurer' | 'claims' | 'registry' | 'range';

/** What a request is sent with: a token in this variable, or one that the tool itself gets for a person. */
export type TokenOf = 'token' | 'person_token' | 'by-tool';

/** A request as it is told in `walk-steps.ts`: what is not in the description. */
export interface WalkStep {
  readonly name: string;
  readonly about: string;
  /** The operation of SOAP has no id, and the pages of the authorization endpoint are in no description. */
  readonly operation: readonly [Interface, string] | 'soap' | 'authorize';
  /** In the path. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly json?: object;
  /** Sent as NDJSON. */
  readonly lines?: readonly object[];
  /** Sent as the part `file` of a form. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Sent as the form of a page. */
  readonly form?: Readonly<Record<string, string>>;
  /** `token`, where the description asks for one. */
  readonly token?: TokenOf;
  /** Whether `state`, `verifier` and `challenge` are made before it. */
  readonly makesChallenge?: true;
  readonly status: number;
  readonly checks?: readonly Check[];
  readonly contains?: string;
  readonly keeps?: Readonly<Record<string, string>>;
  /** Which variable takes which part of the text, or of the address that it leads to: a pattern with one group. */
  readonly finds?: Readonly<Record<string, readonly ['body' | 'location', string]>>;
  /** What the address has that it leads to. */
  readonly leadsTo?: readonly string[];
  readonly choosesPlate?: true;
  /** Sent without what the description asks for, to be refused. */
  readonly unsigned?: true;
  /** A second request of the same operation needs another one. */
  readonly id?: string;
  /** Only where the kit makes the credentials. */
  readonly only?: Credentials;
}

/** A vehicle that the registry knows; it knows every plate. */
export const knownPlate = 'AB-1234';

/** What kits show, in the order in which it is sent. Each member that is checked is what it is at each run. */
export const folders: readonly { readonly name: string; readonly steps: readonly WalkStep[] }[] = [
  {
    name: '1 Credentials',
    steps: [
      {
        name: 'Make credentials',
        about: 'Anybody can. The id and the secret are kept in `client_id` and `client_secret`.',
        operation: ['insurer', 'createDemoClient'],
        status: 201,
        keeps: { client_id: 'client_id', client_secret: 'client_secret' },
        only: 'new',
      },
      {
        name: 'Get a token',
        about:
          'Exchanges the credentials for a token, which is kept in `token` for the others. It is valid for an hour.',
        operation: ['insurer', 'createToken'],
        json: { client_id: '{{client_id}}', client_secret: '{{client_secret}}' },
        status: 200,
        checks: [
          { member: 'token_type', is: 'Bearer' },
          { member: 'expires_in', is: 3600 },
        ],
        keeps: { token: 'access_token' },
        choosesPlate: true,
      },
      {
        name: 'Coverage options',
        about: 'How long a policy can last. Needs no token.',
        operation: ['insurer', 'listCoverageOptions'],
        status: 200,
        checks: [{ member: 'options[0].code', is: 'MTPL-1M' }],
      },
    ],
  },
  {
    name: '2 Policies',
    steps: [
      {
        name: 'Create a policy',
        about: 'Insures a vehicle that nobody else has. The id of the policy is kept in `policy_id`.',
        operation: ['insurer', 'createPolicy'],
        json: { regNumber: '{{plate}}', holder: 'Ada Example' },
        status: 201,
        checks: [
          { member: 'status', is: 'active' },
          { member: 'regNumber', is: '{{plate}}' },
        ],
        keeps: { policy_id: 'id' },
      },
      {
        name: 'Read the policy',
        about: 'The header `ETag` of the answer names this version of it.',
        operation: ['insurer', 'readPolicy'],
        parameters: { policyId: '{{policy_id}}' },
        status: 200,
        checks: [
          { member: 'id', is: '{{policy_id}}' },
          { member: 'holder', is: 'Ada Example' },
        ],
      },
      {
        name: 'Change the policy',
        about: 'Gives it another holder.',
        operation: ['insurer', 'updatePolicy'],
        parameters: { policyId: '{{policy_id}}' },
        json: { holder: 'Grace Example' },
        status: 200,
        checks: [
          { member: 'status', is: 'updated' },
          { member: 'holder', is: 'Grace Example' },
        ],
      },
      {
        name: 'List the policies',
        about: 'Page by page.',
        operation: ['insurer', 'listPolicies'],
        query: 'page=1&pageSize=10',
        status: 200,
        checks: [
          { member: 'page', is: 1 },
          { member: 'pageSize', is: 10 },
        ],
      },
      {
        name: 'Make a statement',
        about:
          'A file of premiums and commissions, made in the background. None of these policies began by this month: write that of today in its place, and they are in the file. The id is kept in `statement_id`.',
        operation: ['insurer', 'makeStatement'],
        json: { month: '2026-01', format: 'csv', currency: 'EUR' },
        status: 202,
        checks: [{ member: 'month', is: '2026-01' }],
        keeps: { statement_id: 'id' },
      },
      {
        name: 'The same vehicle again',
        about:
          'Is refused with 409: a vehicle has one policy in force at a time. `type` is the address of a page that explains it.',
        operation: ['insurer', 'createPolicy'],
        id: 'createPolicyAgain',
        json: { regNumber: '{{plate}}' },
        status: 409,
        checks: [
          { member: 'status', is: 409 },
          { member: 'title', is: 'The vehicle is already insured' },
        ],
      },
      {
        name: 'Cancel the policy',
        about: 'For good. After that the vehicle can be insured again.',
        operation: ['insurer', 'cancelPolicy'],
        parameters: { policyId: '{{policy_id}}' },
        status: 200,
        checks: [
          { member: 'id', is: '{{policy_id}}' },
          { member: 'status', is: 'cancelled' },
        ],
      },
      {
        name: 'Import three policies',
        about:
          'One a line. The answer is 202: the rows are worked off later, and `Retry-After` says when to ask. The third is refused, as its vehicle is that of the first. The id is kept in `import_id`.',
        operation: ['insurer', 'importPolicies'],
        lines: [{ regNumber: '{{plate}}-1' }, { regNumber: '{{plate}}-2' }, { regNumber: '{{plate}}-1' }],
        status: 202,
        checks: [{ member: 'total', is: 3 }],
        keeps: { import_id: 'id' },
      },
      {
        name: 'See the import',
        about: 'Send it again until its status is `completed`.',
        operation: ['insurer', 'readImport'],
        parameters: { importId: '{{import_id}}' },
        status: 200,
        checks: [
          { member: 'id', is: '{{import_id}}' },
          { member: 'total', is: 3 },
        ],
      },
      {
        name: 'See its rows',
        about: 'What became of each, and why one was refused.',
        operation: ['insurer', 'listImportRows'],
        parameters: { importId: '{{import_id}}' },
        query: 'page=1&pageSize=10',
        status: 200,
        checks: [
          { member: 'items[0].line', is: 1 },
          { member: 'totalItems', is: 3 },
        ],
      },
      {
        name: 'See the statement',
        about: 'Its count and its sums, once its status is `completed`.',
        operation: ['insurer', 'readStatement'],
        parameters: { statementId: '{{statement_id}}' },
        status: 200,
        checks: [{ member: 'id', is: '{{statement_id}}' }],
      },
      {
        name: 'Read its file',
        about: 'Compare its trailer with the sums. 409 says that it is not made yet: send it again.',
        operation: ['insurer', 'readStatementContent'],
        parameters: { statementId: '{{statement_id}}' },
        status: 200,
        contains: 'TRAILER',
      },
      {
        name: 'Erase a holder',
        about: 'Takes a name out of all that is kept of you, later. The id is kept in `erasure_id`.',
        operation: ['insurer', 'eraseHolder'],
        json: { holder: 'Grace Example' },
        status: 202,
        keeps: { erasure_id: 'id' },
      },
      {
        name: 'See the erasure',
        about: 'What had the name, and what has it still and why.',
        operation: ['insurer', 'readErasure'],
        parameters: { erasureId: '{{erasure_id}}' },
        status: 200,
        checks: [{ member: 'id', is: '{{erasure_id}}' }],
      },
    ],
  },
  {
    name: '3 Claims',
    steps: [
      {
        name: 'Register a claim',
        about:
          'For the policy. That it is cancelled does no harm: the accident may have been before. The claims desk changes its status every two seconds. The id is kept in `claim_id`.',
        operation: ['claims', 'registerClaim'],
        json: { policyNumber: '{{policy_id}}', paceSeconds: 2 },
        status: 201,
        checks: [
          { member: 'policyNumber', is: '{{policy_id}}' },
          { member: 'status', is: 'REGISTERED' },
        ],
        keeps: { claim_id: 'claimId' },
      },
      {
        name: 'Read the claim',
        about: 'Send it again after two seconds, and its status has changed.',
        operation: ['claims', 'readClaim'],
        parameters: { claimId: '{{claim_id}}' },
        status: 200,
        checks: [
          { member: 'claimId', is: '{{claim_id}}' },
          { member: 'policyNumber', is: '{{policy_id}}' },
        ],
      },
      {
        name: 'Add a document',
        about:
          'A photograph or a PDF, as forms send it. Here the whole form is written out; other programs make it of a file. The id is kept in `document_id`.',
        operation: ['claims', 'addDocument'],
        parameters: { claimId: '{{claim_id}}' },
        file: { name: 'report.pdf', text: '%PDF-1.7' },
        status: 201,
        checks: [{ member: 'mediaType', is: 'application/pdf' }],
        keeps: { document_id: 'id' },
      },
      {
        name: 'List its documents',
        about: 'With their sizes and digests.',
        operation: ['claims', 'listDocuments'],
        parameters: { claimId: '{{claim_id}}' },
        status: 200,
        checks: [{ member: 'totalItems', is: 1 }],
      },
      {
        name: 'Read the document',
        about: 'Its bytes. With `Range` a part of them.',
        operation: ['claims', 'readDocument'],
        parameters: { claimId: '{{claim_id}}', documentId: '{{document_id}}' },
        status: 200,
      },
      {
        name: 'List the claims',
        about: 'Page by page.',
        operation: ['claims', 'listClaims'],
        query: 'page=1&pageSize=10',
        status: 200,
        checks: [
          { member: 'page', is: 1 },
          { member: 'pageSize', is: 10 },
        ],
      },
    ],
  },
  {
    name: '4 Events',
    steps: [
      {
        name: 'Read a batch of events',
        about: 'What happened to your claims. `next` is kept in `cursor`: send it again, and you get what came after.',
        operation: ['claims', 'readTopic'],
        query: 'after={{cursor}}&limit=10',
        status: 200,
        keeps: { cursor: 'next' },
      },
    ],
  },
  {
    name: '5 Signed check',
    steps: [
      {
        name: 'Check a vehicle without a signature',
        about: 'Is refused with 401. `detail` says how to sign.',
        operation: ['insurer', 'checkPolicy'],
        id: 'checkPolicyUnsigned',
        json: { regNumber: knownPlate },
        status: 401,
        checks: [
          { member: 'status', is: 401 },
          { member: 'title', is: 'The signature does not fit the body' },
        ],
        unsigned: true,
      },
      {
        name: 'Check a vehicle',
        about:
          'The body is signed: a script computes its HMAC-SHA256 with `hmac_secret` and sends it as `X-Signature`. Change a character of the body, and the script signs the new one.',
        operation: ['insurer', 'checkPolicy'],
        json: { regNumber: knownPlate },
        status: 200,
        checks: [{ member: 'regNumber', is: knownPlate }],
      },
    ],
  },
  {
    name: '6 Vehicle registry',
    steps: [
      {
        name: 'A vehicle by SOAP',
        about: 'SOAP 1.1: a POST of an envelope in XML.',
        operation: 'soap',
        status: 200,
        contains: `<RegNumber>${knownPlate}</RegNumber>`,
      },
      {
        name: 'The same by REST',
        about: 'Version 2 has the same data as JSON.',
        operation: ['registry', 'readVehicle'],
        parameters: { reg_number: knownPlate },
        status: 200,
        checks: [{ member: 'reg_number', is: knownPlate }],
      },
    ],
  },
];
