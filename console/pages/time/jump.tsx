import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { callsLeft } from '../../api/calls-left.ts';
import { usualLength } from '../../model/clock-lengths.ts';
import { after, iso, words } from '../../model/duration.ts';
import { ClockLength } from '../../parts/clock-length.tsx';
import { Foreign } from '../../parts/contained.tsx';
import { Button, Code, Failure, Notice, Time } from '../../parts/parts.tsx';
import { refreshMe } from '../../state/learner.ts';
import { useLearnerNow } from '../../state/now.ts';
import { Changes } from './changes.tsx';
import { ahead } from './jump.ts';
import { Line } from './line.tsx';
import { loadOwned, type Snapshot } from './owned.ts';
import { Preview } from './preview.tsx';

/** What the service answered to a move. */
interface Moved {
  readonly text: string;
  readonly now: number;
  /** What was owned before it, if that was asked for. */
  readonly before?: Snapshot;
}

/** Moves the learner's clock, and tells before what that would cause. */
export function Jump() {
  const now = useLearnerNow();
  const [duration, setDuration] = useState(usualLength);
  const [snapshot, setSnapshot] = useState<Snapshot>();
  const [moved, setMoved] = useState<Moved>();
  const [error, setError] = useState<Error>();
  const [note, setNote] = useState<string>();

  const choose = (text: string) => {
    setDuration(text);
    setError(undefined);
    setNote(undefined);
  };
  const attempt = async (work: () => Promise<void>) => {
    setError(undefined);
    await work().catch(setError);
  };
  const look = () => attempt(async () => setSnapshot(await loadOwned()));
  const toNext = () =>
    attempt(async () => {
      const owned = await loadOwned();
      setSnapshot(owned);
      const [next] = ahead(owned, now ?? 0);
      if (!next) {
        setNote('Nothing of yours is due. Make a policy or a claim, or choose a length.');
        return;
      }
      choose(iso((next.latest - (now ?? 0)) / 1000));
      setNote(`Next: ${next.what}`);
    });
  const move = () =>
    attempt(async () => {
      const { text } = await call('POST', '/range/v1/me/clock', { json: { advance: duration.trim() } });
      setMoved({ text, now: Date.parse(JSON.parse(text).now), ...(snapshot && { before: snapshot }) });
      setSnapshot(undefined);
      setNote(undefined);
      await refreshMe();
    });

  const to = now === undefined ? undefined : after(now, duration.trim());
  const happenings = snapshot && now !== undefined ? ahead(snapshot, now) : [];
  return (
    <section aria-labelledby="jump">
      <h2 id="jump">Move it ahead</h2>
      <Line
        seconds={to === undefined || now === undefined ? undefined : (to - now) / 1000}
        happenings={happenings.map((each) => ({ ...each, inSeconds: (each.latest - (now ?? 0)) / 1000 }))}
        onChange={choose}
      />
      <ClockLength value={duration} onChange={choose}>
        <Button disabled={now === undefined} onPress={toNext}>
          To the next thing that happens
        </Button>
      </ClockLength>
      <p aria-live="polite">
        {note && (
          <>
            <Foreign text={note} />{' '}
          </>
        )}
        {to === undefined
          ? now !== undefined && 'That is no duration that the service takes. Move, and it says why.'
          : now !== undefined && (
              <>
                Your clock will say <Time at={new Date(to).toISOString()} withDate />, {words((to - now) / 1000)} from
                now.
              </>
            )}
      </p>
      <div class="row">
        <Button onPress={look}>What would happen?</Button>
        <Button kind="primary" onPress={move}>
          Move my clock
        </Button>
        <span class="muted small">
          This can’t be undone.
          {callsLeft.value &&
            ` To look takes some of your ${callsLeft.value.limit} calls a minute, to move takes none.`}
        </span>
      </div>
      {error && <Failure error={error} />}
      {snapshot && now !== undefined && <Preview snapshot={snapshot} now={now} to={to} />}
      {moved && (
        <Notice mood="good">
          <p role="status">
            <strong>Your clock was moved.</strong> The answer of the service:
          </p>
          <Code label="The answer to the move" text={JSON.stringify(JSON.parse(moved.text), null, 2)} />
          {moved.before ? (
            <Changes key={moved.now} before={moved.before} now={moved.now} />
          ) : (
            <p>What was due in that time happens now: tokens and policies expire, claims move, webhooks are called.</p>
          )}
        </Notice>
      )}
    </section>
  );
}
