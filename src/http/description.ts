import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { contentOf, type Endpoint, everyHeader, Parts, type Schema } from './description-parts.ts';
import type { ProblemIdentifier } from './problem.ts';
import { problems } from './problem-table.ts';

declare module 'fastify' {
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

interface Operation {
  parameters?: { schema: { default?: unknown }; example?: unknown }[];
  requestBody?: object;
  responses: Record<string, object>;
  security?: object[];
}

/**
 * Generates the OpenAPI 3.1 document of the routes registered in `scope` after this call, from their schemas and
 * their config. Returns a function that adds the last of them: `/openapi.yaml`, which serves the document, under a tag.
 */
export async function describeInterface(scope: FastifyInstance, about: Description): Promise<(tag: string) => void> {
  const { title, version, description, securitySchemes } = about;
  const endpoints = new Map<string, Endpoint>();
  const prefix = scope.prefix;
  scope.addHook('onRoute', ({ url, method, config = {}, schema = {} }) => {
    const path = url.slice(prefix.length).replace(/:(\w+)/g, '{$1}');
    for (const each of [method].flat()) {
      endpoints.set(`${each.toLowerCase()} ${path}`, { config, schema: schema as Endpoint['schema'] });
    }
  });
  await scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: about.server }],
      tags: [...about.tags],
      components: { securitySchemes: securitySchemes as never },
    },
    convertConstToEnum: false,
    stripBasePath: true,
  });
  let bytes: Buffer | undefined;
  return (tag) =>
    scope.get(
      '/openapi.yaml',
      { schema: documentSchema(title, tag), config: { success: 'The document, in YAML.' } },
      (_request, reply) => {
        bytes ??= Buffer.from(
          stringify(complete(scope.swagger() as never, endpoints, about), {
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

type Document = { paths: Record<string, Record<string, Operation>> } & Record<string, object>;

/** Adds what the schema of a route does not say: names, examples, headers, and each problem that can be answered. */
function complete(
  { openapi, info, servers, tags, paths }: Document,
  endpoints: Map<string, Endpoint>,
  about: Description,
) {
  const parts = new Parts(about.publicUrl);
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      completeOperation(operation, method, endpoints.get(`${method} ${path}`) as Endpoint, parts);
    }
  }
  // No operation has these two: they are what a path and a method that are not listed are answered with.
  parts.problems(['not-found']);
  parts.problems(['method-not-allowed']);
  const { schemas, headers, examples, responses } = parts;
  const { securitySchemes } = about;
  return {
    openapi,
    info,
    servers,
    tags,
    paths,
    components: { securitySchemes, schemas, headers, examples, responses },
  };
}

function completeOperation(operation: Operation, method: string, { config, schema }: Endpoint, parts: Parts): void {
  operation.security ??= config.scope ? [{ oauth2: config.scope.split(' ') }, { bearer: [] }] : [];
  for (const parameter of operation.parameters ?? []) parameter.example ??= parameter.schema.default;
  if (schema.body) {
    const media = Object.entries(contentOf(schema.body)).map(([type, each]) => [
      type,
      { schema: parts.schema(each.schema), examples: requestExamples(each.schema) },
    ]);
    operation.requestBody = { required: true, content: Object.fromEntries(media) };
  }
  for (const [status, success] of Object.entries(schema.response ?? {})) {
    // 204 is an answer without a body.
    const media = Object.entries(status === '204' ? {} : contentOf(success)).map(([type, each]) => {
      const example = exampleOf(each.schema);
      const own = config.example ? { ...(example as object), ...config.example } : example;
      return [type, { schema: parts.schema(each.schema), example: own }];
    });
    const own = Object.entries(config.headers ?? {}).map(([name, example]) => [
      name,
      parts.header(name, true, example),
    ]);
    const headers = { ...parts.headersOf(everyHeader), ...Object.fromEntries(own) };
    const content = media.length > 0 && { content: Object.fromEntries(media) };
    operation.responses[status] = { description: config.success, headers, ...content };
  }
  const byStatus = Map.groupBy(problemsOf(method, config), (identifier) => problems[identifier].status);
  for (const [status, identifiers] of byStatus) {
    operation.responses[status] = parts.problems(identifiers, { config, schema });
  }
}

/** Every problem that an endpoint can answer with. */
function problemsOf(method: string, { body = 'none', scope, problems: own = [] }: FastifyContextConfig) {
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
  const required = (schema.required ?? []) as string[];
  const least = Object.fromEntries(required.map((name) => [name, whole[name]]));
  const examples = { minimal: { summary: 'What is required', value: least } };
  if (required.length === Object.keys(whole).length) return examples;
  return { ...examples, complete: { summary: 'Every member', value: whole } };
}
