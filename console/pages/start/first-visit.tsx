import { useState } from 'preact/hooks';
import { readCredentials } from '../../model/pasted-credentials.ts';
import { Form } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, Failure, Field } from '../../parts/parts.tsx';
import { makeClient, takeClient } from '../../state/clients.ts';

/** What L-Plate is, and the two ways to a client. */
export function FirstVisit() {
  const [pasting, setPasting] = useState(false);
  const [error, setError] = useState<Error>();
  const make = async () => {
    setError(undefined);
    await makeClient().catch(setError);
  };
  return (
    <Page title="Practise API integration on a motor insurer">
      <div class="welcome prose">
        <p>
          L-Plate stores what you do, refuses what a real insurer would refuse and explains why; every insurer, vehicle
          and person in it is fictional.
        </p>
        <div class="card">
          <p>
            Begin with a client: a <code>client_id</code> and a <code>client_secret</code> of your own, which your calls
            need. This browser keeps them.
          </p>
          <div class="row">
            <Button kind="primary" onPress={make}>
              Make a client
            </Button>
            <button type="button" class="button" aria-expanded={pasting} onClick={() => setPasting(!pasting)}>
              Use one I have
            </button>
            <a class="button" href="#/join">
              I have a code
            </a>
          </div>
          {error && <Failure error={error} />}
          {pasting && <Paste />}
        </div>
        <ul class="points">
          <li>
            <a href="#/lessons">Lessons</a> tell you what to do next, and notice when your calls did it.
          </li>
          <li>
            <a href="#/traffic">Traffic</a> shows each call with its answer, and why it was refused.
          </li>
          <li>
            <a href="#/time">Time and drills</a> let tokens expire and answers fail, for you alone.
          </li>
        </ul>
      </div>
    </Page>
  );
}

function Paste() {
  const [clientId, setClientId] = useState('');
  const [clientSecret, setClientSecret] = useState('');
  /** In either field the whole JSON may be pasted. */
  const typed = (set: (text: string) => void) => (text: string) => {
    const both = readCredentials(text);
    if (both) {
      setClientId(both.clientId);
      setClientSecret(both.clientSecret);
    } else set(text);
  };
  const take = () => {
    const id = clientId.trim();
    const secret = clientSecret.trim();
    if (id === '' || secret === '')
      return Promise.reject(new Error('Fill in both, the client_id and the client_secret.'));
    return takeClient({ clientId: id, clientSecret: secret });
  };
  return (
    <div class="paste">
      <Form submit="Use this client" onSubmit={take}>
        <Field
          label="client_id"
          value={clientId}
          onInput={typed(setClientId)}
          mono
          about="Or paste the JSON that the API answered: it fills both fields."
        />
        <Field label="client_secret" value={clientSecret} onInput={typed(setClientSecret)} type="password" mono />
      </Form>
    </div>
  );
}
