import { useMemo, useState } from 'preact/hooks';
import { Foreign } from '../../parts/contained.tsx';
import { Badge, Button, Code, Field, Notice } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { Dump } from './dump.tsx';
import { checkWebhook, type Finding, readHeaders, rightSignature, signedContent } from './webhook.ts';

const parts: Record<Finding['of'], string> = {
  headers: 'Headers',
  secret: 'Secret',
  signature: 'Signature',
  timestamp: 'Timestamp',
  body: 'Body',
};

const moods = { good: 'fits', note: 'note', warn: 'not checked', bad: 'does not fit' } as const;

/** Checks a call that a receiver got, here in the browser. */
export function WebhookTool() {
  const [headers, setHeaders] = useKept('webhook.headers', '');
  const [body, setBody] = useKept('webhook.body', '');
  const [computed, setComputed] = useKept('webhook.computed', '');
  const [secret, setSecret] = useState('');
  const empty = headers.trim() === '' && body === '' && secret === '';
  const found = useMemo(() => {
    const call = { headers, body, secret, computed };
    const read = readHeaders(headers);
    return {
      findings: checkWebhook(call, Date.now() / 1000),
      content: signedContent(read, body),
      right: rightSignature(read, call),
    };
  }, [headers, body, secret, computed]);
  const clear = () => {
    setHeaders('');
    setBody('');
    setComputed('');
    setSecret('');
  };
  return (
    <>
      <p class="prose">
        Paste a call that your receiver got. The signature is the HMAC-SHA-256 of webhook-id, webhook-timestamp and the
        body, with dots between them. It is checked here, and sent nowhere. Traffic hides the signature, except of what
        lies in an inbox: log the headers and the body in your receiver, and paste them here. The secret was shown once,
        when you subscribed. If you don’t have it any more, <a href="#/guides/events">check-signature</a> of the
        interface knows it.
      </p>
      <div class="columns">
        <div>
          <Field
            label="Headers"
            lines={5}
            mono
            value={headers}
            onInput={setHeaders}
            placeholder={'webhook-id: …\nwebhook-timestamp: …\nwebhook-signature: v1,…'}
            about="With other lines or as JSON, too."
          />
          <Field
            label="Body"
            lines={6}
            mono
            value={body}
            onInput={setBody}
            about="Exactly as it arrived. Line ends become LF when you paste here."
          />
          <Field
            label="Secret of the subscription"
            type="password"
            value={secret}
            onInput={setSecret}
            placeholder="whsec_…"
            about="It stays in this page and is kept nowhere."
          />
          <Field
            label="What your code computes, if it refuses the call"
            mono
            value={computed}
            onInput={setComputed}
            about="Then you are told which of the common mistakes gives this."
          />
          <Button disabled={empty} onPress={clear}>
            Clear
          </Button>
        </div>
        <section aria-label="Findings" aria-live="polite">
          <h2 class="first">What fits, and what does not</h2>
          {empty ? <p class="muted">Nothing was pasted yet.</p> : <Findings findings={found.findings} />}
        </section>
      </div>
      {!empty && (
        <>
          <h2>What is signed</h2>
          <Dump text={found.content} label="The bytes that are signed" />
          {found.right && (
            <>
              <h3>The signature that fits this</h3>
              <Code label="The signature that fits" text={found.right} />
            </>
          )}
        </>
      )}
    </>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const right = !findings.some(({ mood }) => mood === 'bad' || mood === 'warn');
  return (
    <>
      {right && <Notice mood="good">The call is right. If your receiver refuses it, its code is to blame.</Notice>}
      <ul class="plain rows">
        {findings.map(({ of, mood, text }) => (
          <li key={of + text}>
            <Badge mood={mood}>{moods[mood]}</Badge> <strong>{parts[of]}.</strong> <Foreign text={text} />
          </li>
        ))}
      </ul>
    </>
  );
}
