import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects the garbage of this process. */
export const collect: () => void = runInNewContext('gc');

/** Bytes that this process has in use once its garbage is collected: of its heap, and outside of it for JavaScript. */
export function bytesInUse(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
