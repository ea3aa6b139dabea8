import { useMemo, useState } from 'preact/hooks';
import { hex } from '../../../src/text/bytes.ts';
import { type Answer, call } from '../../api/call.ts';
import { personalPrefix } from '../../api/session.ts';
import { sha256 } from '../../model/sha256.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Button, Choice, Code, Failure, Field, Notice } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { AnswerView, problemOf } from './answer.tsx';
import { asTyped, type BodyOptions, bodyText, isJson } from './body.ts';
import { Dump } from './dump.tsx';
import { signedCall } from './shell.ts';

const path = '/insurer/v1/signed/policy-check';

const lineEnds = [
  ['lf', 'LF (Linux, macOS)'],
  ['crlf', 'CR LF (Windows)'],
] as const;
const finalNewlines = [
  ['as-typed', 'As typed'],
  ['with', 'With a line end'],
  ['without', 'Without a line end'],
] as const;
const layouts = [
  ['as-typed', 'As typed'],
  ['compact', 'JSON, compact'],
  ['indented', 'JSON, indented by 2'],
] as const;

/** Signs a body as the signed check of the insurer wants it, and shows which bytes these are. */
export function SignatureTool() {
  const [typed, setTyped] = useKept('signature.body', '{"regNumber":"AB-1234"}');
  const [options, setOptions] = useKept('signature.options', asTyped);
  const [secret, setSecret] = useState('');
  const text = bodyText(typed, options);
  const signature = useMemo(() => hex(sha256(text, secret)), [secret, text]);
  const choose = (change: Partial<BodyOptions>) => setOptions({ ...options, ...change });
  return (
    <>
      <p class="prose">
        The signed check takes the HMAC-SHA-256 of exactly the bytes of the body, in hexadecimal, in the header
        X-Signature. Its key is the HMAC_SECRET that the program prints at its start, as it is. One other byte is
        another signature.
      </p>
      <div class="columns">
        <div>
          <Field label="Body" lines={6} mono value={typed} onInput={setTyped} />
          <Field
            label="Secret"
            type="password"
            value={secret}
            onInput={setSecret}
            about="The HMAC_SECRET: L-Plate printed it at its start; in a class, ask your trainer. It stays in this page."
          />
        </div>
        <div>
          <div>
            <Choice
              label="Line ends"
              value={options.lineEnds}
              options={lineEnds}
              onChange={(lineEnds) => choose({ lineEnds })}
            />
            <Choice
              label="At its end"
              value={options.finalNewline}
              options={finalNewlines}
              onChange={(finalNewline) => choose({ finalNewline })}
            />
            <Choice label="Layout" value={options.layout} options={layouts} onChange={(layout) => choose({ layout })} />
            <label class="row small actions">
              <input
                type="checkbox"
                checked={options.byteOrderMark}
                onChange={(event) => choose({ byteOrderMark: event.currentTarget.checked })}
              />
              Byte order mark
            </label>
          </div>
          {options.layout !== 'as-typed' && !isJson(typed) && (
            <Notice mood="warn">The body is no JSON, so its layout stays as you typed it.</Notice>
          )}
        </div>
      </div>
      <h2>The bytes that are signed</h2>
      <Dump text={text} label="The bytes that are signed" />
      <h2>The signature</h2>
      {secret === '' ? (
        <p class="muted">Type the secret, and the signature stands here.</p>
      ) : (
        <>
          <SecretAdvice secret={secret} />
          <Code label="The signature" text={signature} />
          <h3>The same with curl</h3>
          <Code label="The call with curl" text={signedCall(personalPrefix.value + path, text, signature)} />
          <Send key={`${signature} ${text}`} text={text} signature={signature} />
        </>
      )}
    </>
  );
}

/** Secrets that were pasted with something around them give other signatures. */
function SecretAdvice({ secret }: { readonly secret: string }) {
  if (secret.startsWith('whsec_'))
    return <Notice mood="warn">This is the secret of a webhook. The signed check wants the HMAC_SECRET.</Notice>;
  if (/^\s|\s$/.test(secret))
    return <Notice mood="warn">There is white space around the secret. It counts as a part of the key.</Notice>;
  if (/^(["']).*\1$/.test(secret))
    return <Notice mood="warn">The secret is in quotes. They count as a part of the key.</Notice>;
  return null;
}

function Send({ text, signature }: { readonly text: string; readonly signature: string }) {
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<Error>();
  const send = async () => {
    setError(undefined);
    const headers = { 'Content-Type': 'application/json', 'X-Signature': signature };
    const local = new URL(personalPrefix.value + path).pathname;
    await call('POST', local, { as: 'nobody', body: text, headers, anyStatus: true }).then(setAnswer, setError);
  };
  const problem = answer && problemOf(answer);
  return (
    <>
      <Button kind="primary" onPress={send}>
        Send it
      </Button>
      <div aria-live="polite">
        {error && <Failure error={error} />}
        {answer && (
          <AnswerView title="The answer" answer={answer}>
            {answer.status === 200 && <Notice mood="good">The signature fits.</Notice>}
            {problem && (
              <Notice mood="bad">
                <strong>{problem.title}.</strong> <Foreign text={problem.detail} />{' '}
                <a href={new URL(problem.type, location.origin).pathname}>What this problem means</a>
              </Notice>
            )}
          </AnswerView>
        )}
      </div>
    </>
  );
}
