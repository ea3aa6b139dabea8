import { daysToKeep } from '../../clients/days-to-keep.ts';
import type { Kept } from '../../clients/going.ts';
import { instant } from '../../time/clock.ts';
import { inWords } from '../../time/in-words.ts';
import { findingHolds, isClockOff } from '../exchanges/findings.ts';
import type { Learner } from '../exchanges/learners.ts';
import type { TreatedLearner } from './learner-schemas.ts';

/*
 * What makes it hard for a learner to get on, and looks like nothing in the calls themselves: a clock that is wrong, two
 * clients, calls that count for nobody; and that it is about to be removed. The learner and the trainer are told in words of their own.
 */

type Warning = TreatedLearner['warnings'][number];

/** `now` in milliseconds since 1970. `forTrainer`: in words about the learner, not to it. */
export function warningsOf(
  { clientId, found }: Learner,
  kept: Kept | null,
  now: number,
  forTrainer: boolean,
): Warning[] {
  const { consoleClockOff, programClockOff, otherClient, otherClientAt, sameNickname, unattributedAt } = found;
  const [its, where] = forTrainer ? ['its', 'its'] : ['your', 'your'];
  const holdsFrom = instant(now - findingHolds);
  const warnings: Warning[] = [];
  if (kept?.isGoing) {
    const [it, goes, own] = forTrainer ? ['It has', 'It is', 'its'] : ['You have', 'You are', 'your'];
    const flag = `--keep-clients-days ${daysToKeep(now - Date.parse(kept.lastUsedAt))}`;
    const detail = `${it} made no call since ${inWords(kept.lastUsedAt)}. ${goes} removed on ${inWords(kept.keptUntil)} with all that is ${own} own, unless a call comes before, or the service is started again with ${flag}.`;
    warnings.push({ kind: 'removal', detail });
  }
  const clock = (place: string, seconds: number) =>
    warnings.push({
      kind: 'clock',
      detail: `The clock ${place} is ${howMuch(seconds)}. Programs there take valid tokens for expired, or refuse webhooks as too old: switch on automatic time.`,
    });
  if (isClockOff(consoleClockOff)) clock(`of the computer with ${its} console`, consoleClockOff);
  if (isClockOff(programClockOff)) clock(`where ${where} program runs, by the Date that it sent,`, programClockOff);
  if (otherClient && (otherClientAt ?? '') >= holdsFrom) {
    const detail = forTrainer
      ? `${otherClient.shownName} is used from the same address: one learner may be using two clients. What one calls does not count for the other.`
      : `${otherClient.clientId} is used from your address, too. If both are yours, go on with one of them: what one calls does not count for the other.`;
    warnings.push({ kind: 'two-clients', detail });
  }
  if (sameNickname) {
    const detail = forTrainer
      ? 'Another client has the same nickname: perhaps an older one of the same learner, which you can remove.'
      : 'Another client has your nickname. If it is an older one of yours, ask your trainer to remove it; else choose another nickname.';
    warnings.push({ kind: 'same-nickname', detail });
  }
  if ((unattributedAt ?? '') >= holdsFrom) {
    const detail = forTrainer
      ? `Calls from its address count for nobody, since they have no token of a client. With /for/${clientId} before their paths they count for it.`
      : `A call from your address had no token of yours, so it counts for nobody. Begin its path with /for/${clientId}, and it counts as yours.`;
    warnings.push({ kind: 'unattributed', detail });
  }
  return warnings;
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `12 minutes ahead`, `3 days behind`. */
function howMuch(seconds: number): string {
  const size = Math.abs(seconds);
  const [unit, length] = units.find(([, each]) => size >= 2 * each) ?? ['minute', 60];
  return `${Math.round(size / length)} ${unit}s ${seconds < 0 ? 'behind' : 'ahead'}`;
}
