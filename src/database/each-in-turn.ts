import type { Database } from './database.ts';

/**
 * Does something for each of many, in their order, a few at a time: as many as share a commit, or leave connections to
 * others. Each is to be a write of its own, so that nobody waits for all of them. Resolves with what each came to.
 */
export async function eachInTurn<Item, Result>(
  { writesAtOnce }: Pick<Database, 'writesAtOnce'>,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const left = [...items.entries()];
  const results: Result[] = [];
  const lanes = Array.from({ length: writesAtOnce }, async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1]);
  });
  await Promise.all(lanes);
  return results;
}
