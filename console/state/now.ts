import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { me } from './learner.ts';

/** What the service said last of the client's clock, and when that was in this browser. */
let said = { now: Date.now(), at: performance.now() };

effect(() => {
  const now = me.value?.clock.now;
  if (now !== undefined) said = { now: Date.parse(now), at: performance.now() };
});

/** What time it is for the client, in milliseconds since 1970. The clock of this browser may be wrong. */
export function clientNow(): number {
  return said.now + performance.now() - said.at;
}

/** The same, shown anew each second while `ticks`. */
export function useClientNow(ticks = true): number {
  const [, setRound] = useState(0);
  useEffect(() => {
    if (!ticks) return undefined;
    const timer = setInterval(() => setRound((round) => round + 1), 1000);
    return () => clearInterval(timer);
  }, [ticks]);
  return clientNow();
}

/** The same; undefined until the service has said it. */
export function useLearnerNow(): number | undefined {
  const now = useClientNow();
  return me.value?.clock && now;
}
