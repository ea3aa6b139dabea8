import { useState } from 'preact/hooks';
import { read } from '../../api/call.ts';
import type { Exchange, ExchangeSummary, Page } from '../../api/types.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Badge, Button, Show, Status, Time } from '../../parts/parts.tsx';
import { useEvery, useLoad } from '../../state/load.ts';
import { Facts } from '../traffic/facts.tsx';
import { Whole } from '../traffic/whole.tsx';
import { worked } from './work.tsx';

const again = 5000;

/** As many as the service keeps of one client. */
const maxKept = 300;
const maxShown = 50;

/** Characters of a URL in the list. */
const longestUrl = 200;

const notOfConsole = ({ fromConsole }: ExchangeSummary) => !fromConsole;

interface LearnerTrafficProps {
  /** Of a list of exchanges that the trainer may see. */
  readonly path: string;
  /** What to say where there are none. */
  readonly empty: string;
  /** Whether the list is loaded again every few seconds. */
  readonly live?: boolean;
  /** Which to show; absent: all but those of the console itself. */
  readonly only?: (exchange: ExchangeSummary) => boolean;
}

/** The newest exchanges of a list, each of which opens. Those that only repeat one are one line with it. */
export function LearnerTraffic({ path, empty, live = false, only = notOfConsole }: LearnerTrafficProps) {
  const inputs = [path, worked.value];
  const loaded = useLoad(() => read<Page<ExchangeSummary>>(`${path}?pageSize=${maxKept}`, { as: 'trainer' }), inputs);
  useEvery(again, () => live && loaded.again());
  const [refusedOnly, setRefusedOnly] = useState(false);
  const [opened, setOpened] = useState<string>();
  return (
    <Show loaded={loaded}>
      {({ items }) => {
        const all = items.filter(only);
        const found = repeatsOf(all.filter(({ status }) => !refusedOnly || status >= 400 || status === 0));
        const shown = found.slice(0, maxShown);
        return (
          <>
            {all.length > 0 && (
              <label class="row actions small">
                <input
                  type="checkbox"
                  checked={refusedOnly}
                  onChange={({ currentTarget }) => setRefusedOnly(currentTarget.checked)}
                />{' '}
                Refused only
              </label>
            )}
            {found.length === 0 && <p class="muted">{all.length === 0 ? empty : 'None was refused.'}</p>}
            <ul class="plain box exchange-list" hidden={found.length === 0}>
              {shown.map((repeats) => (
                // By the oldest: the newest changes when one more comes.
                <Line key={repeats.at(-1)?.id} repeats={repeats} opened={opened} open={setOpened} />
              ))}
            </ul>
            {found.length > shown.length && (
              <p class="muted small">
                The newest {shown.length} of {found.length}.
              </p>
            )}
            {!live && (
              <p>
                <Button small onPress={loaded.again}>
                  Load again
                </Button>
              </p>
            )}
          </>
        );
      }}
    </Show>
  );
}

interface LineProps {
  readonly repeats: Repeats;
  /** The id of the exchange that is open. */
  readonly opened: string | undefined;
  readonly open: (id: string | undefined) => void;
}

function Line({ repeats, opened, open }: LineProps) {
  const [{ id, startedAt, method, url, status, problem }] = repeats;
  const shown = repeats.find((each) => each.id === opened);
  return (
    <li>
      <button
        type="button"
        class="exchange pressable"
        aria-expanded={shown !== undefined}
        onClick={() => open(shown ? undefined : id)}
      >
        <Time at={startedAt} />
        <Status status={status} />
        <code>
          {method} <Foreign text={url} most={longestUrl} />
        </code>
        {repeats.length > 1 && <Badge>× {repeats.length}</Badge>}
        <span class="muted small">{problem}</span>
      </button>
      {shown && (
        <div class="exchange-opened">
          {repeats.length > 1 && (
            <p class="row small">
              {repeats.map((each) => (
                <Button key={each.id} small pressed={each.id === opened} onPress={() => open(each.id)}>
                  <Time at={each.startedAt} />
                </Button>
              ))}
            </p>
          )}
          <ExchangeDetail key={shown.id} id={shown.id} />
        </div>
      )}
    </li>
  );
}

function ExchangeDetail({ id }: { readonly id: string }) {
  const loaded = useLoad(() => read<Exchange>(`/range/v1/trainer/exchanges/${id}`, { as: 'trainer' }), [id]);
  return (
    <Show loaded={loaded}>
      {(exchange) => (
        <>
          <Facts exchange={exchange} />
          <Whole exchange={exchange} />
        </>
      )}
    </Show>
  );
}

/** Exchanges of a list that follow each other, with the same call and the same answer. The first one comes first. */
type Repeats = readonly [ExchangeSummary, ...ExchangeSummary[]];

function repeatsOf(exchanges: readonly ExchangeSummary[]): readonly Repeats[] {
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
