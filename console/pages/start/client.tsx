import { useState } from 'preact/hooks';
import { type Credentials, forgetCredentials } from '../../api/session.ts';
import { writeCredentials } from '../../model/pasted-credentials.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Button, CopyButton, Failure } from '../../parts/parts.tsx';
import { makeClient } from '../../state/clients.ts';
import { Nickname } from './nickname.tsx';

/** Who one is here, and how to be somebody else. */
export function Client({ client }: { readonly client: Credentials }) {
  const { clientId, clientSecret } = client;
  const [shown, setShown] = useState(false);
  const [asking, setAsking] = useState<'forget' | 'replace'>();
  const [error, setError] = useState<Error>();
  const close = () => setAsking(undefined);
  const replace = async () => {
    setError(undefined);
    await makeClient().catch(setError);
    close();
  };
  return (
    <section class="card" aria-labelledby="client">
      <h2 id="client">Your client</h2>
      <dl class="facts">
        <dt>client_id</dt>
        <dd>
          <code>{clientId}</code>
          <CopyButton text={clientId} label="Copy" about="the client_id" />
        </dd>
        <dt>client_secret</dt>
        <dd>
          <code>{shown ? clientSecret : '••••••••••••'}</code>
          <Button small onPress={() => setShown(!shown)} label={shown ? 'Hide the secret' : 'Show the secret'}>
            {shown ? 'Hide' : 'Show'}
          </Button>
          <CopyButton text={clientSecret} label="Copy" about="the secret" />
        </dd>
        <dt>Nickname</dt>
        <dd>
          <Nickname />
        </dd>
      </dl>
      <div class="row">
        <CopyButton text={writeCredentials(client)} label="Copy both as JSON" />
        <Button small onPress={() => setAsking('replace')}>
          Make a new client
        </Button>
        <Button small onPress={() => setAsking('forget')}>
          Forget this client
        </Button>
      </div>
      {error && <Failure error={error} />}
      {asking && (
        <Confirm
          title={asking === 'forget' ? 'Forget this client?' : 'Make a new client?'}
          confirm={asking === 'forget' ? 'Forget it' : 'Make a new one'}
          onConfirm={asking === 'forget' ? forgetCredentials : replace}
          onClose={close}
        >
          <p>
            This browser forgets <code>{clientId}</code> and its secret. L-Plate keeps the client for a day after its
            last call, with its policies and solved lessons. To come back to it, copy the credentials first.
          </p>
          <p>
            <CopyButton text={writeCredentials(client)} label="Copy both as JSON" />
          </p>
        </Confirm>
      )}
    </section>
  );
}
