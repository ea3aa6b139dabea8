import type { TrafficFilter } from '../../model/traffic-filter.ts';

/** What of a search the service knows as well, as the query of its archive; empty without any. */
export function archiveQuery(filter: TrafficFilter): string {
  const query = new URLSearchParams();
  for (const name of ['status', 'kind'] as const) {
    const [one, ...others] = filter.filter((term) => term.name === name && !term.not && term.fault === undefined);
    if (one && others.length === 0 && one.value !== 'none')
      query.set(name, one.value === 'webhook' ? 'delivery' : one.value);
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** An HTTP Archive with the entries of these exchanges only: the page has a search, and the service has not. */
export function archiveOf(text: string, ids: ReadonlySet<string>): string {
  const { log }: { log: { entries: { _id: string }[] } } = JSON.parse(text);
  return JSON.stringify({ log: { ...log, entries: log.entries.filter(({ _id }) => ids.has(_id)) } });
}
