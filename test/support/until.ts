import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until something holds.
 *
 * @param within milliseconds, far more than it can take
 * @throws {Error} if it does not come about: `what` is in the message
 */
export async function until(holds: () => unknown, what: string, within = 60_000): Promise<void> {
  for (const begun = performance.now(); !(await holds()); await pause(10)) {
    if (performance.now() - begun > within) throw new Error(`it did not come about within ${within} ms: ${what}`);
  }
}
