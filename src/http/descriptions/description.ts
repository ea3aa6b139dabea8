import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../time/clock.ts';
import type { ProblemIdentifier } from '../problems/problem.ts';
import { Components, type Endpoint, everyHeader } from './components.ts';
import { Examples, type Replacements } from './examples.ts';
import { contentOf, type Schema } from './schema.ts';
import { type OwnValues, serveDocument } from './served-document.ts';

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
    headers?: Record<string, string | number>;
    /** Those that it may lack. */
    optionalHeaders?: readonly string[];
    /** What can be done next, with what the success response tells. */
    links?: Readonly<Record<string, NextStep>>;
    /** Problems besides those that method, body and scope bring with them. */
    problems?: readonly ProblemIdentifier[];
    /** Answers, but is in no list of endpoints: the same document in another format. */
    undescribed?: true;
  }
}

/** A link of OpenAPI. Its values may be expressions such as `$response.body#/id`. */
interface NextStep {
  /** Of the same description. */
  readonly operationId?: string;
  /** Of another description: the path of the document from the root of the server, `#` and a pointer. */
  readonly operationRef?: `/${string}`;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
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
  /** Says what examples have on a day (`YYYY-MM-DD`, UTC) in place of what stands in the schemas. */
  readonly replacements?: (day: string) => Replacements;
  /** What one reader's copy has in place of what everybody's has: what only one of them could send. */
  readonly ownValues?: OwnValues;
}

/**
 * Generates the OpenAPI 3.1 document of the routes registered in `scope` after this call, from their schemas and
 * their config. Returns a function that adds the last of them: `/openapi.yaml`, which serves the document, under a tag.
 * `/openapi.json` beside it is the same in JSON.
 */
export function describeInterface(scope: FastifyInstance, about: Description, clock: Clock): (tag: string) => void {
  const endpoints: Endpoint[] = [];
  const prefix = scope.prefix;
  scope.addHook('onRoute', ({ url, method, config = {}, schema = {} }) => {
    const path = url.slice(prefix.length).replace(/:(\w+)/g, '{$1}');
    for (const identifier of config.problems ?? []) {
      if (!Object.hasOwn(scope.problems, identifier)) throw new Error(`${url} names ${identifier}, which has no entry`);
    }
    if (config.undescribed) return;
    // HEAD comes with each GET.
    const methods = [method].flat().filter((each) => each !== 'HEAD');
    for (const each of methods)
      endpoints.push({ path, method: each.toLowerCase(), config, schema: schema as Endpoint['schema'] });
  });
  return (tag) => {
    const what = about.ownValues
      ? 'An OpenAPI 3.1 document. Its examples are made for the day and for you: those of somebody else are others.'
      : 'An OpenAPI 3.1 document. Its examples are made for the day.';
    const text = { operationId: 'describe', tag, summary: 'This description', description: what, guesses };
    const make = (day: string) => {
      const examples = new Examples(about.replacements?.(day) ?? {});
      const description = scope.countsCalls ? about.description : `${about.description}\n${uncounted}`;
      return documentOf(
        endpoints,
        { ...about, description },
        new Components(about.publicUrl, scope.problems, examples, scope.countsCalls),
      );
    };
    serveDocument(scope, 'openapi', text, clock, { make, ownValues: about.ownValues });
  };
}

const uncounted =
  '## No rate limit\n\nOn this server a limit is switched off: answers that it does not count have no `RateLimit-` headers.\n';

/** Where tools look for the description. The empty one is the base itself. */
const guesses = ['', 'openapi', 'openapi.yml', 'swagger', 'swagger.json', 'swagger.yaml', 'api-docs'];

function documentOf(endpoints: readonly Endpoint[], about: Description, components: Components): object {
  const { title, version, description, server, tags, securitySchemes, publicUrl } = about;
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const operation = { [endpoint.method]: operationOf(endpoint, components) };
    paths[endpoint.path] = { ...paths[endpoint.path], ...operation };
  }
  // No operation has these two: they are what a path and a method that are not listed are answered with.
  components.problems(['not-found']);
  components.problems(['method-not-allowed']);
  components.settleHeaders();
  const { schemas, headers, problemExamples: examples, responses } = components;
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

function operationOf(endpoint: Endpoint, components: Components): object {
  const { config, schema } = endpoint;
  const parameters = [
    ...parametersOf('path', schema.params, components),
    ...parametersOf('query', schema.querystring, components),
    ...parametersOf('header', schema.headers, components),
  ];
  return {
    operationId: schema.operationId,
    summary: schema.summary,
    tags: schema.tags,
    description: schema.description,
    ...(schema.body && { requestBody: requestBodyOf(endpoint, schema.body, components) }),
    ...(parameters.length > 0 && { parameters }),
    responses: responsesOf(endpoint, components),
    security: schema.security ?? (config.scope ? [{ oauth2: config.scope.split(' ') }, { bearer: [] }] : []),
  };
}

/** By status. Where an endpoint refuses with a shape of its own as well, a status has both. */
function responsesOf(endpoint: Endpoint, components: Components): Record<string, object> {
  const own = successesOf(endpoint, components);
  const refusals = Object.entries(refusalsOf(endpoint, components)).map(([status, refusal]) => {
    const { content } = (own[status] ?? {}) as { content?: object };
    return [status, content ? { ...refusal, content: { ...(refusal as typeof own).content, ...content } } : refusal];
  });
  return { ...own, ...Object.fromEntries(refusals) };
}

/** One that names what is the caller's own has no example: it comes from the answer that links to the operation. */
function parametersOf(place: 'path' | 'query' | 'header', schema: Schema = {}, components: Components): object[] {
  return Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const example = components.examples.of(member) ?? member.default;
    return {
      schema: components.unexplained(member),
      in: place,
      name,
      required: place === 'path' || (schema.required?.includes(name) ?? false),
      description: member.description,
      ...(example !== undefined && { example }),
    };
  });
}

function requestBodyOf({ config }: Endpoint, body: Schema, components: Components): object {
  const media = Object.entries(contentOf(body)).map(([type, { schema, least }]) => {
    const examples = components.examples.ofRequest(schema, least);
    return [type, { schema: components.schema(schema), ...(Object.keys(examples).length > 0 && { examples }) }];
  });
  return { required: config.body !== 'json-if-any', content: Object.fromEntries(media) };
}

/** By status. */
function successesOf({ config, schema }: Endpoint, components: Components): Record<string, object> {
  const { 304: unchanged } = schema.response ?? {};
  const shown = { ...(unchanged && { 'Cache-Control': 'no-cache' }), ...config.headers };
  const own = Object.entries(shown).map(([name, example]) => [name, components.header(name, true, example)]);
  const headers = {
    ...components.headersOf(everyHeader),
    ...Object.fromEntries(own),
    ...components.headersOf(['L-Plate-Ignored', ...(config.optionalHeaders ?? [])], false),
  };
  const links = linksOf(config.links, components);
  const responses = Object.entries(schema.response ?? {}).map(([status, success]) => {
    if (status === '304')
      return [status, { description: 'Not changed since it had the `ETag` that you sent.', headers }];
    // That of which nothing is said has no body.
    const bodyless = Object.keys(success).length === 0;
    const media = Object.entries(bodyless ? {} : contentOf(success)).map(([type, each]) => {
      // A document is its own example.
      if (Object.keys(each.schema).length === 0) return [type, {}];
      const example = components.examples.of(each.schema);
      // A stream is text, which has no members.
      const changed =
        config.example && typeof example === 'object'
          ? { ...example, ...(components.examples.today(config.example) as object) }
          : example;
      return [type, { schema: components.schema(each.schema), example: changed }];
    });
    const content = media.length > 0 && { content: Object.fromEntries(media) };
    const description = status === '206' ? 'The part of it that `Range` names.' : config.success;
    return [status, { description, headers, ...content, ...links }];
  });
  return Object.fromEntries(responses);
}

function linksOf(steps: Readonly<Record<string, NextStep>> | undefined, components: Components): object {
  if (!steps) return {};
  const links = Object.entries(steps).map(([name, { operationRef, requestBody, ...step }]) => [
    name,
    {
      ...(operationRef && { operationRef: components.publicUrl + operationRef }),
      ...step,
      ...(requestBody && { requestBody: template(requestBody) }),
    },
  ]);
  return { links: Object.fromEntries(links) };
}

/** A body with expressions in it, as text: generators of clients take no object here. */
function template(members: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(members).map(([name, value]) => [name, `{${value}}`])));
}

/** By status. */
function refusalsOf(endpoint: Endpoint, components: Components): Record<string, object> {
  const byStatus = Map.groupBy(problemsOf(endpoint), (identifier) => components.table[identifier].status);
  const responses = [...byStatus].map(([status, identifiers]) => [status, components.problems(identifiers, endpoint)]);
  return Object.fromEntries(responses);
}

/** Every problem that an endpoint can answer with. */
export function problemsOf({
  method,
  config,
  schema,
}: Pick<Endpoint, 'method' | 'config' | 'schema'>): Set<ProblemIdentifier> {
  const { body = 'none', scope, problems: own = [] } = config;
  const found: ProblemIdentifier[] = ['malformed-request', 'request-timeout', 'uri-too-long', 'headers-too-large'];
  found.push('rate-limit-exceeded', 'internal-error', 'unavailable');
  if (scope) found.push('missing-token', 'invalid-token', 'insufficient-scope');
  // A body that nobody asked for is read all the same.
  if (method !== 'get') found.push('payload-too-large');
  // A header that is nearly one of these.
  if (schema.headers) found.push('validation-error');
  if (body !== 'none') found.push('validation-error', 'unsupported-media-type');
  if (body !== 'none' && body !== 'file') found.push('malformed-json');
  return new Set([...found, ...own]);
}
