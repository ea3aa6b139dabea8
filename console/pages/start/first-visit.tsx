import { useState } from 'preact/hooks';
import { insurer } from '../../api/session.ts';
import { readCredentials } from '../../model/pasted-credentials.ts';
import { Form } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, CopyButton, Failure, Field } from '../../parts/parts.tsx';
import { makeClient, takeClient } from '../../state/clients.ts';
import { Scenes } from './scenes.tsx';

/** What L-Plate is, and the ways to a client. */
export function FirstVisit() {
  const [pasting, setPasting] = useState(false);
  const [error, setError] = useState<Error>();
  const make = async () => {
    setError(undefined);
    await makeClient().catch(setError);
  };
  return (
    <div class="welcome">
      <div>
        <Page title="Make your integration mistakes here">
          <p class="lead">
            L-Plate is a motor insurer to practise on. Call it with curl, Postman or your own code: it keeps state,
            refuses what a real insurer refuses, and says how to put it right.
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
          <p class="muted small apart">
            A client is what your calls are known by: a <code>client_id</code> and a secret of your own, kept in this
            browser, without an account. A code is from your trainer, or from another browser of yours. Every insurer,
            vehicle and person here is fictional.
          </p>
          <p class="row small">
            <span class="muted">The insurer’s API</span>
            <code>{insurer}</code>
            <CopyButton text={insurer} about="the address of the insurer’s API" />
          </p>
        </Page>
      </div>
      <Scenes />
      <ul class="plain columns ways">
        <li>
          <a href="#/lessons">I learn</a>
          Lessons say what to do next, and notice when your calls did it.
        </li>
        <li>
          <a href="#/lessons/own-insurer">I build</a>
          Write the insurer yourself, and L-Plate checks it.
        </li>
        <li>
          <a href="#/guides/class">I teach</a>
          One command for a room: who is lost, drills for all, a wall.
        </li>
        <li>
          <a href="#/guides/testing">I test software</a>
          Start it from your tests, reset it, move its clock.
        </li>
      </ul>
    </div>
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
    <div class="apart">
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
