import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { credentials } from '../api/session.ts';
import type { ExchangeSummary } from '../api/types.ts';
import { words } from '../model/duration.ts';
import { sendAddress } from '../model/send-address.ts';
import {
  filtered,
  filterOf,
  isRefused,
  queryOfFilter,
  type TrafficFilter,
  withoutPrefix,
} from '../model/traffic-filter.ts';
import { Foreign, Words } from '../parts/contained.tsx';
import { useKeys } from '../parts/keys.ts';
import { NeedsClient, Page } from '../parts/page.tsx';
import { Button } from '../parts/parts.tsx';
import { useBatched } from '../state/batched.ts';
import { connection, exchanges, exchangesKnown, me, openLesson } from '../state/learner.ts';
import { go, replace, route } from '../state/route.ts';
import { addressOf, comparisonOf } from './traffic/addresses.ts';
import { Comparison } from './traffic/comparison.tsx';
import { ExchangePage } from './traffic/exchange-page.tsx';
import { List } from './traffic/list.tsx';
import { usePausedList } from './traffic/paused-list.ts';
import { Search } from './traffic/search.tsx';

/** Milliseconds between two pictures of the list. */
const listEvery = 200;

/** The calls of the learner as the service saw them. */
export default function Traffic() {
  const client = credentials.value;
  if (client) return <SignedIn key={client.clientId} />;
  return (
    <Page title="Traffic" about="Your calls as the service saw them, as they come.">
      <NeedsClient>{null}</NeedsClient>
    </Page>
  );
}

/** The list, and beside it one exchange or two compared, as the address says. Where there is no room, one of the two. */
function SignedIn() {
  const all = useBatched(exchanges, listEvery);
  const { rest, query } = route.value;
  const [id, , other] = rest[1] === 'compare' ? rest : rest.slice(0, 1);
  const [first, setFirst] = useState<string>();
  const [paused, setPaused] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const held = usePausedList(all, paused || scrolled || id !== undefined, other ?? id);
  const filter = filterOf(query);
  const search = queryOfFilter(filter);
  const shown = filtered(held.list, filter);
  const came = filtered(held.came, filter).length;
  const panes = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const summary = (wanted: string | undefined) => all.find((each) => each.id === wanted);

  const open = (next: string | undefined) => go(addressOf(search, next));
  const change = (to: TrafficFilter) => {
    const next = queryOfFilter(to);
    replace(id !== undefined && other !== undefined ? comparisonOf(next, id, other) : addressOf(next, id));
  };
  const compare = (chosen: string | undefined) => {
    if (chosen === undefined) return;
    if (first === undefined && (id === undefined || id === chosen)) setFirst(chosen);
    else if (first === chosen) setFirst(undefined);
    else go(comparisonOf(search, first ?? (id as string), chosen));
  };
  const send = (from: string | undefined) => {
    if (from !== undefined && summary(from)?.kind === 'call') go(sendAddress({ from }));
  };
  const links = () => [...(panes.current?.querySelectorAll<HTMLAnchorElement>('a.call') ?? [])];
  const focused = () => document.activeElement as HTMLAnchorElement;
  /** The one that is so many lines below the one that is shown. */
  const beside = (by: number) => shown[shown.findIndex((each) => each.id === (other ?? id)) + by]?.id;
  const isThere = shown.some((each) => each.id === (other ?? id));
  const step = (by: number) => {
    if (id === undefined || first !== undefined) {
      const rows = links();
      const at = rows.indexOf(focused());
      rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
    } else if (isThere) to(beside(by));
  };
  const to = (next: string | undefined) => {
    if (next === undefined || id === undefined) return;
    go(other === undefined ? addressOf(search, next) : comparisonOf(search, id, next));
  };
  const back = () => {
    if (first !== undefined) setFirst(undefined);
    else if (other !== undefined) open(id);
    else if (id !== undefined) open(undefined);
  };
  useKeys({
    '/': () => field.current?.focus(),
    j: () => step(1),
    k: () => step(-1),
    c: () => compare(focused().dataset.id ?? id),
    e: () => send(focused().dataset.id ?? id),
    Escape: back,
  });

  useEffect(() => {
    if (other !== undefined) setFirst(undefined);
  }, [other]);
  // The row of what is shown stays in sight; who comes back to the list is where one was.
  const last = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const row = links().find(({ dataset }) => dataset.id === (other ?? id ?? last.current));
    last.current = id;
    panes.current?.querySelector('.call-pane')?.scrollTo(0, 0);
    if (id !== undefined) row?.scrollIntoView({ block: 'nearest' });
    if (id !== undefined || !row) return;
    // After the heading of the page took the focus.
    const frame = requestAnimationFrame(() => {
      row.scrollIntoView({ block: 'nearest' });
      row.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [id, other, isThere]);

  const showNew = () => {
    held.renew();
    panes.current?.querySelector('.list-top')?.scrollIntoView();
  };
  const chosen = summary(first);
  const ahead = me.value?.clock.aheadSeconds ?? 0;
  return (
    <div class={`panes ${id === undefined ? '' : 'opened'} ${first === undefined ? '' : 'choosing'}`} ref={panes}>
      <section class="list-pane" aria-label="All calls">
        {id === undefined && <Page title="Traffic">{null}</Page>}
        <div class="row list-head">
          <Search all={held.list} filter={filter} onChange={change} field={field} />
          <Live paused={paused} onToggle={() => setPaused(!paused)} />
        </div>
        <div class="list-scroll">
          <div class="came">
            {came > 0 && (
              <Button kind="primary" small onPress={showNew}>
                {came} new
              </Button>
            )}
          </div>
          <div class="chosen-bar" role="status">
            {chosen && <Choosing first={chosen} onCancel={() => setFirst(undefined)} />}
          </div>
          {openLesson.value && (
            <p class="list-end small">
              <span class="muted">Open lesson:</span>{' '}
              <a href={`#/lessons/${encodeURIComponent(openLesson.value.id)}`}>
                <Words text={openLesson.value.title} />
              </a>
            </p>
          )}
          {ahead > 0 && <p class="list-end muted small">Real times; your clock is {words(ahead)} ahead.</p>}
          <List
            all={held.list}
            shown={shown}
            filter={filter}
            isLoaded={exchangesKnown.value}
            opened={[id, other]}
            first={first}
            onFilter={change}
            onScrolled={setScrolled}
          />
        </div>
      </section>
      <div class="call-pane">
        {id !== undefined && (
          <nav class="row alone" aria-label="Calls">
            <a href={`#${addressOf(search)}`}>All calls</a>
            <Button small disabled={!isThere || !beside(-1)} onPress={() => to(beside(-1))}>
              Newer
            </Button>
            <Button small disabled={!isThere || !beside(1)} onPress={() => to(beside(1))}>
              Older
            </Button>
          </nav>
        )}
        {id === undefined && <NothingOpen shown={shown} search={search} />}
        {id !== undefined && other === undefined && (
          <ExchangePage id={id} summary={summary(id)} onCompare={() => compare(id)} />
        )}
        {id !== undefined && other !== undefined && (
          <Comparison key={`${id} ${other}`} search={search} before={id} after={other} />
        )}
      </div>
    </div>
  );
}

const stateText = { none: '', connecting: 'Loading …', live: 'Live', offline: 'Offline', gone: 'Offline' };

function Live({ paused, onToggle }: { readonly paused: boolean; readonly onToggle: () => void }) {
  const state = exchangesKnown.value || connection.value === 'offline' ? connection.value : 'connecting';
  return (
    <button type="button" class={`button small live ${paused ? 'paused' : state}`} onClick={onToggle}>
      {paused ? 'Paused' : stateText[state]}
      <span class="unseen">{paused ? ' (go on)' : ' (pause)'}</span>
    </button>
  );
}

function Choosing({ first, onCancel }: { readonly first: ExchangeSummary; readonly onCancel: () => void }) {
  return (
    <div class="notice note row ends">
      <span class="anywhere">
        Compare{' '}
        <code>
          {first.method} <Foreign text={withoutPrefix(first.url)} most={80} />
        </code>{' '}
        ({first.status}) with another one: choose it in the list.
      </span>
      <Button small onPress={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

/** In the place of an exchange, until one is chosen. */
function NothingOpen({ shown, search }: { readonly shown: readonly ExchangeSummary[]; readonly search: string }) {
  const refused = shown.find(isRefused);
  return (
    <Page title="Traffic">
      <p>Your calls as the service saw them. Choose one: it is shown here, and why it was refused.</p>
      {refused && (
        <p>
          The last that was refused:{' '}
          <a href={`#${addressOf(search, refused.id)}`}>
            {refused.method} <Foreign text={withoutPrefix(refused.url)} most={80} />
            {refused.problem !== null && `, ${refused.problem}`}
          </a>
        </p>
      )}
    </Page>
  );
}
