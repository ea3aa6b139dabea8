import type { Clock } from './clock.ts';

/**
 * A function that returns the result of `compute`, cached for these milliseconds. `compute` never runs twice at the same
 * time. A failure is not cached.
 */
export function atMostEvery<T>(
  milliseconds: number,
  clock: Pick<Clock, 'elapsed'>,
  compute: () => Promise<T>,
): () => Promise<T> {
  let running: Promise<T> | undefined;
  let last: { result: T; at: number } | undefined;
  return () => {
    if (running) return running;
    if (last && clock.elapsed() - last.at < milliseconds) return Promise.resolve(last.result);
    running = Promise.try(compute)
      .then((result) => {
        last = { result, at: clock.elapsed() };
        return result;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
