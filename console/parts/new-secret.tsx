import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { credentials, keepCredentials } from '../api/session.ts';
import type { NewSecret as Renewed } from '../api/types.ts';
import { Confirm } from './confirm.tsx';
import { CopyButton, Failure, Notice, Time } from './parts.tsx';

/** A new secret for the client, which this browser keeps in place of the one before. */
export function NewSecret() {
  const [renewed, setRenewed] = useState<Renewed>();
  const [error, setError] = useState<Error>();
  const renew = async () => {
    setError(undefined);
    try {
      const answer: Renewed = JSON.parse((await call('POST', '/range/v1/me/secret')).text);
      const client = credentials.peek();
      if (client) keepCredentials({ ...client, clientSecret: answer.client_secret });
      setRenewed(answer);
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <>
      <Confirm plain label="New secret" yes="Get a new secret" onConfirm={renew}>
        <p>
          The secret of today holds beside the new one for 24 hours of your clock: give the new one to your programs in
          that time. One that was before it ends at once.
        </p>
      </Confirm>
      {renewed && (
        <Notice mood="good">
          <p>
            This browser has the new secret. The one before holds until{' '}
            <Time at={renewed.previousValidUntil} withDate />.
          </p>
          <CopyButton text={renewed.client_secret} label="Copy the new secret" />
        </Notice>
      )}
      {error && <Failure error={error} />}
    </>
  );
}
