import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Button, Failure, Notice } from '../../parts/parts.tsx';
import { me, refreshLessons, refreshMe } from '../../state/learner.ts';

/** Removes all that the client owns, once that is confirmed. */
export function Reset() {
  const [asked, setAsked] = useState(false);
  const [done, setDone] = useState(false);
  const [error, setError] = useState<Error>();
  const owns = me.value?.owns;
  const reset = async () => {
    setError(undefined);
    try {
      await call('POST', '/range/v1/me/reset');
      setDone(true);
      setAsked(false);
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
          {done && !asked && (
            <Notice mood="good">All of it is removed. What you create now is the first of its kind.</Notice>
          )}
          {error && <Failure error={error} />}
          {asked ? (
            <Notice mood="warn">
              <p>
                {owns
                  ? `This removes ${counted(owns.policies, 'policy', 'policies')}, ${counted(owns.claims, 'claim', 'claims')} and ${counted(owns.subscriptions, 'subscription', 'subscriptions')}, and the log. `
                  : 'This removes all of it. '}
                Nothing brings them back.
              </p>
              <div class="row">
                <Button kind="danger" onPress={reset}>
                  Yes, remove all of it
                </Button>
                <Button onPress={() => setAsked(false)}>Keep it</Button>
              </div>
            </Notice>
          ) : (
            <Button kind="danger" onPress={() => setAsked(true)}>
              Reset my client
            </Button>
          )}
        </div>
      </div>
    </section>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
