import { words } from '../../model/duration.ts';
import { timeText } from '../../model/when.ts';
import { LoadingPart } from '../../parts/parts.tsx';
import { me } from '../../state/learner.ts';
import { useLearnerNow } from '../../state/now.ts';

/** What time it is for the learner. */
export function Clock() {
  const now = useLearnerNow();
  const ahead = me.value?.clock.aheadSeconds ?? 0;
  return (
    <section class="card columns own-clock" aria-labelledby="own-clock">
      <div>
        <h2 id="own-clock" class="first">
          Your clock
        </h2>
        <Face now={now} />
        <p class="muted">
          {ahead > 0
            ? `It is ${words(ahead)} ahead of the real time.`
            : 'It says the real time until you move it ahead.'}
        </p>
      </div>
      <p class="small prose">
        A token expires after an hour, an event after a week, a policy after a month or more: move your clock instead of
        waiting. Nothing takes it back; a new client lives in the present.
      </p>
    </section>
  );
}

function Face({ now }: { readonly now: number | undefined }) {
  if (now === undefined) return <LoadingPart />;
  const date = new Date(now);
  const iso = date.toISOString();
  return (
    <p class="face">
      <time dateTime={iso} title={iso}>
        <span>{timeText(date)}</span>
        <span>{date.toLocaleDateString(undefined, { dateStyle: 'full' })}</span>
      </time>
    </p>
  );
}
