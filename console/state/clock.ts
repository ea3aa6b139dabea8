import { useRef, useState } from 'preact/hooks';
import { me } from './learner.ts';
import { useEvery } from './load.ts';

/** What time it is for the learner, in milliseconds since 1970; it ticks. Undefined until it is known. */
export function useLearnerNow(): number | undefined {
  const clock = me.value?.clock;
  const known = useRef({ clock, at: performance.now() });
  if (known.current.clock !== clock) known.current = { clock, at: performance.now() };
  const [, tick] = useState(0);
  useEvery(1000, () => tick((count) => count + 1));
  return clock && Date.parse(clock.now) + performance.now() - known.current.at;
}
