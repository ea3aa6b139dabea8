import { useRef, useState } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';

export interface Pause {
  /** What the list shows: as it was when it was paused, else as it is. */
  readonly shown: readonly ExchangeSummary[];
  readonly paused: boolean;
  /** What came since it was paused. */
  readonly came: readonly ExchangeSummary[];
  readonly toggle: () => void;
}

interface Held {
  readonly list: readonly ExchangeSummary[];
  readonly ids: ReadonlySet<string>;
  readonly came: Map<string, ExchangeSummary>;
}

/** A list that can be held while one reads it. What comes meanwhile is counted and shown afterwards. */
export function usePause(exchanges: readonly ExchangeSummary[]): Pause {
  const held = useRef<Held | undefined>(undefined);
  const [, setRound] = useState(0);
  const toggle = () => {
    held.current = held.current
      ? undefined
      : { list: exchanges, ids: new Set(exchanges.map(({ id }) => id)), came: new Map() };
    setRound((round) => round + 1);
  };
  if (!held.current) return { shown: exchanges, paused: false, came: [], toggle };
  const { list, ids, came } = held.current;
  for (const each of exchanges) if (!ids.has(each.id)) came.set(each.id, each);
  return { shown: list, paused: true, came: [...came.values()], toggle };
}
