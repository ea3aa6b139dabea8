import { clientToken } from '../api/call.ts';
import { type Credentials, credentials } from '../api/session.ts';
import { writeCredentials } from '../model/pasted-credentials.ts';
import { connection, me } from '../state/learner.ts';
import { go } from '../state/route.ts';
import { NewSecret } from './new-secret.tsx';
import { Button, CopyButton } from './parts.tsx';
import { Who } from './who.tsx';

/** Whose page it is, with a menu of what one needs again and again. */
export function SignedIn() {
  const client = credentials.value;
  if (!client || connection.value === 'gone') return null;
  return (
    <>
      <Who clientId={client.clientId} known={me.value} menu="client-menu" />
      <ClientMenu client={client} />
    </>
  );
}

function ClientMenu({ client }: { readonly client: Credentials }) {
  return (
    <section class="menu" id="client-menu" popover="auto" aria-label="Menu of your client">
      <p>
        <code>{client.clientId}</code>
      </p>
      <div class="row">
        <CopyButton text={clientToken} label="Copy a token" />
        <CopyButton text={client.clientId} label="Copy the client_id" />
        <CopyButton text={client.clientSecret} label="Copy the secret" />
        <CopyButton text={writeCredentials(client)} label="Copy both as JSON" />
        <NewSecret />
        <Button small onPress={showAll}>
          All about your client
        </Button>
      </div>
    </section>
  );
}

function showAll(): void {
  document.getElementById('client-menu')?.hidePopover();
  go('/');
}
