import assert from 'node:assert/strict';
import { multipart } from '../../src/http/requests/bodies.ts';
import { pointerTo } from '../../src/text/json-pointer.ts';
import type { Document } from './description.ts';
import { form, formType, part } from './documents.ts';
import { operationsOf, resolve } from './lint-description.ts';
import { type LPlate, sign, type TestClient, testSecrets } from './lplate.ts';

/* Sends every request that descriptions show as an example, as somebody would who has nothing but them. */

interface Operation {
  readonly document: Document;
  /** `/claims/v1 POST /claims` */
  readonly key: string;
  readonly method: string;
  /** Below the root of the server. */
  readonly path: string;
  readonly says: Document;
}

/** What a link of another operation gives. */
interface Lead {
  readonly from: string;
  readonly parameters: Record<string, string>;
  readonly requestBody: Record<string, string>;
}

/** A call that succeeded, for the expressions of its links. */
interface Success {
  readonly parameters: Record<string, string>;
  readonly json: Document;
}

/** A request that an operation shows. */
interface Example {
  readonly what: string;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly body?: { readonly type: string; readonly value: Record<string, unknown> | string };
}

/**
 * Sends each example of each operation. What an operation needs of another one, such as an id, it must get by a link.
 * Returns what was sent, as `POST /insurer/v1/policies: application/json minimal`.
 *
 * @throws {AssertionError} when an example does not get the success that is documented
 */
export async function sendExamples(lplate: LPlate, documents: readonly Document[]): Promise<string[]> {
  const client = { ...(await lplate.client()) };
  const operations = documents.flatMap(operationsIn);
  const leads = leadsOf(operations);
  const done = new Map<string, Success>();
  const sent: string[] = [];
  // What is deleted can't be used by others any more, after a reset there is nothing to delete, and after a class nobody
  // to reset.
  const rank = ({ method, path }: Operation) => {
    if (method === 'DELETE' && path.endsWith('/trainer/learners')) return 5;
    if (method === 'DELETE' && /\/(?:me|learners\/\{clientId\})$/.test(path)) return 4;
    // It ends the secret by which this walk gets its tokens.
    if (path.endsWith('/transfers')) return 3;
    return path.endsWith('/reset') ? 2 : Number(method === 'DELETE');
  };
  const waiting = operations.filter(({ key }) => !elsewhere.has(key)).toSorted((a, b) => rank(a) - rank(b));
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ key }) => leads.get(key)?.every(({ from }) => done.has(from)) ?? true);
    assert.notEqual(at, -1, `no answer links to ${waiting.map(({ key }) => key)}`);
    const [operation] = waiting.splice(at, 1) as [Operation];
    const given = follow(leads.get(operation.key) ?? [], done);
    for (const example of examplesOf(operation)) {
      // Whoever removes itself is another one.
      const removesItself = operation.method === 'DELETE' && operation.path.endsWith('/me');
      const json = await send(lplate, removesItself ? await lplate.client() : client, operation, example, given);
      if (json?.client_id === client.id) client.secret = json.client_secret;
      done.set(operation.key, { parameters: given.parameters, json });
      sent.push(`${operation.method} ${operation.path}: ${example.what}`);
    }
  }
  return sent;
}

/** What needs an id that comes in a stream, and holds for seconds, or that a person gives in a browser. */
const elsewhere: ReadonlySet<string> = new Set([
  '/range/v1 POST /me/relay/{relayCallId}',
  '/range/v1 DELETE /me/consents/{consentId}',
]);

function operationsIn(document: Document): Operation[] {
  const base = new URL(document.servers[0].url).pathname;
  return [...operationsOf(document)].map(([name, says]) => {
    const [method, path] = name.split(' ') as [string, string];
    return { document, key: `${base} ${name}`, method, path: base + path, says };
  });
}

/** The links that lead to each operation. */
function leadsOf(operations: readonly Operation[]): Map<string, Lead[]> {
  const leads = new Map<string, Lead[]>();
  for (const { key: from, document, says } of operations) {
    const links = Object.values<Document>(says.responses).flatMap((response) =>
      Object.values<Document>(response.links ?? {}),
    );
    for (const { operationId, operationRef, parameters = {}, requestBody = '{}' } of links) {
      const target = operations.find((each) =>
        operationRef
          ? referenceTo(each) === operationRef
          : each.document === document && each.says.operationId === operationId,
      );
      assert(target, `${from} links to ${operationId ?? operationRef}, which is not there`);
      const list = leads.get(target.key) ?? [];
      leads.set(target.key, [...list, { from, parameters, requestBody: JSON.parse(requestBody) }]);
    }
  }
  return leads;
}

function referenceTo({ document, key, method }: Operation): string {
  const [, , path = ''] = key.split(' ');
  return `${document.servers[0].url}/openapi.yaml#${pointerTo('paths', path, method.toLowerCase())}`;
}

function follow(leads: readonly Lead[], done: ReadonlyMap<string, Success>) {
  const values = (of: Record<string, string>, from: string) =>
    Object.fromEntries(Object.entries(of).map(([name, text]) => [name, evaluate(text, done.get(from) as Success)]));
  return {
    parameters: Object.assign({}, ...leads.map((lead) => values(lead.parameters, lead.from))) as Record<string, string>,
    body: Object.assign({}, ...leads.map((lead) => values(lead.requestBody, lead.from))) as Record<string, string>,
  };
}

/** A runtime expression of OpenAPI, in braces where it stands in a text. */
function evaluate(text: string, { parameters, json }: Success): string {
  const expression = text.replace(/^\{(.*)\}$/, '$1');
  const [, pointer] = /^\$response\.body#(\/.*)$/.exec(expression) ?? [];
  const [, parameter] = /^\$request\.path\.(\w+)$/.exec(expression) ?? [];
  const steps = pointer?.split('/').slice(1) ?? [];
  const value = parameter ? parameters[parameter] : steps.reduce((at: Document, step) => at[step], json);
  assert.notEqual(value, undefined, `${expression} leads to nothing`);
  return String(value);
}

function examplesOf({ document, says }: Operation): Example[] {
  const found: Example[] = Object.entries<Document>(says.requestBody?.content ?? {}).flatMap(
    ([type, { examples = {} }]) =>
      Object.entries<Document>(examples).map(([name, { value }]) => ({
        what: `${type} ${name}`,
        body: { type, value },
      })),
  );
  if (!says.requestBody) found.push({ what: 'no parameters' });
  for (const target of says.parameters ?? []) {
    const { in: place, name, example } = resolve(document, target);
    if (example === undefined || place === 'path') continue;
    found.push({ what: `${place} ${name}`, [place === 'query' ? 'query' : 'headers']: { [name]: String(example) } });
  }
  return found;
}

async function send(
  lplate: LPlate,
  client: TestClient,
  operation: Operation,
  { what, query = {}, headers = {}, body }: Example,
  given: { parameters: Record<string, string>; body: Record<string, string> },
): Promise<Document> {
  const { document, method, path, says } = operation;
  const where = `${method} ${path}, ${what}`;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const { example } = (says.parameters ?? []).find((each: Document) => each.name === name);
    const value = given.parameters[name] ?? example;
    assert.notEqual(value, undefined, `${where}: neither an example nor a link gives ${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const text =
    body && (typeof body.value === 'string' ? body.value : encode(body.type, { ...body.value, ...given.body }));
  const answer = await lplate.call(method, `${filled}?${search}`, {
    ...(await proofOf(lplate, client, says.security)),
    ...(text !== undefined && { body: text }),
    headers: {
      ...headers,
      ...(body && { 'Content-Type': typeOf(body.type) }),
      ...signatureOf(document, says.security, text),
    },
  });
  const successes = Object.keys(says.responses).filter((status) => /^2/.test(status));
  assert(successes.includes(String(answer.status)), `${where}: ${answer.status}, not ${successes}: ${answer.text}`);
  return answer.json;
}

const typeOf = (type: string) => (type === multipart ? formType : type);

function encode(type: string, value: Record<string, unknown>): string {
  if (type === 'application/json') return JSON.stringify(value);
  if (type === multipart) return form(part(String(value.file))).toString('latin1');
  assert.equal(type, 'application/x-www-form-urlencoded');
  return new URLSearchParams(Object.entries(value).map(([name, each]) => [name, String(each)])).toString();
}

/** A token of just the scopes that the operation asks for, or the trainer's. */
async function proofOf(
  lplate: LPlate,
  { id, secret }: TestClient,
  security: readonly Record<string, string[]>[],
): Promise<{ token?: string }> {
  if (security.some((each) => 'trainer' in each)) return { token: testSecrets.trainerToken };
  const scopes = security.find((each) => 'oauth2' in each)?.oauth2;
  return scopes ? { token: await lplate.token(id, secret, scopes.join(' ')) } : {};
}

function signatureOf(document: Document, security: readonly object[], text = ''): Record<string, string> {
  if (!security.some((each) => 'signature' in each)) return {};
  return { [document.components.securitySchemes.signature.name]: sign(text) };
}
