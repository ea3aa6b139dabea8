import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { credentials, keepCredentials } from '../api/session.ts';
import { readCredentials } from '../model/pasted-credentials.ts';
import { Form } from '../parts/form.tsx';
import { Page } from '../parts/page.tsx';
import { Field, Notice } from '../parts/parts.tsx';
import { go, route } from '../state/route.ts';

/** Takes over a client by its code, which the address may have: `#/join/7K3QX-9M0RT`. */
export default function JoinByCode() {
  const [code, setCode] = useState(route.value.rest[0] ?? '');
  const take = async () => {
    const { text } = await call('POST', '/range/v1/transfers', { as: 'nobody', json: { code } });
    const taken = readCredentials(text);
    if (taken) keepCredentials(taken);
    go('/');
  };
  return (
    <Page title="Go on with your client here">
      <div class="prose">
        <p>
          With the code of your client, this browser has it: its policies, lessons and calls. The code holds once. The
          secret that the client had before ends, so give the new one to your programs; Start shows it.
        </p>
        {credentials.value && (
          <Notice mood="warn">
            <p>
              This browser has a client already, <code>{credentials.value.clientId}</code>. It is forgotten here when
              you go on.
            </p>
          </Notice>
        )}
        <Form submit="Go on" onSubmit={take}>
          <Field label="Code" value={code} onInput={setCode} mono about="Ten characters, such as 7K3QX-9M0RT." />
        </Form>
      </div>
    </Page>
  );
}
