import type { TrafficFilter } from './traffic-filter.ts';

/** The filters that the service knows, as the query of its archive; empty without any. */
export function archiveQuery({ status, kind, problem, path }: TrafficFilter): string {
  const known = { status: status === 'none' ? '' : status, kind, problem, path };
  const query = new URLSearchParams(Object.entries(known).filter(([, value]) => value !== '')).toString();
  return query && `?${query}`;
}

/** An HTTP Archive with the entries of these exchanges only: the page has more filters than the service. */
export function archiveOf(text: string, ids: ReadonlySet<string>): string {
  const { log }: { log: { entries: { _id: string }[] } } = JSON.parse(text);
  return JSON.stringify({ log: { ...log, entries: log.entries.filter(({ _id }) => ids.has(_id)) } });
}
