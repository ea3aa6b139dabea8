import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { type Enumeration, enumerated } from '../../text/enumeration.ts';
import { oauthMembers } from '../problems/oauth-error.ts';
import { ProblemError, type ProblemIdentifier, problemBody } from '../problems/problem.ts';
import { anyTokenProblem, problem, requestId, tokenProblem } from '../problems/problem-schemas.ts';
import type { ProblemTable } from '../problems/problem-table.ts';
import { rateLimitHeaders } from '../requests/header-names.ts';
import { invalid } from '../requests/validation.ts';
import type { Examples } from './examples.ts';
import { contentOf, type Schema } from './schema.ts';

/** What a route says of itself. */
export interface Endpoint {
  /** Below the prefix of its system, with `{name}` for a parameter. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly config: FastifyContextConfig;
  readonly schema: RouteSchema;
}

interface RouteSchema extends FastifySchema {
  readonly body?: Schema;
  readonly params?: Schema;
  readonly querystring?: Schema;
  readonly headers?: Schema;
  readonly response?: Record<string, Schema>;
}

/** Answered before the limit is looked at, so that headers may be missing: they came as no proper request. */
const early: ProblemIdentifier[] = ['malformed-request', 'request-timeout', 'headers-too-large'];

/** The headers that a status brings with it. */
const byStatus: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** What operations of the document share, gathered as it is used. */
export class Components {
  readonly schemas: Record<string, object> = {};
  readonly headers: Record<string, object> = {};
  readonly problemExamples: Record<string, object> = {};
  readonly responses: Record<string, object> = {};
  readonly table: ProblemTable;
  readonly publicUrl: string;
  readonly examples: Examples;
  readonly #countsCalls: boolean;
  /** Names of headers that an answer may lack. */
  readonly #optional = new Set<string>();
  readonly #shown: [name: string, header: Header][] = [];

  /** `countsCalls`: as that of the server. */
  constructor(publicUrl: string, table: ProblemTable, examples: Examples, countsCalls: boolean) {
    this.#countsCalls = countsCalls;
    this.publicUrl = publicUrl;
    this.table = table;
    this.examples = examples;
  }

  /** A schema as the document shows it: one that has a name, or is of an enumeration, stands in the components. */
  schema(schema: Schema): object {
    const { $id, [enumerated]: list, ...keywords } = schema;
    const shown = { ...keywords } as Schema;
    if (schema.examples) shown.examples = this.examples.all(schema.examples);
    if (list) {
      const { type: _type, enum: _values, ...own } = shown;
      return { ...this.#enumeration(list), ...own };
    }
    if (schema.items) shown.items = this.schema(schema.items) as Schema;
    if (schema.anyOf) shown.anyOf = schema.anyOf.map((each) => this.schema(each) as Schema);
    if (schema.properties) {
      const members = Object.entries(schema.properties).map(([name, member]) => [name, this.schema(member)]);
      shown.properties = Object.fromEntries(members);
    }
    if ($id === undefined) return shown;
    this.schemas[$id] = shown;
    return { $ref: `#/components/schemas/${$id}` };
  }

  /** The schema of a parameter, which has description and example beside it. */
  unexplained({ description: _description, examples: _examples, ...keywords }: Schema): object {
    return this.schema(keywords);
  }

  #enumeration({ name, schema }: Enumeration): object {
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  header(name: string, required: boolean, given?: string | number): object {
    const entry = headerTable[name] as Header;
    // Examples of addresses are paths, which the answers make absolute.
    const example = typeof given === 'string' ? given.replace(/^(<?)\//, `$1${this.publicUrl}/`) : given;
    if (!required || (ofLimits.has(name) && !this.#countsCalls)) this.#optional.add(name);
    if (example !== undefined && example !== entry.example) {
      const own = { ...entry, example };
      this.#shown.push([name, own]);
      return own;
    }
    const shared = { ...entry };
    if (!this.headers[name]) this.#shown.push([name, shared]);
    this.headers[name] ??= shared;
    return { $ref: `#/components/headers/${name}` };
  }

  /**
   * Says of each header of the document whether it is required. It is, where no answer lacks it: generators make one type
   * of those of a name, and some stop if two of them differ.
   */
  settleHeaders(): void {
    for (const [name, header] of this.#shown) if (!this.#optional.has(name)) header.required = true;
  }

  headersOf(names: readonly string[], required = true): Record<string, object> {
    return Object.fromEntries(names.map((name) => [name, this.header(name, required)]));
  }

  /** The response for problems of one status. A single problem that is the same everywhere is shared. */
  problems(identifiers: ProblemIdentifier[], endpoint?: Endpoint): object {
    const [first] = identifiers as [ProblemIdentifier];
    const broken = first === 'request-timeout' || first === 'headers-too-large';
    // What broke while it was read never reached its endpoint.
    const oauth = endpoint?.config.oauthErrors === true && !broken;
    const name = identifiers.length === 1 && !oauth ? pascalCase(first) : undefined;
    if (!name || !(name in this.responses)) {
      const optional = oauth ? Object.keys(endpoint.config.headers ?? {}) : [];
      if (first === 'unsupported-media-type') optional.push('Accept-Encoding');
      // One of several problems of its status, of which not all have it.
      if (identifiers.includes('request-in-progress') || identifiers.includes('quota-exceeded'))
        optional.push('Retry-After');
      if (identifiers.includes('foreign-origin')) optional.push('WWW-Authenticate');
      const response = {
        description: identifiers.map((identifier) => this.#title(identifier, identifiers.length > 1)).join('\n'),
        headers: {
          ...this.headersOf(broken ? always : everyHeader.slice(0, always.length)),
          ...(broken ? {} : this.headersOf(everyHeader.slice(always.length), !early.includes(first))),
          ...this.#ofStatus(first),
          ...(broken ? {} : this.headersOf(['L-Plate-Ignored'], false)),
          ...this.headersOf(optional, false),
        },
        content: this.#problemContent(identifiers, oauth, endpoint),
      };
      if (!name) return response;
      this.responses[name] = response;
    }
    return { $ref: `#/components/responses/${name}` };
  }

  /** The token endpoint answers a form in plain JSON, all else as a problem. */
  #problemContent(identifiers: ProblemIdentifier[], oauth: boolean, endpoint?: Endpoint): object {
    const examples = Object.fromEntries(identifiers.map((each) => [each, this.#example(each, oauth, endpoint)]));
    if (!oauth) return { 'application/problem+json': { schema: this.schema(problem), examples } };
    return {
      'application/problem+json': { schema: this.#ofToken(identifiers), examples },
      'application/json': { schema: this.schema(tokenProblem), examples },
    };
  }

  #ofToken(identifiers: ProblemIdentifier[]): object {
    // A malformed request may have been too broken to reach the endpoint.
    return this.schema(identifiers.includes('malformed-request') ? anyTokenProblem : tokenProblem);
  }

  #ofStatus(identifier: ProblemIdentifier): Record<string, object> {
    const { status, challenge } = this.table[identifier];
    return Object.fromEntries((byStatus[status] ?? []).map((name) => [name, this.header(name, true, challenge)]));
  }

  #title(identifier: ProblemIdentifier, listed: boolean): string {
    const link = `[${identifier}](${this.publicUrl}/problems/${identifier})`;
    return `${listed ? '- ' : ''}${link}: ${this.table[identifier].title}.`;
  }

  #example(identifier: ProblemIdentifier, oauth: boolean, endpoint?: Endpoint): object {
    const entry = this.table[identifier];
    const { title, meaning, remedy } = entry;
    const own = identifier === 'validation-error' && endpoint;
    const sample = own ? missing(endpoint) : new ProblemError(identifier, `${meaning} ${remedy}`);
    const value = {
      ...problemBody(sample, entry, this.publicUrl, requestId),
      ...(oauth && oauthMembers(sample, entry)),
    };
    const example = { summary: title, value };
    if (own || oauth) return example;
    this.problemExamples[identifier] = example;
    return { $ref: `#/components/examples/${identifier}` };
  }
}

/** The validation problem that is easiest to have with an endpoint. */
function missing({ schema: { body, querystring } }: Endpoint): ProblemError {
  if (!body) {
    const [parameter = '', { description = '' } = {}] = Object.entries(querystring?.properties ?? {})[0] ?? [];
    return invalid([{ parameter, detail: `must be one whole number in decimal digits. ${description}` }]);
  }
  const [{ schema }] = Object.values(contentOf(body)) as [{ schema: Schema }];
  const { properties = {}, required = Object.keys(properties).slice(0, 1) } = schema as Schema & {
    required?: string[];
  };
  return invalid(
    required.map((name) => ({ pointer: `/${name}`, detail: `is missing. ${properties[name]?.description}` })),
  );
}

const pascalCase = (identifier: string) =>
  identifier.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const whole = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

interface Header {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
  required?: true;
}

const headerTable: Record<string, Header> = {
  'X-Request-Id': text('Id of the request; `instance` of a problem ends with it.', requestId),
  'Access-Control-Allow-Origin': text('Any origin may read the answer.', '*'),
  'Access-Control-Expose-Headers': text('Headers that a script in a browser may read.', 'Location, Link, Retry-After'),
  'X-Content-Type-Options': text('Tells browsers not to guess another media type.', 'nosniff'),
  [rateLimitHeaders.limit]: whole('Requests allowed in any 60 seconds.', 60),
  [rateLimitHeaders.remaining]: whole('Requests that are left in this window.', 59),
  [rateLimitHeaders.reset]: whole('Seconds until one more request is possible than now.', 60),
  [rateLimitHeaders.policy]: text('The limit, and its window in seconds.', '60;w=60'),
  'WWW-Authenticate': text(
    'How to authenticate and, if known, what is wrong or which scope is needed (RFC 6750).',
    'Bearer realm="lplate"',
  ),
  'Retry-After': whole('Seconds to wait before the next call.', 42),
  'Accept-Encoding': text('Present if the body had a Content-Encoding, which is not supported.', 'identity'),
  Allow: text('Methods that the path supports.', 'GET, HEAD, POST'),
  Location: text('The URL of the new resource.', 'http://localhost:8080/'),
  Link: text(
    'Links to the pages `first`, `prev`, `next` and `last`, as far as they exist (RFC 8288).',
    '<http://localhost:8080/?page=2>; rel="next"',
  ),
  'Cache-Control': text(
    '`no-store`: the response must not be stored. `no-cache`: ask before you use it again. `no-transform`: on a stream, which proxies must not compress.',
    'no-store',
  ),
  'Content-Security-Policy': text('On a page: what a browser may load for it.', "default-src 'none'"),
  'Content-Disposition': text('The name of a file for it.', 'attachment; filename="export.json"'),
  'Accept-Ranges': text('The file can be asked for in parts, by `Range`.', 'bytes'),
  'Content-Range': text('Which bytes of the file these are, and how many it has.', 'bytes 1000-1999/2000'),
  'Content-Digest': text(
    'The SHA-256 of the bytes of this answer (RFC 9530).',
    'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
  ),
  'Repr-Digest': text(
    'The SHA-256 of the whole file, as it is sent in this coding (RFC 9530).',
    'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
  ),
  ETag: text('Identifies what is in the response as it is now; that of a document, in this coding.', '"Bq7xkQ"'),
  'Idempotency-Replayed': text('`true` if this is the first answer to the request once more.', 'true'),
  Vary: text('What of the request the response depends on.', 'Accept-Encoding'),
  'Content-Encoding': text('`br` or `gzip`, if you accept one of them.', 'gzip'),
  'X-Accel-Buffering': text('Tells proxies not to buffer the stream.', 'no'),
  'L-Plate-Ignored': text(
    'Present if something that you sent was ignored: members and query parameters that are not known, percent-encoded, at the token endpoint with what they may have been meant to be (`body/scopes;meant=body/scope`); `body`, where no body is taken; and headers that have no effect here, such as `header/If-Match`.',
    'body/colour, query/sort',
  ),
  Pragma: text('The same for HTTP/1.0.', 'no-cache'),
};

const ofLimits: ReadonlySet<string> = new Set(Object.values(rateLimitHeaders));

/** On every answer, even to what could not be read. */
const always = ['X-Request-Id', 'Access-Control-Allow-Origin', 'X-Content-Type-Options', 'Cache-Control'];

/** On every answer of an endpoint. */
export const everyHeader = [...always, 'Access-Control-Expose-Headers', ...Object.values(rateLimitHeaders)];
