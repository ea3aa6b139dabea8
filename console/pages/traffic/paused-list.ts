import { useReducer, useRef } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';

interface PausedList {
  readonly list: readonly ExchangeSummary[];
  /** What came since it is held. */
  readonly came: readonly ExchangeSummary[];
  /** Shows what came, and holds the list again. */
  readonly renew: () => void;
}

/** A list, newest first, to which nothing is added while `hold`: what one reads stays where it is. `shown` is in it. */
export function usePausedList(
  exchanges: readonly ExchangeSummary[],
  hold: boolean,
  shown: string | undefined,
): PausedList {
  const ids = useRef<ReadonlySet<string> | undefined>(undefined);
  const [, drawAgain] = useReducer((round: number) => round + 1, 0);
  const renew = () => {
    ids.current = undefined;
    drawAgain(undefined);
  };
  const isIn = ({ id }: ExchangeSummary) => ids.current?.has(id);
  const isMissing = exchanges.some((each) => each.id === shown && !isIn(each));
  if (!hold) ids.current = undefined;
  // Of a list that was not loaded yet nothing is read.
  else if (isMissing || !exchanges.some(isIn)) ids.current = new Set(exchanges.map(({ id }) => id));
  const kept = ids.current;
  if (!kept) return { list: exchanges, came: [], renew };
  return { list: exchanges.filter(({ id }) => kept.has(id)), came: exchanges.filter(({ id }) => !kept.has(id)), renew };
}
