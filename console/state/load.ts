import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Unreachable } from '../api/call.ts';

export type Loaded<T> =
  | { readonly state: 'loading'; readonly value?: T; readonly error?: Error }
  | { readonly state: 'ready'; readonly value: T; readonly error?: undefined }
  | { readonly state: 'failed'; readonly value?: T; readonly error: Error };

/** Milliseconds after which what got no answer is asked for again. */
const unansweredAfter = 5000;

/**
 * Loads something when the component appears and when `inputs` change; `again` loads it once more. While it is loaded
 * again, and when that fails, the last value stays, and why it failed until it is known how it went. An answer that comes
 * after a newer one was asked for is dropped. `before` is what is known of an earlier time.
 */
export function useLoad<T>(
  load: () => Promise<T>,
  inputs: readonly unknown[],
  before?: T,
): Loaded<T> & { readonly again: () => void } {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading', ...(before !== undefined && { value: before }) });
  const [round, setRound] = useState(0);
  const newest = useRef(0);
  useEffect(() => {
    newest.current += 1;
    const number = newest.current;
    const isNewest = () => number === newest.current;
    setLoaded(({ value, error }) => ({
      state: 'loading',
      ...(value !== undefined && { value }),
      ...(error && { error }),
    }));
    load().then(
      (value) => isNewest() && setLoaded({ state: 'ready', value }),
      (error: Error) =>
        isNewest() &&
        setLoaded((before) => ({ state: 'failed', error, ...(before.value !== undefined && { value: before.value }) })),
    );
    return () => {
      newest.current += 1;
    };
  }, [...inputs, round]);
  const again = useCallback(() => setRound((number) => number + 1), []);
  useEffect(() => {
    if (loaded.state !== 'failed' || !(loaded.error instanceof Unreachable)) return;
    const timer = setTimeout(again, unansweredAfter);
    return () => clearTimeout(timer);
  }, [loaded, again]);
  return { ...loaded, again };
}

/** Calls `work` every `ms` milliseconds while the component is there and the tab is seen, and at once when it is seen again. */
export function useEvery(ms: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const visible = () => !document.hidden && latest.current();
    const timer = setInterval(visible, ms);
    document.addEventListener('visibilitychange', visible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', visible);
    };
  }, [ms]);
}
