import { useState } from 'preact/hooks';
import { downloadText } from '../../parts/download.ts';
import { Button, Code } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { toast } from '../../state/toasts.ts';
import { commandOf, type Shell, shells, usualShell } from './command.ts';
import { readPython } from './receivers.ts';

const inClone = {
  sh: 'node_modules/.bin/node examples/webhook-receiver.ts',
  powershell: 'node_modules\\.bin\\node examples\\webhook-receiver.ts',
};
const file = 'webhook_receiver.py';
const inPython = { sh: `python3 ${file}`, powershell: `python ${file}` };

async function save(): Promise<void> {
  try {
    downloadText(file, await readPython(), 'text/x-python');
  } catch (error) {
    toast('Not saved', (error as Error).message);
  }
}

/** The port that an address is called at. */
function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
}

interface ReceiveProps {
  readonly open: boolean;
  /** While it is known. */
  readonly secret: string | undefined;
  /** The address that a subscription calls. */
  readonly url: string;
}

/** How to receive webhooks, and where. */
export function Receive({ open, secret, url }: ReceiveProps) {
  const [shell, setShell] = useState<Shell>(usualShell);
  const command = (programs: typeof inClone) =>
    commandOf({ PORT: portOf(url), WEBHOOK_SECRET: secret ?? 'whsec_…' }, programs[shell], shell);
  const notYet =
    secret === undefined
      ? 'It needs the secret, which is shown when you make a subscription that calls a receiver.'
      : undefined;
  return (
    <details class="card" open={open}>
      <summary>
        <strong>How to receive one</strong>
      </summary>
      <ol>
        <li>Make a subscription, and keep its secret.</li>
        <li>Start the receiver with the secret.</li>
        <li>
          If its calls go out through a relay, start that, too: once you have subscribed, its command is above, at{' '}
          <em>Your relay</em>.
        </li>
        <li>Open the subscription, and send a test event.</li>
      </ol>
      <p>
        There are two receivers that check signatures. The commands start one on your machine
        {secret === undefined && (
          <>
            , with the secret of your subscription where <code>whsec_…</code> stands
          </>
        )}
        .
      </p>
      <Tabs label="Shell" tabs={shells} chosen={shell} onChoose={setShell}>
        <p class="row">
          With Python 3.9 or newer:
          <Button small onPress={save}>
            Download {file}
          </Button>
          <span>
            It is the second program of <a href="#/guides/events/a-receiver">the guide</a>. Then, in its folder:
          </span>
        </p>
        <Code text={command(inPython)} label="Command that starts the receiver in Python" notYet={notYet} />
        <p>In a clone of the repository, with its own Node.js:</p>
        <Code text={command(inClone)} label="Command that starts the receiver" notYet={notYet} />
      </Tabs>
      <p>
        On this machine its address is <code>http://127.0.0.1:{portOf(url)}/claims</code>. L-Plate can call these
        addresses:
      </p>
      <ul>
        <li>public ones, from everywhere;</li>
        <li>this machine (127.0.0.1, localhost), if L-Plate runs on it and nobody else can reach L-Plate;</li>
        <li>
          those that the setting <code>WEBHOOK_ALLOW</code> lists. In a container or a class, ask whoever runs L-Plate
          to add yours.
        </li>
      </ul>
      <p>
        Any other is called by a relay on your computer, if the calls of the subscription go out through one. Into the
        inbox they need no receiver at all.
      </p>
      <p>
        Answer with 2xx within 15 seconds. Everything else is tried again, after 5 and 30 seconds, 2, 10 and 30 minutes,
        1, 2, 4, 6 and 10 hours; after 429, 502, 503 or 504 not before <code>Retry-After</code> (an hour at most). After
        410 nothing is sent until you enable the subscription. What a receiver has to check is in the guide{' '}
        <a href="#/guides/events">Events and webhooks</a>.
      </p>
    </details>
  );
}
