import type { Exchange } from '../../api/types.ts';
import type { TrafficFilter } from '../../model/traffic-filter.ts';

/** Whose exchanges are shown, and how one of them is got whole. */
export interface ExchangeSource {
  /** The heading of the list. */
  readonly title: string;
  /** Where the list is in the address: `/traffic`. One exchange is at `/traffic/ID`, two at `/traffic/ID/compare/ID`. */
  readonly path: string;
  /** What is to be known of the list as it is now. */
  readonly note?: () => string | undefined;
  readonly load: (id: string) => Promise<Exchange>;
  /** As a curl command, and in the HTTP Archive format, where the interface has that. */
  readonly curl?: (id: string) => Promise<string>;
  readonly har?: (id: string) => Promise<string>;
  /** Those that fit the filters, and perhaps more, in the HTTP Archive format. */
  readonly archive?: (filter: TrafficFilter) => Promise<string>;
}

/** The address of an exchange, or of the list. `filter` begins with a question mark, or is empty. */
export function addressOf({ path }: ExchangeSource, id?: string, filter = ''): string {
  return id === undefined ? `${path}${filter}` : `${path}/${encodeURIComponent(id)}${filter}`;
}

export function comparison({ path }: ExchangeSource, [before, after]: readonly [string, string]): string {
  return `${path}/${encodeURIComponent(before)}/compare/${encodeURIComponent(after)}`;
}
