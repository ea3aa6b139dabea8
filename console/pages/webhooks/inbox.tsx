import { useState } from 'preact/hooks';
import { read } from '../../api/call.ts';
import type { Exchange } from '../../api/types.ts';
import { bodyView } from '../../model/body-view.ts';
import { Code, LoadingPart, Show } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { exchanges, exchangesKnown } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';
import { exchangePath } from '../traffic/addresses.ts';
import { BodyPart } from '../traffic/body-part.tsx';
import { HeaderTable, RequestLine } from '../traffic/heads.tsx';
import { signedBytes } from '../traffic/signed.ts';
import { SignedPart } from '../traffic/signed-part.tsx';
import { readGuide } from './receivers.ts';

interface InboxProps {
  readonly subscriptionId: string;
  /** Whether the service has taken a test event for it just now. */
  readonly isSent: boolean;
}

/** The newest call that lies in an inbox, as it would have arrived, and beside it how a receiver checks it. */
export function Inbox({ subscriptionId, isSent }: InboxProps) {
  const newest = exchanges.value.find(({ delivery }) => delivery?.subscriptionId === subscriptionId);
  const loaded = useLoad(async () => newest && read<Exchange>(exchangePath(newest.id)), [newest?.id]);
  if (!loaded.value && !loaded.error) {
    // Until all of it is there, so that one text follows the other, and none comes for a moment.
    if (isSent) return <p class="notice">The test event is on its way. Its call lies here once it is made.</p>;
    if (newest || !exchangesKnown.value) return <LoadingPart />;
    return <p class="notice">The inbox is empty. Send a test event: the call lies here then.</p>;
  }
  return (
    <div class="sides">
      <section aria-label="The newest call">
        <h2>The newest call</h2>
        <Show loaded={loaded}>{(exchange) => exchange && <Received exchange={exchange} />}</Show>
      </section>
      <section aria-label="How a receiver checks it">
        <h2>How a receiver checks it</h2>
        <Check />
      </section>
    </div>
  );
}

function Received({ exchange }: { readonly exchange: Exchange }) {
  const { request } = exchange;
  const signed = signedBytes(exchange);
  return (
    <>
      <RequestLine exchange={exchange} notes={new Map()} />
      <HeaderTable label="Headers of the call" headers={request.headers} notes={new Map()} />
      <BodyPart
        label="Body of the call"
        body={request.body}
        view={request.body && bodyView(request.body, request.headers)}
        headers={request.headers}
      />
      {signed && <SignedPart signed={signed} exchange={exchange} />}
    </>
  );
}

/** The part of each receiver of the guide that checks a call. */
const checks = [
  ['py', 'Python', /^KEY = .*\n|^def refusal[\s\S]*?(?=\n\n\n)/gm],
  ['ts', 'TypeScript', /^const webhook = .*\n|^async function receive[\s\S]*?^}/gm],
] as const;

function Check() {
  const [language, choose] = useState<(typeof checks)[number][0]>('py');
  const guide = useLoad(readGuide, []);
  const [, , part] = checks.find(([name]) => name === language) ?? checks[0];
  return (
    <>
      <p>
        This is what the receivers of <a href="#/guides/events/a-receiver">the guide</a> do with each call. The secret
        is that of the subscription. <em>Check in the Workbench</em> does the same by hand: paste the secret there.
      </p>
      <Tabs
        label="Language of the check"
        tabs={checks.map(([name, text]) => [name, text] as const)}
        chosen={language}
        onChoose={choose}
      >
        <Show loaded={guide}>
          {(text) => <Code text={(text.match(part) ?? []).join('\n')} label="Code that checks a call" />}
        </Show>
      </Tabs>
    </>
  );
}
