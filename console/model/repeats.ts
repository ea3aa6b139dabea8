import type { ExchangeSummary } from '../api/types.ts';

/** Exchanges of a list that follow each other, with the same call and the same answer. The first one comes first. */
export type Repeats = readonly [ExchangeSummary, ...ExchangeSummary[]];

export function repeatsOf(exchanges: readonly ExchangeSummary[]): readonly Repeats[] {
  const groups: [ExchangeSummary, ...ExchangeSummary[]][] = [];
  for (const each of exchanges) {
    const last = groups.at(-1);
    if (last && isSame(last[0], each)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

function isSame(one: ExchangeSummary, other: ExchangeSummary): boolean {
  return (['kind', 'method', 'url', 'status', 'problem'] as const).every((name) => one[name] === other[name]);
}
