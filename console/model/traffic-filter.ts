import { traceOf } from '../../src/text/trace-context.ts';
import type { ExchangeSummary } from '../api/types.ts';

/*
 * The search of Traffic: `status:4xx path:/policies -kind:webhook red`. All words must be in an exchange, and none that
 * stands after a minus. Of the terms with one name any must fit.
 */

interface Name {
  /** What it may be. */
  readonly about: string;
  /** Absent: anything. */
  readonly form?: RegExp;
  /** Whether `any` stands for whatever there is. */
  readonly any?: true;
  /** What an exchange has of it. */
  readonly of: (exchange: ExchangeSummary) => readonly string[];
  /** Whether that is what is wanted. Both are in lower case. */
  readonly fits: (has: string, wanted: string) => boolean;
}

const is = (has: string, wanted: string) => has === wanted;
const begins = (has: string, wanted: string) => has.startsWith(wanted);
const contains = (has: string, wanted: string) => has.includes(wanted);

const names = {
  status: {
    about: '4xx, 409, or none for no answer',
    form: /^(?:[1-5]xx|[1-5]\d\d|none)$/,
    of: ({ status }) => (status === 0 ? ['none'] : [`${Math.floor(status / 100)}xx`, String(status)]),
    fits: is,
  },
  method: { about: 'GET, POST', form: /^[a-z]+$/, of: ({ method }) => [method], fits: is },
  path: { about: 'a part of the path', of: ({ url }) => [plainPath(url)], fits: contains },
  problem: {
    about: 'how its name begins, or any',
    any: true,
    of: ({ problem }) => (problem === null ? [] : [problem]),
    fits: begins,
  },
  kind: {
    about: 'call, stream or webhook',
    form: /^(?:call|stream|webhook)$/,
    of: ({ kind }) => [kind === 'delivery' ? 'webhook' : kind],
    fits: is,
  },
  system: {
    about: 'insurer, claims, vehicle-registry or webhook',
    form: /^(?:insurer|claims|vehicle-registry|webhook)$/,
    of: (exchange) => [systemOf(exchange)],
    fits: is,
  },
  drill: { about: 'how its name begins, or any', any: true, of: ({ drills }) => drills, fits: begins },
  remark: { about: 'a part of it, or any', any: true, of: ({ remarks }) => remarks, fits: contains },
  trace: {
    about: 'how its trace id begins, a traceparent, or any',
    any: true,
    of: ({ traceId }) => (traceId === undefined ? [] : [traceId]),
    fits: (has, wanted) => begins(has, traceOf(wanted)?.traceId ?? wanted),
  },
  from: {
    about: 'you, console or any',
    form: /^(?:you|console|any)$/,
    any: true,
    of: ({ fromConsole }) => [fromConsole ? 'console' : 'you'],
    fits: is,
  },
} as const satisfies Record<string, Name>;

const text: Omit<Name, 'about'> = {
  of: ({ method, url, problem, remarks, status, id }) => [
    `${method} ${url} ${problem ?? ''} ${status} ${id} ${remarks.join(' ')}`,
  ],
  fits: contains,
};

/** A part of a search. */
export interface Term {
  /** As it was typed. */
  readonly typed: string;
  /** Absent of a word. */
  readonly name?: keyof typeof names;
  /** In lower case. */
  readonly value: string;
  readonly not: boolean;
  /** Why it can't be understood: it filters nothing then. */
  readonly fault?: string;
}

export type TrafficFilter = readonly Term[];

/** The parts of a search as they were typed. Spaces between quotes part nothing. */
export const partsOf = (search: string): string[] => search.match(/(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/gs) ?? [];

export function parse(search: string): TrafficFilter {
  return partsOf(search).map(termOf);
}

function termOf(whole: string): Term {
  // As the instance of a problem has an id.
  const typed = whole.replace(/^(-?)urn:uuid:/i, '$1');
  const [, minus, named, rest = ''] = /^(-?)(?:([a-z]+):)?(.*)$/is.exec(typed) ?? [];
  let isOpen = false;
  const value = rest.replace(/"((?:[^"\\]|\\.)*)("?)/gs, (_, quoted: string, end: string) => {
    isOpen = end === '';
    return quoted.replace(/\\(.)/gs, '$1');
  });
  const term = { typed, value: value.toLowerCase(), not: minus === '-' };
  const name = named?.toLowerCase();
  if (isOpen) return { ...term, fault: 'The quote has no end.' };
  if (name === undefined) return value === '' ? { ...term, fault: 'Say what must not be there.' } : term;
  if (!isName(name)) {
    const known = Object.keys(names).join(', ');
    return { ...term, fault: `“${name}:” is none of ${known}. Text with a colon stands between quotes.` };
  }
  const { about, form }: Name = names[name];
  if (value === '') return { ...term, name, fault: `“${name}:” wants ${about}.` };
  if (form && !form.test(term.value)) return { ...term, name, fault: `“${value}” is no ${name}: it is ${about}.` };
  return { ...term, name };
}

function isName(name: string): name is keyof typeof names {
  return Object.hasOwn(names, name);
}

/** As it must be typed. */
const quoted = (value: string) => (/[\s"\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value);

/** As the address of the page has it: in `q`. Older addresses have a parameter for each name. */
export function filterOf(query: URLSearchParams): TrafficFilter {
  const parts = [query.get('q') ?? ''];
  for (const name of ['status', 'kind', 'system', 'problem', 'path']) {
    const value = query.get(name);
    if (value) parts.push(`${name}:${name === 'kind' && value === 'delivery' ? 'webhook' : quoted(value)}`);
  }
  for (const [flag, typed] of [
    ['remarks', 'remark:any'],
    ['drill', 'drill:any'],
    ['console', 'from:any'],
  ] as const)
    if (query.get(flag) === '1') parts.push(typed);
  // Each by itself: a quote that has no end ends with its parameter.
  return parts.flatMap(parse);
}

/** `?q=status:4xx+red`, or empty where nothing is filtered. */
export function queryOfFilter(filter: TrafficFilter): string {
  if (filter.length === 0) return '';
  const query = new URLSearchParams({ q: filter.map(({ typed }) => typed).join(' ') }).toString();
  return `?${query.replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
}

/** Whether something besides the calls of the console is left out. */
export function isFiltered(filter: TrafficFilter): boolean {
  return filter.some(({ name, fault }) => name !== 'from' && fault === undefined);
}

export function filtered(exchanges: readonly ExchangeSummary[], filter: TrafficFilter): ExchangeSummary[] {
  const good = filter.filter(({ fault }) => fault === undefined);
  const ofConsole = good.some(({ name }) => name === 'from');
  const fits = (exchange: ExchangeSummary) => (term: Term) => {
    if (term.not || term.name === undefined) return has(exchange, term) !== term.not;
    return good.some((each) => each.name === term.name && !each.not && has(exchange, each));
  };
  return exchanges.filter((each) => (ofConsole || !each.fromConsole) && good.every(fits(each)));
}

function has(exchange: ExchangeSummary, { name, value }: Term): boolean {
  const { of, fits, any }: Omit<Name, 'about'> = name === undefined ? text : names[name];
  const found = of(exchange);
  return any && value === 'any' ? found.length > 0 : found.some((each) => fits(each.toLowerCase(), value));
}

export interface Suggestion {
  /** What it puts in the place of what was typed. One that ends with a colon wants a value. */
  readonly typed: string;
  readonly about: string;
}

const mostSuggestions = 9;

/** How the last part of a search may go on: with a name, then with the values that there are, the most frequent first. */
export function suggestionsFor(part: string, exchanges: readonly ExchangeSummary[]): readonly Suggestion[] {
  const [, minus = '', begun = '', colon, wanted = ''] = /^(-?)([a-z]*)(:)?(.*)$/is.exec(part.toLowerCase()) ?? [];
  if (colon === undefined) {
    if (wanted !== '') return [];
    const known = Object.entries(names).filter(([name]) => name.startsWith(begun));
    return known.map(([name, { about }]) => ({ typed: `${minus}${name}:`, about }));
  }
  if (!isName(begun)) return [];
  const { of, any }: Name = names[begun];
  const counts = new Map<string, number>(any ? [['any', 0]] : []);
  for (const each of exchanges) {
    // A remark is too long to choose it.
    const values = begun === 'remark' ? [] : of(each);
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    if (any && of(each).length > 0) counts.set('any', (counts.get('any') ?? 0) + 1);
  }
  return [...counts]
    .filter(([value]) => value.toLowerCase().includes(wanted.replaceAll('"', '')))
    .sort(([, one], [, other]) => other - one)
    .slice(0, mostSuggestions)
    .map(([value, count]) => ({ typed: `${minus}${begun}:${quoted(value)}`, about: String(count) }));
}

/** Whether it is a call of the learner’s own: no webhook to them, and not made by this console. */
export const isOwn = ({ kind, fromConsole }: ExchangeSummary) => kind === 'call' && !fromConsole;

export const isRefused = (exchange: ExchangeSummary) => isOwn(exchange) && exchange.status >= 400;

/** The first segment of the path names the system. */
function systemOf({ kind, url }: Pick<ExchangeSummary, 'kind' | 'url'>): string {
  return kind === 'delivery' ? 'webhook' : (plainPath(url).split('/', 2)[1] ?? '');
}

/** The path without a personal prefix and the query. */
export function plainPath(url: string): string {
  return withoutPrefix(url).split(/[?#]/, 1)[0] as string;
}

/** A URL as it is without the personal prefix. */
export function withoutPrefix(url: string): string {
  return url.replace(/^\/for\/[^/?#]+(?=\/)/, '');
}
