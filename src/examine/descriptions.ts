import { parse } from 'yaml';
import { pointerTo, wayOf } from '../text/json-pointer.ts';

/** As much of a JSON Schema as answers are compared by. */
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: Schema }>> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A schema of an object, with the name that it has in its document. */
export interface Named {
  readonly name: string;
  readonly schema: Schema;
  readonly document: Document;
}

/** The prefixes of the interfaces that are described. */
export const describedBases = ['/insurer/v1', '/claims/v1', '/vehicle-registry/v2'] as const;

/** What the descriptions say of answers. */
export class Descriptions {
  readonly #documents: ReadonlyMap<string, Document>;

  /** @param texts the descriptions in YAML, by their prefixes */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#documents = new Map([...texts].map(([base, text]) => [base, parse(text) as Document]));
  }

  /** The operation that a call is of, as it is written: `GET /insurer/v1/policies/{policyId}`. */
  operationOf(method: string, path: string): string | undefined {
    const found = this.#find(method, path);
    return found && `${method} ${found.base}${found.template}`;
  }

  /** The schema of an answer. A problem has one wherever it comes from. */
  schemaOf(method: string, path: string, status: number, mediaType: string): Named | undefined {
    const found = this.#find(method, path);
    const responses = found?.document.paths[found.template]?.[method.toLowerCase()]?.responses;
    const response = resolved(found?.document, responses?.[String(status)] as { $ref?: string } | undefined);
    const schema = (response as Operation['responses'][string] | undefined)?.content?.[mediaType]?.schema;
    if (found && schema) return named('', schema, found.document);
    const document = this.#documents.get('/insurer/v1');
    if (!document || !mediaType.endsWith('problem+json')) return undefined;
    return named('', { $ref: '#/components/schemas/Problem' }, document);
  }

  /** All schemas of all answers in JSON: for whoever checks that each has its manner. */
  *schemas(): Generator<Named> {
    for (const document of this.#documents.values())
      for (const operations of Object.values(document.paths))
        for (const { responses } of Object.values(operations))
          for (const response of Object.values(responses)) {
            const { content = {} } = resolved(document, response as { $ref?: string }) as {
              content?: Record<string, { schema?: Schema }>;
            };
            for (const [mediaType, { schema }] of Object.entries(content))
              if (schema && mediaType.endsWith('json')) yield named('', schema, document);
          }
  }

  #find(method: string, path: string): { base: string; template: string; document: Document } | undefined {
    for (const [base, document] of this.#documents) {
      if (!path.startsWith(`${base}/`)) continue;
      const segments = path.slice(base.length).replace(/\?.*/s, '').split('/');
      // One without names first: it is the nearer.
      const fitting = Object.keys(document.paths)
        .filter((template) => document.paths[template]?.[method.toLowerCase()] && fits(template.split('/'), segments))
        .sort((one, other) => one.split('{').length - other.split('{').length);
      if (fitting[0] !== undefined) return { base, template: fitting[0], document };
    }
    return undefined;
  }
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]))
  );
}

/** The members that an object of a schema may have, those of its alternatives included. */
export function membersOf({ name, schema, document }: Named): Map<string, { of: Named; required: boolean }> {
  const members = new Map<string, { of: Named; required: boolean }>();
  for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])])
    for (const [member, found] of membersOf(named(name, part, document))) members.set(member, found);
  for (const member of Object.keys(schema.properties ?? {}))
    members.set(member, {
      of: { name, schema, document },
      required: schema.required?.includes(member) === true,
    });
  return members;
}

/** The schema of a member, or of the items of a list. */
export function partOf({ name, schema, document }: Named, member?: string): Named | undefined {
  const part = member === undefined ? schema.items : schema.properties?.[member];
  return part && named(member === undefined ? name : `${name}.${member}`, part, document);
}

function named(name: string, schema: Schema, document: Document): Named {
  if (schema.$ref === undefined) return { name, schema, document };
  return named(wayOf(schema.$ref).at(-1) ?? '', resolved(document, schema) as Schema, document);
}

function resolved(document: Document | undefined, value: { readonly $ref?: string } | undefined): unknown {
  if (value?.$ref === undefined) return value;
  let found: unknown = document;
  for (const step of wayOf(value.$ref.slice(1))) found = (found as Record<string, unknown> | undefined)?.[step];
  return resolved(document, found as { $ref?: string });
}

/** Where a member is in an answer. */
export const within = (pointer: string, step: string | number) => pointer + pointerTo(step);
