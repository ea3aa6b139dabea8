import { AssertionError } from 'node:assert';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { start } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { wayOf } from '../../src/text/json-pointer.ts';
import { TestClock } from './clock.ts';
import type { Answer } from './http1.ts';
import { testSecrets } from './test-secrets.ts';

/** The base of each interface that has a description; it is served there as `openapi.yaml` and `openapi.json`. */
export const bases = ['/insurer/v1', '/vehicle-registry/v2', '/claims/v1', '/range/v1'] as const;
export type Base = (typeof bases)[number];

/** Headers that belong to HTTP itself; no description lists them. */
const ofHttp = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

/**
 * What an answer to what was counted has: all answers of an endpoint but those to a malformed request, for whose sake they
 * are required in none.
 */
const ofCounted = /^(?:ratelimit-|access-control-expose-headers$)/;

/** All that the answer to a preflight may carry besides; OpenAPI has no place for it. */
const ofPreflight = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'cache-control',
  'x-content-type-options',
  'x-request-id',
];

// biome-ignore lint/suspicious/noExplicitAny: a document is taken as it comes
export type Document = any;

let published: Promise<Record<Base, Document>> | undefined;
const checkers = new Map<Base, Promise<Checker>>();

/**
 * Checks an answer of the server at `url` against the published description of the interface it is of: status,
 * headers, media type and body, where nothing may come that is not listed. The SOAP service has its schema instead.
 * Other paths are not looked at.
 *
 * @throws {AssertionError} naming all that does not fit
 */
export async function checkAgainstDescription(
  url: string,
  method: string,
  path: string,
  answer: Answer,
): Promise<void> {
  const within = (base: string) => path === base || path.startsWith(`${base}/`);
  const faults: string[] = [];
  if (within('/vehicle-registry/v1')) {
    // Loaded by the tests that need it: it brings a whole XML library.
    const { soapFaults } = await import('../vehicle-registry/soap-check.ts');
    faults.push(...soapFaults(method.toUpperCase(), answer));
  }
  const base = bases.find(within);
  if (base) {
    const checker = checkers.get(base) ?? description(base).then((document) => new Checker(document));
    checkers.set(base, checker);
    faults.push(...(await checker).faults(method.toUpperCase(), path.slice(base.length), answer));
  }
  if (faults.length === 0) return;
  const message = `${method} ${url}${path} answered ${answer.status}, and the description differs: ${faults.join('; ')}\n${answer.text.slice(0, 1000)}`;
  throw new AssertionError({ message });
}

/**
 * The description of an interface, from a server of its own: a request to the server under test would take a call from
 * its limit, and leave a line in its log and a count in its metrics.
 */
export async function description(base: Base): Promise<Document> {
  published ??= descriptionsOfRun();
  return (await published)[base];
}

/** Read once for all processes of a run. */
async function descriptionsOfRun(): Promise<Record<Base, Document>> {
  const { TEST_RUN_DIRECTORY: run } = process.env;
  if (run === undefined) return publishedDescriptions();
  const file = join(run, 'descriptions.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept);
  const documents = await publishedDescriptions();
  // Two processes may come here at the same time: neither reads what the other has not yet written.
  await writeFile(`${file}.${process.pid}`, JSON.stringify(documents));
  await rename(`${file}.${process.pid}`, file);
  return documents;
}

async function publishedDescriptions(): Promise<Record<Base, Document>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'l-plate-description-'));
  const config = { ...(readConfig([], {}) as Config), ...testSecrets, dataDir, port: 0 };
  // On the day of the tests, whose examples they compare.
  const server = await start(config, { clock: new TestClock(), log: { write: () => {} } });
  try {
    const documents = bases.map(async (base) => {
      // JSON is much quicker to read than YAML; another test compares the two.
      const response = await fetch(`${server.url}${base}/openapi.json`);
      return [base, await response.json()] as const;
    });
    return Object.fromEntries(await Promise.all(documents)) as Record<Base, Document>;
  } finally {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Whether a YAML text is one. Tests get the same texts many times, and to parse one takes long. */
function isYamlDocument(text: string): boolean {
  const hash = createHash('sha256').update(text).digest('hex');
  if (!yamlDocuments.has(hash) && typeof parse(text) === 'object') yamlDocuments.add(hash);
  return yamlDocuments.has(hash);
}

/** The hashes of those that were parsed. */
const yamlDocuments = new Set<string>();

interface Response {
  headers?: Record<string, Document>;
  content?: Record<string, { schema?: Document; examples?: Record<string, Document> }>;
}

/** What one description allows. */
export class Checker {
  readonly #document: Document;
  /** Whether all calls are counted. */
  readonly #counts: boolean;
  readonly #paths: {
    pattern: RegExp;
    deletesAll: boolean;
    operations: Record<string, { responses: Record<string, Document> }>;
  }[];
  // The linters' tests hold the schemas against their metaschema, which takes long to compile.
  readonly #ajv = addFormats.default(
    new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, meta: false, validateSchema: false }),
  );
  readonly #compiled = new Map<object, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
    this.#counts = !document.info.description.includes('## No rate limit');
    this.#ajv.addKeyword('components').addKeyword('example');
    // By an identifier, so that each is compiled once for all answers.
    this.#ajv.addSchema(strict({ components: { schemas: document.components.schemas } }), shared);
    this.#paths = Object.entries<Document>(document.paths).map(([template, operations]) => ({
      pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
      deletesAll: 'delete' in operations && !template.includes('{'),
      operations,
    }));
  }

  /** What of an answer does not fit. `path` is relative to the base URL. */
  faults(method: string, path: string, answer: Answer): string[] {
    if (method === 'OPTIONS' && answer.status === 204) return optionsFaults(answer);
    const response = this.#response(method, path, answer.status);
    if (!response) return [`the status ${answer.status} is not documented`];
    const type = answer.headers.get('content-type');
    const faults = this.#headerFaults(response, answer);
    if (!response.content) return [...faults, ...(answer.text === '' && type === null ? [] : ['there is a body'])];
    const { content } = response;
    // Fastify adds the charset to JSON; no other media type has parameters.
    const media = content[type === 'application/json; charset=utf-8' ? 'application/json' : (type ?? '')];
    if (!media) return [...faults, `the content type ${type} is not documented; ${Object.keys(content)} is`];
    // A document is read as text: it alone has no schema.
    if (type === 'application/yaml') {
      const isDocument = method === 'HEAD' ? answer.text === '' : isYamlDocument(answer.text);
      return [...faults, ...(media.schema ? ['YAML has a schema'] : []), ...(isDocument ? [] : ['it is no document'])];
    }
    if (!media.schema || Object.keys(media.schema).length === 0) return [...faults, 'the schema is empty'];
    if (method === 'HEAD') return answer.text === '' ? faults : [...faults, 'the answer to HEAD has a body'];
    const body = /[/+]json/.test(type ?? '') ? answer.json : answer.text;
    faults.push(...this.#schemaFaults(media.schema, body, 'the body'));
    // An error of JSON-RPC is no problem document.
    const isProblem = answer.status >= 400 && answer.json?.jsonrpc === undefined;
    if (isProblem) faults.push(...this.#problemFaults(media.examples ?? {}, answer));
    return faults;
  }

  #response(method: string, path: string, status: number): Response | undefined {
    // A DELETE of all there are is no longer one with a slash at its end.
    const lostId = method === 'DELETE' && path.endsWith('/');
    const found = this.#paths.find(({ pattern, deletesAll }) => pattern.test(path) && !(deletesAll && lostId));
    const operation = found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (operation) return this.#resolve(operation.responses[status]);
    // What is not listed is refused, by one of the answers that any request can meet.
    const { responses } = this.#document.components;
    const names: Record<number, string> = {
      400: 'MalformedRequest',
      [found ? 405 : 404]: found ? 'MethodNotAllowed' : 'NotFound',
      414: 'UriTooLong',
      429: 'RateLimitExceeded',
      431: 'HeadersTooLarge',
    };
    return responses[names[status] ?? ''];
  }

  #headerFaults({ headers = {} }: Response, { headers: sent, status }: Answer): string[] {
    const documented = new Map(
      Object.entries(headers).map(([name, header]) => [name.toLowerCase(), this.#resolve(header)]),
    );
    const faults: string[] = [];
    for (const [name, value] of sent) {
      const header = documented.get(name);
      if (!header && !ofHttp.includes(name)) faults.push(`the header ${name}: ${value} is not documented`);
      if (!header) continue;
      const typed = header.schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
      faults.push(...this.#schemaFaults(header.schema, typed, `the header ${name}: ${value}`));
    }
    for (const [name, header] of documented) {
      const required = header.required || (this.#counts && ofCounted.test(name) && status !== 400);
      if (required && !sent.has(name)) faults.push(`the header ${name} is missing`);
    }
    return faults;
  }

  #problemFaults(examples: Record<string, Document>, { status, json, headers }: Answer): string[] {
    const documented = Object.values(examples).map((example) => identifier(this.#resolve(example).value.type));
    const faults: string[] = [];
    if (!documented.includes(identifier(json?.type))) {
      faults.push(`the problem ${json?.type} is not documented; ${documented.join(', ')} is`);
    }
    if (json?.status !== status) faults.push(`the member status says ${json?.status}`);
    const id = headers.get('x-request-id');
    if (json?.instance !== `urn:uuid:${id}`) faults.push(`the member instance is not the X-Request-Id ${id}`);
    return faults;
  }

  #schemaFaults(schema: object, value: unknown, what: string): string[] {
    let validate = this.#compiled.get(schema);
    if (!validate) {
      validate = this.#ajv.compile(strict(schema));
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [what, instancePath, message, 'additionalProperty' in params ? params.additionalProperty : '']
        .filter((part) => part)
        .join(' '),
    );
  }

  #resolve(target: Document): Document {
    if (typeof target?.$ref !== 'string') return target;
    return wayOf(target.$ref).reduce((at: Document, step) => at[step], this.#document);
  }
}

const identifier = (type: unknown) => /\/problems\/([a-z-]+)$/.exec(String(type))?.[1];

/** The identifier of the schema that holds the components of a document. */
const shared = 'document';

/** The same schema, which takes no member and no item that it does not describe; its references lead to `shared`. */
function strict(schema: Document): Document {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy: Document = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  if (typeof copy.$ref === 'string') copy.$ref = `${shared}${copy.$ref}`;
  if (copy.type === 'array') return { items: false, ...copy };
  if (copy.type !== 'object') return copy;
  const { additionalProperties: others } = copy;
  return { ...copy, additionalProperties: typeof others === 'object' ? others : false };
}

export function optionsFaults({ headers, text }: Answer): string[] {
  // Any other OPTIONS is counted, and asks for the methods of a path.
  const isPreflight = !headers.has('allow');
  const own = (name: string) => ofPreflight.includes(name) || (!isPreflight && /^(allow|ratelimit-\w+)$/.test(name));
  const unknown = [...headers.keys()].filter((name) => !ofHttp.includes(name) && !own(name));
  const faults = unknown.map((name) => `the answer to OPTIONS carries the header ${name}`);
  if (isPreflight && !headers.has('access-control-allow-methods')) faults.push('no methods are allowed');
  if (text !== '') faults.push('the answer to OPTIONS has a body');
  return faults;
}
