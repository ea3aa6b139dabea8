import { useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { call } from '../../api/call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure, Notice } from '../../parts/parts.tsx';
import { me, refreshLessons, refreshMe } from '../../state/learner.ts';

/** Removes all that the client owns, once that is confirmed. */
export function Reset() {
  const [done, setDone] = useState(false);
  const [error, setError] = useState<Error>();
  const owns = me.value?.owns;
  const reset = async () => {
    setError(undefined);
    setDone(false);
    try {
      await call('POST', '/range/v1/me/reset');
      setDone(true);
      await Promise.all([refreshMe(), refreshLessons()]);
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <section aria-labelledby="reset">
      <h2 id="reset">Begin anew</h2>
      <div class="prose">
        <p>
          A reset removes all that your client owns: policies, claims, subscriptions with their deliveries, the answers
          kept for an Idempotency-Key, your drills, the log of your calls and what it counts. Your credentials, tokens,
          nickname and clock stay, and so do solved lessons. Events that were published can’t be read any more, but a
          cursor goes on where it was.
        </p>
        <div aria-live="polite">
          {done && <Notice mood="good">All of it is removed. What you create now is the first of its kind.</Notice>}
          {error && <Failure error={error} />}
          <Confirm label="Reset my client" yes="Yes, remove all of it" no="Keep it" onConfirm={reset}>
            <p>
              {owns
                ? `This removes ${counted(owns.policies, 'policy', 'policies')}, ${counted(owns.claims, 'claim')} and ${counted(owns.subscriptions, 'subscription')}, and the log. `
                : 'This removes all of it. '}
              Nothing brings them back.
            </p>
          </Confirm>
        </div>
      </div>
    </section>
  );
}
