import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { ClientClock, MovedClocks } from '../../api/types.ts';
import { lengthCauses, lengthWords, usualLength } from '../../model/clock-lengths.ts';
import { counted } from '../../model/elapsed.ts';
import { momentText } from '../../model/when.ts';
import { ClockLength } from '../../parts/clock-length.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { learnersHere, look } from '../../state/class.ts';
import { ConfirmForAll } from './confirm-for-all.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

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
