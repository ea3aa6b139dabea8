import { useState } from 'preact/hooks';
import { credentials } from '../api/session.ts';
import type { Page } from '../api/types.ts';
import { useLoad } from './load.ts';
import { readResource } from './owned.ts';

const pageSize = 50;

/**
 * A list whose newest items are shown first. The interfaces list oldest first, so that is the last page, read backwards;
 * `expected` items save the call that finds out which one it is.
 */
export function useNewestFirst<T>(path: string, expected = 0) {
  const [wished, setWished] = useState<number>();
  const read = async (page: number) => (await readResource<Page<T>>(`${path}?page=${page}&pageSize=${pageSize}`)).value;
  const loaded = useLoad(async () => {
    const first = await read(wished ?? Math.max(1, Math.ceil(expected / pageSize)));
    const last = Math.max(1, first.totalPages);
    const list = wished === undefined && first.page !== last ? await read(last) : first;
    return { ...list, items: list.items.toReversed() };
  }, [path, wished, credentials.value?.clientId]);
  const list = loaded.value;
  /** The last page is followed to where it is then. */
  const onPage = (page: number) => setWished(list && page >= list.totalPages ? undefined : page);
  return { ...loaded, onPage };
}
