import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { contentOf, type Endpoint, everyHeader, Parts, type Schema } from './description-parts.ts';
import type { ProblemIdentifier } from './problem.ts';

declare module 'fastify' {
  /** Texts of the description. The same names as in OpenAPI. */
  interface FastifySchema {
    operationId?: string;
    summary?: string;
    /** Markdown. */
    description?: string;
    tags?: readonly string[];
    /** Default: the token of the scope, or none. */
    security?: readonly object[];
  }
  interface FastifyContextConfig {
    /** What the success response is, for the description. */
    success?: string;
    /** Members in which the example of the success response differs from the examples of its schema. */
    example?: object;
    /** Headers of the success response besides those of every response, each with an example. */
    headers?: Record<string, string>;
    /** Problems besides those that method, body and scope bring with them. */
    problems?: ProblemIdentifier[];
  }
}

export interface Description {
  readonly title: string;
  readonly version: string;
  /** Markdown. */
  readonly description: string;
  /** The absolute base URL; paths in the document are relative to it. */
  readonly server: string;
  readonly tags: readonly { name: string; description: string }[];
  readonly securitySchemes: Record<string, object>;
  readonly publicUrl: string;
}

/**
 * Generates the OpenAPI 3.1 document of the routes registered in `scope` after this call, from their schemas and
 * their config. Returns a function that adds the last of them: `/openapi.yaml`, which serves the document, under a tag.
 */
export function describeInterface(scope: FastifyInstance, about: Description): (tag: string) => void {
  const endpoints: Endpoint[] = [];
  const prefix = scope.prefix;
  scope.addHook('onRoute', ({ url, method, config = {}, schema = {} }) => {
    const path = url.slice(prefix.length).replace(/:(\w+)/g, '{$1}');
    for (const identifier of config.problems ?? []) {
      if (!Object.hasOwn(scope.problems, identifier)) throw new Error(`${url} names ${identifier}, which has no entry`);
    }
    // HEAD comes with each GET.
    const methods = [method].flat().filter((each) => each !== 'HEAD');
    for (const each of methods)
      endpoints.push({ path, method: each.toLowerCase(), config, schema: schema as Endpoint['schema'] });
  });
  let bytes: Buffer | undefined;
  return (tag) =>
    scope.get(
      '/openapi.yaml',
      { schema: documentSchema(about.title, tag), config: { success: 'The document, in YAML.', guesses } },
      (_request, reply) => {
        bytes ??= Buffer.from(
          stringify(documentOf(endpoints, about, new Parts(about.publicUrl, scope.problems)), {
            aliasDuplicateObjects: false,
            lineWidth: 0,
            // Else readers of YAML 1.1 take dates in examples for objects.
            compat: 'yaml-1.1',
          }),
        );
        return reply.type('application/yaml').send(bytes);
      },
    );
}

/** Where tools look for the description. The empty one is the base itself. */
const guesses = ['', 'openapi', 'openapi.json', 'openapi.yml', 'swagger', 'swagger.json', 'swagger.yaml', 'api-docs'];

function documentSchema(title: string, tag: string) {
  const schema = {
    type: 'string',
    description: 'An OpenAPI 3.1 document.',
    examples: [`openapi: 3.1.0\ninfo:\n  title: ${title}\n`],
  };
  return {
    operationId: 'describe',
    tags: [tag],
    summary: 'This description',
    description: 'The OpenAPI document that you are reading. It is made from the routes of the server.',
    response: { 200: { content: { 'application/yaml': { schema } } } },
  };
}

function documentOf(endpoints: readonly Endpoint[], about: Description, parts: Parts): object {
  const { title, version, description, server, tags, securitySchemes, publicUrl } = about;
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const operation = { [endpoint.method]: operationOf(endpoint, parts) };
    paths[endpoint.path] = { ...paths[endpoint.path], ...operation };
  }
  // No operation has these two: they are what a path and a method that are not listed are answered with.
  parts.problems(['not-found']);
  parts.problems(['method-not-allowed']);
  const { schemas, headers, examples, responses } = parts;
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: { name: 'L-Plate', url: publicUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    tags,
    paths,
    components: { securitySchemes, schemas, headers, examples, responses },
  };
}

function operationOf(endpoint: Endpoint, parts: Parts): object {
  const { config, schema } = endpoint;
  const parameters = [
    ...parametersOf('path', schema.params),
    ...parametersOf('query', schema.querystring),
    ...parametersOf('header', schema.headers),
  ];
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    tags: schema.tags,
    description: schema.description,
    ...(schema.body && { requestBody: requestBodyOf(schema.body, parts) }),
    ...(parameters.length > 0 && { parameters }),
    responses: { ...successesOf(endpoint, parts), ...refusalsOf(endpoint, parts) },
    security: schema.security ?? (config.scope ? [{ oauth2: config.scope.split(' ') }, { bearer: [] }] : []),
  };
}

function parametersOf(place: 'path' | 'query' | 'header', schema: Schema = {}): object[] {
  return Object.entries(schema.properties ?? {}).map(([name, { description, examples, ...keywords }]) => ({
    schema: keywords,
    in: place,
    name,
    required: place === 'path' || (schema.required?.includes(name) ?? false),
    description,
    example: examples?.[0] ?? keywords.default,
  }));
}

function requestBodyOf(body: Schema, parts: Parts): object {
  const media = Object.entries(contentOf(body)).map(([type, { schema }]) => [
    type,
    { schema: parts.schema(schema), examples: requestExamples(schema) },
  ]);
  return { required: true, content: Object.fromEntries(media) };
}

/** By status. */
function successesOf({ config, schema }: Endpoint, parts: Parts): Record<string, object> {
  const own = Object.entries(config.headers ?? {}).map(([name, example]) => [name, parts.header(name, true, example)]);
  const headers = { ...parts.headersOf(everyHeader), ...Object.fromEntries(own) };
  const responses = Object.entries(schema.response ?? {}).map(([status, success]) => {
    // 204 is an answer without a body.
    const media = Object.entries(status === '204' ? {} : contentOf(success)).map(([type, each]) => {
      const example = exampleOf(each.schema);
      // A stream is text, which has no members.
      const changed = typeof example === 'object' ? { ...example, ...config.example } : example;
      return [type, { schema: parts.schema(each.schema), example: changed }];
    });
    const content = media.length > 0 && { content: Object.fromEntries(media) };
    return [status, { description: config.success, headers, ...content }];
  });
  return Object.fromEntries(responses);
}

/** By status. */
function refusalsOf(endpoint: Endpoint, parts: Parts): Record<string, object> {
  const byStatus = Map.groupBy(problemsOf(endpoint), (identifier) => parts.table[identifier].status);
  const responses = [...byStatus].map(([status, identifiers]) => [status, parts.problems(identifiers, endpoint)]);
  return Object.fromEntries(responses);
}

/** Every problem that an endpoint can answer with. */
function problemsOf({ method, config }: Endpoint): Set<ProblemIdentifier> {
  const { body = 'none', scope, problems: own = [] } = config;
  const found: ProblemIdentifier[] = ['malformed-request', 'request-timeout', 'uri-too-long', 'headers-too-large'];
  found.push('rate-limit-exceeded', 'internal-error');
  if (scope) found.push('missing-token', 'invalid-token', 'insufficient-scope', 'unavailable');
  // A body that nobody asked for is read all the same.
  if (method !== 'get') found.push('payload-too-large');
  if (body !== 'none') found.push('malformed-json', 'validation-error', 'unsupported-media-type');
  return new Set([...found, ...own]);
}

/** A value of the schema, put together from the examples of its members. */
function exampleOf({ examples, enum: values, const: only, properties, items }: Schema): unknown {
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOf(each)]));
  if (items) return [exampleOf(items)];
  return [examples, values, [only]].flat().find((value) => value !== undefined);
}

function requestExamples(schema: Schema): object {
  const whole = exampleOf(schema) as Record<string, unknown>;
  const required = schema.required ?? [];
  const least = Object.fromEntries(required.map((name) => [name, whole[name]]));
  const examples = { minimal: { summary: 'What is required', value: least } };
  if (required.length === Object.keys(whole).length) return examples;
  return { ...examples, complete: { summary: 'Every member', value: whole } };
}
