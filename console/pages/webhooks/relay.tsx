import { useState } from 'preact/hooks';
import { credentials, origin } from '../../api/session.ts';
import { Code, Notice, Time } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useEvery } from '../../state/load.ts';
import { useResource } from '../../state/owned.ts';
import { authority } from '../../state/service.ts';
import { hiddenSecret, withSecret } from '../guides/guide.ts';
import { commandOf, shells, usualShell } from './command.ts';

/** Milliseconds: long enough for an answer to be worth a call, short enough to be waited for. */
const lookEvery = 5000;

const relays = [
  {
    file: 'relay.py',
    needs: 'Python 3.9 or newer',
    program: { sh: 'python3 relay.py', powershell: 'python relay.py' },
  },
  { file: 'relay.js', needs: 'Node.js 18 or newer', program: { sh: 'node relay.js', powershell: 'node relay.js' } },
];

/** Whether the program runs that makes the calls on the learner's machine, and how it is started. */
export function Relay({
  isOfOne,
}: {
  /** Whether it stands on the page of a subscription. */ readonly isOfOne?: boolean;
}) {
  const relay = useResource<{ readonly connectedAt: string | null }>('/range/v1/me/relay');
  useEvery(lookEvery, relay.again);
  const [shell, setShell] = useState(usualShell);
  const { clientId = '' } = credentials.value ?? {};
  const since = relay.value?.value.connectedAt;
  const variablesFor = (file: string) => ({
    ...(authority.value && { [file.endsWith('.py') ? 'SSL_CERT_FILE' : 'NODE_EXTRA_CA_CERTS']: 'lplate-ca.pem' }),
    ...{ LPLATE_URL: origin, CLIENT_ID: clientId, CLIENT_SECRET: hiddenSecret },
  });
  return (
    <section class="card" aria-label="Your relay">
      <h2 class="first">Your relay</h2>
      <div role="status">
        {since && (
          <Notice mood="good">
            Connected since <Time at={since} withDate />. Now{' '}
            {isOfOne ? 'send' : 'open a subscription by relay, and send'} a test event.
          </Notice>
        )}
        {since === null && (
          <Notice mood="warn">
            <strong>Not connected.</strong> Until you start it, each call fails and is tried again later.
          </Notice>
        )}
      </div>
      <p>
        It is a program of one file that you start where your receiver runs. It asks L-Plate for your calls, makes them
        there, and sends back what was answered. Nobody has to reach your computer. Take one of the two; what they are
        is at <a href="/kits#relays">Kits</a>, with their checksums.
      </p>
      {authority.value && (
        <p>
          First save <a href="/ca.pem">lplate-ca.pem</a> in the same folder: L-Plate has{' '}
          <a href="/ca">a certificate of its own</a>.
        </p>
      )}
      <Tabs label="Shell of the relay" tabs={shells} chosen={shell} onChoose={setShell}>
        {relays.map(({ file, needs, program }) => {
          const command = commandOf(variablesFor(file), program[shell], shell);
          return (
            <>
              <p>
                With {needs}: save{' '}
                <a href={`/kits/${file}`} download={file}>
                  {file}
                </a>
                , then in its folder
              </p>
              <Code
                text={command}
                copied={withSecret(command, credentials.value?.clientSecret)}
                label={`Command that starts ${file}`}
              />
            </>
          );
        })}
      </Tabs>
      <p class="muted small">Your secret is shown as dots, and copied as it is.</p>
    </section>
  );
}
