import type { Described, Operation } from './described.ts';
import { authorizationUrl, peopleFolder, peopleVariables } from './people-steps.ts';
import { placeholders } from './placeholders.ts';
import { envelopeOf, type SoapOperation } from './soap-operation.ts';
import {
  type Check,
  type Credentials,
  folders,
  type Interface,
  knownPlate,
  type TokenOf,
  type WalkStep,
} from './walk-steps.ts';

/*
 * The requests of all kits, before they are written in the format of a tool. Sent from top to bottom, each has the answer
 * that is expected of it, and that again and again: the vehicle is another one at each run.
 */

export interface WalkRequest {
  readonly name: string;
  /** As a name in code: `createPolicy`. */
  readonly id: string;
  /** What it shows, in Markdown. */
  readonly about: string;
  readonly method: Operation['method'];
  /** With `{{name}}` for variables, as in the body. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** The fields of a form, in place of a body. */
  readonly form?: Readonly<Record<string, string>>;
  /** Undefined where it needs none. */
  readonly token?: TokenOf;
  /** Whether a script has to make `state`, `verifier` and `challenge` before it. */
  readonly makesChallenge: boolean;
  /** Whether a script has to sign its body. It then has no variables. */
  readonly signed: boolean;
  /** Which variable takes which member of the answer. */
  readonly keeps: Readonly<Record<string, string>>;
  readonly finds: NonNullable<WalkStep['finds']>;
  /** What the address has that the answer leads to: no redirect is followed. */
  readonly leadsTo: readonly string[];
  /** Whether a vehicle for the other requests is chosen after it. */
  readonly choosesPlate: boolean;
  readonly status: number;
  /** What members of the answer are. */
  readonly checks: readonly Check[];
  /** What the answer contains, where it is no JSON. */
  readonly contains?: string;
}

interface Body {
  /** `form`: one with a file in it (RFC 7578), whose lines end with CR LF. */
  readonly language: 'json' | 'xml' | 'text' | 'form';
  readonly text: string;
}

/** Anything that no file has in it. */
const boundary = 'l-plate-boundary';

const types = {
  json: 'application/json',
  text: 'application/x-ndjson',
  form: `multipart/form-data; boundary=${boundary}`,
};

interface WalkFolder {
  readonly name: string;
  readonly requests: readonly WalkRequest[];
}

export interface Walk {
  readonly name: string;
  /** In Markdown. */
  readonly about: string;
  /** Those that say where and who: for an environment. */
  readonly addresses: Readonly<Record<string, string>>;
  /** All of them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly folders: readonly WalkFolder[];
}

/** The header of the signed check, and the variable with its key. */
export const signatureHeader = 'X-Signature';
export const secretVariable = 'hmac_secret';
export const noSecret = `Fill in the variable ${secretVariable} first. Your trainer has it; L-Plate prints it when it starts.`;

/** The descriptions that kits are made of. */
export interface Descriptions extends Readonly<Record<Exclude<Interface, 'range'>, Described>> {
  /** Undefined where there is none. */
  readonly range: Described | undefined;
  readonly soap: SoapOperation;
  readonly publicUrl: string;
}

/** @param withPeople whether the tool can go through the flow of people, which needs the range to show them */
export function walk(descriptions: Descriptions, credentials: Credentials, withPeople = false): Walk {
  const { insurer, claims, registry, range, soap, publicUrl } = descriptions;
  const people = withPeople && range;
  const addresses = {
    insurer: insurer.server,
    claims: claims.server,
    registry: registry.server,
    soap: soap.address,
    ...(people && { range: range.server, issuer: publicUrl }),
    [secretVariable]: '',
  };
  const own = credentials === 'own';
  return {
    name: 'L-Plate',
    about: `Calls to L-Plate at ${insurer.server}. Send them from top to bottom: ${own ? 'the first one exchanges your credentials for a token' : 'the first two make credentials and a token'}, which the others use. Each run insures another vehicle.

The signed check needs a key that this file does not have: fill in the variable \`${secretVariable}\`. Your trainer has it; L-Plate prints it when it starts.`,
    addresses,
    variables: {
      ...addresses,
      client_id: own ? placeholders.id : '',
      client_secret: own ? placeholders.secret : '',
      token: '',
      plate: '',
      policy_id: '',
      import_id: '',
      statement_id: '',
      erasure_id: '',
      claim_id: '',
      document_id: '',
      cursor: 'earliest',
      ...(people && peopleVariables),
    },
    folders: [...folders, ...(people ? [peopleFolder] : [])].map(({ name, steps }) => ({
      name,
      requests: steps
        .filter(({ only }) => only === undefined || only === credentials)
        .map((step) => requestOf(step, descriptions)),
    })),
  };
}

function requestOf(step: WalkStep, descriptions: Descriptions): WalkRequest {
  const { name, about, operation, status, contains, keeps = {}, checks = [], choosesPlate = false } = step;
  const { finds = {}, leadsTo = [], makesChallenge = false } = step;
  const common = {
    ...{ name, about, status, keeps, checks, choosesPlate, finds, leadsTo, makesChallenge },
    ...(contains !== undefined && { contains }),
  };
  if (operation === 'soap') {
    const { soap } = descriptions;
    return {
      ...common,
      id: soap.operation.charAt(0).toLowerCase() + soap.operation.slice(1),
      method: 'POST',
      url: '{{soap}}',
      headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${soap.action}"` },
      body: { language: 'xml', text: envelopeOf(soap, knownPlate) },
      signed: false,
    };
  }
  if (operation === 'authorize') {
    return {
      ...common,
      id: operation,
      method: 'POST',
      url: `${authorizationUrl}?${step.query}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      form: step.form ?? {},
      signed: false,
    };
  }
  const [where, id] = operation;
  const { method, path, authorized, signed, statuses } = (descriptions[where] as Described).operation(id);
  if (!statuses.includes(status)) throw new Error(`The description of ${id} has no status ${status}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) => step.parameters?.[parameter] ?? '');
  const toSign = signed && !step.unsigned;
  const body = bodyOf(step, signed ? undefined : 2);
  return {
    ...common,
    id: step.id ?? id,
    method,
    url: `{{${where}}}${filled}${step.query ? `?${step.query}` : ''}`,
    headers: body ? { 'Content-Type': types[body.language] } : {},
    ...(body && { body }),
    ...(authorized && { token: step.token ?? 'token' }),
    signed: toSign,
  };
}

function bodyOf({ json, lines, file }: WalkStep, indent: number | undefined) {
  if (lines) return { language: 'text', text: lines.map((line) => JSON.stringify(line)).join('\n') } as const;
  if (file) return { language: 'form', text: formOf(file) } as const;
  return json && ({ language: 'json', text: JSON.stringify(json, null, indent) } as const);
}

function formOf({ name, text }: NonNullable<WalkStep['file']>): string {
  const disposition = `Content-Disposition: form-data; name="file"; filename="${name}"`;
  return [`--${boundary}`, disposition, 'Content-Type: application/pdf', '', text, `--${boundary}--`, ''].join('\r\n');
}
