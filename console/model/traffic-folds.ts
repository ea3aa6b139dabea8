import type { ExchangeSummary } from '../api/types.ts';

/**
 * Exchanges, newest first, as the list shows them. Attempts of one webhook that failed one after the other are one: the last of
 * them, with those before it behind it.
 */
export function folded(all: readonly ExchangeSummary[]): readonly (readonly ExchangeSummary[])[] {
  const folds: ExchangeSummary[][] = [];
  const failing = new Map<string, ExchangeSummary[]>();
  for (const exchange of all) {
    const { delivery, status } = exchange;
    const before = delivery && failing.get(delivery.subscriptionId);
    const failed = status < 200 || status > 299;
    if (before && failed) before.push(exchange);
    else {
      const fold = [exchange];
      folds.push(fold);
      if (!delivery) continue;
      if (failed) failing.set(delivery.subscriptionId, fold);
      else failing.delete(delivery.subscriptionId);
    }
  }
  return folds;
}
