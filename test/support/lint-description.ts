import assert from 'node:assert/strict';
import { createConfig, lintFromString, type RawUniversalConfig } from '@redocly/openapi-core';
import type { Document } from './description.ts';

/* What every published description has to be, as a document. */

const json = 'application/json';

/** The strictest rules the linter has, but for those that do not fit. */
const strictest: RawUniversalConfig = {
  extends: ['all'],
  rules: {
    'request-mime-type': {
      severity: 'error',
      allowedValues: [json, 'application/x-www-form-urlencoded', 'application/x-ndjson', 'multipart/form-data'],
    },
    'response-mime-type': {
      severity: 'error',
      allowedValues: [
        json,
        'application/problem+json',
        'application/yaml',
        'application/jose',
        'application/vc+jwt',
        'text/event-stream',
        'image/jpeg',
        'image/png',
        'image/webp',
        'image/svg+xml',
        'application/pdf',
        'text/plain; charset=utf-8',
        'text/html; charset=utf-8',
        'text/csv; charset=utf-8',
        'text/csv; charset=windows-1252',
        'application/x-ndjson',
      ],
    },
    // Tags stand in the order in which one reads on.
    'tags-alphabetical': 'off',
    // The paths and the order of their methods are those of the specification.
    'path-segment-plural': 'off',
    'path-http-verbs-order': 'off',
    'no-http-verbs-in-paths': 'off',
    // There is nobody to write to.
    // That a text may be empty is not worth a word at each of them.
    'required-string-property-missing-min-length': 'off',
  },
};

/** Paths and methods that are not listed are answered with these two, so no operation can refer to them. */
const unused = ['NotFound', 'MethodNotAllowed'].map((name) => `no-unused-components #/components/responses/${name}`);

/** What a strict linter finds in a description. */
export async function lint(source: string): Promise<string[]> {
  const config = await createConfig(strictest);
  const found = await lintFromString({ source, absoluteRef: '/openapi.yaml', config });
  const faults = found.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
  for (const each of unused) assert.ok(faults.includes(each), `the linter did not look: ${each}`);
  return faults.filter((each) => !unused.includes(each));
}

/** Every operation as `METHOD /path`. */
export function operationsOf(document: Document): Map<string, Document> {
  const all = Object.entries<Document>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Document>(operations)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  return new Map(all);
}

/** What a reference of the document points to. */
export function resolve(document: Document, target: Document): Document {
  if (!target.$ref) return target;
  const steps: string[] = target.$ref.split('/').slice(1);
  return steps.reduce((at: Document, step) => at[step], document);
}

/** Operations that do the same without a body, by a sample or what is made up. */
const withOptionalBody = ['testSubscription', 'createFleet'];

/** Each operation, parameter, body and response has words and an example, and no schema is empty. */
export function assertExplained(document: Document): void {
  for (const [name, operation] of operationsOf(document)) {
    const { summary, description: words, operationId, tags, parameters = [], requestBody, responses } = operation;
    assert.ok(summary && words && operationId && tags.length === 1, name);
    for (const parameter of parameters) {
      assert.ok(parameter.description, `${name}: ${parameter.name}`);
      // What is the caller's own comes by a link; the id of a made-up one would be a false example.
      assert.ok(
        parameter.example !== undefined || linked(document, operationId, parameter.name) || isOfCaller(parameter),
        `${name}: ${parameter.name} has no example`,
      );
    }
    if (requestBody) {
      assert.equal(requestBody.required, !withOptionalBody.includes(operationId), name);
      for (const media of Object.values<Document>(requestBody.content)) {
        assert.ok(Object.keys(media.examples).length > 0, name);
      }
    }
    for (const [status, target] of Object.entries<Document>(responses)) {
      const response = resolve(document, target);
      assert.ok(response.description && response.headers['X-Request-Id'], `${name} ${status}`);
      for (const [type, { schema, example, examples }] of Object.entries<Document>(response.content ?? {})) {
        // A document is read as text, and is an example of itself.
        if (type === 'application/yaml') continue;
        assertNotEmpty(document, schema, `${name} ${status}`);
        assert.ok(example !== undefined || Object.keys(examples ?? {}).length > 0, `${name} ${status}: no example`);
      }
    }
  }
}

/** Whether a link of the document leads to the parameter of an operation. */
function linked(document: Document, operationId: string, parameter: string): boolean {
  return [...operationsOf(document).values()]
    .flatMap(({ responses }) => Object.values<Document>(responses))
    .flatMap((response) => Object.values<Document>(response.links ?? {}))
    .some((link) => link.operationId === operationId && parameter in link.parameters);
}

/** What only the caller knows: where it stopped reading, which tag it has, what it sent before. */
const ofCaller = ['Last-Event-ID', 'If-Match', 'If-None-Match', 'If-Range', 'Range', 'Idempotency-Key'];

const isOfCaller = ({ in: place, name }: Document) => place === 'header' && ofCaller.includes(name);

/** Each part says what it is: text, a number, members or items. */
function assertNotEmpty(document: Document, schema: Document, where: string): void {
  const { type, properties, items, anyOf = [], additionalProperties } = resolve(document, schema);
  for (const [at, each] of anyOf.entries()) assertNotEmpty(document, each, `${where}/anyOf/${at}`);
  if (anyOf.length > 0) return;
  assert.ok(type, `${where}: an empty schema`);
  if (type === 'array') assertNotEmpty(document, items ?? {}, `${where}/items`);
  // Its members are those of another format.
  if (type !== 'object' || additionalProperties) return;
  assert.ok(Object.keys(properties ?? {}).length > 0, `${where}: an object of nothing`);
  for (const [name, each] of Object.entries<Document>(properties)) assertNotEmpty(document, each, `${where}/${name}`);
}

/** What a broken request, a broken disk or a defect brings about; no endpoint can be made to answer it. */
const beyond = ['malformed-request', 'request-timeout', 'headers-too-large', 'internal-error', 'unavailable'];

/** Every outcome that is documented and can be provoked, as `METHOD /path STATUS`, with the identifier of a problem. */
export function outcomesOf(document: Document): Set<string> {
  const outcomes = [...operationsOf(document)].flatMap(([name, { responses }]) =>
    Object.entries<Document>(responses).flatMap(([status, target]) => {
      if (Number(status) < 400) return [`${name} ${status}`];
      const { examples } = resolve(document, target).content['application/problem+json'];
      const identifiers = Object.keys(examples).filter((identifier) => !beyond.includes(identifier));
      return identifiers.map((identifier) => `${name} ${status} ${identifier}`);
    }),
  );
  return new Set(outcomes);
}
