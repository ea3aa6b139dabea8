import { setTimeout as delay } from 'node:timers/promises';
import { shownValue } from '../text/shown-value.ts';
import type { Difference } from './difference.ts';
import { type Answer, kept, type NoAnswer } from './side.ts';
import type { ValueWait } from './stage.ts';

/** Milliseconds between two calls: more each time. All of them take some ten seconds. */
const shortest = 10;
const factor = 2.5;
const longest = 3000;
const most = 10;

const isThere = ({ place, is }: ValueWait, answer: Answer) => kept(answer, place) === is;

/** Calls again until an answer has the value, or another status. Returns the last answer. */
export async function untilThere<Given extends Answer | NoAnswer>(
  wait: ValueWait,
  call: () => Promise<Given>,
): Promise<Given> {
  for (let calls = 1; ; calls += 1) {
    const answer = await call();
    if ('failure' in answer || answer.status !== 200 || isThere(wait, answer) || calls === most) return answer;
    await delay(Math.min(longest, shortest * factor ** (calls - 1)));
  }
}

/** That your side did not get there, where the reference did. */
export function tooLate(wait: ValueWait, expected: Answer, answer: Answer | NoAnswer): Difference | undefined {
  if ('failure' in answer || answer.status !== expected.status || isThere(wait, answer)) return undefined;
  const { place, is } = wait;
  const says = `The member ${place} is still ${shownValue(kept(answer, place))} after ${most} calls; ${shownValue(is)} is right by then.`;
  return { place, says };
}
