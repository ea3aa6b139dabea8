/**
 * A function that makes a promise at its first call and gives the same one to every later call. A promise that was
 * rejected is forgotten, so that the next call tries again: it may have failed only for lack of files or memory.
 */
export function remember<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= make().catch((error) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
