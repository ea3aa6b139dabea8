import { useState } from 'preact/hooks';
import { Foreign } from '../../parts/contained.tsx';
import { Form } from '../../parts/form.tsx';
import { Made } from '../../parts/owned.tsx';
import { focusTitle } from '../../parts/page.tsx';
import { Button, Field, Show } from '../../parts/parts.tsx';
import { type MadeCall, makeCall, useResource } from '../../state/owned.ts';
import { callback } from '../../state/redirect-back.ts';

export const redirectUrisPath = '/range/v1/me/redirect-uris';

interface Registered {
  readonly redirectUris: readonly string[];
}

type Edit = (uris: readonly string[]) => readonly string[];

let last: Promise<unknown> = Promise.resolve();

/** The list is replaced as a whole: changes are made one after the other, each to what is registered by then. */
function change(edit: Edit): Promise<MadeCall> {
  const changed = last.then(async () => {
    const read = await makeCall('GET', redirectUrisPath);
    if (!read.answer) return read;
    const { redirectUris }: Registered = JSON.parse(read.answer.text);
    return makeCall('PUT', redirectUrisPath, { json: { redirectUris: edit(redirectUris) } });
  });
  last = changed;
  return changed;
}

const adding =
  (uri: string): Edit =>
  (uris) => [...uris, uri];

const removing =
  (uri: string): Edit =>
  (uris) =>
    uris.filter((each) => each !== uri);

/** Where people may be sent back to. */
export function RedirectUris() {
  const list = useResource<Registered>(redirectUrisPath);
  const [typed, setTyped] = useState('');
  const [made, setMade] = useState<MadeCall>();
  const make = async (edit: Edit) => {
    const call = await change(edit);
    setMade(call);
    if (call.answer) {
      list.again();
      focusTitle();
    }
    return call;
  };
  return (
    <section aria-labelledby="redirect-uris">
      <h2 id="redirect-uris">Where they are sent back to</h2>
      <p class="prose">
        The redirect URIs of your app: after a sign-in L-Plate sends the browser to one of them, and nowhere else. They
        are compared character by character; of http://127.0.0.1 and http://[::1] alone the port may differ.
      </p>
      <Show loaded={list}>
        {({ value: { redirectUris } }) => (
          <>
            {redirectUris.length === 0 && <p class="muted">You have registered none.</p>}
            <ul class="plain rows prose">
              {redirectUris.map((uri) => (
                <li key={uri} class="row ends">
                  <code class="value">
                    <Foreign text={uri} />
                  </code>
                  <Button small label={`Remove ${uri}`} onPress={() => make(removing(uri))}>
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
            <Form
              submit="Register"
              primary={false}
              onSubmit={async () => {
                const { answer } = await make(adding(typed.trim()));
                if (answer) setTyped('');
              }}
              beside={
                !redirectUris.includes(callback) && (
                  <Button onPress={() => make(adding(callback))}>Register this console</Button>
                )
              }
            >
              <Field
                label="Redirect URI"
                mono
                value={typed}
                onInput={setTyped}
                placeholder="http://127.0.0.1/callback"
                about="https, or http for your own machine. At most ten."
              />
            </Form>
          </>
        )}
      </Show>
      <Made made={made}>
        <p>That is what is registered now.</p>
      </Made>
    </section>
  );
}

interface RegisterConsoleProps {
  readonly onDone: () => void;
}

/** Registers the address of the console beside the others, for who wants to try a flow here. */
export function RegisterConsole({ onDone }: RegisterConsoleProps) {
  const [refused, setRefused] = useState<MadeCall>();
  const register = async () => {
    const call = await change(adding(callback));
    if (!call.answer) return setRefused(call);
    onDone();
    focusTitle();
  };
  return (
    <>
      <Button kind="primary" onPress={register}>
        Register this console
      </Button>
      <Made made={refused} />
    </>
  );
}
