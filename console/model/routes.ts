import { soapAction, presets as soapPresets } from './soap.ts';
import { decoded, queryOf } from './url.ts';

/* What can be called, as the served descriptions have it: for completion, for examples and for hints. */

export interface Route {
  readonly method: string;
  /** From the root of the server: `/insurer/v1/policies/{policyId}`. */
  readonly path: string;
  readonly summary: string;
  /** The page that describes it, from the root of the server. */
  readonly reference: string;
  /** Whether it needs a token of the client. */
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  /** By media type, the usual one first; empty where a call needs no body. */
  readonly bodies: readonly BodyOf[];
}

export interface Parameter extends Hint {
  readonly in: 'path' | 'query' | 'header';
  readonly example: string | undefined;
}

/** What is said of a parameter or of a member of a body. */
interface Hint {
  /** Of a member within another one with a full stop: `holder.name`. */
  readonly name: string;
  /** `string`, `integer, 1 to 500`. */
  readonly type: string;
  readonly required: boolean;
  readonly values: readonly string[];
  /** Markdown. */
  readonly about: string;
}

export interface BodyOf {
  readonly mediaType: string;
  readonly members: readonly Hint[];
  readonly examples: readonly { readonly name: string; readonly text: string }[];
}

/** Of a JSON Schema, what is read here. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Operation {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: Parameter['in'];
    readonly required?: boolean;
    readonly description?: string;
    readonly example?: unknown;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { summary?: string; value: unknown }>> }
      >
    >;
  };
}

/** An OpenAPI document, as the service makes it. */
export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Those that a learner can call: what needs the trainer's token is left out. */
export function routesOf({ servers, paths, components }: ApiDocument): Route[] {
  const base = new URL(servers[0]?.url ?? '', 'http://any').pathname.replace(/^\/for\/[^/]+/, '').replace(/\/$/, '');
  const resolve = (schema: Schema = {}): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : { ...resolve(components?.schemas?.[name]), ...withoutRef(schema) };
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const { security = [] } = operation;
      if (security.length > 0 && security.every((each) => 'trainer' in each)) return [];
      return [routeOf(method.toUpperCase(), { base, path }, operation, resolve)];
    }),
  );
}

const withoutRef = ({ $ref: _, ...schema }: Schema): Schema => schema;

function routeOf(
  method: string,
  { base, path }: { readonly base: string; readonly path: string },
  operation: Operation,
  resolve: (schema?: Schema) => Schema,
): Route {
  const { summary = '', tags: [tag = ''] = [], security = [], parameters = [], requestBody } = operation;
  const [document, section] = [base.slice(1).replaceAll('/', '-'), tag.toLowerCase().replaceAll(' ', '-')];
  return {
    method,
    path: base + path,
    summary,
    reference: `/docs#${document}/tag/${section}/${method}${path}`,
    needsToken: security.some((each) => 'bearer' in each),
    parameters: parameters.map(({ name, in: place, required = false, description, example, schema }) => ({
      ...hintOf(name, resolve(schema), required),
      in: place,
      about: description ?? '',
      example: example === undefined ? undefined : String(example),
    })),
    bodies: Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema, examples = {} }]) => ({
      mediaType,
      members: membersOf(resolve(schema), resolve),
      examples: Object.entries(examples).map(([name, { summary: about, value }]) => ({
        name: about ?? name,
        text: written(value, mediaType),
      })),
    })),
  };
}

/** An example as a body of this media type. */
function written(value: unknown, mediaType: string): string {
  if (typeof value === 'string') return value;
  if (mediaType.includes('urlencoded')) return new URLSearchParams(value as Record<string, string>).toString();
  return JSON.stringify(value, null, 2);
}

/** Levels of members within members that are told: those of a list are one. */
const deepest = 3;

function membersOf(schema: Schema, resolve: (schema?: Schema) => Schema, before = '', level = 1): Hint[] {
  const parts = [schema, ...(schema.allOf ?? []).map(resolve), ...(schema.anyOf ?? []).slice(0, 1).map(resolve)];
  const required = parts.flatMap((part) => part.required ?? []);
  return parts
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .flatMap(([name, own]) => {
      const member = resolve(own);
      const inner = level < deepest ? (member.items ? resolve(member.items) : member) : {};
      return [
        hintOf(before + name, member, required.includes(name)),
        ...membersOf(inner, resolve, `${before}${name}.`, level + 1),
      ];
    });
}

function hintOf(name: string, schema: Schema, required: boolean): Hint {
  const values = [schema.enum ?? schema.const ?? []].flat().map(String);
  return { name, type: typeOf(schema), required, values, about: schema.description ?? '' };
}

function typeOf(schema: Schema): string {
  const types = [schema.type ?? []].flat();
  const [least, most] = [schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength];
  const unit = schema.maxLength !== undefined || schema.minLength !== undefined ? ' characters' : '';
  const bounds =
    least !== undefined && most !== undefined
      ? `${least} to ${most}${unit}`
      : most !== undefined
        ? `at most ${most}${unit}`
        : least !== undefined && least > 0
          ? `at least ${least}${unit}`
          : undefined;
  return [types.join(' or '), schema.format, bounds].filter(Boolean).join(', ');
}

/** The SOAP service, which has a WSDL instead of such a document. */
export const soapRoute: Route = {
  method: 'POST',
  path: '/vehicle-registry/v1',
  summary: 'Read a vehicle by SOAP 1.1',
  reference: '/vehicle-registry/v1',
  needsToken: false,
  parameters: [
    {
      name: 'SOAPAction',
      in: 'header',
      type: 'string',
      required: true,
      values: [],
      about: 'The action of the operation, in quotes.',
      example: `"${soapAction}"`,
    },
  ],
  bodies: [
    {
      mediaType: 'text/xml; charset=utf-8',
      members: [],
      examples: soapPresets.map(({ name, envelope }) => ({ name, text: envelope })),
    },
  ],
};

/** The route that an address belongs to: one with a text in the place rather than one with a parameter. */
export function routeFor(routes: readonly Route[], method: string, address: string): Route | undefined {
  const path = pathOf(address);
  const fits = (route: Route) => route.method === method && patternOf(route.path).test(path);
  return routes.find((route) => route.path === path && route.method === method) ?? routes.find(fits);
}

const pathOf = (address: string) => (address.split(/[?#]/, 1)[0] as string).replace(/^\/for\/[^/]+(?=\/)/, '');

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.*+?()[\]^$|]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/]+)')}$`);

/** Routes that are offered at once. */
const mostOffered = 12;

/** Those with all words of what was typed in method, path or summary; those whose path begins with it first. */
export function offered(routes: readonly Route[], typed: string): Route[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = routes.filter(({ method, path, summary }) => {
    const text = `${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = ({ path }: Route) => (path.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, mostOffered);
}

/** The value of a parameter in an address; empty where it has none. */
export function valueIn({ path }: Route, { name, in: place }: Parameter, address: string): string {
  if (place === 'query') return queryOf(address).get(name) ?? '';
  const at = placesOf(path).indexOf(name);
  const found = patternOf(path).exec(pathOf(address))?.[at + 1] ?? '';
  return found === `{${name}}` ? '' : decoded(found);
}

/** The address with another value of a parameter; without one if that is empty. */
export function withValue(route: Route, { name, in: place }: Parameter, address: string, value: string): string {
  if (place === 'query') {
    const query = queryOf(address);
    if (value === '') query.delete(name);
    else query.set(name, value);
    const text = query.toString();
    return (address.split('?', 1)[0] as string) + (text && `?${text}`);
  }
  const [path = '', ...rest] = address.split(/(?=[?#])/);
  const prefix = path.slice(0, path.length - pathOf(path).length);
  const found = patternOf(route.path).exec(pathOf(path));
  const values = placesOf(route.path).map((each, at) =>
    each === name ? (value === '' ? `{${name}}` : encodeURIComponent(value)) : (found?.[at + 1] ?? `{${each}}`),
  );
  let at = 0;
  return prefix + route.path.replace(/\{\w+\}/g, () => values[at++] as string) + rest.join('');
}

/** Values that a parameter of a path had in calls that went well, the newest first: ids of what the learner has. */
export function knownValues({ path }: Route, name: string, urls: readonly string[]): string[] {
  const segment = path.split(`/{${name}}`, 1)[0]?.split('/').at(-1);
  const found = urls.flatMap((url) => new RegExp(`/${segment}/([^/?#]+)`).exec(url)?.[1] ?? []);
  return [...new Set(found.filter((value) => /[-\d]/.test(value)).map(decoded))].slice(0, 20);
}

const placesOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
