import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';
import { isOnlyHere, qrPath, startCommand } from '../../model/join.ts';
import { Words } from '../../parts/foreign.tsx';
import { Code, CopyButton, Notice } from '../../parts/parts.tsx';
import { path } from '../../state/class.ts';

/** How learners get here. */
export function Join() {
  return (
    <>
      <div class="row ends class-head">
        <CopyButton text={location.origin} label="Copy the address" />
        <a class="button small" href="#/trainer/join?wall">
          Show on the wall
        </a>
      </div>
      {isOnlyHere(location.hostname) && <OnlyHere />}
      <Joining />
    </>
  );
}

/** The address, to scan or to type, and what learners do first. */
export function Joining() {
  const [first] = path.value;
  return (
    <div class="joining">
      <QrCode text={`${location.origin}/`} />
      <div>
        <p class="join-address">{location.origin}</p>
        <ol class="join-steps">
          <li>Open this address, or scan the code.</li>
          <li>On the page Start, make a client. It is yours, and stays in your browser.</li>
          <li>Choose a nickname, so that your trainer knows who you are.</li>
          <li>
            Open Lessons and solve the first one
            {first && (
              <>
                : “
                <Words text={first.title} />”
              </>
            )}
            . Use the tool you like: curl, Postman, your own program.
          </li>
          <li>Open Traffic to see each call of yours and what was answered.</li>
        </ol>
      </div>
    </div>
  );
}

function OnlyHere() {
  return (
    <Notice mood="warn">
      <p>
        <strong>Others can’t reach this address.</strong> <code>{location.hostname}</code> means “this machine” on each
        machine. Start L-Plate so that it listens to others, too:
      </p>
      <Code label="How to start L-Plate for others" text={startCommand(location.port)} />
      <p>
        Then it prints the addresses by which others reach it. Open this page by one of them. The QR code is that of the
        address by which you opened it.
      </p>
    </Notice>
  );
}

/** Dark on white also where the page is dark: not each camera reads the opposite. */
function QrCode({ text }: { readonly text: string }) {
  const { size, drawn } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: 4 });
    return { size, drawn: qrPath(data) };
  }, [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${text}`}>
      <rect width={size} height={size} class="qr-light" />
      <path d={drawn} class="qr-dark" />
    </svg>
  );
}
