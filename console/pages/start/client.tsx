import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { type Credentials, forgetCredentials, insurer } from '../../api/session.ts';
import type { Transfer } from '../../api/types.ts';
import { writeCredentials } from '../../model/pasted-credentials.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { NewSecret } from '../../parts/new-secret.tsx';
import { Button, CopyButton, Failure, Time } from '../../parts/parts.tsx';
import { TransferCode } from '../../parts/transfer-code.tsx';
import { makeClient } from '../../state/clients.ts';
import { me } from '../../state/learner.ts';
import { Help } from './help.tsx';
import { Nickname } from './nickname.tsx';

/** Who one is here, and how to be somebody else. */
export function Client({ client }: { readonly client: Credentials }) {
  const { clientId, clientSecret } = client;
  const keptUntil = me.value?.keptUntil;
  const [shown, setShown] = useState(false);
  const [error, setError] = useState<Error>();
  const [transfer, setTransfer] = useState<Transfer>();
  const open = async () => {
    setError(undefined);
    await call('POST', '/range/v1/me/transfer').then(({ text }) => setTransfer(JSON.parse(text)), setError);
  };
  const replace = async () => {
    setError(undefined);
    await makeClient().catch(setError);
  };
  return (
    <section class="card stack" aria-labelledby="client">
      <h2 id="client">Your client</h2>
      <dl class="facts">
        <dt>
          <code>client_id</code>
        </dt>
        <dd class="row">
          <code>{clientId}</code>
          <CopyButton text={clientId} label="Copy" about="the client_id" />
        </dd>
        <dt>
          <code>client_secret</code>
        </dt>
        <dd class="row">
          <code>{shown ? clientSecret : '••••••••••••'}</code>
          <Button small onPress={() => setShown(!shown)} label={shown ? 'Hide the secret' : 'Show the secret'}>
            {shown ? 'Hide' : 'Show'}
          </Button>
          <CopyButton text={clientSecret} label="Copy" about="the secret" />
        </dd>
        <dt>The insurer’s API</dt>
        <dd class="row">
          <code>{insurer}</code>
          <CopyButton text={insurer} label="Copy" about="the address of the insurer’s API" />
        </dd>
        <dt>Nickname</dt>
        <dd class="row">
          <Nickname />
        </dd>
        {keptUntil && (
          <>
            <dt>Kept until</dt>
            <dd class="row">
              <span>
                <Time at={keptUntil} withDate />: each call prolongs it
              </span>
            </dd>
          </>
        )}
      </dl>
      <div class="row">
        <CopyButton text={writeCredentials(client)} label="Copy both as JSON" />
        <Help />
      </div>
      <details class="small">
        <summary>Change or move it</summary>
        <div class="row">
          <NewSecret />
          <Button small onPress={open}>
            Continue in another browser
          </Button>
          <Confirm plain label="Make a new client" yes="Make a new one" onConfirm={replace}>
            <Forgotten client={client} />
          </Confirm>
          <Confirm plain label="Forget this client" yes="Forget it" onConfirm={forgetCredentials}>
            <Forgotten client={client} />
          </Confirm>
        </div>
        {transfer && <TransferCode transfer={transfer} />}
        {error && <Failure error={error} />}
      </details>
    </section>
  );
}

function Forgotten({ client }: { readonly client: Credentials }) {
  const keptUntil = me.value?.keptUntil;
  return (
    <>
      <p>
        This browser forgets <code>{client.clientId}</code> and its secret. L-Plate keeps the client, with its policies
        and solved lessons
        {keptUntil && (
          <>
            {' '}
            until <Time at={keptUntil} withDate />
          </>
        )}
        . To come back to it, copy the credentials first.
      </p>
      <p>
        <CopyButton text={writeCredentials(client)} label="Copy both as JSON" />
      </p>
    </>
  );
}
