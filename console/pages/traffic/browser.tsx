import { useEffect, useState } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';
import { filtered, filterOf, queryOfFilter } from '../../model/traffic-filter.ts';
import { go } from '../../state/route.ts';
import { Comparison } from './comparison.tsx';
import { ExchangePage } from './exchange-page.tsx';
import { ListPage } from './list-page.tsx';
import { usePause } from './pause.ts';
import { addressOf, comparison, type ExchangeSource } from './source.ts';

export interface ExchangeBrowserProps {
  readonly source: ExchangeSource;
  /** Newest first. */
  readonly exchanges: readonly ExchangeSummary[];
  readonly state: 'none' | 'connecting' | 'live' | 'offline' | 'gone';
  /** What the address has behind the path of the source: nothing, an id, or an id, `compare` and another one. */
  readonly rest: readonly string[];
  /** The query of the address: the filters. */
  readonly query: URLSearchParams;
}

/** The list of some exchanges, one of them, or two compared, as the address says. */
export function ExchangeBrowser({ source, exchanges, state, rest, query }: ExchangeBrowserProps) {
  const pause = usePause(exchanges);
  const [first, setFirst] = useState<string>();
  const [opened, setOpened] = useState<string>();
  const filter = filterOf(query);
  const shown = filtered(pause.shown, filter);
  const [id, word, other] = rest;
  const compares = id !== undefined && word === 'compare' && other !== undefined;
  useEffect(() => {
    if (compares) setFirst(undefined);
  }, [compares]);

  const compare = (chosen: string) => {
    if (first === undefined) {
      setFirst(chosen);
      // The other one is chosen in the list.
      if (id !== undefined) go(addressOf(source, undefined, queryOfFilter(filter)));
    } else if (first === chosen) setFirst(undefined);
    else go(comparison(source, [first, chosen]));
  };
  const chosen = { first: exchanges.find((each) => each.id === first), compare };

  if (compares) {
    return <Comparison key={`${id} ${other}`} source={source} before={id} after={other} />;
  }
  if (id !== undefined) {
    const summary = exchanges.find((each) => each.id === id);
    return (
      <ExchangePage
        source={source}
        id={id}
        summary={summary}
        among={shown}
        filter={filter}
        chosen={chosen}
        onOpened={setOpened}
      />
    );
  }
  return (
    <ListPage
      source={source}
      all={pause.shown}
      shown={shown}
      filter={filter}
      pause={pause}
      state={state}
      chosen={chosen}
      opened={opened}
    />
  );
}
