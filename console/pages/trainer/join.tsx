import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';
import { counted } from '../../../src/text/counted.ts';
import { read } from '../../api/call.ts';
import type { ClassInfo, ServiceInfo } from '../../api/types.ts';
import { addressForOthers, isOnlyHere, joinPageAt, qrPath, startCommand } from '../../model/joining.ts';
import { Words } from '../../parts/contained.tsx';
import { Button, Code, CopyButton, Notice, Show } from '../../parts/parts.tsx';
import { Fingerprint } from '../../parts/trust-authority.tsx';
import { type Loaded, useEvery, useLoad } from '../../state/load.ts';

/** How learners get here. */
export function Join() {
  return (
    <Show loaded={useJoining()}>
      {(joining) => (
        <>
          {joining.address === undefined ? (
            <OnlyHere />
          ) : (
            <>
              <div class="row class-head">
                <CopyButton text={joining.address} label="Copy the address" />
                <Button small onPress={() => print()}>
                  Print the sheet
                </Button>
                <a class="button small" href="#/trainer/join?wall">
                  Show on the wall
                </a>
              </div>
              <HowToJoin address={joining.address} authority={joining.authority} />
            </>
          )}
          {joining.networks.length > 0 && <Networks networks={joining.networks} />}
          <p>
            The class has {counted(joining.info.lessons, 'lesson')},{' '}
            {joining.info.lessonsFile === null ? (
              'all that there are'
            ) : (
              <>
                from <Words text={joining.info.lessonsFile} />
              </>
            )}
            . <a href="#/trainer/path">See them</a>.
          </p>
        </>
      )}
    </Show>
  );
}

interface HowToJoinProps {
  readonly address: string;
  readonly authority: Joining['authority'];
}

/** The address, to scan or to type, and what learners do first. */
export function HowToJoin({ address, authority }: HowToJoinProps) {
  return (
    <div class="row joining">
      <QrCode text={`${address}/`} />
      <div>
        <p class="join-address">{address}</p>
        <ol class="join-steps">
          <li>
            Open this address, or scan the code.
            {authority && ' Your browser warns, since it does not know this certificate: go on.'}
          </li>
          {authority && (
            <li>
              Trust the class authority, as it says at <Fingerprint authority={authority} origin={address} />
              Compare it: another one means that somebody else answers.
            </li>
          )}
          <li>On the page Start, make a client. It is yours, and stays in your browser.</li>
          <li>Open Lessons and do what stands under Next. Use the tool you like: curl, Postman, your own program.</li>
          <li>Choose a nickname on the page Start, so that your trainer knows who you are.</li>
          <li>Open Traffic to see each call of yours and what was answered.</li>
        </ol>
      </div>
    </div>
  );
}

/** The addresses for others, where this page was opened by one that only this machine has. */
function Networks({ networks }: { readonly networks: readonly string[] }) {
  return (
    <Notice mood="note">
      <p>
        You opened this page as <code>{location.hostname}</code>, which each machine takes for itself. In the network
        this machine is:
      </p>
      <ul>
        {networks.map((origin) => (
          <li key={origin}>
            <a href={joinPageAt(origin)}>{origin}</a>
          </li>
        ))}
      </ul>
      <p>
        Each opens this page by that address, with its QR code, and asks for the trainer token again.
        {networks.length > 1 && ' If learners can’t reach one, try the next.'}
      </p>
    </Notice>
  );
}

export function OnlyHere() {
  return (
    <Notice mood="warn">
      <p>
        <strong>Others can’t reach this address.</strong> <code>{location.hostname}</code> means “this machine” on each
        machine. Start <span class="nowrap">L-Plate</span> so that it listens to others, too:
      </p>
      <Code label="How to start L-Plate for others" text={startCommand(location.port)} />
      <p>
        Then it prints the addresses by which others reach it. Open this page by one of them, and the address and its QR
        code are here. They are here, too, if you set <code>PUBLIC_URL</code>.
      </p>
    </Notice>
  );
}

/** Dark on white also where the page is dark: not each camera reads the opposite. */
export function QrCode({ text, width }: { readonly text: string; readonly width?: string }) {
  const { size, drawn } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: 4 });
    return { size, drawn: qrPath(data) };
  }, [text]);
  return (
    <svg
      class="qr"
      style={width ? { width } : {}}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={`QR code of ${text}`}
    >
      <rect width={size} height={size} class="qr-light" />
      <path d={drawn} class="qr-dark" />
    </svg>
  );
}

/** Milliseconds between two looks. */
const joiningEvery = 5000;

/** What learners need to get here. */
interface Joining {
  /** By which they reach the service; undefined if there is none. */
  readonly address: string | undefined;
  /** Where this page was opened by an address of this machine alone: those that it has in its networks. */
  readonly networks: readonly string[];
  readonly authority: ServiceInfo['authority'];
  readonly info: ClassInfo;
}

export function useJoining(): Loaded<Joining> & { readonly again: () => void } {
  const loaded = useLoad(readJoining, []);
  // The machine may be carried to another network.
  useEvery(joiningEvery, loaded.again);
  return loaded;
}

/** The issuer of tokens, which stays as it is once it is known. */
let issuer: string | undefined;

async function readIssuer(): Promise<string> {
  issuer ??= (await read<{ readonly issuer: string }>('/.well-known/oauth-authorization-server', { as: 'nobody' }))
    .issuer;
  return issuer;
}

async function readJoining(): Promise<Joining> {
  const opened = new URL(location.href);
  const [own, info, service] = await Promise.all([
    readIssuer(),
    read<ClassInfo>('/range/v1/trainer/class', { as: 'trainer' }),
    read<ServiceInfo>('/range/v1/service', { as: 'nobody' }),
  ]);
  return {
    address: addressForOthers(opened, own, info.addresses),
    networks: isOnlyHere(opened.hostname) ? info.addresses : [],
    authority: service.authority,
    info,
  };
}
