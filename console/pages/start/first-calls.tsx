import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { isOwn, isRefused } from '../../model/traffic-filter.ts';
import { Code } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { exchanges, me } from '../../state/learner.ts';
import { askForAuthority, authority } from '../../state/service.ts';
import { type CallInputs, firstCalls, plateOfTool, type ToolId, tools } from './first-calls.ts';
import { Trust } from './trust.tsx';

const chosenKey = 'lplate.tool';

/** The tool that was chosen last in this browser, or what the system has. */
function chosenTool(): ToolId {
  const kept = localStorage.getItem(chosenKey);
  return tools.find(({ id }) => id === kept)?.id ?? (/Windows/.test(navigator.userAgent) ? 'powershell' : 'curl');
}

export function FirstCalls({ inputs }: { readonly inputs: CallInputs }) {
  const [chosen, setChosen] = useState(chosenTool);
  useEffect(() => void askForAuthority(), []);
  // They fold away once they were made, but not before one's eyes: what counts is what was there when the page was opened.
  const [open, setOpen] = useState<boolean>();
  const owned = me.value?.owns.policies;
  if (open === undefined && owned !== undefined) setOpen(owned === 0);
  const choose = (id: ToolId) => {
    localStorage.setItem(chosenKey, id);
    setChosen(id);
  };
  const { name, how } = tools.find(({ id }) => id === chosen) as (typeof tools)[number];
  return (
    <details class="first-calls" open={open ?? false}>
      <summary>
        <h2>First calls</h2>
      </summary>
      <p>
        They get a token, insure <code>{plateOfTool(chosen, inputs.clientId)}</code>, a vehicle of your own, and list
        your policies. Everything is filled in, your secret too.
      </p>
      <Tabs label="Tool" tabs={tools.map((tool) => [tool.id, tool.name] as const)} chosen={chosen} onChoose={choose}>
        <p class="muted">{how.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))}</p>
        <Trust tool={chosen} origin={inputs.origin} />
        <Code
          text={firstCalls(chosen, { ...inputs, ownAuthority: authority.value != null })}
          label={`First calls with ${name}`}
        />
      </Tabs>
      <Arrived />
      <p>
        Send them once more, and the vehicle is refused with 409, since it is insured by now.{' '}
        <a href="#/traffic">Traffic</a> shows each call as L-Plate saw it.
      </p>
    </details>
  );
}

/** That the calls came, and how they ended. */
function Arrived() {
  const calls = exchanges.value.filter(isOwn);
  const refused = calls.filter(isRefused).length;
  return (
    <p role="status">
      {calls.length > 0 && (
        <>
          {counted(calls.length, 'call')} arrived, {refused} of them refused. See <a href="#/traffic">Traffic</a>.
        </>
      )}
    </p>
  );
}
