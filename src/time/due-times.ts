import { instant } from './clock.ts';

/*
 * When what jobs do is due. What follows is due so long after what was before it was due, and not after it was done: so a job
 * that comes late, or a move of a clock, finds all of it due and does it once, step for step. Where time stands still, nothing
 * else brings it about. (A webhook that failed is another matter: its pause begins when it was tried.) And a move makes what is
 * to come earlier by as much.
 */

/** The instant so many milliseconds after another one; before it, if they are less than 0. */
export function dueAfter(at: string, milliseconds: number): string {
  return instant(Date.parse(at) + milliseconds);
}

/** An instant so many milliseconds earlier, such as when a clock is moved ahead; null stays. */
export const earlier = (at: string | null, by: number) => at && dueAfter(at, -by);
