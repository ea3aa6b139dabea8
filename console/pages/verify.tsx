import { useEffect, useState } from 'preact/hooks';
import { type BadgeCheck, badgeFaults, badgeLimits, badgeTexts, checkBadge } from '../../src/text/badge.ts';
import { badgeIn } from '../../src/text/badge-file.ts';
import { Foreign } from '../parts/contained.tsx';
import { Page } from '../parts/page.tsx';
import { Button, Field, FileField, Notice, Time } from '../parts/parts.tsx';

const pinKey = 'lplate.pinned-issuer';

/** Checks a badge in this browser: nothing of it is sent. */
export default function VerifyPage() {
  const [text, setText] = useState('');
  const [pinned, setPinned] = useState(localStorage.getItem(pinKey) ?? undefined);
  const [check, setCheck] = useState<BadgeCheck>();
  const pin = (key: string | undefined) => {
    if (key === undefined) localStorage.removeItem(pinKey);
    else localStorage.setItem(pinKey, key);
    setPinned(key);
  };
  useEffect(() => {
    let left = false;
    setCheck(undefined);
    if (text.trim() !== '') checked(text, pinned).then((found) => !left && setCheck(found));
    return () => {
      left = true;
    };
  }, [text, pinned]);
  const read = async (file: File | undefined) =>
    file && setText(badgeIn(new Uint8Array(await file.arrayBuffer())) ?? 'a picture without a badge');
  return (
    <Page
      title="Check a badge"
      about="Somebody shows you a badge of L-Plate. Here your browser checks it by the key that it names. Nothing is sent to anybody."
    >
      <FileField label="The picture or the file" accept="image/svg+xml,image/png,.jwt,text/plain" onFile={read} />
      <Field label="Or its text" value={text} onInput={setText} lines={5} mono />
      {pinned && (
        <p class="row small">
          <span>
            Only badges by the pinned key are taken: <code class="wraps">{pinned}</code>
          </span>
          <Button small onPress={() => pin(undefined)}>
            Remove the pin
          </Button>
        </p>
      )}
      <div role="status">{check && <Result check={check} pinned={pinned} onPin={pin} />}</div>
    </Page>
  );
}

async function checked(text: string, pinned: string | undefined): Promise<BadgeCheck> {
  const { verifyEs256: verify } = await import('../model/es256.ts');
  return checkBadge(text, { verify, now: Date.now(), ...(pinned && { pinned }) });
}

interface ResultProps {
  readonly check: BadgeCheck;
  readonly pinned: string | undefined;
  readonly onPin: (key: string | undefined) => void;
}

function Result({ check: { fault, key, credential }, pinned, onPin }: ResultProps) {
  if (fault) {
    return (
      <Notice mood="bad">
        <p>
          <strong>Not valid.</strong> {badgeFaults[fault]}
        </p>
        {fault === 'other-key' && (
          <p class="small">
            Its key is <code class="wraps">{key}</code>.
          </p>
        )}
      </Notice>
    );
  }
  const { name, narrative, issuer, from } = badgeTexts(credential);
  return (
    <>
      <Notice mood="good">
        <p>
          <strong>Valid.</strong> Whoever has the key <code class="wraps">{key}</code> signed it, and nothing of it was
          changed since.
        </p>
      </Notice>
      {pinned === undefined && (
        <Notice mood="warn">
          <p>
            Anybody can make a key, and a name to it. If this one is known to you from the trainer or the school, pin
            it: then badges by others are refused.
          </p>
          <Button small onPress={() => onPin(key)}>
            Pin this key
          </Button>
        </Notice>
      )}
      <p>{badgeLimits}</p>
      <h2>What it says</h2>
      <p>
        For <Foreign text={name} />, by <Foreign text={issuer} />
        {from && (
          <>
            , on <Time at={from} withDate />
          </>
        )}
      </p>
      {narrative.split('\n').map((line, at) => (
        <p key={`${at}`}>
          <Foreign text={line} />
        </p>
      ))}
    </>
  );
}
