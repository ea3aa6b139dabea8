import { words } from '../../model/duration.ts';
import { sinceThen } from '../../model/since-then.ts';
import { lastTime, me, standing } from '../../state/learner.ts';

/** What became different while the learner was away. */
export function SinceThen() {
  const [then, now] = [lastTime.value, me.value];
  if (!then || !now) return null;
  const away = (Date.parse(now.clock.now) - Date.parse(then.at)) / 1000 - now.clock.aheadSeconds;
  const sentences = sinceThen(then.stood, standing(now));
  return (
    <section class="card" aria-labelledby="since-then">
      <h2 id="since-then">Since you were here</h2>
      <p class="muted">That was {words(away)} ago.</p>
      {sentences.length > 0 ? (
        <ul>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ) : (
        <p>Nothing has changed.</p>
      )}
    </section>
  );
}
