import { setTimeout as pause } from 'node:timers/promises';
import { root } from './learner.js';

/** Lessons “Limits”. They wait for a minute: that is how long a call counts. */
export async function limits(me) {
  // lesson: retry-after, paced-calls
  const call = (path) => fetch(`${root}/for/${me.id}/insurer/v1${path}`);
  const seconds = (response, header) => Number(response.headers.get(header));

  // lesson: paced-calls
  // First half of ten calls of the probe, which takes five a minute. Each answer tells how many are left.
  let paced;
  for (let made = 0; made < 5; made += 1) paced = await call('/limited/ping');
  const more = Date.now() + seconds(paced, 'ratelimit-reset') * 1000;

  // lesson: retry-after
  // Meanwhile another limit: a drill allows me only one call a minute, so the second one is refused.
  await me.startDrill('small-rate-limit', { limit: 1 });
  let answer;
  do answer = await call('/coverage-options');
  while (answer.status !== 429);
  // Exactly as long as asked for, and the call is accepted.
  await pause(seconds(answer, 'retry-after') * 1000);
  await call('/coverage-options');
  await me.endDrill('small-rate-limit');

  // lesson: paced-calls
  // The second half: the calls of a minute ago count no more. None of the ten was refused.
  await pause(Math.max(0, more - Date.now()));
  for (let made = 0; made < 5; made += 1) {
    paced = await call('/limited/ping');
    if (seconds(paced, 'ratelimit-remaining') === 0 && made < 4) await pause(seconds(paced, 'ratelimit-reset') * 1000);
  }
  // end
}
