import { useMemo } from 'preact/hooks';
import { clientToken, read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import { words } from '../../model/duration.ts';
import {
  type DecodedToken,
  type Explained,
  explained,
  type PublicKey,
  readToken,
  type SignatureState,
  signatureState,
} from '../../model/token.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Table } from '../../parts/owned.tsx';
import { Button, Failure, Field, type Mood, Notice, Time } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { me } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';
import { useLearnerNow } from '../../state/now.ts';

/** Decodes a token, here in the browser. */
export function TokenTool() {
  const [pasted, setPasted] = useKept('token', '');
  const { advice, token } = useMemo(() => readToken(pasted), [pasted]);
  return (
    <>
      <p class="prose">
        A token is a JWT: a header, claims and a signature, each in base64url, with dots between them. Anybody can read
        it; only the signature can’t be made by others. It is decoded here, and sent nowhere.
      </p>
      <Field label="Token" lines={7} mono value={pasted} onInput={setPasted} placeholder="eyJhbGciOiJFUzI1NiIs…" />
      <div class="row">
        {credentials.value && <Button onPress={async () => setPasted(await clientToken())}>Use one of mine</Button>}
        <Button disabled={pasted === ''} onPress={() => setPasted('')}>
          Clear
        </Button>
      </div>
      <div aria-live="polite" class="apart">
        {advice.length > 0 && (
          <Notice mood={token ? 'warn' : 'bad'}>
            <ul>
              {advice.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </Notice>
        )}
        {token && <Verdicts token={token} />}
      </div>
      {token && <Parts token={token} />}
    </>
  );
}

const signatures: Record<SignatureState, readonly [Mood, string]> = {
  right: ['good', 'The signature is right: this L-Plate issued it, and nobody changed it.'],
  wrong: ['bad', 'The signature does not fit: the token was changed or cut off since it was issued.'],
  missing: ['bad', 'There is no signature.'],
  'unknown-key': ['bad', 'It was signed with a key that this L-Plate does not have: it is of another server.'],
  'not-checked': ['bad', 'It is not signed with ES256. L-Plate refuses it, whatever its signature is.'],
};

/** By the signature, the clock and the client. */
function Verdicts({ token }: { readonly token: DecodedToken }) {
  // Those of the client: with the drill rotate-key there is one more.
  const own = credentials.value ? `/for/${credentials.value.clientId}` : '';
  const keysPath = `${own}/.well-known/jwks.json`;
  const { value, error, again } = useLoad(async () => {
    const [{ keys }, { verifyEs256 }] = await Promise.all([
      read<{ keys: PublicKey[] }>(keysPath, { as: 'nobody' }),
      import('../../model/es256.ts'),
    ]);
    return { keys, verifyEs256 };
  }, [keysPath, token.header.kid]);
  const state = useMemo(() => value && signatureState(token, value.keys, value.verifyEs256), [token, value]);
  if (error) return <Failure error={error} onAgain={again} />;
  if (!state) return <p class="muted">Loading the keys …</p>;
  const [mood, text] = signatures[state];
  return (
    <>
      <Notice mood={mood}>
        {text} The keys are at <a href={keysPath}>{keysPath}</a>.
      </Notice>
      <Lifetime token={token} />
      {state === 'right' && token.header.typ !== 'at+jwt' && (
        <Notice mood="warn">
          Its typ is not at+jwt: L-Plate signed it as something else, and does not take it as a token.
        </Notice>
      )}
    </>
  );
}

/** Whether it has expired: by the learner's clock, if it is theirs. */
function Lifetime({ token }: { readonly token: DecodedToken }) {
  const { exp, client_id: clientId, sub } = token.claims;
  const own = credentials.value !== undefined && (clientId ?? sub) === credentials.value.clientId;
  const learnerNow = useLearnerNow();
  const ahead = me.value?.clock.aheadSeconds ?? 0;
  const now = own ? learnerNow : learnerNow === undefined ? Date.now() : learnerNow - ahead * 1000;
  const of = String(clientId ?? sub ?? 'nobody that it names').slice(0, 80);
  if (now === undefined) return null;
  const left = typeof exp === 'number' ? exp - now / 1000 : undefined;
  const whose = own ? 'It is yours.' : `It is of another client: ${of}.`;
  const clock = own ? 'your clock' : 'the real time; its client may have another clock';
  if (left === undefined) return <Notice mood="bad">{whose} It does not say when it expires.</Notice>;
  return (
    <Notice mood={left > 0 && own ? 'good' : 'warn'}>
      <Foreign text={whose} /> {left > 0 ? `It is valid for ${words(left)} more` : `It expired ${words(-left)} ago`}, by{' '}
      {clock}.
    </Notice>
  );
}

function Parts({ token }: { readonly token: DecodedToken }) {
  const { header, claims } = useMemo(() => explained(token), [token]);
  return (
    <>
      <Members title="Header" members={header} />
      <Members title="Claims" members={claims} />
    </>
  );
}

function Members({ title, members }: { readonly title: string; readonly members: readonly Explained[] }) {
  return (
    <>
      <h2>{title}</h2>
      <Table label={title}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">What it says</th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ name, value, meaning, at }) => (
            <tr key={name}>
              <th scope="row">
                <code>
                  <Foreign text={name} />
                </code>
              </th>
              <td>
                <code>
                  <Foreign text={value} />
                </code>
                {at && (
                  <>
                    <br />
                    <Time at={at} withDate />
                  </>
                )}
              </td>
              <td class="wraps">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
