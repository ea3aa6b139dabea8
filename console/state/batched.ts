import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

/** What a signal has, but not more than once in so many milliseconds: for lists that change many times a second. */
export function useBatched<T>(source: ReadonlySignal<T>, ms: number): T {
  const [value, setValue] = useState(source.peek());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // It may have changed since it was drawn.
    let shown = source.peek();
    setValue(() => shown);
    let shownAt = Number.NEGATIVE_INFINITY;
    const update = () => {
      timer = undefined;
      shown = source.peek();
      shownAt = performance.now();
      setValue(() => shown);
    };
    const stop = source.subscribe((now) => {
      // The first change is shown at once: it is what was loaded.
      const wait = shownAt + ms - performance.now();
      if (now === shown) return;
      if (wait <= 0) update();
      else timer ??= setTimeout(update, wait);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [source, ms]);
  return value;
}
