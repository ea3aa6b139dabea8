import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';
import { archiveOf } from '../../model/har.ts';
import { filtered, isFiltered, queryOfFilter, type TrafficFilter } from '../../model/traffic-filter.ts';
import { downloadText } from '../../parts/download.ts';
import { useKeys } from '../../parts/keys.ts';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Button } from '../../parts/parts.tsx';
import { replace } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { type Chosen, ChosenForComparison } from './chosen.tsx';
import { Filters } from './filters.tsx';
import type { Pause } from './pause.ts';
import { Row } from './row.tsx';
import { addressOf, comparison, type ExchangeSource } from './source.ts';

interface ListPageProps {
  readonly source: ExchangeSource;
  readonly all: readonly ExchangeSummary[];
  /** Those that the filter lets through. */
  readonly shown: readonly ExchangeSummary[];
  readonly filter: TrafficFilter;
  readonly pause: Pause;
  readonly state: 'none' | 'connecting' | 'live' | 'offline' | 'gone';
  readonly chosen: Chosen;
  /** The exchange that one comes back from. */
  readonly opened: string | undefined;
}

export function ListPage({ source, all, shown, filter, pause, state, chosen, opened }: ListPageProps) {
  const change = (to: TrafficFilter) => replace(addressOf(source, undefined, queryOfFilter(to)));
  const note = source.note?.();
  return (
    <Page
      title={source.title}
      about="Calls as the service saw them, newest first. The log keeps the last 300, for a day."
      actions={<Live pause={pause} filter={filter} state={state} />}
    >
      {note && <p class="muted small">{note}</p>}
      <Filters all={all} filter={filter} onChange={change} />
      <ChosenForComparison chosen={chosen} />
      {shown.length > 0 ? (
        <>
          <div class="row ends">
            <p class="muted small">
              {isFiltered(filter) ? `${shown.length} of ${counted(told(all, filter))}.` : `${counted(shown.length)}.`}{' '}
              <span class="keys">
                The keys <kbd>j</kbd> and <kbd>k</kbd> go down and up.
              </span>
            </p>
            <SaveAll source={source} shown={shown} filter={filter} />
          </div>
          <Calls source={source} shown={shown} filter={filter} chosen={chosen} opened={opened} />
        </>
      ) : (
        <Nothing all={all} filter={filter} state={state} onChange={change} />
      )}
    </Page>
  );
}

/** What is in the list, as one file. */
function SaveAll({ source, shown, filter }: Pick<ListPageProps, 'source' | 'shown' | 'filter'>) {
  const { archive } = source;
  if (!archive) return null;
  const save = async () => {
    const ids = new Set(shown.map(({ id }) => id));
    try {
      downloadText('exchanges.har', archiveOf(await archive(filter), ids), 'application/json');
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

/** Those that are there but for the filters: the calls of the console only if they are asked for. */
function told(all: readonly ExchangeSummary[], filter: TrafficFilter): number {
  return filter.console ? all.length : all.filter(({ fromConsole }) => !fromConsole).length;
}

const counted = (many: number) => `${many} ${many === 1 ? 'exchange' : 'exchanges'}`;

function Live({ pause, filter, state }: Pick<ListPageProps, 'pause' | 'filter' | 'state'>) {
  const came = pause.paused ? filtered(pause.came, filter).length : 0;
  return (
    <>
      <span class={`live ${pause.paused ? 'paused' : state}`} role="status">
        {pause.paused ? `Paused. ${came === 0 ? 'Nothing new' : `${came} new`}` : stateText[state]}
      </span>
      <Button onPress={pause.toggle}>{pause.paused ? 'Resume' : 'Pause'}</Button>
    </>
  );
}

const stateText = { none: '', connecting: 'Loading …', live: 'Live', offline: 'Offline', gone: 'Offline' };

function Calls({ source, shown, filter, chosen, opened }: Omit<ListPageProps, 'all' | 'pause' | 'state'>) {
  const list = useRef<HTMLOListElement>(null);
  const links = () => [...(list.current?.querySelectorAll<HTMLAnchorElement>('a.call') ?? [])];
  const step = (by: number) => {
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLAnchorElement);
    all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  useEffect(() => {
    if (opened === undefined) return;
    // After the heading of the page took the focus.
    const frame = requestAnimationFrame(() => {
      const row = links().find(({ dataset }) => dataset.id === opened);
      row?.scrollIntoView({ block: 'center' });
      row?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const query = queryOfFilter(filter);
  const first = chosen.first?.id;
  const hrefOf = ({ id }: ExchangeSummary) =>
    first === undefined || first === id ? addressOf(source, id, query) : comparison(source, [first, id]);
  return (
    <>
      {/* A screen reader reads a row as one link. */}
      <div class="call-heads" aria-hidden="true">
        {['Time', 'Status', 'Method', 'Address', 'Took'].map((text) => (
          <span key={text}>{text}</span>
        ))}
      </div>
      <ol class="calls" ref={list} aria-label="Exchanges">
        {shown.map((exchange) => (
          <Row
            key={exchange.id}
            exchange={exchange}
            href={`#${hrefOf(exchange)}`}
            isChosen={first === exchange.id}
            onCompare={chosen.compare}
          />
        ))}
      </ol>
    </>
  );
}

function Nothing({
  all,
  filter,
  state,
  onChange,
}: Pick<ListPageProps, 'all' | 'filter' | 'state'> & { readonly onChange: (to: TrafficFilter) => void }) {
  if (all.length === 0 && (state === 'connecting' || state === 'offline'))
    return (
      <p>
        <Loading />
      </p>
    );
  if (isFiltered(filter) && all.length > 0) {
    const none = { ...filter, text: '', status: '', kind: '', system: '', problem: '', path: '' };
    return (
      <Empty>
        <p>None of {counted(told(all, filter))} fits.</p>
        <Button onPress={() => onChange({ ...none, remarks: false, drill: false })}>Clear the filters</Button>
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
      {all.length > 0 && (
        <Button onPress={() => onChange({ ...filter, console: true })}>
          Show {all.length === 1 ? 'the call' : `the ${all.length} calls`} of this console
        </Button>
      )}
    </Empty>
  );
}

function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="card empty">{children}</div>;
}
