import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { call, read } from '../../api/call.ts';
import type { ClientClock, Drill, DrillKind, MovedClocks, Page } from '../../api/types.ts';
import { lengthCauses, lengthWords, usualLength } from '../../model/clock-lengths.ts';
import { leftText, parametersText } from '../../model/drill-form.ts';
import { timeLeft } from '../../model/duration.ts';
import { momentText } from '../../model/when.ts';
import { ClockLength } from '../../parts/clock-length.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { type DrillDraft, DrillForm } from '../../parts/drill-form.tsx';
import { Badge, Button, Choice, Show } from '../../parts/parts.tsx';
import { learnersHere, look } from '../../state/class.ts';
import { useEvery, useLoad } from '../../state/load.ts';
import { LearnerName } from './learner-parts.tsx';
import { ConfirmForAll, Outcome, useWork } from './work.tsx';

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
      {drills.map(({ name, parameters, appliesTo, startedBy, secondsLeft, left }) => (
        <li key={`${name} ${appliesTo}`} class="row ends">
          <span>
            <strong>{name}</strong> <Badge mood="warn">{timeLeft(secondsLeft)} left</Badge>
            <br />
            <span class="small muted">
              {parametersText(parameters, name)}
              {left && `. ${leftText(left)}`}
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

interface ClockControlProps {
  /** Whose clock; absent: those of all. */
  readonly clientId?: string | undefined;
  readonly onMoved?: () => void;
}

/** Moves the clock of one client ahead, or those of all. */
export function ClockControl({ clientId, onMoved }: ClockControlProps) {
  const [duration, setDuration] = useState(usualLength);
  const work = useWork();
  const advance = duration.trim();
  const move = async () => {
    const { text } = await call('POST', pathOf(clientId), { as: 'trainer', json: { advance } });
    onMoved?.();
    void look(true);
    return clientId === undefined ? movedText(JSON.parse(text)) : clockText(JSON.parse(text));
  };
  const clocks = clientId === undefined ? counted(learnersHere(), 'clock') : 'the clock';
  const question = {
    yes: `Yes: move ${clocks} ahead by ${lengthWords(advance)}`,
    disabled: advance === '',
    onConfirm: () => work.attempt(move),
    children: (
      <p>
        <strong>There is no way back.</strong> What is due in this time happens at once: tokens expire, policies lapse,
        claims change, webhooks are called again. A learner who wants to be in the present again needs a new client.
      </p>
    ),
  };
  return (
    <section class="card">
      <h2>{clientId === undefined ? 'Clocks of all' : 'Clock'}</h2>
      <ClockLength value={duration} onChange={setDuration} />
      <p class="muted">{lengthCauses(advance)}</p>
      {clientId === undefined ? (
        <ConfirmForAll label="Move all clocks" {...question} />
      ) : (
        <Confirm label="Move the clock" {...question} />
      )}
      <Outcome work={work} />
    </section>
  );
}

function pathOf(clientId: string | undefined): string {
  const whose = clientId === undefined ? '' : `/learners/${encodeURIComponent(clientId)}`;
  return `/range/v1/trainer${whose}/clock`;
}

function movedText({ moved, notMoved }: MovedClocks): string {
  const left = notMoved === 0 ? '' : ` ${counted(notMoved, 'clock')} would be more than ten years ahead and stayed.`;
  return `${counted(moved, 'clock')} moved.${left}`;
}

function clockText({ now }: ClientClock): string {
  return `For this learner it is now ${momentText(new Date(now))}.`;
}

interface ResetControlProps {
  /** Who is reset; absent: all. */
  readonly clientId?: string | undefined;
  readonly name?: string | undefined;
  readonly onReset?: () => void;
}

/** Removes what one client owns, or what all own: then as many as there are must be typed. */
export function ResetControl({ clientId, name = '', onReset }: ResetControlProps) {
  const work = useWork();
  const after = (text: string) => {
    onReset?.();
    void look(true);
    return text;
  };
  const resetOne = async (id: string) => {
    await call('POST', `/range/v1/trainer/learners/${encodeURIComponent(id)}/reset`, { as: 'trainer' });
    return after('All that this learner owned is removed.');
  };
  const resetAll = async () => {
    const { text } = await call('POST', '/range/v1/trainer/reset', { as: 'trainer' });
    return after(`${counted(JSON.parse(text).clients, 'learner')} reset.`);
  };
  return (
    <section class="card">
      <h2>{clientId === undefined ? 'Reset all' : 'Reset'}</h2>
      <p>
        Removes policies, claims, webhooks with their deliveries, {clientId === undefined ? 'drills' : 'its own drills'}{' '}
        and the log of calls. Credentials, nicknames, clocks and solved lessons stay
        {clientId === undefined ? '.' : ', and so do drills of all.'}
      </p>
      {clientId === undefined ? (
        <ConfirmForAll label="Reset all" yes="Yes: reset all" onConfirm={() => work.attempt(resetAll)}>
          <p>
            <strong>All that {counted(learnersHere(), 'learner')} own will be removed.</strong> There is no way back.
            Export first? Calls can’t be exported afterwards.
          </p>
        </ConfirmForAll>
      ) : (
        <Confirm
          label="Reset this learner"
          yes="Yes: reset this learner"
          onConfirm={() => work.attempt(() => resetOne(clientId))}
        >
          <p>
            <strong>
              All that <LearnerName name={name} /> owns will be removed.
            </strong>{' '}
            There is no way back.
          </p>
        </Confirm>
      )}
      <Outcome work={work} />
    </section>
  );
}

/** The client that all may use, and that anybody may have spoiled. */
export function FleetControl() {
  const work = useWork();
  const reset = async () => {
    await call('POST', '/range/v1/trainer/fleet/reset', { as: 'trainer' });
    return 'preset-fleet is as after the first start.';
  };
  return (
    <section class="card">
      <h2>The client preset-fleet</h2>
      <p>Gives the shared client its first state: 75 new policies, and new claims within seconds.</p>
      <Confirm label="Renew preset-fleet" yes="Yes: renew" onConfirm={() => work.attempt(reset)}>
        <p>
          <strong>All who use preset-fleet lose its policies and claims.</strong>
        </p>
      </Confirm>
      <Outcome work={work} />
    </section>
  );
}
