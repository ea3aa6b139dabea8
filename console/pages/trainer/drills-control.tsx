import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import type { Drill, DrillKind, Page } from '../../api/types.ts';
import { parametersText } from '../../model/drill-form.ts';
import { counted, timeLeft } from '../../model/elapsed.ts';
import { type DrillDraft, DrillForm } from '../../parts/drill-form.tsx';
import { Badge, Button, Choice, Show } from '../../parts/parts.tsx';
import { learnersHere, look } from '../../state/class.ts';
import { useEvery, useLoad } from '../../state/load.ts';
import { LearnerName } from './learner-parts.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

const again = 3000;

interface DrillsControlProps {
  /** Whose drills; absent: those of all. */
  readonly clientId?: string | undefined;
  readonly name?: string | undefined;
}

/** The drills of one client, or those of all: which are on, and one to start. */
export function DrillsControl({ clientId, name = '' }: DrillsControlProps) {
  const learners = learnersHere();
  const whom = clientId === undefined ? `all ${counted(learners, 'learner')}` : <LearnerName name={name} />;
  const whose = clientId === undefined ? '' : `/learners/${encodeURIComponent(clientId)}`;
  const path = `/range/v1/trainer${whose}/drills`;
  const on = useLoad(() => read<Page<Drill>>(`${path}?pageSize=100`, { as: 'trainer' }), [path]);
  const kinds = useLoad(() => read<Page<DrillKind>>('/range/v1/drills?pageSize=100', { as: 'nobody' }), []);
  useEvery(again, on.again);
  const work = useWork();
  const changed = () => {
    on.again();
    void look(true);
  };
  const end = (name: string) =>
    work.attempt(async () => {
      await call('DELETE', `${path}/${name}`, { as: 'trainer' });
      changed();
      return `The drill ${name} has ended.`;
    });
  const start = (draft: DrillDraft) =>
    work.attempt(async () => {
      await call('POST', path, { as: 'trainer', json: draft });
      changed();
      return `The drill ${draft.name} is on.`;
    });
  return (
    <section class="card">
      <h2>{clientId === undefined ? 'Drills of all' : 'Drills'}</h2>
      <Show loaded={on}>
        {({ items }) => (
          <DrillList drills={items} end={end} endable={clientId === undefined ? 'everybody' : 'client'} />
        )}
      </Show>
      <Show loaded={kinds}>{({ items }) => <StartDrill kinds={items} start={start} whom={whom} />}</Show>
      <Outcome work={work} />
    </section>
  );
}

interface DrillListProps {
  readonly drills: readonly Drill[];
  readonly end: (name: string) => Promise<void>;
  /** Which can be ended here. */
  readonly endable: Drill['appliesTo'];
}

function DrillList({ drills, end, endable }: DrillListProps) {
  if (drills.length === 0) return <p class="muted">No drill is on.</p>;
  return (
    <ul class="plain rows">
      {drills.map(({ name, parameters, appliesTo, startedBy, secondsLeft }) => (
        <li key={`${name} ${appliesTo}`} class="row ends">
          <span>
            <strong>{name}</strong> <Badge mood="warn">{timeLeft(secondsLeft)} left</Badge>
            <br />
            <span class="small muted">
              {parametersText(parameters, name)}
              {endable === 'client' && (appliesTo === 'everybody' ? ' (of all)' : ` (started by the ${startedBy})`)}
            </span>
          </span>
          {appliesTo === endable && (
            <Button small onPress={() => end(name)} label={`End ${name}`}>
              End
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

interface StartProps {
  readonly kinds: readonly DrillKind[];
  readonly start: (draft: DrillDraft) => Promise<void>;
  /** For whom, in words. */
  readonly whom: ComponentChildren;
}

function StartDrill({ kinds, start, whom }: StartProps) {
  const [name, setName] = useState(kinds[0]?.name);
  const kind = kinds.find((each) => each.name === name);
  if (!kind) return null;
  return (
    <>
      <Choice
        label="Drill"
        value={kind.name}
        options={kinds.map((each) => [each.name, `${each.name}: ${each.summary}`] as const)}
        onChange={setName}
      />
      <DrillForm key={kind.name} kind={kind} onStart={start} start={<span>Start for {whom}</span>} />
    </>
  );
}
