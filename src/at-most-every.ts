import type { Clock } from './clock.ts';

/**
 * A function that gives the result of `compute`, which runs never twice at once and not again before so many
 * milliseconds have passed since its last result. Until then that one is given. A failure is not kept.
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
