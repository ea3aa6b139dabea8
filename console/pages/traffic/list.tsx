import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { call } from '../../api/call.ts';
import type { ExchangeSummary } from '../../api/types.ts';
import { isFiltered, parse, queryOfFilter, type TrafficFilter } from '../../model/traffic-filter.ts';
import { folded } from '../../model/traffic-folds.ts';
import { downloadText } from '../../parts/download.ts';
import { Button, Loading } from '../../parts/parts.tsx';
import { toast } from '../../state/toasts.ts';
import { addressOf, comparisonOf } from './addresses.ts';
import { archiveOf, archiveQuery } from './har.ts';
import { Row } from './row.tsx';

interface ListProps {
  readonly all: readonly ExchangeSummary[];
  /** Those of them that the search finds. */
  readonly shown: readonly ExchangeSummary[];
  readonly filter: TrafficFilter;
  readonly isLoaded: boolean;
  /** The ids of those that are shown beside the list. */
  readonly opened: readonly (string | undefined)[];
  /** The id of the first of two that are compared: a click on another one compares them. */
  readonly first: string | undefined;
  readonly onFilter: (filter: TrafficFilter) => void;
  /** Is told whether the newest are out of sight. */
  readonly onScrolled: (scrolled: boolean) => void;
}

/** Exchanges, one line each, newest first. */
export function List({ all, shown, filter, isLoaded, opened, first, onFilter, onScrolled }: ListProps) {
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => onScrolled(!seen.at(-1)?.isIntersecting));
    observer.observe(top.current as HTMLDivElement);
    return () => observer.disconnect();
  }, []);
  const hidden = all.filter(({ fromConsole }) => fromConsole).length;
  const isWithConsole = filter.some(({ name }) => name === 'from');
  const there = isWithConsole ? all.length : all.length - hidden;
  const showConsole = () => onFilter([...filter, ...parse('from:any')]);
  const search = queryOfFilter(filter);
  const hrefOf = ({ id }: ExchangeSummary) =>
    first === undefined || first === id ? addressOf(search, id) : comparisonOf(search, first, id);
  return (
    <>
      <div class="list-top" ref={top} />
      {shown.length > 0 ? (
        <ol class="plain calls" aria-label="Calls">
          {folded(shown).map((fold) => (
            <Rows key={fold.at(-1)?.id} {...{ fold, hrefOf, opened, first }} />
          ))}
        </ol>
      ) : (
        <Nothing
          there={there}
          isLoaded={isLoaded || all.length > 0}
          onClear={isFiltered(filter) && (() => onFilter([]))}
        />
      )}
      <div class="list-end muted small">
        {shown.length > 0 && (
          <p class="row ends">
            {isFiltered(filter) ? `${shown.length} of ${counted(there, 'call')}.` : `${counted(there, 'call')}.`} The
            log keeps the last 300, for a day.
            <SaveAll shown={shown} filter={filter} />
          </p>
        )}
        {hidden > 0 && !isWithConsole && (
          <p class="row ends">
            {hidden === 1 ? '1 call of this console is hidden.' : `${hidden} calls of this console are hidden.`}
            <Button small onPress={showConsole}>
              Show {hidden === 1 ? 'it' : 'them'}
            </Button>
          </p>
        )}
        <p class="keys">
          <kbd>/</kbd> search · <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>c</kbd> compare ·{' '}
          <kbd>e</kbd> edit and send · <kbd>Esc</kbd> back
        </p>
      </div>
    </>
  );
}

interface RowsProps extends Pick<ListProps, 'opened' | 'first'> {
  readonly fold: readonly ExchangeSummary[];
  readonly hrefOf: (exchange: ExchangeSummary) => string;
}

/** One line, and a button for those that are behind it. */
function Rows({ fold, hrefOf, opened, first }: RowsProps) {
  const [open, setOpen] = useState(false);
  const more = fold.length - 1;
  const all = open || fold.slice(1).some(({ id }) => opened.includes(id) || id === first);
  return (
    <>
      {(all ? fold : fold.slice(0, 1)).map((exchange) => (
        <Row
          key={exchange.id}
          exchange={exchange}
          href={`#${hrefOf(exchange)}`}
          isOpen={opened.includes(exchange.id)}
          isChosen={first === exchange.id}
        />
      ))}
      {more > 0 && (
        <li class="behind">
          <Button small expanded={all} onPress={() => setOpen(!all)}>
            {counted(more, 'failure')} of this webhook before it
          </Button>
        </li>
      )}
    </>
  );
}

/** What is in the list, as one file. */
function SaveAll({ shown, filter }: Pick<ListProps, 'shown' | 'filter'>) {
  const save = async () => {
    const ids = new Set(shown.map(({ id }) => id));
    try {
      const { text } = await call('GET', `/range/v1/me/exchanges.har${archiveQuery(filter)}`);
      downloadText('exchanges.har', archiveOf(text, ids));
    } catch (error) {
      toast('Not saved', (error as Error).message);
    }
  };
  return (
    <Button small onPress={save}>
      {isFiltered(filter) ? `Save these ${shown.length} as HAR` : 'Save all as HAR'}
    </Button>
  );
}

interface NothingProps {
  readonly there: number;
  readonly isLoaded: boolean;
  /** False where nothing is searched for. */
  readonly onClear: (() => void) | false;
}

function Nothing({ there, isLoaded, onClear }: NothingProps) {
  if (!isLoaded)
    return (
      <p class="list-end">
        <Loading />
      </p>
    );
  if (onClear && there > 0) {
    return (
      <Empty>
        <p>None of {counted(there, 'call')} fits.</p>
        <Button onPress={onClear}>Clear the search</Button>
      </Empty>
    );
  }
  return (
    <Empty>
      <p>
        <strong>No calls yet.</strong> Send one with any tool: it is here within a second.
      </p>
      <p>
        A call is found by its token, or by a personal address. <a href="#/">The page Start</a> has first calls to copy.
      </p>
    </Empty>
  );
}

function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="list-end">{children}</div>;
}
