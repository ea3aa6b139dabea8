import type { Transfer } from '../api/types.ts';
import { CopyButton, Notice, Time } from './parts.tsx';

/** A code by which a client goes on in another browser. */
export function TransferCode({ transfer: { code, expiresAt } }: { readonly transfer: Transfer }) {
  const address = `${location.origin}/#/join/${code}`;
  return (
    <Notice mood="good">
      <p class="row">
        <strong class="mono">{code}</strong>
        <CopyButton text={address} label="Copy the address" about="that takes the code" />
      </p>
      <p>
        Open <code>{address}</code> in the other browser, or type the code at <code>#/join</code>. It holds once, until{' '}
        <Time at={expiresAt} withDate />. The secret of today ends when it is used.
      </p>
    </Notice>
  );
}
