import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

/** What a signal has, but not more than once in so many milliseconds: for lists that change many times a second. */
export function useBatched<T>(source: ReadonlySignal<T>, ms: number): T {
  const [value, setValue] = useState(source.peek());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      timer = undefined;
      setValue(() => source.peek());
    };
    const stop = source.subscribe(() => {
      timer ??= setTimeout(update, ms);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [source, ms]);
  return value;
}
