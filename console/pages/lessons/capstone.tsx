import { useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import type { Capstone, CapstoneRun, MyCapstone, Page as PageOf } from '../../api/types.ts';
import { Table } from '../../parts/owned.tsx';
import { focusTitle, Page } from '../../parts/page.tsx';
import { Badge, Button, Code, Failure, Show, Time } from '../../parts/parts.tsx';
import { refreshMe } from '../../state/learner.ts';
import { useEvery, useLoad } from '../../state/load.ts';
import { replace, route } from '../../state/route.ts';
import { Standing } from './capstone-cards.tsx';
import { isSomebody } from './my-lessons.ts';
import { NoClient } from './path.tsx';
import { RunOn } from './run.tsx';
import { Score, states } from './score.tsx';
import { Sections } from './sections.tsx';
import { Text } from './text.tsx';

const pollEvery = 3000;

interface Kept {
  readonly capstone: Capstone | MyCapstone;
  /** Newest first. */
  readonly runs: readonly CapstoneRun[];
}

/** One capstone: what it asks for, the run that is on, and those before. */
export function CapstonePage({ id }: { readonly id: string }) {
  const mine = isSomebody();
  const path = `/range/v1/me/capstones/${encodeURIComponent(id)}`;
  const loaded = useLoad<Kept>(async () => {
    if (mine) {
      const [capstone, runs] = await Promise.all([
        read<MyCapstone>(path),
        read<PageOf<CapstoneRun>>(`${path}/runs`).then(({ items }) => items),
      ]);
      return { capstone, runs };
    }
    const { items } = await read<PageOf<Capstone>>('/range/v1/capstones', { as: 'nobody' });
    const capstone = items.find((each) => each.id === id);
    if (!capstone) throw new Error('There is no capstone with this name.');
    return { capstone, runs: [] };
  }, [id, mine]);
  useEvery(pollEvery, () => mine && loaded.state !== 'loading' && loaded.again());
  const capstone = loaded.value?.capstone;
  return (
    <Page title={capstone?.title ?? 'Capstone'} actions={<a href="#/lessons/capstones">All capstones</a>}>
      {capstone && 'runs' in capstone && (
        <p class="row">
          <Standing capstone={capstone} />
        </p>
      )}
      {!mine && <NoClient />}
      <Show loaded={loaded}>{(kept) => <KeptPage kept={kept} path={path} again={loaded.again} />}</Show>
    </Page>
  );
}

interface KeptProps {
  readonly kept: Kept;
  /** Of the capstone, at the interface. */
  readonly path: string;
  readonly again: () => void;
}

function KeptPage({ kept: { capstone, runs }, path, again }: KeptProps) {
  const on = 'on' in capstone ? capstone.on : null;
  const chosen = Number(route.value.query.get('run'));
  const over = runs.filter(({ state }) => state !== 'on');
  const shown = over.find(({ number }) => number === chosen) ?? over[0];
  return (
    <div class="lesson">
      <div>
        {on && <RunOn key={on.number} {...{ capstone, run: on, path, again }} />}
        {!on && <Description capstone={capstone} />}
        {!on && 'runs' in capstone && <Begin {...{ capstone, path, again }} />}
        {shown && <Score key={shown.number} run={shown} />}
        {over.length > 0 && <RunsBefore id={capstone.id} runs={over} shown={shown} />}
        {on && <Description capstone={capstone} />}
      </div>
      <aside class="beside" aria-label="About this capstone">
        <Sections names={capstone.sections} />
      </aside>
    </div>
  );
}

function Description({
  capstone: { id, givenExample, reportExample, goal, why, conditions, levelTwo, report, reportFromSecond, seconds },
}: {
  readonly capstone: Capstone;
}) {
  return (
    <>
      <h2>What to do</h2>
      <p>
        <Text text={goal} />
      </p>
      <h2>Why</h2>
      <p>
        <Text text={why} />
      </p>
      <h2>What you work under</h2>
      <Conditions of={conditions} />
      <h2>On level 2, besides</h2>
      <Conditions of={levelTwo.conditions} />
      <h2>The report</h2>
      <p>
        <Text text={report} /> It can be sent {reportFromSecond > 0 ? `from second ${reportFromSecond} on and ` : ''}
        until second {seconds}, here or as <code>POST /range/v1/me/answers</code>.
      </p>
      <p>
        A program can start the run itself: <code>POST /range/v1/me/capstones/{id}/runs</code>, with{' '}
        <code>?level=2</code> for level 2. It takes <code>given</code> from the answer, works, waits until{' '}
        <code>reportFrom</code> and sends its report. For example, it gets
      </p>
      <Code
        text={JSON.stringify({ given: givenExample, reportFrom: '…', endsAt: '…' }, null, 2)}
        label="What a run gives"
      />
      <p>and reports</p>
      <Code text={JSON.stringify({ lesson: id, answer: reportExample }, null, 2)} label="A report" />
    </>
  );
}

function Conditions({ of }: { readonly of: readonly string[] }) {
  return (
    <ul>
      {of.map((each) => (
        <li key={each}>
          <Text text={each} />
        </li>
      ))}
    </ul>
  );
}

/** Starts a run. */
function Begin({ capstone, path, again }: { readonly capstone: MyCapstone } & Omit<KeptProps, 'kept'>) {
  const [error, setError] = useState<Error>();
  const begin = async (level: 1 | 2) => {
    setError(undefined);
    try {
      await call('POST', `${path}/runs?level=${level}`);
      focusTitle();
      replace(`/lessons/capstones/${encodeURIComponent(capstone.id)}`);
      again();
      void refreshMe();
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <div class="card">
      <p>
        Have your program ready: the clock starts at once. A run makes what it needs, starts drills and may move your
        clock. It ends a run that is under way, also of another capstone. Level 2 has the same work and the same report,
        with two workers and a crash in the middle.
      </p>
      <div class="row">
        <Button kind="primary" onPress={() => begin(1)}>
          {capstone.runs === 0 ? 'Begin a run' : 'Begin another run'}
        </Button>
        <Button onPress={() => begin(2)}>Begin level 2</Button>
      </div>
      {error && <Failure error={error} />}
    </div>
  );
}

interface RunsBeforeProps {
  readonly id: string;
  readonly runs: readonly CapstoneRun[];
  readonly shown: CapstoneRun | undefined;
}

function RunsBefore({ id, runs, shown }: RunsBeforeProps) {
  return (
    <div>
      <h2>Runs before</h2>
      <Table label="Table of runs">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Level</th>
            <th scope="col">Begun</th>
            <th scope="col">How it ended</th>
            <th scope="col">Score</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.number} class={run === shown ? 'shown-run' : undefined}>
              <th scope="row">
                <a href={`#/lessons/capstones/${encodeURIComponent(id)}?run=${run.number}`}>{run.number}</a>
              </th>
              <td>{run.level}</td>
              <td>
                <Time at={run.startedAt} withDate />
              </td>
              <td>{states[run.state]}</td>
              <td>
                {run.score === null ? (
                  <span class="muted">none</span>
                ) : (
                  <Badge {...(run.score === 100 && { mood: 'good' as const })}>{run.score}</Badge>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <p class="small muted">The last ten runs are kept, and your best scores.</p>
    </div>
  );
}
