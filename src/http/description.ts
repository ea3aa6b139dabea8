import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { oauthErrors } from './oauth-error.ts';
import type { ProblemIdentifier } from './problem.ts';
import { problems } from './problem-table.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the success response is, for the description. */
    success?: string;
    /** Headers of the success response besides those of every response, each with an example. */
    headers?: Record<string, string>;
    /** Problems the endpoint answers with, besides those that any request can meet. */
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

/** Problems that any request can meet. */
const everywhere: ProblemIdentifier[] = [
  'malformed-request',
  'request-timeout',
  'uri-too-long',
  'rate-limit-exceeded',
  'headers-too-large',
  'internal-error',
];

interface Operation {
  responses: Record<string, { description: string; headers?: object; content?: object }>;
  security?: object[];
}

type Endpoint = {
  scope?: string | undefined;
  oauthErrors?: boolean;
  success?: string;
  headers?: Record<string, string>;
  problems?: ProblemIdentifier[];
};

/**
 * Generates the OpenAPI 3.1 document of the routes registered in `scope` after this call, from their schemas and
 * their config. Returns a function that gives the document as YAML once the server is ready.
 */
export async function describeInterface(scope: FastifyInstance, about: Description): Promise<() => string> {
  const endpoints = new Map<string, Endpoint>();
  const prefix = scope.prefix;
  scope.addHook('onRoute', (route) => {
    const path = route.url.slice(prefix.length).replace(/:(\w+)/g, '{$1}');
    for (const method of [route.method].flat()) endpoints.set(`${method.toLowerCase()} ${path}`, route.config ?? {});
  });
  await scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: about.title,
        version: about.version,
        description: about.description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: about.server }],
      tags: [...about.tags],
      components: { securitySchemes: about.securitySchemes as never },
    },
    convertConstToEnum: false,
    stripBasePath: true,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `Schema${index}`) },
    transformObject: (document) => {
      const openapi = ('openapiObject' in document ? document.openapiObject : {}) as Record<string, unknown>;
      return complete(openapi, endpoints, about.publicUrl) as never;
    },
  });
  let text: string | undefined;
  return () => {
    text ??= stringify(scope.swagger(), { aliasDuplicateObjects: false, lineWidth: 0 });
    return text;
  };
}

/** Adds what no schema of a route says: the headers of every response, and each problem that can be answered. */
function complete(document: Record<string, unknown>, endpoints: Map<string, Endpoint>, publicUrl: string): object {
  const components = (document.components ?? {}) as Record<string, object>;
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const endpoint = endpoints.get(`${method} ${path}`);
      if (endpoint) completeOperation(operation, endpoint, publicUrl);
    }
  }
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...(components as { schemas?: object }).schemas, ...problemSchemas },
      headers: commonHeaders,
      responses: {
        NotFound: problemResponse(['not-found'], publicUrl),
        MethodNotAllowed: problemResponse(['method-not-allowed'], publicUrl, ['Allow']),
      },
    },
  };
}

function completeOperation(operation: Operation, endpoint: Endpoint, publicUrl: string): void {
  if (endpoint.scope) operation.security = [{ oauth2: [endpoint.scope] }, { bearer: [] }];
  operation.security ??= [];
  for (const [status, response] of Object.entries(operation.responses)) {
    if (endpoint.success) response.description = endpoint.success;
    const own = Object.entries(endpoint.headers ?? {}).map(([name, example]) => [
      name,
      { description: ownHeaders[name] ?? name, schema: { type: 'string' }, example },
    ]);
    operation.responses[status] = { ...response, headers: { ...references(everyHeader), ...Object.fromEntries(own) } };
  }
  const bearer: ProblemIdentifier[] = endpoint.scope ? ['missing-token', 'invalid-token', 'insufficient-scope'] : [];
  const byStatus = new Map<number, ProblemIdentifier[]>();
  for (const identifier of [...everywhere, ...bearer, ...(endpoint.problems ?? [])]) {
    const { status } = problems[identifier];
    byStatus.set(status, [...(byStatus.get(status) ?? []), identifier]);
  }
  for (const [status, identifiers] of byStatus) {
    const extra =
      status === 401 || status === 403 ? ['WWW-Authenticate'] : status === 429 || status === 503 ? ['Retry-After'] : [];
    const cache = endpoint.oauthErrors ? Object.keys(endpoint.headers ?? {}) : [];
    operation.responses[String(status)] = problemResponse(
      identifiers,
      publicUrl,
      [...extra, ...cache],
      endpoint.oauthErrors,
    );
  }
}

function problemResponse(identifiers: ProblemIdentifier[], publicUrl: string, extra: string[] = [], oauth = false) {
  const examples = identifiers.map((identifier) => {
    const { status, title, remedy } = problems[identifier];
    const value = {
      type: `${publicUrl}/problems/${identifier}`,
      title,
      status,
      detail: remedy,
      instance: 'urn:uuid:6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
    };
    return [
      identifier,
      { summary: title, value: oauth ? { ...value, error: 'invalid_request', error_description: remedy } : value },
    ];
  });
  // Not every response has these two: a request that could not be read at all was counted nowhere.
  const schema = { $ref: `#/components/schemas/${oauth ? 'TokenProblem' : 'Problem'}` };
  return {
    description: identifiers.map((identifier) => `\`${identifier}\`: ${problems[identifier].title}.`).join(' '),
    headers: references([...everyHeader, ...extra]),
    content: { 'application/problem+json': { schema, examples: Object.fromEntries(examples) } },
  };
}

const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const whole = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example });

const ownHeaders: Record<string, string> = {
  Location: 'Path of what was created.',
  Link: 'The pages first, prev, next and last (RFC 8288), where there are such.',
  'Cache-Control': 'The answer is not to be kept.',
  Pragma: 'The same for HTTP/1.0.',
};

const commonHeaders = {
  'X-Request-Id': text(
    'Id of the request; `instance` of a problem ends with it.',
    '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  ),
  'RateLimit-Limit': whole('Requests that are taken in any 60 seconds.', 60),
  'RateLimit-Remaining': whole('Requests that are left now.', 59),
  'RateLimit-Reset': whole('Seconds until the next request is free.', 60),
  'RateLimit-Policy': text('The limit and its window in seconds.', '60;w=60'),
  'Access-Control-Allow-Origin': text('Any origin may read the answer.', '*'),
  'Access-Control-Expose-Headers': text('Headers a script may read.', 'Location, Link, Retry-After'),
  'WWW-Authenticate': text('How to authenticate, and what is wrong (RFC 6750).', 'Bearer realm="lplate"'),
  'Retry-After': whole('Seconds to wait.', 42),
  Allow: text('Methods the path takes.', 'GET, HEAD, POST'),
  'Cache-Control': text('The answer is not to be kept.', 'no-store'),
  Pragma: text('The same for HTTP/1.0.', 'no-cache'),
};

const everyHeader = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];

const place = { type: 'string' };
const problemProperties = {
  type: { type: 'string', format: 'uri', description: 'Ends with the identifier of the problem; a page for people.' },
  title: { type: 'string', description: 'What kind of problem it is.' },
  status: { type: 'integer', description: 'The HTTP status.' },
  detail: { type: 'string', description: 'What was wrong this time, and what to do about it.' },
  instance: { type: 'string', description: '`urn:uuid:` and the id of the request.' },
  errors: {
    type: 'array',
    description: 'For validation problems, each fault: a pointer into the body, a query parameter or a header.',
    items: {
      type: 'object',
      required: ['detail'],
      properties: { detail: { type: 'string' }, pointer: place, parameter: place, header: place },
    },
  },
};
const required = ['type', 'title', 'status', 'detail', 'instance'];

const problemSchemas = {
  Problem: { type: 'object', description: 'A refusal, after RFC 9457.', required, properties: problemProperties },
  TokenProblem: {
    type: 'object',
    description: 'A refusal of the token endpoint: RFC 9457 with the members of RFC 6749, section 5.2.',
    required: [...required, 'error', 'error_description'],
    properties: {
      ...problemProperties,
      error: { type: 'string', enum: oauthErrors, description: 'The code of RFC 6749.' },
      error_description: { type: 'string', description: 'The detail in ASCII.' },
    },
  },
};
