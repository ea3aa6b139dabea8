import type { FastifyInstance, FastifyRequest } from 'fastify';
import { remember } from '../../remember.ts';
import { type Clock, day } from '../../time/clock.ts';
import { ServedText, servedHeaders } from '../answers/served-text.ts';
import { oneLoopback } from '../requests/address.ts';
import { prefixClient } from '../requests/personal-prefix.ts';
import { ReadConditions } from '../requests/preconditions.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The descriptions that are made of routes, as they are today, by path without `.yaml`. */
    readonly descriptions: Map<string, () => object>;
  }
}

/** What a description says of the operation that serves it. */
export interface DocumentText {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Other paths that people try. */
  readonly guesses: readonly string[];
}

/** Values in everybody's copy on a day, and what comes in their place for this reader. */
export type OwnValues = (day: string, reader: string) => Readonly<Record<string, string>>;

export interface DocumentSource {
  make(day: string): object;
  readonly ownValues?: OwnValues | undefined;
}

/**
 * Serves a description at `/NAME.yaml`, and the same as JSON at `/NAME.json`, which no list of endpoints shows. It is
 * made when it is first asked for, and again on each day (UTC), since its examples have dates. All nodes make the same of
 * a day and a reader.
 */
export function serveDocument(
  scope: FastifyInstance,
  name: string,
  { tag, description, guesses, ...text }: DocumentText,
  clock: Clock,
  { make, ownValues }: DocumentSource,
): void {
  let kept: ({ readonly day: string } & Served) | undefined;
  const today = () => {
    const date = day(clock.now());
    if (kept?.day !== date) kept = { day: date, ...served(make(date)) };
    return kept;
  };
  const forReader = (request: FastifyRequest) => ownValues?.(day(clock.now()), readerOf(request));
  scope.descriptions.set(`${scope.prefix}/${name}`, () => today().document);
  const unchanged = 'Send the `ETag` of the answer as `If-None-Match` to get the document only if it has changed.';
  const schema = {
    ...text,
    tags: [tag],
    headers: ReadConditions,
    description: `${description} The same in JSON is at \`${name}.json\`. ${unchanged}`,
    // A client reads a document as text, so it has no schema.
    response: { 200: { content: { 'application/yaml': { schema: {} } } }, 304: {} },
  };
  const config = {
    success: 'The document, in YAML.',
    headers: { ETag: '"Bq7xkQ"', ...servedHeaders },
    optionalHeaders: ['Content-Encoding'],
    guesses,
    document: true,
    problems: ['precondition-failed'],
  } as const;
  scope.get(`/${name}.yaml`, { schema, config }, async (request, reply) =>
    (await today().yaml()).send(request, reply, forReader(request)),
  );
  const options = { schema: { headers: ReadConditions }, config: { undescribed: true, document: true } } as const;
  scope.get(`/${name}.json`, options, async (request, reply) =>
    (await today().json()).send(request, reply, forReader(request)),
  );
}

/** Whose copy it is: that of the client whose prefix the address has, else of all who call from there. */
function readerOf(request: FastifyRequest): string {
  return prefixClient(request) ?? oneLoopback(request.ip);
}

/** Serves a description that is kept as YAML, and the same as JSON beside it. */
export function serveYaml(scope: FastifyInstance, name: string, yaml: string): void {
  const text = new ServedText('application/yaml', yaml);
  const json = remember(async () => asJson((await import('yaml')).default.parse(yaml)));
  const options = { schema: { headers: ReadConditions }, config: { document: true } } as const;
  scope.get(`/${name}.yaml`, options, (request, reply) => text.send(request, reply));
  scope.get(`/${name}.json`, options, async (request, reply) => (await json()).send(request, reply));
}

/** A document in both formats, each made when it is asked for. */
interface Served {
  readonly document: object;
  yaml(): Promise<ServedText>;
  json(): Promise<ServedText>;
}

function served(document: object): Served {
  return {
    document,
    yaml: remember(async () => new ServedText('application/yaml', await asYaml(document))),
    json: remember(async () => asJson(document)),
  };
}

function asJson(document: object): ServedText {
  return new ServedText('application/json', JSON.stringify(document, null, 2));
}

async function asYaml(document: object): Promise<string> {
  // Loaded only where it is wanted.
  const {
    default: { stringify },
  } = await import('yaml');
  return stringify(document, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Else readers of YAML 1.1 take dates in examples for objects.
    compat: 'yaml-1.1',
  });
}
