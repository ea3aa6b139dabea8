import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { type Clock, day } from '../clock.ts';
import { ServedText, servedHeaders } from './served-text.ts';

/** What a description says of the operation that serves it. */
export interface DocumentText {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
}

/**
 * Serves a description at `/NAME.yaml`, and the same as JSON at `/NAME.json`, which no list of endpoints shows. It is
 * made when it is first asked for, and again on each day (UTC), since its examples have dates. All nodes make the same of
 * a day.
 */
export function serveDocument(
  scope: FastifyInstance,
  name: string,
  { tag, description, ...text }: DocumentText,
  clock: Clock,
  make: (day: string) => object,
): void {
  let kept: { readonly day: string; readonly document: object; yaml?: ServedText; json?: ServedText } | undefined;
  const today = () => {
    const date = day(clock.now());
    if (kept?.day !== date) kept = { day: date, document: make(date) };
    return kept;
  };
  const unchanged = 'Send the `ETag` of the answer as `If-None-Match` to get the document only if it has changed.';
  const schema = {
    ...text,
    tags: [tag],
    description: `${description} The same in JSON is at \`${name}.json\`. ${unchanged}`,
    // A client reads a document as text, so it has no schema.
    response: { 200: { content: { 'application/yaml': { schema: {} } } }, 304: {} },
  };
  const config = {
    success: 'The document, in YAML.',
    headers: { ETag: '"Bq7xkQ"', ...servedHeaders },
    optionalHeaders: ['Content-Encoding'],
  };
  scope.get(`/${name}.yaml`, { schema, config }, (request, reply) => {
    const of = today();
    of.yaml ??= new ServedText('application/yaml', asYaml(of.document));
    return of.yaml.send(request, reply);
  });
  scope.get(`/${name}.json`, { config: { undescribed: true } }, (request, reply) => {
    const of = today();
    of.json ??= new ServedText('application/json', JSON.stringify(of.document, null, 2));
    return of.json.send(request, reply);
  });
}

function asYaml(document: object): string {
  return stringify(document, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Else readers of YAML 1.1 take dates in examples for objects.
    compat: 'yaml-1.1',
  });
}
