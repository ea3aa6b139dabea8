import type { RouteOptions } from 'fastify';
import { editDistance } from './edit-distance.ts';

/*
 * What the server serves, taken from its routes at the start, so that a path that nobody serves is answered with the
 * nearest one. The segments of the two are aligned, as words are for their edit distance: a segment may be missing, be
 * one too many, or be a word that is nearly the same. Only a refusal costs this, and only so much: see `max`.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Paths below the prefix of the interface that people try in place of this one, with its parameters as in the route.
     * What follows a question mark belongs to the address that is named: `service.wsdl?wsdl`. One that begins with a slash is
     * of another interface.
     */
    guesses?: readonly string[];
    /** What to do in place of a method that the path does not take, by method: whole sentences. */
    instead?: Readonly<Record<string, string>>;
  }
  interface FastifyInstance {
    readonly servedPaths: ServedPaths;
  }
}

/** The parts of a route that say what it takes and answers. */
export interface ServedRoute {
  readonly url: string;
  readonly method: string;
  readonly config: NonNullable<RouteOptions['config']>;
  readonly schema: NonNullable<RouteOptions['schema']>;
}

/** A path that is served. */
interface ServedPath {
  /** As in the route: `/shop/v1/orders/:orderId`. */
  readonly pattern: string;
  /** What paths fit it. */
  readonly form: RegExp;
  /** By method, without HEAD. */
  readonly methods: Map<string, ServedRoute>;
  readonly instead: Record<string, string>;
  /** The path itself, then each guess. */
  readonly spellings: Spelling[];
}

interface Spelling {
  readonly segments: readonly string[];
  /** What is added to the address when it is named. */
  readonly query: string;
  /** Whether it is the base of an interface alone: near only to a path that has nothing behind it. */
  readonly isBase: boolean;
  /** Whether it has parameters alone behind the base. */
  readonly isBare: boolean;
}

/** What is compared of a path that was asked for. */
const max = { segments: 8, letters: 24 };

/** Paths that are named when several are equally near. */
const maxNamed = 3;

/** What an alignment costs. One that is dearer than `limit` is none. */
const costs = {
  limit: 1.7,
  otherCase: 0.05,
  version: 0.3,
  near: 0.15,
  parameter: 0.1,
  wordForParameter: 0.5,
  otherMethod: 0.1,
  base: 0.3,
};
const missing = { base: 0.25, word: 0.6, parameter: 0.8, parameterInQuery: 0.2 };
const spare = { common: 0.3, word: 0.6 };

export class ServedPaths {
  readonly #paths = new Map<string, ServedPath>();
  /** Words that paths are made of: an id is none of them. */
  readonly #words = new Set<string>();

  /** To be called for each route. */
  add({ url, method, prefix = '', schema = {}, config = {} }: RouteOptions & { prefix?: string }): void {
    const path = this.#paths.get(url) ?? servedPath(url);
    this.#paths.set(url, path);
    for (const word of segmentsOf(url)) this.#words.add(word);
    for (const each of [method].flat()) {
      if (each !== 'HEAD') path.methods.set(each, { url, method: each, config, schema });
      // HEAD comes with GET, and brings the same config.
      else continue;
      Object.assign(path.instead, config.instead);
      path.spellings.push(
        ...(config.guesses ?? []).map((guess) => spelling(guess[0] === '/' ? guess : `${prefix}/${guess}`)),
      );
    }
  }

  /** Says what a path takes in place of a method that it does not, as sentences. */
  insteadOf(method: string, path: string): string {
    const fitting = this.#fitting(path);
    const own = fitting.map(({ instead }) => instead[method]).find((each) => each !== undefined);
    if (own !== undefined) return own;
    const methods = fitting.flatMap((each) => [...each.methods]);
    return methods.flatMap(([name, { schema }]) => (schema.summary ? `${name}: ${schema.summary}.` : [])).join(' ');
  }

  /**
   * The addresses that people mean by a path which the id of another fits too: `POST /shop/v1/orders/import`, where
   * `/shop/v1/orders/{orderId}` is served.
   */
  meantBy(method: string, path: string): string[] {
    const asked = segmentsOf(path).map((segment) => segment.toLowerCase());
    const isMeant = ({ segments }: Spelling) =>
      segments.length === asked.length && segments.every((each, at) => isParameter(each) || each === asked[at]);
    if (!this.#fitting(path).every(({ pattern }) => pattern.includes(':'))) return [];
    return [...this.#paths.values()].flatMap((each) =>
      each.spellings.slice(1).some(isMeant) ? [addressOf(each, methodOf(each, method))] : [],
    );
  }

  /** All of them, without those of HEAD. */
  get routes(): ServedRoute[] {
    return [...this.#paths.values()].flatMap(({ methods }) => [...methods.values()]);
  }

  /** The methods that a path takes; none where it is not served. */
  methodsOf(path: string): string[] {
    const methods = this.#fitting(path).flatMap((each) => [...each.methods.keys()]);
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)))].sort();
  }

  /**
   * The served paths that are nearest to one that is not, with a method: `GET /shop/v1/orders/{orderId}`. None
   * where nothing is near.
   *
   * @param query the names of its parameters
   */
  nearest(method: string, path: string, query: readonly string[]): string[] {
    const asked = segmentsOf(decoded(path)).map(plain);
    if (asked.length === 0 || asked.length > max.segments) return [];
    const known = new Map<string, number>();
    const costOf = (word: string, served: string) => wordCost(word, served, this.#words, known);
    const found: { cost: number; named: string }[] = [];
    for (const path of this.#paths.values()) {
      const named = methodOf(path, method);
      if (named === undefined) continue;
      for (const each of path.spellings) {
        if (each.isBase && asked.length > each.segments.length) continue;
        const others =
          (each.isBase || each.isBare ? costs.base : 0) + (isWanted(named, method) ? 0 : costs.otherMethod);
        const cost = others + alignment(asked, each.segments, query, costOf);
        if (cost <= costs.limit) found.push({ cost, named: addressOf(path, named) + each.query });
      }
    }
    const least = Math.min(...found.map(({ cost }) => cost));
    const nearest = found.filter(({ cost }) => cost < least + 0.01);
    return [...new Set(nearest.map(({ named }) => named))].slice(0, maxNamed);
  }

  #fitting(path: string): ServedPath[] {
    return [...this.#paths.values()].filter(({ form }) => form.test(path));
  }
}

const isWanted = (method: string, asked: string) => method === (asked === 'HEAD' ? 'GET' : asked);

/** The method by which a path is named: the one that was asked for, if it takes it. */
function methodOf({ methods }: ServedPath, asked: string): string | undefined {
  return [...methods.keys()].find((method) => isWanted(method, asked)) ?? [...methods.keys()][0];
}

const addressOf = ({ pattern }: ServedPath, method: string | undefined) => `${method} ${describedPath(pattern)}`;

/** The path of a route as the descriptions write it. */
export const describedPath = (url: string) => url.replace(/:(\w+)/g, '{$1}');

function servedPath(url: string): ServedPath {
  const form = url === '/' ? '' : url.split(/:\w+/).map(RegExp.escape).join('[^/]+');
  return { pattern: url, form: new RegExp(`^${form}/?$`), methods: new Map(), instead: {}, spellings: [spelling(url)] };
}

function spelling(url: string): Spelling {
  const [path = '', query] = url.split('?');
  const segments = segmentsOf(path);
  const isBase = segments.length > 0 && isVersion(segments.at(-1));
  const isBare = segments.length > 2 && isVersion(segments[1]) && segments.slice(2).every(isParameter);
  return { segments, query: query === undefined ? '' : `?${query}`, isBase, isBare };
}

/** The segments of a path, without the empty ones that double slashes make. */
function segmentsOf(path: string): string[] {
  return path.split('/', 4 * max.segments).filter((segment) => segment !== '');
}

/** The path without its percent-encoding, which may have been done twice, slashes included. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(decodeURIComponent(path));
  } catch {
    return path;
  }
}

/** A segment without what does not belong in it: white space, and parameters that came without a question mark. */
const plain = (segment: string) => (segment.split(/[?&]/, 1)[0] as string).trim();

const isParameter = (segment: string) => segment[0] === ':';

const isVersion = (segment = '') => /^v\d+$/i.test(segment);

/** The least cost to make one path of the other; infinite where they have no word in common. */
function alignment(
  asked: readonly string[],
  served: readonly string[],
  query: readonly string[],
  costOf: (asked: string, served: string) => number,
): number {
  // System and version: what people leave out, and what alone makes no path near.
  const base = isVersion(served[1]) ? 2 : 0;
  const telling = served.slice(base).filter((segment) => !isParameter(segment));
  const common = telling.length > 0 ? telling : served.slice(0, 1);
  const inCommon = common.some((each) => asked.some((segment) => costOf(segment, each) < Infinity));
  if (!inCommon) return Infinity;
  let row = [0];
  for (const [at, segment] of served.entries()) row.push((row[at] as number) + missingCost(segment, at < base, query));
  for (const segment of asked) {
    const next = [(row[0] as number) + spareCost(segment)];
    for (const [at, each] of served.entries()) {
      const replaced = (row[at] as number) + costOf(segment, each);
      const left = (next[at] as number) + missingCost(each, at < base, query);
      next.push(Math.min(replaced, left, (row[at + 1] as number) + spareCost(segment)));
    }
    row = next;
  }
  return row.at(-1) as number;
}

function missingCost(segment: string, inBase: boolean, query: readonly string[]): number {
  if (segment[0] === ':') return query.includes(segment.slice(1)) ? missing.parameterInQuery : missing.parameter;
  return inBase ? missing.base : missing.word;
}

function spareCost(segment: string): number {
  return isVersion(segment) || /^(?:api|rest)$/i.test(segment) ? spare.common : spare.word;
}

/** Says what it costs to take `asked` for `served`: infinite where the words have little in common. */
function wordCost(asked: string, served: string, words: ReadonlySet<string>, found: Map<string, number>): number {
  if (asked === served) return 0;
  if (served[0] === ':') return words.has(asked) ? costs.wordForParameter : costs.parameter;
  if (isVersion(asked) && isVersion(served)) return costs.version;
  const pair = `${asked}/${served}`;
  const known = found.get(pair);
  if (known !== undefined) return known;
  const length = Math.max(asked.length, served.length);
  const others = Math.floor(0.4 * length);
  let cost = Infinity;
  if (asked.toLowerCase() === served.toLowerCase()) cost = costs.otherCase;
  else if (asked.length <= max.letters && Math.abs(asked.length - served.length) <= others) {
    const distance = editDistance(asked.toLowerCase(), served.toLowerCase());
    if (distance <= others) cost = costs.near + distance / length;
  }
  found.set(pair, cost);
  return cost;
}
