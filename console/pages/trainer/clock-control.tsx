import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { ClientClock, MovedClocks } from '../../api/types.ts';
import { counted } from '../../model/elapsed.ts';
import { Choice, Field } from '../../parts/parts.tsx';
import { learnersHere, look } from '../../state/class.ts';
import { Confirm } from './confirm.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

const lengths = [
  ['PT61M', '61 minutes: tokens expire'],
  ['P1D', '1 day: kept answers are forgotten, failing webhooks are disabled'],
  ['P8D', '8 days: events are gone'],
  ['P40D', '40 days: policies of a month expire'],
  ['P1Y', '1 year'],
  ['', 'Another length'],
] as const;

interface ClockControlProps {
  /** Whose clock; absent: those of all. */
  readonly clientId?: string | undefined;
  readonly onMoved?: () => void;
}

/** Moves the clock of one client ahead, or those of all. */
export function ClockControl({ clientId, onMoved }: ClockControlProps) {
  const [chosen, setChosen] = useState<string>(lengths[0][0]);
  const [own, setOwn] = useState('');
  const work = useWork();
  const learners = learnersHere();
  const [length] = (lengths.find(([value]) => value === chosen && value !== '')?.[1] ?? own.trim()).split(':', 1);
  const advance = chosen || own.trim();
  const move = async () => {
    const { text } = await call('POST', pathOf(clientId), { as: 'trainer', json: { advance } });
    onMoved?.();
    void look(true);
    return clientId === undefined ? movedText(JSON.parse(text)) : clockText(JSON.parse(text));
  };
  return (
    <section class="card">
      <h2>{clientId === undefined ? 'Clocks of all' : 'Clock'}</h2>
      <Choice label="Move ahead by" value={chosen} options={lengths} onChange={setChosen} />
      {chosen === '' && (
        <Field
          label="Length"
          value={own}
          onInput={setOwn}
          mono
          placeholder="P3DT12H"
          about="An ISO 8601 duration in whole numbers: PT90M, P8D, P1Y. Two years at the most."
        />
      )}
      <Confirm
        label={clientId === undefined ? 'Move all clocks' : 'Move the clock'}
        yes={`Yes: move ${clientId === undefined ? counted(learners, 'clock') : 'the clock'} ahead by ${length}`}
        disabled={advance === '' || (clientId === undefined && learners === 0)}
        onConfirm={() => work.attempt(move)}
        {...(clientId === undefined && {
          typed: { text: String(learners), label: `Type the number of learners, ${learners}, to confirm` },
        })}
      >
        <p>
          <strong>There is no way back.</strong> What is due in this time happens at once: tokens expire, policies
          lapse, claims change, webhooks are called again. A learner who wants to be in the present again needs a new
          client.
        </p>
      </Confirm>
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
  return `For this learner it is now ${new Date(now).toLocaleString()}.`;
}
