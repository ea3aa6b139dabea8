import type { ExchangeSummary } from '../api/types.ts';

export interface TrafficFilter {
  /** Words, all of which an exchange has in its method, URL, problem or remarks. */
  readonly text: string;
  /** A status, a class such as `4xx`, `none` for a webhook that did not answer, or empty for any. */
  readonly status: string;
  readonly kind: string;
  /** `insurer`, `claims`, `vehicle-registry`, `webhook`, or empty for all. */
  readonly system: string;
  readonly problem: string;
  /** What the path begins with. */
  readonly path: string;
  /** Only those with remarks, and only those that a drill hit. */
  readonly remarks: boolean;
  readonly drill: boolean;
  /** Also the calls of the console itself. */
  readonly console: boolean;
}

const texts = {
  text: 'q',
  status: 'status',
  kind: 'kind',
  system: 'system',
  problem: 'problem',
  path: 'path',
} as const;
const flags = { remarks: 'remarks', drill: 'drill', console: 'console' } as const;

/** As the address of the page has it. */
export function filterOf(query: URLSearchParams): TrafficFilter {
  const text = (name: string) => query.get(name) ?? '';
  const flag = (name: string) => query.get(name) === '1';
  return {
    ...{ text: text(texts.text), status: text(texts.status), kind: text(texts.kind) },
    ...{ system: text(texts.system), problem: text(texts.problem), path: text(texts.path) },
    ...{ remarks: flag(flags.remarks), drill: flag(flags.drill), console: flag(flags.console) },
  };
}

/** `?status=4xx&drill=1`, or empty where nothing is filtered. */
export function queryOfFilter(filter: TrafficFilter): string {
  const query = new URLSearchParams();
  for (const [member, name] of Object.entries(texts) as [keyof typeof texts, string][])
    if (filter[member] !== '') query.set(name, filter[member]);
  for (const [member, name] of Object.entries(flags) as [keyof typeof flags, string][])
    if (filter[member]) query.set(name, '1');
  const text = query.toString().replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

/** Whether something besides the calls of the console is left out. */
export function isFiltered(filter: TrafficFilter): boolean {
  return queryOfFilter({ ...filter, console: false }) !== '';
}

export function filtered(exchanges: readonly ExchangeSummary[], filter: TrafficFilter): ExchangeSummary[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return exchanges.filter((each) => matches(each, filter) && hasWords(each, words));
}

function matches(exchange: ExchangeSummary, filter: TrafficFilter): boolean {
  const { status, kind, system, problem, path, remarks, drill } = filter;
  return (
    (filter.console || !exchange.fromConsole) &&
    (status === '' || hasStatus(exchange.status, status)) &&
    (kind === '' || exchange.kind === kind) &&
    (system === '' || systemOf(exchange) === system) &&
    (problem === '' || exchange.problem === problem) &&
    (path === '' || plainPath(exchange.url).startsWith(path)) &&
    (!remarks || exchange.remarks.length > 0) &&
    (!drill || exchange.drills.length > 0)
  );
}

function hasStatus(status: number, wanted: string): boolean {
  if (wanted === 'none') return status === 0;
  return wanted.endsWith('xx') ? String(Math.floor(status / 100)) === wanted[0] : String(status) === wanted;
}

function hasWords({ method, url, problem, remarks, status, id }: ExchangeSummary, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${method} ${url} ${problem ?? ''} ${status} ${id} ${remarks.join(' ')}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The first segment of the path names the system. */
export function systemOf({ kind, url }: Pick<ExchangeSummary, 'kind' | 'url'>): string {
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

/** The problems that there are, for a choice. */
export function problemsIn(exchanges: readonly ExchangeSummary[], chosen: string): string[] {
  const found = new Set(exchanges.map(({ problem }) => problem).filter((problem) => problem !== null));
  if (chosen !== '') found.add(chosen);
  return [...found].sort();
}
