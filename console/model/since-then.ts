import { counted } from '../../src/text/counted.ts';
import { words } from './duration.ts';

/** How things stood for a learner when this browser saw them. */
export interface Standing {
  readonly calls: number;
  readonly refusals: number;
  readonly solved: number;
  readonly aheadSeconds: number;
  readonly policies: number;
  readonly claims: number;
  /** When the trainer announced something last. */
  readonly announcedAt: string | null;
  /** When what the client owned was removed last. */
  readonly resetAt: string | null;
}

/** Milliseconds after which a learner comes back; until then it is the same sitting. */
export const pause = 30 * 60_000;

/** What is another now than it was then, in sentences. */
export function sinceThen(then: Standing, now: Standing): readonly string[] {
  const wasReset = now.resetAt !== then.resetAt;
  // After a reset these begin again.
  const from = wasReset ? { ...then, calls: 0, refusals: 0, policies: 0, claims: 0 } : then;
  const more = (name: 'calls' | 'refusals' | 'solved' | 'policies' | 'claims') => Math.max(0, now[name] - from[name]);
  const sentences: string[] = [];
  if (more('solved') > 0) sentences.push(`${counted(more('solved'), 'lesson was', 'lessons were')} solved.`);
  if (more('calls') > 0) {
    const refused = more('refusals') > 0 ? `, ${more('refusals')} of them refused` : '';
    sentences.push(`Your programs made ${counted(more('calls'), 'call')}${refused}.`);
  }
  const made = [
    more('policies') > 0 && counted(more('policies'), 'policy', 'policies'),
    more('claims') > 0 && counted(more('claims'), 'claim'),
  ].filter(Boolean);
  if (made.length > 0) sentences.push(`You own ${made.join(' and ')} more.`);
  const moved = now.aheadSeconds - then.aheadSeconds;
  if (moved > 0) sentences.push(`Your clock was moved ${words(moved)} ahead.`);
  if (now.announcedAt !== null && now.announcedAt !== then.announcedAt)
    sentences.push('Your trainer announced something.');
  if (wasReset) sentences.unshift('Your client was reset.');
  return sentences;
}
