import { useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import type { Exchange } from '../../api/types.ts';
import { bodyView } from '../../model/body-view.ts';
import { Code, Show } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { exchanges } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';
import { exchangePath } from '../traffic/addresses.ts';
import { BodyPart } from '../traffic/body-part.tsx';
import { HeaderTable, RequestLine } from '../traffic/heads.tsx';
import { signedBytes } from '../traffic/signed.ts';
import { SignedPart } from '../traffic/signed-part.tsx';

/** The newest call that lies in an inbox, as it would have arrived, and beside it how a receiver checks it. */
export function Inbox({ subscriptionId }: { readonly subscriptionId: string }) {
  const newest = exchanges.value.find(({ delivery }) => delivery?.subscriptionId === subscriptionId);
  if (!newest) return <p class="notice">The inbox is empty. Send a test event: the call lies here then.</p>;
  return (
    <div class="sides">
      <section aria-label="The newest call">
        <h2>The newest call</h2>
        <Received id={newest.id} />
      </section>
      <section aria-label="How a receiver checks it">
        <h2>How a receiver checks it</h2>
        <Check />
      </section>
    </div>
  );
}

function Received({ id }: { readonly id: string }) {
  const loaded = useLoad(() => read<Exchange>(exchangePath(id)), [id]);
  return (
    <Show loaded={loaded}>
      {(exchange) => {
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
      }}
    </Show>
  );
}

/** The part of each receiver of the guide that checks a call. */
const checks = [
  ['py', 'Python', /^KEY = .*\n|^def refusal[\s\S]*?(?=\n\n\n)/gm],
  ['ts', 'TypeScript', /^const webhook = .*\n|^async function receive[\s\S]*?^}/gm],
] as const;

function Check() {
  const [language, choose] = useState<(typeof checks)[number][0]>('py');
  const guide = useLoad(async () => (await call('GET', '/guides/events.md', { as: 'nobody' })).text, []);
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
