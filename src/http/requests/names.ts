import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { BoundedCache } from '../../bounded-cache.ts';
import { excerpt } from '../../text/excerpt.ts';
import { pointerTo } from '../../text/json-pointer.ts';
import { halfCharacter } from '../../text/odd-character.ts';
import { mayBeSecret } from '../../text/shown-value.ts';
import { stateOf, traceOf } from '../../text/trace-context.ts';
import type { FieldError } from '../problems/problem.ts';
import { wantsStream } from './accepted-type.ts';
import { propertiesOf } from './example-body.ts';
import { nearName, plainName } from './near-name.ts';
import { conditionNames } from './preconditions.ts';
import { invalid, partFaults, schemaFaults } from './validation.ts';

/*
 * Names that nobody knows. One that is nearly a known one was meant to be it: it is refused, or a typing error would be
 * dropped in silence. Others are ignored, as tolerant readers do, and named in the header L-Plate-Ignored.
 * So are headers that ask for what is not done here, such as a condition where a resource has no tag.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Members of the resource that the body can have besides those that it sets: a PUT takes back what GET gave. */
    takesBack?: readonly string[];
    /** Its handler judges all that it is sent itself. */
    judgesNames?: true;
    /** Members whose text is kept as it is sent: no secret may stand in it, and no half of a character. */
    keptTexts?: readonly string[];
    /**
     * What members and parameters are called elsewhere, in small letters without dashes and underscores, with their name
     * here: they are refused as near names are.
     */
    otherNames?: Readonly<Record<string, string>>;
    /**
     * What is wrong with a body by rules that its schema can't tell, so that it is told together with `others`: what is
     * wrong by name and schema.
     */
    ruleFaults?: (
      request: FastifyRequest,
      others: () => readonly FieldError[],
    ) => readonly FieldError[] | Promise<readonly FieldError[]>;
  }
}

type RequestPart = 'body' | 'query';

/** Unknown names of a place that are looked at. */
const maxSeen = 100;

/** What the header has at most: names of a place, characters of a name, characters in all. */
const maxShown = 20;
const longestShown = 40;
const longestHeader = 1000;

/** What ends the header where names were left out. */
const more = 'and-more';

const none: readonly string[] = [];

/**
 * The check of the names in the query and, where the endpoint takes JSON, in the body. The token endpoint ignores every
 * unknown parameter (RFC 6749, section 3.2); `token-request.ts` names near ones when something is missing that is needed, the
 * header `L-Plate-Ignored` also what else they were meant to be, such as `scope`.
 */
export function nameCheck({ schema, config = {} }: RouteOptions) {
  if (config.judgesNames) return undefined;
  const parameters = new Set(Object.keys(propertiesOf(schema?.querystring)));
  const takesMembers = config.body?.startsWith('json') === true;
  const members = new Set([...Object.keys(propertiesOf(schema?.body)), ...(config.takesBack ?? [])]);
  const isToken = config.body === 'json-or-form';
  const takesNoBody = (config.body ?? 'none') === 'none';
  const read = new Set(Object.keys(propertiesOf(schema?.headers)));
  const { ruleFaults, keptTexts = none, otherNames = {} } = config;
  const known = {
    body: { names: members, schema: schema?.body },
    query: { names: parameters, schema: schema?.querystring },
  };
  return (request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void): void => {
    const headers = sortHeaders(request, read);
    nameIgnored(reply, 'header', headers.ignored);
    if (takesNoBody && hasBody(request)) addIgnored(reply, ['body']);
    const inQuery = unknownOf(request.query, parameters);
    const inBody = takesMembers ? unknownOf(request.body, members) : none;
    const kept = keptFaults(request.body, request, keptTexts);
    if (!ruleFaults && inQuery.length + inBody.length + headers.faults.length + kept.length === 0) {
      done();
      return;
    }
    if (isToken) {
      const sent = (request.body ?? {}) as object;
      const missing = [...members].filter((name) => !Object.hasOwn(sent, name));
      const meant = (name: string) => nearName(name, missing);
      nameIgnored(reply, 'query', inQuery, 0, meant);
      const words = inBody.filter(isPlainWord);
      nameIgnored(reply, 'body', words, inBody.length - words.length, meant);
      done();
      return;
    }
    const body = sort('body', inBody, { ...known.body, otherNames });
    const query = sort('query', inQuery, { ...known.query, otherNames });
    nameIgnored(reply, 'body', body.ignored);
    nameIgnored(reply, 'query', query.ignored);
    const named = [...headers.faults, ...body.faults, ...query.faults, ...kept];
    let found: FieldError[] | undefined;
    const others = () => {
      found ??= [
        ...named,
        ...(takesMembers ? partFaults(request, 'body', body.meant) : []),
        ...partFaults(request, 'querystring', query.meant),
      ];
      return found;
    };
    const finish = (more: readonly FieldError[]) => {
      if (named.length === 0 && more.length === 0) done();
      else done(invalid([...others(), ...more.filter((fault) => !others().some((each) => isOfSame(each, fault)))]));
    };
    const more = ruleFaults?.(request, others) ?? [];
    if ('then' in more) more.then(finish, done);
    else finish(more);
  };
}

const noFaults: readonly FieldError[] = [];

/** The refusal of what has a secret in it. */
export const keptSecret = 'has a secret in it, which would be kept. Send a text without it.';

/** Characters of a text: what is longer is kept nowhere, since its schema refuses it. */
const longestKept = 1000;

/** The texts that can't be kept as they are. */
function keptFaults(body: unknown, { server }: FastifyRequest, members: readonly string[]): readonly FieldError[] {
  if (members.length === 0 || body === null || typeof body !== 'object') return noFaults;
  return members.flatMap((name) => {
    const text = (body as Record<string, unknown>)[name];
    if (typeof text !== 'string' || text.trim().length > longestKept) return [];
    const detail = server.secretFinder.isIn(text) ? keptSecret : halfCharacter(text);
    return detail === undefined ? [] : [{ pointer: pointerTo(name), detail }];
  });
}

/** Tells whether two faults are of the same member or parameter: what the schema says of it is enough. */
function isOfSame(one: FieldError, other: FieldError): boolean {
  if ('parameter' in one) return 'parameter' in other && one.parameter === other.parameter;
  return 'pointer' in one && 'pointer' in other && one.pointer === other.pointer;
}

/**
 * The check of names and schema for a body that a handler parsed itself.
 *
 * @throws {ProblemError} `validation-error`
 */
export function bodyCheck<Body>(schema: object): (request: FastifyRequest, reply: FastifyReply, body: unknown) => Body {
  const members = new Set(Object.keys(propertiesOf(schema)));
  const faultsOf = schemaFaults(schema);
  return (request, reply, body) => {
    const { ignored, faults, meant } = sort('body', unknownOf(body, members), { names: members });
    nameIgnored(reply, 'body', ignored);
    faults.push(...faultsOf(body, request, meant));
    if (faults.length > 0) throw invalid(faults);
    return body as Body;
  };
}

/** What is wrong with one of several bodies that a request has, and which of its names are not known. */
export interface LineFaults {
  readonly faults: readonly FieldError[];
  readonly ignored: readonly string[];
}

/** The rules of a body that its schema can't tell, as the endpoint which takes it alone has them. */
type LineRules = (line: object, others: () => readonly FieldError[]) => readonly FieldError[];

/** The check of a body that is one line of a request: the same as that of an endpoint which takes it alone. */
export function lineCheck(
  schema: object,
  keptTexts: readonly string[],
): (request: FastifyRequest, line: unknown, ruleFaults: LineRules) => LineFaults {
  const members = new Set(Object.keys(propertiesOf(schema)));
  const faultsOf = schemaFaults(schema);
  return (request, line, ruleFaults) => {
    const { ignored, faults, meant } = sort('body', unknownOf(line, members), { names: members });
    const others = [...faults, ...keptFaults(line, request, keptTexts), ...faultsOf(line, request, meant)];
    const sent = line !== null && typeof line === 'object' ? line : {};
    const more = ruleFaults(sent, () => others);
    return { ignored, faults: [...others, ...more.filter((fault) => !others.some((each) => isOfSame(each, fault)))] };
  };
}

/** Names in `L-Plate-Ignored` what lines had that nobody knows. */
export function nameIgnoredOfLines(reply: FastifyReply, lines: readonly Pick<LineFaults, 'ignored'>[]): void {
  nameIgnored(reply, 'body', [...new Set(lines.flatMap(({ ignored }) => ignored))]);
}

function unknownOf(sent: unknown, known: ReadonlySet<string>): readonly string[] {
  if (sent === null || typeof sent !== 'object' || Array.isArray(sent)) return none;
  let unknown: string[] | undefined;
  for (const name of Object.keys(sent)) {
    if (known.has(name)) continue;
    unknown ??= [];
    if (unknown.push(name) === maxSeen) break;
  }
  return unknown ?? none;
}

/** The names of a place that are known. */
interface KnownNames {
  readonly names: ReadonlySet<string>;
  readonly otherNames?: Readonly<Record<string, string>>;
  /** Says what they mean. */
  readonly schema?: unknown;
}

function sort(place: RequestPart, unknown: readonly string[], known: KnownNames) {
  const ignored: string[] = [];
  const faults: FieldError[] = [];
  /** Known names that others were sent for. */
  const meant = new Set<string>();
  for (const name of unknown) {
    const near = nearName(name, known.names);
    const right = near ?? nameOf(name, known);
    if (right === undefined) ignored.push(name);
    else {
      meant.add(right);
      faults.push(misspelt(place, name, right, near === undefined ? meaningOf(right, known.schema) : ''));
    }
  }
  return { ignored, faults, meant };
}

/** Longer names are not taken apart. */
const longestNested = 100;

/** The known name of what is called otherwise elsewhere, or stands in brackets, as other frameworks write it: `filter[status]`, `status[]`. */
function nameOf(name: string, { names, otherNames = {} }: KnownNames): string | undefined {
  const called = (part: string) => {
    const spelt = plainName(part);
    const other = Object.hasOwn(otherNames, spelt) ? otherNames[spelt] : undefined;
    return other !== undefined && names.has(other) ? other : undefined;
  };
  const parts = name.length > longestNested ? [] : name.split(/[[\].]|__/).filter((part) => part !== '');
  if (parts.length === 0 || parts[0] === name) return called(name);
  return [parts.join(''), ...parts.toReversed()].map((part) => nearName(part, names) ?? called(part)).find(Boolean);
}

function meaningOf(name: string, schema: unknown): string {
  const { description = '' } = (propertiesOf(schema) as Record<string, { description?: string }>)[name] ?? {};
  return description && ` ${description}`;
}

/** Counts with every call. No call is refused for it: tracing must not break what it looks at. */
const traceHeader = 'traceparent';

/** Counts with it. */
const stateHeader = 'tracestate';

/** Headers by which a caller asks for something: those that are dropped must not be dropped in silence. */
const asking = [
  ...[...conditionNames, 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range', 'Range'],
  ...['Idempotency-Key', 'Last-Event-ID', traceHeader, stateHeader],
];

/** Which of them a header is, or nearly is; empty if none. The same headers come again and again. */
const meantBy = new BoundedCache<string, string>(1000);

function askedBy(sent: string): string {
  const known = meantBy.get(sent);
  if (known !== undefined) return known;
  const meant = nearName(sent, asking) ?? '';
  meantBy.set(sent, meant);
  return meant;
}

const noHeaders = { ignored: [] as string[], faults: [] as FieldError[] };

/** `read`: those that have an effect here. An event's id has one only on a stream. */
function sortHeaders(request: FastifyRequest, read: ReadonlySet<string>): typeof noHeaders {
  let found = noHeaders;
  for (const sent of Object.keys(request.headers)) {
    const meant = askedBy(sent);
    if (meant === '') continue;
    const exact = sent === meant.toLowerCase();
    if (meant === traceHeader || meant === stateHeader) {
      const counts = traceOf(request.headers[traceHeader]) && (meant === traceHeader || stateOf(request.headers[sent]));
      if (exact && counts) continue;
      if (found === noHeaders) found = { ignored: [], faults: [] };
      found.ignored.push(sent);
      continue;
    }
    const counts = read.has(meant) && (meant !== 'Last-Event-ID' || wantsStream(request));
    if (exact && counts) continue;
    if (found === noHeaders) found = { ignored: [], faults: [] };
    if (counts) found.faults.push(misspelt('header', sent, meant));
    else found.ignored.push(exact ? meant : sent);
  }
  return found;
}

function misspelt(place: RequestPart | 'header', name: string, near: string, meaning = ''): FieldError {
  const what = { body: 'a member', query: 'a parameter', header: 'a header' }[place];
  const detail = `is not ${what} of this request. Did you mean ${near}?${meaning}`;
  if (place === 'header') return { header: name, detail };
  return place === 'body' ? { pointer: pointerTo(name), detail } : { parameter: name, detail };
}

/**
 * Adds names to the header: `body/NAME`, `query/NAME` and `header/NAME`, percent-encoded, so that a name can hold anything.
 * At the token endpoint `;meant=body/NAME` follows a name that is nearly one that is missing. The last is `and-more` where some were left out: too many, those that may be secrets, and `hidden` ones.
 */
function nameIgnored(
  reply: FastifyReply,
  place: RequestPart | 'header',
  names: readonly string[],
  hidden = 0,
  meantBy: (name: string) => string | undefined = () => undefined,
): void {
  if (names.length === 0 && hidden === 0) return;
  const before = String(reply.getHeader(header) ?? '');
  const shown: string[] = [];
  let length = before.length;
  let left = names.length + hidden + (before.endsWith(more) ? 1 : 0);
  for (const name of names.slice(0, maxShown)) {
    if (mayBeSecret(name)) continue;
    const meant = meantBy(name);
    const item = `${place}/${encoded(excerpt(name, longestShown))}${meant === undefined ? '' : `;meant=body/${meant}`}`;
    length += item.length + 2;
    if (length > longestHeader) break;
    shown.push(item);
    left -= 1;
  }
  if (left > 0) shown.push(more);
  addIgnored(reply, shown);
}

function addIgnored(reply: FastifyReply, items: readonly string[]): void {
  const before = String(reply.getHeader(header) ?? '').split(', ');
  const others = before.filter((item) => item !== '' && item !== more);
  reply.header(header, [...others, ...items].join(', '));
}

const header = 'l-plate-ignored';

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/** A token of HTTP (RFC 9110, 5.6.2): nothing in it can part the list or break the header. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/[()*']/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Tells whether a name can't be a secret that came in the place of one: JSON that was sent as a form, say. */
const isPlainWord = (name: string) => /^[A-Za-z_-]{1,30}$/.test(name);
