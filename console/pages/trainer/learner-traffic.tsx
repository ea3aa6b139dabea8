import { useState } from 'preact/hooks';
import { read } from '../../api/call.ts';
import type { Exchange, ExchangeSummary, Page } from '../../api/types.ts';
import { Foreign } from '../../parts/foreign.tsx';
import { Button, Show, Status, Time } from '../../parts/parts.tsx';
import { useEvery, useLoad } from '../../state/load.ts';
import { Facts } from '../traffic/facts.tsx';
import { Whole } from '../traffic/whole.tsx';

const again = 5000;

/** As many as the service keeps of one client. */
const mostKept = 300;
const mostShown = 50;

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

/** The newest exchanges of a list, each of which opens. */
export function LearnerTraffic({ path, empty, live = false, only = notOfConsole }: LearnerTrafficProps) {
  const loaded = useLoad(() => read<Page<ExchangeSummary>>(`${path}?pageSize=${mostKept}`, { as: 'trainer' }), [path]);
  useEvery(again, () => live && loaded.again());
  const [opened, setOpened] = useState<string>();
  return (
    <Show loaded={loaded}>
      {({ items }) => {
        const found = items.filter(only);
        const shown = found.slice(0, mostShown);
        return (
          <>
            {found.length === 0 && <p class="muted">{empty}</p>}
            <ul class="exchange-list" hidden={found.length === 0}>
              {shown.map(({ id, startedAt, method, url, status, problem }) => (
                <li key={id}>
                  <button
                    type="button"
                    class="exchange"
                    aria-expanded={opened === id}
                    onClick={() => setOpened(opened === id ? undefined : id)}
                  >
                    <Time at={startedAt} />
                    <Status status={status} />
                    <code>
                      {method} <Foreign text={url} most={longestUrl} />
                    </code>
                    <span class="muted small">{problem}</span>
                  </button>
                  {opened === id && <ExchangeDetail id={id} />}
                </li>
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
