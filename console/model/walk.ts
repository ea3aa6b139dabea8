import { personalOrigin } from './addresses.ts';
import { type CallInputs, plateOfCollection } from './first-calls.ts';

/*
 * The requests of the collections for Postman, Insomnia and Bruno, before they are written in the format of one of them.
 * Sent from top to bottom, each has the status that is expected of it, and that again and again.
 */

export interface WalkRequest {
  readonly name: string;
  /** What it shows, in Markdown. */
  readonly about: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `{{name}}` for variables, as in the body. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly language: 'json' | 'xml'; readonly text: string };
  /** Whether it needs the token. */
  readonly authorized: boolean;
  /** Whether a script has to sign its body. It then has no variables. */
  readonly signed: boolean;
  /** Which variable takes which member of the answer. */
  readonly keeps: Readonly<Record<string, string>>;
  readonly status: number;
}

export interface WalkFolder {
  readonly name: string;
  readonly requests: readonly WalkRequest[];
}

export interface Walk {
  readonly name: string;
  /** In Markdown. */
  readonly about: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly folders: readonly WalkFolder[];
}

/** The header of the signed check, and the variable with its key. */
export const signatureHeader = 'X-Signature';
export const secretVariable = 'hmac_secret';
export const noSecret = `Fill in the variable ${secretVariable} first. L-Plate printed it at its start; in a class, ask your trainer.`;

type Told = Pick<WalkRequest, 'name' | 'about' | 'method' | 'url'> & Partial<WalkRequest>;

const request = (told: Told): WalkRequest => ({
  headers: told.body?.language === 'json' ? { 'Content-Type': 'application/json' } : {},
  authorized: true,
  signed: false,
  keeps: {},
  status: told.method === 'POST' ? 201 : 200,
  ...told,
});

const json = (value: unknown) => ({ language: 'json', text: JSON.stringify(value, null, 2) }) as const;

export function walk({ origin, clientId, clientSecret }: CallInputs): Walk {
  const plate = plateOfCollection(clientId);
  return {
    name: 'L-Plate',
    about: `Calls to [L-Plate](${origin}), with the credentials and a vehicle of your own filled in.

1. Send **Get a token** first. Its script keeps the token for the others. It is valid for an hour.
2. Then send the others from top to bottom.
3. The signed check needs a key that this file does not have: fill in the variable \`${secretVariable}\`. L-Plate printed it at its start; in a class, ask your trainer.`,
    variables: {
      base: origin,
      mine: personalOrigin(origin, clientId),
      client_id: clientId,
      client_secret: clientSecret,
      plate,
      [secretVariable]: '',
      token: '',
      policy_id: '',
      claim_id: '',
      cursor: 'earliest',
    },
    folders: [
      { name: '1 Token', requests: token },
      { name: '2 Policies', requests: policies },
      { name: '3 Claims', requests: claims },
      { name: '4 Events', requests: events },
      { name: '5 Signed check', requests: [signed(plate)] },
      { name: '6 Vehicle registry', requests: registry },
    ],
  };
}

const token = [
  request({
    name: 'Get a token',
    about: 'Exchanges your credentials for a token. The script keeps it in the variable `token`.',
    method: 'POST',
    url: '{{base}}/insurer/v1/auth/token',
    body: json({ client_id: '{{client_id}}', client_secret: '{{client_secret}}' }),
    authorized: false,
    keeps: { token: 'access_token' },
    status: 200,
  }),
  request({
    name: 'Coverage options',
    about: 'Needs no token. `mine` is your personal address: by it L-Plate knows whose call it is.',
    method: 'GET',
    url: '{{mine}}/insurer/v1/coverage-options',
    authorized: false,
  }),
];

const policies = [
  request({
    name: 'Create a policy',
    about: 'Insures your vehicle. The script keeps the id in `policy_id`.',
    method: 'POST',
    url: '{{base}}/insurer/v1/policies',
    body: json({ regNumber: '{{plate}}', holder: 'Ada Example' }),
    keeps: { policy_id: 'id' },
  }),
  request({
    name: 'The same vehicle again',
    about:
      'Is refused with 409: a vehicle has one policy in force at a time. `type` is the address of a page that explains it.',
    method: 'POST',
    url: '{{base}}/insurer/v1/policies',
    body: json({ regNumber: '{{plate}}' }),
    status: 409,
  }),
  request({
    name: 'Read the policy',
    about: 'The header `ETag` of the answer names this version of it.',
    method: 'GET',
    url: '{{base}}/insurer/v1/policies/{{policy_id}}',
  }),
  request({
    name: 'Change the policy',
    about: 'Gives it another holder.',
    method: 'PUT',
    url: '{{base}}/insurer/v1/policies/{{policy_id}}',
    body: json({ holder: 'Grace Example' }),
  }),
  request({
    name: 'List the policies',
    about: 'Page by page.',
    method: 'GET',
    url: '{{base}}/insurer/v1/policies?page=1&pageSize=10',
  }),
  request({
    name: 'Cancel the policy',
    about: 'For good. After that the vehicle can be insured again.',
    method: 'POST',
    url: '{{base}}/insurer/v1/policies/{{policy_id}}/cancel',
    status: 200,
  }),
];

const claims = [
  request({
    name: 'Register a claim',
    about:
      'For the policy. That it is cancelled does no harm: the accident may have been before. The claims desk changes its status every two seconds. The script keeps the id in `claim_id`.',
    method: 'POST',
    url: '{{base}}/claims/v1/claims',
    body: json({ policyNumber: '{{policy_id}}', paceSeconds: 2 }),
    keeps: { claim_id: 'claimId' },
  }),
  request({
    name: 'Read the claim',
    about: 'Send it again after two seconds, and its status has changed.',
    method: 'GET',
    url: '{{base}}/claims/v1/claims/{{claim_id}}',
  }),
  request({
    name: 'List the claims',
    about: 'Page by page.',
    method: 'GET',
    url: '{{base}}/claims/v1/claims?page=1&pageSize=10',
  }),
];

const events = [
  request({
    name: 'Read a batch of events',
    about:
      'What happened to your claims. The script keeps `next` in `cursor`: send it again, and you get what came after.',
    method: 'GET',
    url: '{{base}}/claims/v1/topics/claims.status-changed?after={{cursor}}&limit=10',
    keeps: { cursor: 'next' },
  }),
];

const signed = (plate: string) =>
  request({
    name: 'Check a vehicle',
    about: `The body is signed. A script computes its HMAC-SHA256 with \`${secretVariable}\` and sends it as \`${signatureHeader}\`. Change a character of the body, and the script signs the new one.`,
    method: 'POST',
    url: '{{mine}}/insurer/v1/signed/policy-check',
    body: { language: 'json', text: JSON.stringify({ regNumber: plate }) },
    authorized: false,
    signed: true,
    status: 200,
  });

const registryNamespace = 'http://lplate.example/vehicle-registry/v1';

const registry = [
  request({
    name: 'A vehicle by SOAP',
    about: 'SOAP 1.1: a POST of an envelope in XML.',
    method: 'POST',
    url: '{{mine}}/vehicle-registry/v1',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${registryNamespace}/GetVehicleData"` },
    body: {
      language: 'xml',
      text: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <GetVehicleDataRequest xmlns="${registryNamespace}">
      <RegNumber>{{plate}}</RegNumber>
    </GetVehicleDataRequest>
  </soap:Body>
</soap:Envelope>`,
    },
    authorized: false,
    status: 200,
  }),
  request({
    name: 'The same by REST',
    about: 'Version 2 has the same data as JSON.',
    method: 'GET',
    url: '{{mine}}/vehicle-registry/v2/vehicles/{{plate}}',
    authorized: false,
  }),
];
