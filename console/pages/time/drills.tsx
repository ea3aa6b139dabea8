import { useRef, useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { Drill, DrillKind, Page } from '../../api/types.ts';
import { leftText } from '../../model/drill-form.ts';
import { Button, Failure, Show } from '../../parts/parts.tsx';
import { refreshMe } from '../../state/learner.ts';
import { useEvery, useLoad } from '../../state/load.ts';
import { Left, type Running, Switch } from './switch.tsx';

const path = '/range/v1/me/drills';

/** The switches of all drills. */
export function Drills() {
  const of = credentials.value?.clientId;
  const kinds = useLoad(() => read<Page<DrillKind>>('/range/v1/drills?pageSize=100', { as: 'nobody' }), []);
  const on = useLoad(() => read<Page<Drill>>(`${path}?pageSize=100`), [of]);
  const running = useCountdown(on.value?.items);
  const [error, setError] = useState<Error>();
  useEvery(3000, on.again);

  const change = async (work: () => Promise<unknown>) => {
    setError(undefined);
    await work().catch(setError);
    on.again();
    void refreshMe();
  };
  const end = (name: string) => change(() => call('DELETE', `${path}/${name}`));
  const own = running.filter(({ drill }) => drill.appliesTo === 'client');
  const endAll = () => change(() => Promise.all(own.map(({ drill }) => call('DELETE', `${path}/${drill.name}`))));
  return (
    <section aria-labelledby="drills">
      <h2 id="drills">Drills</h2>
      <p class="prose">
        A drill is a fault that you switch on for your own client, for 10 minutes at the most. It hits calls that have a
        token of yours or your personal prefix, also those of this page. Lessons, Traffic, the clock and drills (
        <code>/range/v1</code>) are never hit. For one fault without a drill there are{' '}
        <a href="#/guides/testing/plates-that-fail">plates that fail</a>.
      </p>
      {error && <Failure error={error} />}
      {on.error && <Failure error={on.error} onAgain={on.again} />}
      <On running={running} onEnd={end} {...(own.length > 1 && { onEndAll: endAll })} />
      <Show loaded={kinds}>
        {({ items }) => (
          <div class="box rows">
            {items.map((kind) => (
              <Switch
                key={kind.name}
                kind={kind}
                running={running.find(({ drill }) => drill.name === kind.name)}
                onStart={(draft) => change(() => call('POST', path, { json: draft }))}
                onEnd={() => end(kind.name)}
              />
            ))}
          </div>
        )}
      </Show>
    </section>
  );
}

/** With the seconds that are left, second by second; without those that ended. */
function useCountdown(drills: readonly Drill[] | undefined): readonly Running[] {
  const known = useRef({ drills, at: performance.now() });
  if (known.current.drills !== drills) known.current = { drills, at: performance.now() };
  const [, tick] = useState(0);
  useEvery(1000, () => tick((count) => count + 1));
  const passed = (performance.now() - known.current.at) / 1000;
  return (drills ?? []).map((drill) => ({ drill, left: drill.secondsLeft - passed })).filter(({ left }) => left > 0);
}

interface OnProps {
  readonly running: readonly Running[];
  readonly onEnd: (name: string) => Promise<void>;
  readonly onEndAll?: () => Promise<void>;
}

function On({ running, onEnd, onEndAll }: OnProps) {
  if (running.length === 0) return <p class="muted">No drill is on.</p>;
  return (
    <section class="card" aria-label="Drills that are on">
      <div class="row ends">
        <strong>On now</strong>
        {onEndAll && (
          <Button small onPress={onEndAll}>
            Switch all off
          </Button>
        )}
      </div>
      <ul class="plain rows">
        {running.map(({ drill, left }) => (
          <li key={drill.name} class="row ends">
            <span class="row">
              <code>{drill.name}</code>
              <Left seconds={left} />
              <span class="small muted">
                {leftText(drill.left)} {whose(drill)}
              </span>
            </span>
            {drill.appliesTo === 'client' && (
              <Button small label={`Switch off ${drill.name}`} onPress={() => onEnd(drill.name)}>
                Switch off
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function whose({ appliesTo, startedBy }: Drill): string {
  if (appliesTo === 'everybody') return 'Your trainer switched it on for everybody. It can’t be switched off here.';
  return startedBy === 'trainer' ? 'Your trainer switched it on for you.' : '';
}
